#include "experiments/studies/contact_law.hpp"

#include <algorithm>
#include <cmath>

namespace touchstone {

double friction_magnitude(const ContactRow& row, const FrictionLaw& law, double h) {
  const double r = law.e_r > 0.0 ? row.p_r / law.e_r : 0.0;
  return std::hypot(row.p_t / law.e_t, row.p_o / law.e_o, r) / h;
}

LawResidual law_residual(const Record& record, const FrictionLaw& law, double h) {
  LawResidual worst;
  for (const ContactRow& row : record.contacts()) {
    const double excess = friction_magnitude(row, law, h) - law.mu * row.p_n / h;
    worst.outside = std::max(worst.outside, excess);
    if (row.mode == Mode::slip || row.mode == Mode::spin)
      worst.sliding = std::max(worst.sliding, std::abs(excess));
  }
  return worst;
}

std::vector<Event> mode_changes(const Record& record, const std::string& contact) {
  std::vector<Event> changes;
  for (const Event& event : record.events()) {
    if (event.contact != contact || event.kind == "touch") continue;
    if (changes.empty() || changes.back().kind != event.kind) changes.push_back(event);
  }
  return changes;
}

std::string mode_history(const Record& record, const std::string& contact) {
  std::string history;
  for (const Event& change : mode_changes(record, contact))
    history += (history.empty() ? "" : " ") + change.kind;
  return history;
}

Json event_time(const Record& record, const std::string& contact, const std::string& kind) {
  Json t;
  for (const Event& change : mode_changes(record, contact))
    if (change.kind == kind) t = change.t;
  return t;
}

Json last_push(const Record& record, const std::string& pair) {
  Json t;
  for (const ContactRow& row : record.contacts())
    if (row.p_n > 0.0 && row.contact.starts_with(pair + "#")) t = row.t;
  return t;
}

}  // namespace touchstone
