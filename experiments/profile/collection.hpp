#pragma once

/// Collections of problems: folders that a run dumped (experiments/profile/dump.hpp), folders of
/// problem files, single files (JSON or FCLIB's HDF5) and random families.

#include <functional>
#include <string>
#include <vector>

#include "solvers/problem.hpp"

namespace touchstone {

/// A problem and where solvers begin on it (empty: wherever they like).
struct Posed {
  Problem problem;
  Vec start;
};

/// One problem of a collection, read or made when it is asked for.
struct Item {
  std::string name;  // "box-stack/step-000012", "stewart-trinkle/00012": a row's key
  std::function<Posed()> load;
};

/// `source`: random:NAME, random:NAME:COUNT or random:NAME:COUNT/STRIDE (every STRIDE-th), a folder
/// (its sub-folders too), or a file. InputError for what is none of them; a damaged file is an
/// InputError when it is loaded.
std::vector<Item> open_collection(const std::string& source);

/// A problem file by its name: FCLIB where it ends in .hdf5 or .h5, else JSON.
Problem read_any_problem(const std::string& file);

}  // namespace touchstone
