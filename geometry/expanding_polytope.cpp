#include "geometry/expanding_polytope.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "geometry/gjk.hpp"

namespace touchstone {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Vertex {
  Vec3 x, a, b;
};

struct Facet {
  std::array<int, 3> v{};  // counter-clockwise from outside; planar: the first two
  Vec3 normal = Vec3::Zero();
  double offset = infinity;
};

class Expansion {
 public:
  Expansion(const PairSupport& support, int dim) : support_(support), dim_(dim) { start(); }

  Penetration run(double tolerance) {
    Penetration best;
    best.upper = infinity;
    for (int i = 0; i < 300; ++i) {
      const auto nearest =
          std::min_element(facets_.begin(), facets_.end(),
                           [](const Facet& f, const Facet& g) { return f.offset < g.offset; });
      const Facet facet = *nearest;
      const Vertex w = vertex(facet.normal);
      const double upper = facet.normal.dot(w.x);
      if (upper < best.upper) {
        best.upper = upper;
        least_ = infinity;
        witness(facet, best);
      }
      best.lower = facet.offset;
      if (best.upper - facet.offset <= tolerance || upper - facet.offset <= 1e-14 * size_) break;
      insert(w);
    }
    settle(best);
    return best;
  }

 private:
  Vertex vertex(const Vec3& d) {
    const SupportPair p = support_(d);
    return {p.a - p.b, p.a, p.b};
  }

  /// A simplex of support points along the axes, as large as they allow.
  void start() {
    std::vector<Vertex> all;
    for (int i = 0; i < dim_; ++i)
      for (double sign : {1.0, -1.0}) all.push_back(vertex(sign * Vec3::Unit(i)));
    auto take = [&](auto&& distance) {
      std::size_t best = 0;
      for (std::size_t i = 1; i < all.size(); ++i)
        if (distance(all[i].x) > distance(all[best].x)) best = i;
      vertices_.push_back(all[best]);
    };
    vertices_.push_back(all[0]);
    take([&](const Vec3& x) { return (x - vertices_[0].x).norm(); });
    size_ = (vertices_[1].x - vertices_[0].x).norm();
    const Vec3 e = (vertices_[1].x - vertices_[0].x) / size_;
    take([&](const Vec3& x) { return (x - vertices_[0].x).cross(e).norm(); });
    const Vec3 normal = e.cross(vertices_[2].x - vertices_[0].x);
    if (dim_ == 2) {
      if (normal.z() < 0.0) std::swap(vertices_[1], vertices_[2]);
      for (int i = 0; i < 3; ++i) add({i, (i + 1) % 3, 0});
      for (const Vertex& v : all) insert(v);
      return;
    }
    take([&](const Vec3& x) { return std::abs(normal.dot(x - vertices_[0].x)); });
    if (normal.dot(vertices_[3].x - vertices_[0].x) > 0.0) std::swap(vertices_[1], vertices_[2]);
    for (const auto& v : {std::array{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}}) add(v);
    for (const Vertex& v : all) insert(v);
  }

  void add(const std::array<int, 3>& v) {
    Facet f{v};
    const Vec3 &x = vertices_[v[0]].x, &y = vertices_[v[1]].x, &z = vertices_[v[2]].x;
    const Vec3 n = dim_ == 2 ? Vec3(y.y() - x.y(), x.x() - y.x(), 0.0) : Vec3((y - x).cross(z - x));
    const double length = n.norm();
    if (length > 1e-15 * size_ * (dim_ == 2 ? 1.0 : size_)) {  // a sliver is never the nearest
      f.normal = n / length;
      f.offset = f.normal.dot(x);
    }
    facets_.push_back(f);
  }

  /// Facets that see w give way to those between w and their common border.
  void insert(const Vertex& w) {
    const double above = 1e-14 * size_;
    std::vector<std::array<int, 2>> border;
    auto edge = [&](int i, int j) {
      const auto back = std::find(border.begin(), border.end(), std::array{j, i});
      if (back == border.end())
        border.push_back({i, j});
      else
        border.erase(back);
    };
    std::vector<int> ends;
    const auto gone = std::partition(facets_.begin(), facets_.end(), [&](const Facet& f) {
      return !(f.normal.dot(w.x) > f.offset + above);
    });
    if (gone == facets_.end()) return;
    for (auto f = gone; f != facets_.end(); ++f) {
      if (dim_ == 2) {
        ends.push_back(f->v[0]), ends.push_back(f->v[1]);
      } else {
        edge(f->v[0], f->v[1]), edge(f->v[1], f->v[2]), edge(f->v[2], f->v[0]);
      }
    }
    std::array<int, 2> outer{-1, -1};
    if (dim_ == 2) {  // the chain's first and last vertex appear once
      for (auto f = gone; f != facets_.end(); ++f) {
        if (std::count(ends.begin(), ends.end(), f->v[0]) == 1) outer[0] = f->v[0];
        if (std::count(ends.begin(), ends.end(), f->v[1]) == 1) outer[1] = f->v[1];
      }
    }
    facets_.erase(gone, facets_.end());
    const int id = static_cast<int>(vertices_.size());
    vertices_.push_back(w);
    if (dim_ == 2) {
      add({outer[0], id, 0});
      add({id, outer[1], 0});
    }
    for (const auto& e : border) add({e[0], e[1], id});
  }

  /// Of the facets as near as the best one, that which holds the foot of the origin: where a vertex
  /// or an edge of A − B is nearest, planes pass it whose facets lie elsewhere.
  void settle(Penetration& best) {
    const double roundoff = 1e-12 * size_;
    for (const Facet& f : facets_)
      if (least_ > roundoff && f.offset <= best.lower + roundoff &&
          f.normal.dot(vertex(f.normal).x) <= best.upper + roundoff)
        witness(f, best);
  }

  /// The points of A and B that the foot of the origin on the facet is made of, when it is nearer
  /// to the facet than the one before.
  void witness(const Facet& f, Penetration& best) {
    std::array<Vec3, 4> x;
    for (int i = 0; i < dim_; ++i) x[i] = vertices_[f.v[i]].x - f.offset * f.normal;
    const Nearest near = nearest_in_simplex(x, dim_);
    if (!(near.point.norm() < least_)) return;
    least_ = near.point.norm();
    best.n = -f.normal;
    best.on_a.setZero(), best.on_b.setZero();
    for (int i = 0; i < near.count; ++i) {
      best.on_a += near.weight[i] * vertices_[f.v[near.vertex[i]]].a;
      best.on_b += near.weight[i] * vertices_[f.v[near.vertex[i]]].b;
    }
  }

  const PairSupport& support_;
  int dim_;
  double size_ = 1.0;
  double least_ = infinity;  // distance of the foot from its facet
  std::vector<Vertex> vertices_;
  std::vector<Facet> facets_;
};

}  // namespace

Penetration expanding_polytope(const PairSupport& support, int dim, double tolerance) {
  return Expansion(support, dim).run(tolerance);
}

}  // namespace touchstone
