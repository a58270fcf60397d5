#include "geometry/event_reduction.hpp"

#include <algorithm>
#include <numeric>

namespace touchstone {

namespace {

using Column = Eigen::Matrix<double, 7, 1>;  // (J, g), lengths over the size of the region

/// Nonnegative least squares (Lawson and Hanson): is b in the cone of the columns, to `tolerance`?
class Cone {
 public:
  void clear() { columns_.clear(); }
  void add(const Column& c) { columns_.push_back(c); }

  bool holds(const Column& b, double tolerance) {
    x_.assign(columns_.size(), 0.0);
    passive_.clear();
    Column rest = b;
    for (std::size_t round = 0; round < 3 * columns_.size() + 10; ++round) {
      if (rest.norm() <= tolerance) return true;
      const int enter = steepest(rest, tolerance);
      if (enter < 0 || passive_.size() >= 7) return false;
      passive_.push_back(enter);
      solve(b);
      rest = b;
      for (const int k : passive_) rest -= x_[k] * columns_[k];
    }
    return false;
  }

 private:
  using Matrix = Eigen::Matrix<double, 7, Eigen::Dynamic, Eigen::ColMajor, 7, 8>;

  int steepest(const Column& rest, double tolerance) const {
    int best = -1;
    double most = 1e-3 * tolerance * tolerance;
    for (int k = 0; k < static_cast<int>(columns_.size()); ++k) {
      const double slope = columns_[k].dot(rest) / columns_[k].norm();
      if (slope <= most || std::find(passive_.begin(), passive_.end(), k) != passive_.end())
        continue;
      most = slope;
      best = k;
    }
    return best;
  }

  /// Least squares on the passive columns; columns that would become negative leave.
  void solve(const Column& b) {
    while (!passive_.empty()) {
      Matrix P(7, static_cast<Eigen::Index>(passive_.size()));
      for (std::size_t i = 0; i < passive_.size(); ++i)
        P.col(static_cast<Eigen::Index>(i)) = columns_[passive_[i]];
      const Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 8, 1> s = P.colPivHouseholderQr().solve(b);
      double step = 1.0;
      for (std::size_t i = 0; i < passive_.size(); ++i) {
        const double old = x_[passive_[i]], now = s[static_cast<Eigen::Index>(i)];
        if (now <= 0.0) step = std::min(step, old / (old - now));
      }
      std::vector<int> stay;
      for (std::size_t i = 0; i < passive_.size(); ++i) {
        double& x = x_[passive_[i]];
        const double now = s[static_cast<Eigen::Index>(i)];
        const bool leaves = now <= 0.0 && x / (x - now) <= step;
        x = leaves ? 0.0 : x + step * (now - x);
        if (!leaves) stay.push_back(passive_[i]);
      }
      const bool done = stay.size() == passive_.size();
      passive_ = std::move(stay);
      if (done) return;
    }
  }

  std::vector<Column> columns_;
  std::vector<double> x_;
  std::vector<int> passive_;
};

std::vector<Column> columns_of(const std::vector<RatioEvent>& events) {
  Vec3 centre = Vec3::Zero();
  for (const RatioEvent& e : events) centre += e.point / static_cast<double>(events.size());
  double size = 0.0;
  for (const RatioEvent& e : events) size = std::max(size, (e.point - centre).norm());
  if (!(size > 0.0)) size = 1.0;
  std::vector<Column> columns;
  for (const RatioEvent& e : events) {
    Column c;
    c << e.normal, ((e.point - centre) / size).cross(e.normal), e.r * e.gap / size;
    columns.push_back(c);
  }
  return columns;
}

}  // namespace

std::vector<int> essential_events(const std::vector<RatioEvent>& events,
                                  const ReductionOptions& options) {
  const std::vector<Column> columns = columns_of(events);
  std::vector<char> kept(events.size(), 1);
  // The least active ones are tried first, and edges before corners.
  std::vector<int> order(events.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int i, int j) {
    if (events[i].kind != events[j].kind) return events[i].kind > events[j].kind;
    return columns[i][6] > columns[j][6];
  });
  Column slack = Column::Zero();
  slack[6] = 1.0;  // g_m may exceed Σ λ g
  Cone cone;
  for (const int m : order) {
    cone.clear();
    cone.add(slack);
    for (std::size_t k = 0; k < events.size(); ++k)
      if (kept[k] && static_cast<int>(k) != m &&
          (!options.friction ||
           (events[k].normal - events[m].normal).norm() <= options.same_normal))
        cone.add(columns[k]);
    kept[m] = cone.holds(columns[m], options.tolerance) ? 0 : 1;
  }
  std::vector<int> result;
  for (std::size_t k = 0; k < events.size(); ++k)
    if (kept[k]) result.push_back(static_cast<int>(k));
  return result;
}

}  // namespace touchstone
