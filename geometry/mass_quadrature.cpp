#include <array>
#include <numbers>
#include <queue>
#include <vector>

#include "geometry/implicit_solve.hpp"

namespace touchstone {

namespace {

/// ∫ 1, x (3), xxᵀ (6: xx, yy, zz, xy, yz, zx), relative to the interior point.
using Moments = Eigen::Matrix<double, 10, 1>;

constexpr std::array<double, 5> node = {-0.9061798459386640, -0.5384693101056831, 0.0,
                                        0.5384693101056831, 0.9061798459386640};
constexpr std::array<double, 5> weight = {0.2369268850561891, 0.4786286704993665,
                                          0.5688888888888889, 0.4786286704993665,
                                          0.2369268850561891};

/// A patch of directions: of one of six faces of a cube (s, t), or an interval of angles s.
struct Cell {
  int face;
  double s, t, half;
  Moments fine = Moments::Zero();
  double error = 0.0;
  bool operator<(const Cell& other) const { return error < other.error; }
};

class Quadrature {
 public:
  Quadrature(const ConvexSet& set, const Vec3& inside, double most)
      : set_(set), inside_(inside), most_(most) {}

  Moments integrate() const {
    std::priority_queue<Cell> cells;
    Moments total = Moments::Zero();
    double error = 0.0;
    auto add = [&](Cell cell) {
      refine(cell);
      total += cell.fine, error += cell.error;
      cells.push(cell);
    };
    if (set_.dim() == 2)
      for (int i = 0; i < 8; ++i)
        add({0, (2 * i + 1) * std::numbers::pi / 8.0, 0.0, std::numbers::pi / 8.0});
    else
      for (int face = 0; face < 6; ++face) add({face, 0.0, 0.0, 1.0});
    for (int i = 0; i < 2000 && error > 1e-9 * total[0] * scale(); ++i) {
      const Cell cell = cells.top();
      cells.pop();
      total -= cell.fine, error -= cell.error;
      for (const Cell& part : quarters(cell)) add(part);
    }
    // Summed anew: differences of sums have lost digits.
    total.setZero();
    for (; !cells.empty(); cells.pop()) total += cells.top().fine;
    return total;
  }

 private:
  double scale() const { return 1.0 + most_ * most_; }

  std::vector<Cell> quarters(const Cell& cell) const {
    const double h = 0.5 * cell.half;
    if (set_.dim() == 2) return {{0, cell.s - h, 0.0, h}, {0, cell.s + h, 0.0, h}};
    std::vector<Cell> parts;
    for (double s : {cell.s - h, cell.s + h})
      for (double t : {cell.t - h, cell.t + h}) parts.push_back({cell.face, s, t, h});
    return parts;
  }

  void refine(Cell& cell) const {
    cell.fine.setZero();
    for (const Cell& part : quarters(cell)) cell.fine += gauss(part);
    const Moments difference = cell.fine - gauss(cell);
    cell.error = std::abs(difference[0]) + difference.cwiseAbs().maxCoeff();
  }

  Moments gauss(const Cell& cell) const {
    Moments sum = Moments::Zero();
    for (int i = 0; i < 5; ++i) {
      if (set_.dim() == 2) {
        const double angle = cell.s + cell.half * node[i];
        add_ray({std::cos(angle), std::sin(angle), 0.0}, weight[i] * cell.half, sum);
        continue;
      }
      for (int j = 0; j < 5; ++j) {
        const double s = cell.s + cell.half * node[i], t = cell.t + cell.half * node[j];
        const double length = std::sqrt(1.0 + s * s + t * t);
        Vec3 u;
        u[cell.face % 3] = cell.face < 3 ? 1.0 : -1.0;
        u[(cell.face + 1) % 3] = s;
        u[(cell.face + 2) % 3] = t;
        add_ray(u / length, weight[i] * weight[j] * cell.half * cell.half / std::pow(length, 3),
                sum);
      }
    }
    return sum;
  }

  void add_ray(const Vec3& u, double w, Moments& sum) const {
    const double r = reach(set_, inside_, u, most_);
    const int n = set_.dim();
    const double zeroth = w * std::pow(r, n) / n;
    const double first = w * std::pow(r, n + 1) / (n + 1),
                 second = w * std::pow(r, n + 2) / (n + 2);
    sum[0] += zeroth;
    sum.segment<3>(1) += first * u;
    sum.segment<3>(4) += second * u.cwiseProduct(u);
    sum.tail<3>() += second * Vec3(u.x() * u.y(), u.y() * u.z(), u.z() * u.x());
  }

  const ConvexSet& set_;
  const Vec3 inside_;
  double most_;
};

}  // namespace

MassProperties integrate_mass(const ConvexSet& set, const Vec3& inside, double most,
                              double density) {
  const Moments m = density * Quadrature(set, inside, most).integrate();
  MassProperties out;
  out.mass = m[0];
  const Vec3 shift = m.segment<3>(1) / m[0];
  out.centroid = inside + shift;
  Mat3 second = m.segment<3>(4).asDiagonal();
  second(0, 1) = second(1, 0) = m[7];
  second(1, 2) = second(2, 1) = m[8];
  second(0, 2) = second(2, 0) = m[9];
  second -= m[0] * shift * shift.transpose();
  out.inertia = second.trace() * Mat3::Identity() - second;
  return out;
}

}  // namespace touchstone
