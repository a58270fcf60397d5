#pragma once

#include <algorithm>
#include <chrono>

namespace touchstone {

/// The least time of one call [µs] over `repeats` batches: what other load on the machine adds is
/// never negative. Batches last at least 0.2 ms, so that the clock's own cost does not count.
template <class Call>
double least_time_us(int repeats, const Call& call) {
  using Clock = std::chrono::steady_clock;
  const auto batch = [&call](int calls) {
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) call();
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  };
  int calls = 1;
  double first = batch(calls);
  while (first < 200.0) first = batch(calls *= 2);
  double least = first / calls;
  for (int k = 1; k < repeats; ++k) least = std::min(least, batch(calls) / calls);
  return least;
}

}  // namespace touchstone
