#include "experiments/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "experiments/scene_bodies.hpp"
#include "experiments/scene_joints.hpp"
#include "experiments/toml_reader.hpp"
#include "formulations/common/state.hpp"
#include "formulations/formulation.hpp"
#include "geometry/contact_points.hpp"
#include "solvers/error.hpp"
#include "solvers/names.hpp"
#include "solvers/solver.hpp"

namespace touchstone {

namespace {

constexpr double standard_gravity = 9.81;   // [m/s²]
constexpr double overlap_tolerance = 1e-6;  // of the smaller body's radius

const std::vector<std::string> law_keys = {"mu", "e_t", "e_o", "e_r", "restitution"};
const std::vector<std::string> step_keys = {"h", "t_end", "record_every"};
using PairLaws = std::map<std::pair<int, int>, FrictionLaw>;

std::vector<std::string> with(std::vector<std::string> keys, const std::vector<std::string>& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

void check_tables(const Settings& file) {
  file.allow({"scene", "shaking", "run", "law", "body", "pair", "joint"});
}

// --- parameters

void set(const Settings& table, const std::string& key, Parameters& parameters) {
  const std::string expected = parameters.at(key).expected();
  const auto set_to = [&](const Parameter::Value& value) {
    try {
      parameters.set(key, value);
    } catch (const InputError&) {
      table.refuse(key, expected);  // with the value as it stands in the file
    }
  };
  const Setting& setting = table.at(key, expected);
  if (const bool* flag = std::get_if<bool>(&setting.value)) return set_to(*flag);
  if (const long* whole = std::get_if<long>(&setting.value)) return set_to(*whole);
  if (const double* number = std::get_if<double>(&setting.value)) return set_to(*number);
  table.refuse(key, expected);
}

void set_all(const Settings& table, const std::vector<std::string>& keys, Parameters& parameters) {
  for (const std::string& key : keys)
    if (table.has(key)) set(table, key, parameters);
}

Parameters read_parameters(const Settings& file, const std::vector<std::string>& overrides) {
  Parameters parameters = scene_parameters();
  if (file.has("run")) {
    file.table("run").allow(with(step_keys, {"formulation", "solver"}));
    set_all(file.table("run"), step_keys, parameters);
  }
  if (file.has("law")) {
    file.table("law").allow(law_keys);
    set_all(file.table("law"), law_keys, parameters);
  }
  for (const std::string& assignment : overrides) {
    const auto [key, value] = split_assignment(assignment);
    parameters.set(key, value, "--set ");
  }
  return parameters;
}

FrictionLaw law(const Parameters& parameters) {
  return {.mu = parameters.real("mu"),
          .e_t = parameters.real("e_t"),
          .e_o = parameters.real("e_o"),
          .e_r = parameters.real("e_r"),
          .restitution = parameters.real("restitution")};
}

/// A registered name that [run] asks for.
template <class Entry>
std::optional<std::string> read_choice(const Settings& file) {
  const std::string key = Entry::kind;
  if (!file.has("run") || !file.table("run").has(key)) return std::nullopt;
  const Settings& run = file.table("run");
  const std::string& name = run.text(key);
  const auto& known = Registry<Entry>::instance();
  if (!known.contains(name))
    throw InputError(fmt::format("{}{} = \"{}\": {}", run.where(key), key, name,
                                 unknown_name(key, name, known.names())));
  return name;
}

// --- the world

/// The name also names the directory of the results.
std::string read_name(const Settings& scene, const std::filesystem::path& file) {
  if (!scene.has("name")) return file.stem().string();
  const std::string& name = scene.text("name");
  if (name.empty() || name.front() == '.' || name.find_first_of("/\\") != std::string::npos)
    scene.refuse("name", "a name without slashes that does not begin with a dot");
  return name;
}

int read_dimension(const Settings& scene) {
  const std::string expected = "2 (planar) or 3 (spatial)";
  const long* dim = std::get_if<long>(&scene.at("dimension", expected).value);
  if (!dim || (*dim != 2 && *dim != 3)) scene.refuse("dimension", expected);
  return static_cast<int>(*dim);
}

std::vector<Body> read_bodies(int dim, const Settings& file) {
  std::vector<Body> bodies;
  std::map<std::string, std::string> taken;  // name → where
  for (const Setting::Table& table : file.tables("body")) {
    bodies.push_back(read_body(dim, *table));
    const std::string& name = bodies.back().name;
    const auto [other, is_new] = taken.emplace(name, table->where("name"));
    if (!is_new)
      table->refuse("name", fmt::format("a name that no other body has (see {})",
                                        other->second.substr(0, other->second.size() - 2)));
  }
  if (bodies.empty()) file.refuse("body", "at least one [[body]] table");
  return bodies;
}

PairLaws read_pairs(const Settings& file, const std::vector<Body>& bodies,
                    const Parameters& parameters) {
  PairLaws laws;
  for (const Setting::Table& table : file.tables("pair")) {
    table->allow(with({"bodies"}, law_keys));
    Parameters own = parameters;
    set_all(*table, law_keys, own);
    const auto [i, j] = read_two_bodies(*table, bodies);
    if (!laws.emplace(std::minmax(i, j), law(own)).second)
      table->refuse("bodies", "a pair that has no [[pair]] table yet");
  }
  return laws;
}

std::vector<Joint> read_joints(int dim, const Settings& file, const std::vector<Body>& bodies) {
  std::vector<Joint> joints;
  std::map<std::string, std::string> taken;  // name → where
  for (const Setting::Table& table : file.tables("joint")) {
    joints.push_back(read_joint(dim, *table, bodies));
    const auto [other, is_new] = taken.emplace(joints.back().name, table->where());
    if (!is_new)
      throw InputError(
          fmt::format("{}[[joint]] is called '{}': expected a name that no other joint "
                      "has (see {})",
                      table->where("name"), joints.back().name,
                      other->second.substr(0, other->second.size() - 2)));
  }
  return joints;
}

Shaking read_shaking(int dim, const Settings& file) {
  Shaking shaking;
  if (!file.has("shaking")) return shaking;
  const Settings& table = file.table("shaking");
  table.allow({"amplitude", "frequency", "start"});
  shaking.amplitude = table.vector("amplitude", dim, "m");
  shaking.frequency = table.positive("frequency", "Hz");
  if (table.has("start")) shaking.start = table.number("start", "s");
  if (shaking.start < 0.0) table.refuse("start", "a number of at least 0 [s]");
  return shaking;
}

/// "scene.toml:12: " of the body that a message of World names, or "scene.toml: ".
std::string place_of(const std::string& message, const Settings& file) {
  for (const Setting::Table& table : file.tables("body"))
    if (message.starts_with("body '" + table->text("name") + "'")) return table->where();
  return file.file() + ": ";
}

World make_world(const Settings& file, const Parameters& parameters) {
  const Settings& scene = file.table("scene");
  const int dim = read_dimension(scene);
  const Vec3 down = -standard_gravity * Vec3::Unit(dim - 1);
  const Vec3 gravity = scene.vector("gravity", dim, "m/s²", down);
  const std::vector<Body> bodies = read_bodies(dim, file);
  const PairLaws pair_laws = read_pairs(file, bodies, parameters);
  const std::vector<Joint> joints = read_joints(dim, file, bodies);
  const Shaking shaking = read_shaking(dim, file);
  try {
    return World(dim, gravity, bodies, law(parameters), pair_laws, joints, shaking);
  } catch (const InputError& error) {
    throw InputError(place_of(error.what(), file) + error.what());
  }
}

}  // namespace

Parameters scene_parameters() {
  return {real("h", 0.01, "s", "time step").above(0.0),
          real("t_end", 1.0, "s", "how long to simulate").above(0.0),
          integer("record_every", 1, "1", "steps from one record to the next").at_least(1.0),
          real("mu", 0.0, "1", "coefficient of friction").at_least(0.0),
          real("e_t", 1.0, "1", "friction weight along the first tangent").above(0.0),
          real("e_o", 1.0, "1", "friction weight along the second tangent").above(0.0),
          real("e_r", 0.0, "m", "friction weight of torsion; 0: none").at_least(0.0),
          real("restitution", 0.0, "1", "Newton's coefficient").at_least(0.0).at_most(1.0)};
}

Scene read_scene(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  const Settings file = read_toml(path);
  check_tables(file);
  if (!file.has("scene")) file.refuse("scene", "a [scene] table with the dimension");
  const Settings& table = file.table("scene");
  table.allow({"name", "dimension", "gravity"});
  const Parameters parameters = read_parameters(file, overrides);
  Scene scene{.name = read_name(table, path),
              .world = make_world(file, parameters),
              .parameters = parameters,
              .formulation = read_choice<FormulationEntry>(file),
              .solver = read_choice<SolverEntry>(file)};
  check_no_overlap(scene.world, path.string());
  return scene;
}

void check_no_overlap(const World& world, const std::string& where) {
  const State state = initial_state(world);
  std::vector<ContactPoint> points;
  for (const Pair& pair : world.pairs()) {
    const Body &a = world.body(pair.a), &b = world.body(pair.b);
    points.clear();
    contact_points(*a.shape, pose(world, state, pair.a), *b.shape, pose(world, state, pair.b), 0.0,
                   points);
    double depth = 0.0;
    for (const ContactPoint& point : points) depth = std::max(depth, -point.gap);
    if (depth > overlap_tolerance * std::min(a.shape->radius(), b.shape->radius()))
      throw InputError(
          fmt::format("{}: bodies '{}' and '{}' overlap by {:.6g} m at the start: expected them "
                      "apart or touching",
                      where, a.name, b.name, depth));
  }
}

}  // namespace touchstone
