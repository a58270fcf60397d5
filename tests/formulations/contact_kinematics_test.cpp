#include "formulations/common/contact_kinematics.hpp"

#include <gtest/gtest.h>

#include <random>

#include "geometry/shapes.hpp"
#include "solvers/error.hpp"

namespace touchstone {

namespace {

struct Pairing {
  std::string name;
  std::shared_ptr<const ConvexSet> a, b;
  int dim = 3;
};

Vec3 random_vector(std::mt19937& random, int dim) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const double x = uniform(random), y = uniform(random), z = uniform(random);
  return {x, y, dim == 3 ? z : 0.0};
}

Body body(const std::string& name, std::shared_ptr<const ConvexSet> shape, std::mt19937& random,
          int dim) {
  Body b{.name = name, .shape = std::move(shape)};
  b.orientation = Eigen::Quaterniond(
      Eigen::AngleAxisd(3.0 * random_vector(random, 3).x(), random_vector(random, 3).normalized()));
  b.angle = 3.0 * random_vector(random, 2).x();
  b.twist.v = random_vector(random, dim);
  b.twist.w = dim == 3 ? random_vector(random, 3) : Vec3(0.0, 0.0, random_vector(random, 2).x());
  return b;
}

/// The gap of the tracked features after the time t of motion with constant ν̇, by integrating the
/// rotation with the midpoint of ω (exact to third order).
double gap_at(const World& world, const State& start, const Vec& nu_dot, const TrackedContact& k,
              double t) {
  State state = start;
  const int steps = 64;
  for (int i = 0; i < steps; ++i) {
    const double dt = t / steps;
    const Vec middle = start.nu + (i + 0.5) * dt * nu_dot;
    advance_coordinates(world, middle, dt, state.q);
  }
  Configuration configuration;
  configuration.update(world, state);
  return follow(configuration, k).gap;
}

/// M3: ψ̈ against differences of the gap, over random touching pairs without approach.
void check_pairing(const Pairing& pairing, unsigned seed) {
  std::mt19937 random(seed);
  Body a = body("a", pairing.a, random, pairing.dim), b = body("b", pairing.b, random, pairing.dim);
  if (!pairing.b->bounded()) b.fixed = true;
  a.position = 5.0 * random_vector(random, pairing.dim).normalized();
  // Moves A onto B along the normal of their distance, which keeps the normal.
  Configuration configuration;
  std::vector<Contact> contacts;
  for (int k = 0; k < 3; ++k) {
    const World world(pairing.dim, Vec3::Zero(), {a, b}, {.mu = 0.3});
    configuration.update(world, initial_state(world));
    find_contacts_within(configuration, std::numeric_limits<double>::infinity(), contacts);
    const auto nearest =
        std::min_element(contacts.begin(), contacts.end(),
                         [](const Contact& x, const Contact& y) { return x.gap < y.gap; });
    a.position -= nearest->gap * nearest->n;
  }
  const World world(pairing.dim, Vec3::Zero(), {a, b}, {.mu = 0.3});
  State state = initial_state(world);
  configuration.update(world, state);
  find_contacts_within(configuration, 1e-9, contacts);
  ASSERT_FALSE(contacts.empty()) << pairing.name << " seed " << seed;
  const Contact c = contacts.front();
  TrackedContact k;
  try {
    k = track(configuration, c);
  } catch (const InputError&) {
    return;  // the nearest features are a vertex and a vertex or an edge: no normal
  }
  const Column n = wrench_column(world, configuration, c, c.n);
  apply_impulse(configuration, n, -velocity(world, n, state.nu) / delassus(configuration, n, n),
                state.nu);

  Vec nu_dot(world.nv());
  for (Eigen::Index i = 0; i < nu_dot.size(); ++i) nu_dot[i] = random_vector(random, 2).x();
  const double exact =
      gap_acceleration(configuration, c, contact_rates(configuration, k, c, state.nu), nu_dot);
  const auto gap = [&](double t) { return gap_at(world, state, nu_dot, k, t); };
  const double h = 1e-3;
  const double difference =
      (-gap(2 * h) + 16 * gap(h) - 30 * gap(0.0) + 16 * gap(-h) - gap(-2 * h)) / (12 * h * h);
  EXPECT_NEAR(exact, difference, 1e-6 * std::max(1.0, std::abs(exact)))
      << pairing.name << " seed " << seed;
}

TEST(ContactKinematics, SecondDerivativesOfTheGapAgreeWithDifferences) {
  const auto ball = std::make_shared<Ball>(3, 0.7);
  const auto egg = std::make_shared<Ellipsoid>(3, Vec3(1.0, 1.4, 0.8));
  const auto brick = box(3, Vec3(1.0, 1.3, 0.8));
  const auto plane = std::make_shared<HalfSpace>(3, Vec3(0.3, -0.2, 1.0), 0.4);
  const std::vector<Pairing> pairings{
      {"ball/ball", ball, ball},
      {"ellipsoid/ball", egg, ball},
      {"ellipsoid/ellipsoid", egg, std::make_shared<Ellipsoid>(3, Vec3(0.9, 0.6, 1.2))},
      {"ellipsoid/plane", egg, plane},
      {"box/plane", brick, plane},
      {"box/box", brick, box(3, Vec3(0.9, 1.1, 1.2))},
      {"ball/box", ball, brick},
      {"ellipsoid/box", egg, brick},
      {"ellipse/ellipse", std::make_shared<Ellipsoid>(2, Vec3(1.0, 1.4, 0.0)),
       std::make_shared<Ellipsoid>(2, Vec3(0.8, 0.5, 0.0)), 2},
      {"rectangle/line", box(2, Vec3(1.0, 0.7, 0.0)),
       std::make_shared<HalfSpace>(2, Vec3(0.2, 1.0, 0.0), 0.0), 2},
      {"rectangle/rectangle", box(2, Vec3(1.0, 0.7, 0.0)), box(2, Vec3(0.6, 0.9, 0.0)), 2},
      {"disc/rectangle", std::make_shared<Ball>(2, 0.5), box(2, Vec3(1.0, 0.7, 0.0)), 2}};
  for (const Pairing& pairing : pairings)
    for (unsigned seed = 1; seed <= 12; ++seed) check_pairing(pairing, seed);
}

TEST(ContactKinematics, KnowsTheFeaturesThatTouch) {
  Body brick{.name = "brick", .shape = box(3, Vec3(1.0, 1.0, 1.0))};
  brick.position = {0.0, 0.0, 0.5};
  Body floor{.name = "floor", .shape = std::make_shared<HalfSpace>(3, Vec3::UnitZ(), 0.0)};
  floor.fixed = true;
  const World world(3, Vec3::Zero(), {brick, floor}, {});
  Configuration configuration;
  configuration.update(world, initial_state(world));
  std::vector<Contact> contacts;
  find_contacts_within(configuration, 1e-9, contacts);
  ASSERT_EQ(contacts.size(), 4u);
  for (const Contact& c : contacts) {
    const TrackedContact k = track(configuration, c);
    EXPECT_EQ(k.on_a.kind, Feature::Kind::vertex);
    EXPECT_EQ(k.on_b.kind, Feature::Kind::face);
    EXPECT_LT((follow(configuration, k).point - c.point).norm(), 1e-14);
  }
}

// T20: a plane that turns with ω about y under a particle that moves outwards at u with it:
// ψ̈ = 2ωu. The plane is a facet of a large box.
TEST(ContactKinematics, HasTheCoriolisTermOfATurningFace) {
  const double omega = 0.7, u = 0.4, x = 2.0;
  Body point{.name = "point", .shape = box(3, Vec3(0.2, 0.2, 0.2))};
  const Eigen::Quaterniond on_vertex =
      Eigen::Quaterniond::FromTwoVectors(Vec3(1.0, 1.0, 1.0), Vec3::UnitZ());
  point.orientation = on_vertex;
  point.position = {x, 0.0, 0.1 * std::sqrt(3.0)};
  Body table{.name = "table", .shape = box(3, Vec3(10.0, 10.0, 2.0))};
  table.position = {0.0, 0.0, -1.0};
  // Turning about the origin, which lies on its upper face.
  table.twist.w = {0.0, omega, 0.0};
  table.twist.v = table.twist.w.cross(Vec3(0.0, 0.0, -1.0));
  point.twist.v = Vec3(u, 0.0, -omega * x);
  const World world(3, Vec3::Zero(), {point, table}, {});
  const State state = initial_state(world);
  Configuration configuration;
  configuration.update(world, state);
  std::vector<Contact> contacts;
  find_contacts_within(configuration, 1e-9, contacts);
  ASSERT_EQ(contacts.size(), 1u);
  const Contact& c = contacts.front();
  const ContactRates rates = contact_rates(configuration, track(configuration, c), c, state.nu);
  Vec nu_dot = Vec::Zero(world.nv());
  // The table turns steadily about the origin: its centre has the acceleration ω × (ω × r).
  nu_dot.segment<3>(world.velocity_offset(1)) =
      table.twist.w.cross(table.twist.w.cross(Vec3(0.0, 0.0, -1.0)));
  EXPECT_NEAR(gap_acceleration(configuration, c, rates, nu_dot), 2.0 * omega * u, 1e-12);
}

TEST(ContactKinematics, RefusesConformingSurfaces) {
  Body egg{.name = "egg", .shape = std::make_shared<Ball>(3, 1.0)};
  Body flat{.name = "flat", .shape = box(3, Vec3(4.0, 4.0, 2.0))};
  flat.fixed = true;
  egg.position = {0.0, 0.0, 2.0};
  const World world(3, Vec3::Zero(), {egg, flat}, {});
  Configuration configuration;
  const State state = initial_state(world);
  configuration.update(world, state);
  std::vector<Contact> contacts;
  find_contacts_within(configuration, 1e-9, contacts);
  TrackedContact k = track(configuration, contacts.at(0));
  k.rolls_over_features = false;
  k.on_a = k.on_b = {Feature::Kind::face, 0};
  EXPECT_THROW(contact_rates(configuration, k, contacts[0], state.nu), ConformingContact);
}

}  // namespace

}  // namespace touchstone
