#include "geometry/hull.hpp"

// Qhull's C++ headers are not valid C++20 (template-ids as constructor names): its C interface is
// used.
extern "C" {
#include <libqhull_r/libqhull_r.h>
#include <libqhull_r/qset_r.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <string>

namespace touchstone {

namespace {

/// Twice the area of (a, b, c), > 0 when counter-clockwise.
double cross2(const Vec3& a, const Vec3& b, const Vec3& c) {
  return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

/// Does b lie left-turning on the way a → b → c, by more than the tolerance [m]?
bool turns_left(const Vec3& a, const Vec3& b, const Vec3& c, double tolerance) {
  return cross2(a, b, c) > tolerance * (c - a).norm();
}

/// The loop of a planar facet: its vertices by angle around their mean, counter-clockwise seen from
/// the tip of n.
void order_loop(std::vector<int>& loop, const std::vector<Vec3>& points, const Vec3& n) {
  Vec3 mean = Vec3::Zero();
  for (int v : loop) mean += points[v];
  mean /= static_cast<double>(loop.size());
  const Vec3 u = n.unitOrthogonal();
  const Vec3 w = n.cross(u);
  auto angle = [&](int v) {
    const Vec3 d = points[v] - mean;
    return std::atan2(d.dot(w), d.dot(u));
  };
  std::sort(loop.begin(), loop.end(), [&](int a, int b) { return angle(a) < angle(b); });
  std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
}

/// Newell's normal: exact for boxes, the best plane for a merged facet.
Vec3 loop_normal(const std::vector<int>& loop, const std::vector<Vec3>& points) {
  Vec3 n = Vec3::Zero();
  for (std::size_t i = 1; i + 1 < loop.size(); ++i)
    n += (points[loop[i]] - points[loop[0]]).cross(points[loop[i + 1]] - points[loop[0]]);
  return n.normalized();
}

/// One run of Qhull and what must be released after it.
class QhullRun {
 public:
  QhullRun(std::vector<double>& coordinates, double tolerance) {
    std::FILE* errors = open_memstream(&message_, &length_);
    qh_zero(&qh_, errors);
    std::string command =
        fmt::format("qhull C-{:.3g}", tolerance);  // the centrum for merging facets
    const int n = static_cast<int>(coordinates.size() / 3);
    failed_ =
        qh_new_qhull(&qh_, 3, n, coordinates.data(), False, command.data(), nullptr, errors) != 0;
    std::fclose(errors);
  }
  QhullRun(const QhullRun&) = delete;
  QhullRun& operator=(const QhullRun&) = delete;
  ~QhullRun() {
    // Qhull's own order: long memory first, then the pool of short blocks in one piece.
    int long_blocks = 0, long_bytes = 0;
    qh_freeqhull(&qh_, !qh_ALL);
    qh_memfreeshort(&qh_, &long_blocks, &long_bytes);
    std::free(message_);
  }
  bool failed() const { return failed_; }
  std::string message() const {
    const std::string all(message_ ? message_ : "");
    return all.substr(0, all.find('\n'));
  }

  /// Facets as unordered vertex lists with outward normals.
  std::vector<Polytope::Facet> facets() {
    std::vector<Polytope::Facet> result;
    for (facetT* f = qh_.facet_list; f && f->next; f = f->next) {
      Polytope::Facet facet{Vec3::Zero(), 0.0, {}};
      facet.normal = Vec3(f->normal[0], f->normal[1], f->normal[2]);
      for (int i = 0, n = qh_setsize(&qh_, f->vertices); i < n; ++i) {
        auto* v = static_cast<vertexT*>(f->vertices->e[i].p);
        facet.vertices.push_back(qh_pointid(&qh_, v->point));
      }
      result.push_back(std::move(facet));
    }
    return result;
  }

 private:
  qhT qh_;
  char* message_ = nullptr;
  std::size_t length_ = 0;
  bool failed_ = false;
};

/// `coordinates` is centred and scaled.
std::vector<Polytope::Facet> qhull_facets(std::vector<double>& coordinates, double tolerance) {
  QhullRun run(coordinates, tolerance);
  if (run.failed())
    throw std::invalid_argument("polytope: expected points that span space; Qhull says: " +
                                run.message());
  return run.facets();
}

/// After merging, a point on an edge or in a face may still be listed; a true vertex has ≥ 3
/// facets.
void drop_false_vertices(std::vector<Polytope::Facet>& facets, std::size_t points) {
  std::vector<int> uses(points, 0);
  for (const auto& f : facets)
    for (int v : f.vertices) ++uses[v];
  for (auto& f : facets) std::erase_if(f.vertices, [&](int v) { return uses[v] < 3; });
}

}  // namespace

// Qhull is not used in the plane: its roundoff model merges the nearly flat vertices of a regular
// polygon with thousands of edges, and the rolling-disc study counts on every one of them.
// Andrew's monotone chain compares each turn with a length instead.
std::vector<int> planar_hull(const std::vector<Vec3>& points, double tolerance) {
  std::vector<int> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const Vec3 &p = points[a], &q = points[b];
    if (p.x() != q.x()) return p.x() < q.x();
    if (p.y() != q.y()) return p.y() < q.y();
    return a < b;
  });
  std::vector<int> hull;
  auto chain = [&](auto begin, auto end) {
    const std::size_t base = hull.size();
    for (auto it = begin; it != end; ++it) {
      while (hull.size() >= base + 2 && !turns_left(points[hull[hull.size() - 2]],
                                                    points[hull.back()], points[*it], tolerance))
        hull.pop_back();
      hull.push_back(*it);
    }
    hull.pop_back();  // the other chain begins with it
  };
  chain(order.begin(), order.end());
  chain(order.rbegin(), order.rend());
  // The two chains meet at the extreme points, where neither has tested the turn.
  for (std::size_t i = 0; i < hull.size() && hull.size() > 2;) {
    const std::size_t n = hull.size();
    const Vec3& before = points[hull[(i + n - 1) % n]];
    const Vec3& after = points[hull[(i + 1) % n]];
    if (turns_left(before, points[hull[i]], after, tolerance))
      ++i;
    else
      hull.erase(hull.begin() + static_cast<std::ptrdiff_t>(i));
  }
  std::rotate(hull.begin(), std::min_element(hull.begin(), hull.end()), hull.end());
  return hull;
}

SpatialHull spatial_hull(const std::vector<Vec3>& points, double tolerance) {
  // Centred and scaled to about 1, so that Qhull's tolerances mean the same for every polytope.
  Vec3 low = points[0], high = points[0];
  for (const Vec3& p : points) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  const Vec3 centre = 0.5 * (low + high);
  const double scale = (high - low).maxCoeff();
  if (!(scale > 0.0)) throw std::invalid_argument("polytope: all points coincide");
  std::vector<double> coordinates;
  coordinates.reserve(3 * points.size());
  for (const Vec3& p : points)
    for (int i = 0; i < 3; ++i) coordinates.push_back((p[i] - centre[i]) / scale);

  SpatialHull hull;
  hull.facets = qhull_facets(coordinates, tolerance / scale);
  drop_false_vertices(hull.facets, points.size());
  std::vector<int> number(points.size(), -1);
  for (auto& f : hull.facets) {
    order_loop(f.vertices, points, f.normal);
    f.normal = loop_normal(f.vertices, points);
    f.offset = f.normal.dot(points[f.vertices[0]]);
    for (int v : f.vertices) {
      f.offset = std::max(f.offset, f.normal.dot(points[v]));
      number[v] = 0;
    }
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (number[i] < 0) continue;
    number[i] = static_cast<int>(hull.vertices.size());
    hull.vertices.push_back(points[i]);
  }
  for (auto& f : hull.facets)
    for (int& v : f.vertices) v = number[v];
  return hull;
}

}  // namespace touchstone
