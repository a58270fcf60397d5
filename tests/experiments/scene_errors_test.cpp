#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "formulations/formulation.hpp"
#include "tests/experiments/scene_files.hpp"

namespace touchstone {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

struct BadLine {
  std::string name;
  Lines base;
  std::size_t replaced;  // which line the text takes
  std::string text;      // may hold several lines
  std::size_t reported;  // which line the message names
  Lines says;            // key, value, what was expected
};

void PrintTo(const BadLine& bad, std::ostream* out) { *out << bad.text; }

class BadScene : public testing::TestWithParam<BadLine> {};

TEST_P(BadScene, NamesFileLineKeyAndValue) {
  const BadLine& bad = GetParam();
  const std::string path =
      write(with_line(bad.base, bad.replaced, bad.text), "bad_" + bad.name + ".toml");
  const std::string message = error_of(path);
  EXPECT_THAT(message, StartsWith(path + ":" + std::to_string(bad.reported) + ": "));
  for (const std::string& part : bad.says) EXPECT_THAT(message, HasSubstr(part));
}

const std::vector<BadLine> bad_values = {
    {"dimension", planar, 2, "dimension = 4", 2, {"dimension = 4", "expected 2", "3"}},
    {"dimension_type", planar, 2, "dimension = \"2\"", 2, {"dimension = \"2\"", "expected 2"}},
    {"no_dimension", planar, 2, "", 1, {"[scene]", "dimension", "expected 2"}},
    {"gravity_length",
     planar,
     2,
     "dimension = 2\ngravity = [0, 0, -9.81]",
     3,
     {"gravity = [0, 0, -9.81]", "expected 2 finite numbers"}},
    {"gravity_nan",
     planar,
     2,
     "dimension = 2\ngravity = [0, nan]",
     3,
     {"gravity = [0, nan]", "finite"}},
    {"scene_name", planar, 2, "dimension = 2\nname = \"../x\"", 3, {"name = \"../x\"", "slashes"}},
    {"radius",
     planar,
     9,
     "shape = { kind = \"disc\", radius = -1.0 }",
     9,
     {"shape.radius = -1", "expected a number above 0 [m]"}},
    {"radius_inf",
     planar,
     9,
     "shape = { kind = \"disc\", radius = inf }",
     9,
     {"shape.radius = inf", "expected a number above 0 [m]"}},
    {"radius_type",
     planar,
     9,
     "shape = { kind = \"disc\", radius = \"big\" }",
     9,
     {"shape.radius = \"big\"", "expected a number"}},
    {"radius_missing",
     planar,
     9,
     "shape = { kind = \"disc\" }",
     9,
     {"shape has no radius", "expected a number above 0 [m]"}},
    {"shape_key",
     planar,
     9,
     "shape = { kind = \"disc\", raduis = 1.0 }",
     9,
     {"shape.raduis = 1", "unknown key 'raduis'", "did you mean 'radius'?", "kind, radius"}},
    {"shape_missing", planar, 9, "", 7, {"[[body]]", "no shape", "expected"}},
    {"shape_type", planar, 9, "shape = \"disc\"", 9, {"shape = \"disc\"", "expected a table"}},
    {"kind_missing",
     planar,
     9,
     "shape = { radius = 1.0 }",
     9,
     {"shape has no kind", "disc, ellipse"}},
    {"kind_unknown",
     planar,
     9,
     "shape = { kind = \"dsc\", radius = 1.0 }",
     9,
     {"shape.kind = \"dsc\"", "did you mean 'disc'?", "box", "half-space", "regular-polygon"}},
    {"kind_dimension",
     planar,
     9,
     "shape = { kind = \"sphere\", radius = 1.0 }",
     9,
     {"shape.kind = \"sphere\"", "2-D", "disc"}},
    {"edges",
     planar,
     9,
     "shape = { kind = \"regular-polygon\", radius = 1.0, edges = 2 }",
     9,
     {"shape.edges = 2", "at least 3"}},
    {"edges_type",
     planar,
     9,
     "shape = { kind = \"regular-polygon\", radius = 1.0, edges = 5.5 }",
     9,
     {"shape.edges = 5.5", "whole number"}},
    {"sides",
     planar,
     9,
     "shape = { kind = \"box\", sides = [1.0, 0.0] }",
     9,
     {"shape.sides = [1, 0]", "above 0"}},
    {"exponent",
     planar,
     9,
     "shape = { kind = \"superellipse\", semi_axes = [1.0, 1.0], exponent = 1.5 }",
     9,
     {"shape.exponent = 1.5", "a number from 2 to 100"}},
    {"exponent_missing",
     planar,
     9,
     "shape = { kind = \"superellipse\", semi_axes = [1.0, 1.0] }",
     9,
     {"shape has no exponent", "expected"}},
    {"cylinder_in_the_plane",
     planar,
     9,
     "shape = { kind = \"cylinder\", radius = 1.0, height = 1.0 }",
     9,
     {"shape.kind = \"cylinder\"", "a shape of a 2-D scene"}},
    {"vertices_flat",
     planar,
     9,
     "shape = { kind = \"polytope\", vertices = [[0, 0], [1, 1], [2, 2]] }",
     9,
     {"shape.vertices = [[0, 0], [1, 1], [2, 2]]", "expected"}},
    {"vertices_row",
     planar,
     9,
     "shape = { kind = \"polytope\", vertices = [[0, 0], [1, 1, 3], [2, 0]] }",
     9,
     {"shape.vertices", "[1, 1, 3]", "2 coordinates"}},
    {"normal",
     planar,
     5,
     "shape = { kind = \"half-space\", normal = [0, 0] }",
     5,
     {"shape.normal = [0, 0]", "other than zero"}},
    {"half_space_moves", planar, 6, "mass = 1.0", 5, {"shape = ", "half-space", "fixed = true"}},
    {"mass", planar, 10, "mass = -2.0", 10, {"mass = -2", "expected a number above 0 [kg]"}},
    {"mass_nan", planar, 10, "mass = nan", 10, {"mass = nan", "expected a number above 0"}},
    {"mass_date", planar, 10, "mass = 2024-01-01", 10, {"mass = ", "expected a number above 0"}},
    {"mass_missing", planar, 10, "", 7, {"[[body]]", "no mass", "density"}},
    {"mass_overflow",  // what World refuses is told with the line of the body
     with_line(planar, 9, "shape = { kind = \"disc\", radius = 1e10 }"),
     10,
     "density = 1e300",
     7,
     {"body 'ball'", "mass = inf", "expected a number above 0 [kg]"}},
    {"mass_and_density", planar, 10, "mass = 2.0\ndensity = 3.0", 11, {"density = 3", "not both"}},
    {"density_and_inertia",
     planar,
     10,
     "density = 3.0\ninertia = 1.0",
     11,
     {"inertia = 1", "density"}},
    {"inertia",
     planar,
     10,
     "mass = 1.0\ninertia = 0",
     11,
     {"inertia = 0", "expected a number above 0 [kg m²]"}},
    {"inertia_3d", spatial, 10, "mass = 1.0\ninertia = [1, 2]", 11, {"inertia = [1, 2]", "three"}},
    {"inertia_matrix",
     spatial,
     10,
     "mass = 1.0\ninertia = [[1, 2, 0], [0, 1, 0], [0, 0, 1]]",
     11,
     {"inertia = [[1, 2, 0]", "symmetric positive definite"}},
    {"inertia_indefinite",
     spatial,
     10,
     "mass = 1.0\ninertia = [[1, 2, 0], [2, 1, 0], [0, 0, 1]]",
     11,
     {"inertia = [[1, 2, 0]", "symmetric positive definite"}},
    {"position_length",
     planar,
     11,
     "position = [0.0, 1.0, 2.0]",
     11,
     {"position = [0, 1, 2]", "expected 2 finite numbers"}},
    {"position_type", planar, 11, "position = 1.0", 11, {"position = 1", "in brackets [m]"}},
    {"angle_3d", spatial, 12, "angle = 1.0", 12, {"angle = 1", "quaternion or axis_angle"}},
    {"quaternion_2d",
     planar,
     12,
     "quaternion = [1, 0, 0, 0]",
     12,
     {"quaternion = [1, 0, 0, 0]", "angle [rad]"}},
    {"quaternion_norm",
     spatial,
     12,
     "quaternion = [1, 1, 0, 0]",
     12,
     {"quaternion = [1, 1, 0, 0]", "unit quaternion", "1.414"}},
    {"quaternion_length",
     spatial,
     12,
     "quaternion = [1, 0, 0]",
     12,
     {"quaternion = [1, 0, 0]", "[w, x, y, z]"}},
    {"axis_zero",
     spatial,
     12,
     "axis_angle = [0, 0, 0, 1]",
     12,
     {"axis_angle = [0, 0, 0, 1]", "other than zero"}},
    {"two_orientations",
     spatial,
     12,
     "quaternion = [1, 0, 0, 0]\naxis_angle = [0, 0, 1, 1]",
     13,
     {"axis_angle = [0, 0, 1, 1]", "not both"}},
    {"spin_2d",
     planar,
     12,
     "angular_velocity = [0, 0, 1]",
     12,
     {"angular_velocity = [0, 0, 1]", "a finite number [rad/s]"}},
    {"spin_3d",
     spatial,
     12,
     "angular_velocity = 1.0",
     12,
     {"angular_velocity = 1", "3 finite numbers"}},
    {"fixed_type", planar, 6, "fixed = 1", 6, {"fixed = 1", "true or false"}},
    {"fixed_moves",
     planar,
     6,
     "fixed = true\nvelocity = [1, 0]",
     7,
     {"velocity = [1, 0]", "fixed body"}},
    {"name_missing", planar, 8, "", 7, {"[[body]]", "no name"}},
    {"name_letters", planar, 8, "name = \"a,b\"", 8, {"name = \"a,b\"", "letters"}},
    {"name_twice", planar, 8, "name = \"ground\"", 8, {"name = \"ground\"", ".toml:4"}},
    {"body_key",
     planar,
     10,
     "mas = 2.0",
     10,
     {"mas = 2", "unknown key 'mas'", "did you mean 'mass'?", "angular_velocity"}},
};

const std::vector<BadLine> bad_tables = {
    {"table",
     planar,
     12,
     "[runs]\nh = 0.1",
     12,
     {"unknown key 'runs'", "did you mean 'run'?", "law"}},
    {"joint_kind",
     planar,
     12,
     "[[joint]]\nkind = \"hnge\"\nbodies = [\"ball\", \"ground\"]",
     13,
     {"kind = \"hnge\"", "expected ball, hinge, distance or fixed"}},
    {"joint_bodies",
     planar,
     12,
     "[[joint]]\nkind = \"ball\"\nbodies = [\"ball\", \"grund\"]",
     14,
     {"bodies", "grund", "ground"}},
    {"joint_axis",
     spatial,
     12,
     "[[joint]]\nkind = \"hinge\"\nbodies = [\"ball\", \"ground\"]\naxis = [0, 0, 0]",
     15,
     {"axis = [0, 0, 0]", "expected a direction"}},
    {"joint_planar_axis",
     planar,
     12,
     "[[joint]]\nkind = \"hinge\"\nbodies = [\"ball\", \"ground\"]\naxis = [0, 0, 1]",
     15,
     {"axis", "planar"}},
    {"joint_length",
     planar,
     12,
     "[[joint]]\nkind = \"distance\"\nbodies = [\"ball\", \"ground\"]\nlength = 3.0",
     15,
     {"length = 3", "1 m apart"}},
    {"joint_name",
     planar,
     12,
     "[[joint]]\nname = \"j\"\nkind = \"ball\"\nbodies = [\"ball\", \"ground\"]\n"
     "[[joint]]\nname = \"j\"\nkind = \"ball\"\nbodies = [\"ball\", \"ground\"]",
     17,
     {"'j'", "no other joint has"}},
    {"body_table",
     {"[scene]", "dimension = 2", "[body]", "name = \"a\""},
     5,
     "",
     3,
     {"body = ", "[[body]]"}},
    {"no_body", {"[scene]", "dimension = 2"}, 3, "", 1, {"no body", "at least one [[body]]"}},
    {"no_scene", {"[run]", "h = 0.1"}, 3, "", 1, {"no scene", "[scene]"}},
    {"scene_type", {"scene = 3"}, 2, "", 1, {"scene = 3", "expected a table"}},
    {"h_zero", planar, 12, "[run]\nh = 0.0", 13, {"h = 0", "a number above 0 [s]"}},
    {"h_type", planar, 12, "[run]\nh = \"fast\"", 13, {"h = \"fast\"", "a number above 0 [s]"}},
    {"h_list", planar, 12, "[run]\nh = [1, 2]", 13, {"h = [1, 2]", "a number above 0 [s]"}},
    {"h_flag", planar, 12, "[run]\nh = true", 13, {"h = true", "a number above 0 [s]"}},
    {"t_end", planar, 12, "[run]\nt_end = -1", 13, {"t_end = -1", "above 0 [s]"}},
    {"record_every", planar, 12, "[run]\nrecord_every = 0", 13, {"record_every = 0", "at least 1"}},
    {"record_real", planar, 12, "[run]\nrecord_every = 1.5", 13, {"record_every = 1.5", "whole"}},
    {"run_key",
     planar,
     12,
     "[run]\ntend = 1",
     13,
     {"tend = 1", "unknown key 'tend'", "did you mean 't_end'?", "record_every"}},
    {"formulation",
     planar,
     12,
     "[run]\nformulation = \"no-such\"",
     13,
     {"formulation = \"no-such\"", "unknown formulation"}},
    {"solver",
     planar,
     12,
     "[run]\nsolver = \"no-such\"",
     13,
     {"solver = \"no-such\"", "unknown solver"}},
    {"mu", planar, 12, "[law]\nmu = -0.1", 13, {"mu = -0.1", "at least 0"}},
    {"mu_nan", planar, 12, "[law]\nmu = nan", 13, {"mu = nan", "at least 0"}},
    {"restitution", planar, 12, "[law]\nrestitution = 1.5", 13, {"restitution = 1.5", "at most 1"}},
    {"law_key", planar, 12, "[law]\nmy = 0.1", 13, {"my = 0.1", "did you mean 'mu'?"}},
    {"pair_unknown",
     planar,
     12,
     "[[pair]]\nbodies = [\"ball\", \"grund\"]",
     13,
     {"bodies = [\"ball\", \"grund\"]", "did you mean 'ground'?"}},
    {"pair_one", planar, 12, "[[pair]]\nbodies = [\"ball\"]", 13, {"bodies = [\"ball\"]", "two"}},
    {"pair_same", planar, 12, "[[pair]]\nbodies = [\"ball\", \"ball\"]", 13, {"\"ball\"", "two"}},
    {"pair_type", planar, 12, "[[pair]]\nbodies = [1, 2]", 13, {"bodies = [1, 2]", "names"}},
    {"pair_none", planar, 12, "[[pair]]\nmu = 0.1", 12, {"[[pair]]", "no bodies"}},
    {"pair_law",
     planar,
     12,
     "[[pair]]\nbodies = [\"ball\", \"ground\"]\ne_t = 0",
     14,
     {"e_t = 0", "above 0"}},
    {"pair_twice",
     planar,
     12,
     "[[pair]]\nbodies = [\"ball\", \"ground\"]\n[[pair]]\nbodies = [\"ground\", \"ball\"]",
     15,
     {"bodies = [\"ground\", \"ball\"]", "no [[pair]] table yet"}},
    {"syntax", planar, 10, "mass = = 2.0", 10, {"not valid TOML"}},
    {"key_twice", planar, 10, "name = \"other\"", 10, {"not valid TOML", "name"}},
};

std::string case_name(const testing::TestParamInfo<BadLine>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Values, BadScene, testing::ValuesIn(bad_values), case_name);
INSTANTIATE_TEST_SUITE_P(Tables, BadScene, testing::ValuesIn(bad_tables), case_name);

TEST(SceneFile, SaysWhatIsWrongWithTheFile) {
  const std::string missing = testing::TempDir() + "no_such_scene.toml";
  EXPECT_THAT(error_of(missing), AllOf(StartsWith(missing), HasSubstr("no such file")));
  EXPECT_THAT(error_of(testing::TempDir()),
              AllOf(StartsWith(testing::TempDir()), HasSubstr("directory")));
  const std::string empty = write({""}, "empty.toml");
  EXPECT_THAT(error_of(empty), AllOf(StartsWith(empty), HasSubstr("empty")));
  const std::string comment = write({"# nothing"}, "comment.toml");
  EXPECT_THAT(error_of(comment), AllOf(StartsWith(comment), HasSubstr("[scene]")));
  const std::string bytes = write({"a = \"\xff\xfe\""}, "bytes.toml");
  EXPECT_THAT(error_of(bytes), AllOf(StartsWith(bytes + ":1: "), HasSubstr("not valid TOML")));
}

TEST(SceneFile, FileThatCannotBeReadIsNamed) {
  const std::string path = write(planar, "unreadable.toml");
  std::filesystem::permissions(path, std::filesystem::perms::owner_write);
  if (std::ifstream(path)) GTEST_SKIP() << "this user can read every file";
  EXPECT_THAT(error_of(path), AllOf(StartsWith(path), HasSubstr("cannot be read")));
}

TEST(SceneFile, LongValuesAreCut) {
  std::string points;
  for (int i = 0; i < 100; ++i) points += "[0, 0], ";
  const std::string line = "shape = { kind = \"polytope\", vertices = [" + points + "] }";
  const std::string message = error_of(write(with_line(planar, 9, line)));
  EXPECT_THAT(message, HasSubstr("…"));
  EXPECT_LT(message.size(), 400u + 2 * testing::TempDir().size());
}

TEST(SceneFile, BadOverridesAreNamed) {
  const std::string path = write(planar);
  EXPECT_THAT(error_of(path, {"mu=-1"}), AllOf(HasSubstr("mu"), HasSubstr("-1")));
  EXPECT_THAT(error_of(path, {"muu=1"}), AllOf(HasSubstr("muu"), HasSubstr("did you mean 'mu'?")));
  EXPECT_THAT(error_of(path, {"mu"}), HasSubstr("KEY=VALUE"));
}

TEST(SceneFile, OverlapNamesBodiesAndDepth) {
  const std::string path = write(with_line(planar, 11, "position = [0.0, 0.75]"));
  EXPECT_THAT(error_of(path), AllOf(StartsWith(path), HasSubstr("'ball'"), HasSubstr("'ground'"),
                                    HasSubstr("0.25 m")));
  EXPECT_NO_THROW(read(with_line(planar, 11, "position = [0.0, 0.9999999]")));  // within 1e-6
}

/// What the event-driven method says to a scene that it cannot start from.
std::string refusal(const Lines& lines) {
  const Scene scene = read(lines);
  try {
    make_formulation("baraff-acceleration", scene.world)->advance(initial_state(scene.world), 0.01);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

Lines followed_by(Lines lines, const Lines& more) {
  lines.insert(lines.end(), more.begin(), more.end());
  return lines;
}

TEST(EventDrivenScene, OverlapNamesBodiesAndDepth) {  // allowed in a scene file, not here
  EXPECT_THAT(refusal(with_line(planar, 11, "position = [0.0, 0.9999995]")),
              AllOf(HasSubstr("'ball'"), HasSubstr("'ground'"), HasSubstr("overlap by 5e-07 m")));
  EXPECT_EQ(refusal(planar), "no error");
}

TEST(EventDrivenScene, JointsThatVelocitiesViolateAreNamed) {
  const Lines flying = with_line(planar, 11, "position = [0.0, 3.0]\nvelocity = [0.5, 0.25]");
  const Lines rope{"[[joint]]", "name = \"rope\"", "kind = \"distance\"",
                   "bodies = [\"ball\", \"ground\"]", "points = [[0.0, 3.0], [0.0, 5.0]]"};
  EXPECT_THAT(refusal(followed_by(flying, rope)),
              AllOf(HasSubstr("joint 'rope' of 'ball' and 'ground'"), HasSubstr("0.25 m/s")));
  const Lines across = with_line(planar, 11, "position = [0.0, 3.0]\nvelocity = [0.5, 0.0]");
  EXPECT_EQ(refusal(followed_by(across, rope)), "no error");
}

TEST(EventDrivenScene, JointsThatContradictEachOtherAreNamed) {
  const Lines across = with_line(planar, 11, "position = [0.0, 3.0]\nvelocity = [0.5, 0.0]");
  const Lines ropes{"[[joint]]",
                    "name = \"upper\"",
                    "kind = \"distance\"",
                    "bodies = [\"ball\", \"ground\"]",
                    "points = [[0.0, 3.0], [0.0, 5.0]]",
                    "[[joint]]",
                    "name = \"lower\"",
                    "kind = \"distance\"",
                    "bodies = [\"ball\", \"ground\"]",
                    "points = [[0.0, 3.0], [0.0, 1.0]]"};
  EXPECT_THAT(refusal(followed_by(across, ropes)),
              AllOf(HasSubstr("er' of 'ball' and 'ground'"),
                    HasSubstr("no joint forces satisfy it"), HasSubstr("contradict each other")));
}

TEST(EventDrivenScene, VertexOnVertexNamesTheBodies) {  // 5e-10 m apart
  const std::string side = "shape = { kind = \"box\", sides = [1.0, 1.0] }";
  Lines lines = with_line(planar, 9, side);
  lines = with_line(lines, 11, "position = [0.0, 3.0]\nangle = 0.7853981633974483");
  lines = followed_by(lines, {"[[body]]", "name = \"other\"", side, "mass = 1.0",
                              "position = [0.0, 4.414213562873095]", "angle = 0.7853981633974483"});
  EXPECT_THAT(refusal(lines),
              AllOf(HasSubstr("'ball'"), HasSubstr("'other'"), HasSubstr("vertex on vertex")));
}

TEST(EventDrivenScene, ConformingSurfacesNameTheBodies) {  // a cylinder on its side
  Lines lines = with_line(spatial, 9, "shape = { kind = \"cylinder\", radius = 1, height = 2 }");
  lines = with_line(lines, 11,
                    "position = [0, 0, 1]\nquaternion = [0.7071067811865476, 0.7071067811865476, "
                    "0.0, 0.0]");
  EXPECT_THAT(refusal(lines), AllOf(HasSubstr("ball/ground"), HasSubstr("conforming contact")));
}

}  // namespace
}  // namespace touchstone
