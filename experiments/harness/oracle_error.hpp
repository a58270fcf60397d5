#pragma once

/// How far a run is from its study's oracle, in one definition that works for every study.
///
/// Columns of oracle.csv carry the names of the quantities that they predict, so that each is
/// compared with the column of that name in trajectory.csv or energy.csv. With the difference d(t)
/// at the recorded times and the scale s of the quantity:
///
///     max = max|d|/s,   rms = √mean(d²)/s,   final = |d(t_end)|/s.
///
/// The components x, y, z of a vector are one quantity with one scale (a velocity along y that
/// stays zero is judged by the speeds along x and z). s is the widest range max − min of the
/// oracle's components over the run; of a quantity that is constant, its largest size; of one that
/// is zero, 1, so that the error is absolute.
///
/// Where the oracle jumps (impacts), `max` is dominated by the instant of the jump: a run that
/// makes the same jump one step later is off by all of it. `rms` and `final` are not.

#include <map>
#include <string>

#include "experiments/harness/provenance.hpp"

namespace touchstone {

/// {"max", "rms", "final", "columns": {NAME: {"max", "rms", "final"}}} of the given tables; the
/// first three are those of the worst column. Oracle columns that no table has are listed under
/// "not_compared". Null without an oracle or when nothing can be compared.
Json oracle_error(const std::map<std::string, std::string>& files);

}  // namespace touchstone
