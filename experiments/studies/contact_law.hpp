#pragma once

/// How well a run keeps the friction law of its contacts, measured on its records: the same way for
/// every formulation.

#include "experiments/harness/record.hpp"

namespace touchstone {

struct LawResidual {
  // With the magnitude |λ_f| = √((λ_t/e_t)² + (λ_o/e_o)² + (λ_r/e_r)²), over all recorded steps:
  double sliding = 0.0;  // [N] largest ||λ_f| − μλ_n| of a contact that slides or spins
  double outside = 0.0;  // [N] largest |λ_f| − μλ_n of any contact: how far outside its ellipsoid
};

/// |λ_f| of a row [N].
double friction_magnitude(const ContactRow& row, const FrictionLaw& law, double h);

LawResidual law_residual(const Record& record, const FrictionLaw& law, double h);

/// The events of a contact that change its kind of mode: stick, slip (spinning included), separate.
std::vector<Event> mode_changes(const Record& record, const std::string& contact);

/// The modes that a contact of the record goes through, from its events: "slip separate".
std::string mode_history(const Record& record, const std::string& contact);

/// When the contact's last event of this kind happened; null when it did not.
Json event_time(const Record& record, const std::string& contact, const std::string& kind);

/// The end of the last step in which two bodies ("ball/first") push each other, whichever of their
/// features touch then; null where they never do. Polyhedra that roll hop from feature to feature:
/// their contacts come and go, and only the last one leaves for good.
Json last_push(const Record& record, const std::string& pair);

}  // namespace touchstone
