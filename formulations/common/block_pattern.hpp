#pragma once

/// Compressed columns of a block matrix over bodies and contacts, all square blocks full: a body
/// couples with itself, with its contacts and with the bodies that it touches, a contact with
/// itself and its bodies. The rows of a block are one run in each of its columns.

#include <vector>

#include "solvers/problem.hpp"

namespace touchstone {

class BlockPattern {
 public:
  struct Contact {
    int a = -1, b = -1;  // ranks of the bodies; −1 when fixed
    int size = 0;        // unknowns of its own
    bool operator==(const Contact&) const = default;
  };
  /// Where the runs of body a, body b and the contact itself begin within a column.
  struct Run {
    int a = 0, b = 0, own = 0;
  };
  struct Runs {
    Run in_a, in_b, in_own;  // in the columns of body a, of body b and of the contact
  };

  /// Bodies come first, with `dof` unknowns each, then the contacts. Does nothing when the shape is
  /// that of the last call.
  void build(int bodies, int dof, const std::vector<Contact>& contacts);

  int size() const { return size_; }
  int first(std::size_t contact) const { return first_[contact]; }
  const Runs& runs(std::size_t contact) const { return runs_[contact]; }
  int self_run(std::size_t body) const { return self_run_[body]; }
  int column(int j) const { return outer_[static_cast<std::size_t>(j)]; }

  /// Gives J this pattern, unless it has it already, and zeros; its values.
  double* clear(SpMat& J) const;

 private:
  int bodies_ = -1, dof_ = 0, size_ = 0;
  std::vector<Contact> contacts_;
  std::vector<int> first_, self_run_;
  std::vector<Runs> runs_;
  std::vector<int> outer_, inner_;
};

}  // namespace touchstone
