#pragma once

/// Configurations of the sliding rod in Baraff's thesis (1992) whose answers are known in numbers.

#include <cmath>
#include <string>
#include <vector>

namespace touchstone {

struct KnownNumber {
  std::string configuration;  // "X4 impact without collision"
  std::string quantity;
  double computed = 0.0, expected = 0.0;
  double tolerance =
      0.0;  // absolute: half a unit of the expected number's last digit, or round-off
  bool holds() const { return std::abs(computed - expected) <= tolerance; }
};

/// The rod of figure 10.1 (m = l = g/9.8 = 1, μ = 0.750245, B + μC = −1):
///   X1  indeterminate, ω²s − g = 1: f = 0 and f = m (section 10.2);
///   X2  inconsistent, ω = 0: no force, Lemke's ray z = 1, z₀ = 1;
///   X3  skimming, ω = g = 0: f = 0 only;
///   X4  impact without collision: X2's ray stops the slip v₀ with j = v₀/(C + μE), and a collision
///       follows, in which the tip sticks (section 13.1), with ε = 0 and ε = 1;
///   X6  the tip at rest: separation only, against the thesis' two answers (section 14.1); three
///       with a horizontal load that makes a_t < −(C + μE) without contact;
///   X10 a rod R₁ as in X1 and a rod E₁ as in X3 on a base of mass 100 that moves sideways (figure
///       12.4): finite forces (0, 0) only, the impulse (0, 1) is also valid;
///   X11 a base of mass M = 100 that moves, pushed by f_b (figure 11.1): a = −0.99 f/m − f_b/M.
std::vector<KnownNumber> known_rod_numbers();

}  // namespace touchstone
