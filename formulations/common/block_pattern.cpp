#include "formulations/common/block_pattern.hpp"

#include <algorithm>

namespace touchstone {

void BlockPattern::build(int bodies, int dof, const std::vector<Contact>& contacts) {
  if (bodies == bodies_ && dof == dof_ && contacts == contacts_) return;
  bodies_ = bodies;
  dof_ = dof;
  contacts_ = contacts;
  const int n_c = static_cast<int>(contacts.size());
  first_.clear();
  size_ = bodies * dof;
  for (const Contact& contact : contacts) {
    first_.push_back(size_);
    size_ += contact.size;
  }

  // Rows of each block of columns: coupled bodies, then contacts. Blocks 0 … n_b − 1 are bodies.
  std::vector<std::vector<int>> blocks(static_cast<std::size_t>(bodies + n_c));
  const auto couple = [&](int column, int row) {
    blocks[static_cast<std::size_t>(column)].push_back(row);
  };
  for (int k = 0; k < bodies; ++k) couple(k, k);
  for (int i = 0; i < n_c; ++i) {
    const Contact& contact = contacts[static_cast<std::size_t>(i)];
    couple(bodies + i, bodies + i);
    for (const int body : {contact.a, contact.b}) {
      if (body < 0) continue;
      couple(body, bodies + i);
      couple(bodies + i, body);
    }
    if (contact.a < 0 || contact.b < 0) continue;
    couple(contact.a, contact.b);
    couple(contact.b, contact.a);
  }
  const auto start = [&](int block) {
    return block < bodies ? block * dof : first_[static_cast<std::size_t>(block - bodies)];
  };
  const auto length = [&](int block) {
    return block < bodies ? dof : contacts[static_cast<std::size_t>(block - bodies)].size;
  };
  outer_.assign(1, 0);
  inner_.clear();
  for (int block = 0; block < bodies + n_c; ++block) {
    auto& rows = blocks[static_cast<std::size_t>(block)];
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (int j = 0; j < length(block); ++j) {
      for (const int row : rows)
        for (int r = 0; r < length(row); ++r) inner_.push_back(start(row) + r);
      outer_.push_back(static_cast<int>(inner_.size()));
    }
  }
  const auto run = [&](int row, int column) {
    int at = 0;
    if (row < 0 || column < 0) return at;
    for (const int block : blocks[static_cast<std::size_t>(column)]) {
      if (block == row) break;
      at += length(block);
    }
    return at;
  };
  self_run_.clear();
  for (int k = 0; k < bodies; ++k) self_run_.push_back(run(k, k));
  runs_.clear();
  for (int i = 0; i < n_c; ++i) {
    const int a = contacts[static_cast<std::size_t>(i)].a,
              b = contacts[static_cast<std::size_t>(i)].b, own = bodies + i;
    runs_.push_back({{run(a, a), run(b, a), run(own, a)},
                     {run(a, b), run(b, b), run(own, b)},
                     {run(a, own), run(b, own), run(own, own)}});
  }
}

double* BlockPattern::clear(SpMat& J) const {
  const auto nonzeros = static_cast<Eigen::Index>(inner_.size());
  const bool known = J.rows() == size_ && J.cols() == size_ && J.isCompressed() &&
                     J.nonZeros() == nonzeros &&
                     std::equal(outer_.begin(), outer_.end(), J.outerIndexPtr()) &&
                     std::equal(inner_.begin(), inner_.end(), J.innerIndexPtr());
  if (!known) {
    const std::vector<double> zeros(inner_.size(), 0.0);
    J = Eigen::Map<const SpMat>(size_, size_, nonzeros, outer_.data(), inner_.data(), zeros.data());
  }
  std::fill(J.valuePtr(), J.valuePtr() + nonzeros, 0.0);
  return J.valuePtr();
}

}  // namespace touchstone
