#pragma once

/// Friction-contact problems in the HDF5 format of FCLIB (Acary, Brémond, Koziara, Pérignon 2014,
/// FCLIB: a collection of discrete 3D frictional contact problems), the local form:
///     /fclib_local/spacedim                    2 or 3
///     /fclib_local/W/{m, n, nz, nzmax, p, i, x}  sparse W: nz = −1 columns, −2 rows compressed,
///                                              nz ≥ 0 triplets
///     /fclib_local/vectors/{mu, q}
///     /fclib_local/info                        title, description, math_info
/// and, for reading, the global form /fclib_global/{M, H, vectors/{f, w, mu}}, reduced to the local
/// one by W = HᵀM⁻¹H, q = HᵀM⁻¹f + w; W is sparse where less than a quarter of it is nonzero.
/// In triplets `i` holds rows and `p` columns, whatever the comment in fclib.h says.
///
/// Reading and writing go through HDF5 itself: FCLIB's own functions end the process when a group
/// is missing and trust the sizes that a file states.

#include <filesystem>
#include <string>

#include "solvers/problem.hpp"

namespace touchstone {

/// Whether HDF5 was there when Touchstone was built; `fclib_unavailable` says what to install.
bool fclib_available();
std::string fclib_unavailable();

struct FclibInfo {
  std::string title, description, math_info;
};

/// The problem of a file. InputError, naming the file and the cause, for a file that is
/// missing, is not HDF5, holds another kind of problem (rolling, with equality constraints) or
/// contradicts itself, and where HDF5 is missing.
FrictionContact read_fclib(const std::filesystem::path& path);

/// Writes the whole file or nothing: to a temporary file beside it, then renamed. W is written in
/// compressed columns, and no date: the same problem gives the same bytes. InputError for a
/// malformed problem or where the file cannot be written.
void write_fclib(const std::filesystem::path& path, const FrictionContact& problem,
                 const FclibInfo& info = {});

}  // namespace touchstone
