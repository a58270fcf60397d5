#include <gmock/gmock.h>

#include <cstdlib>

#include "tests/experiments/records.hpp"

/// Pictures of the motion, drawn by paper_figures/frames.py.

namespace touchstone::cli {
namespace {

std::string python() {
  const char* chosen = std::getenv("TOUCHSTONE_PYTHON");
  return chosen ? chosen : "python3";
}

class Frames : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system((python() + " -c 'import matplotlib' 2>/dev/null").c_str()) != 0)
      GTEST_SKIP() << python() << " has no matplotlib (set TOUCHSTONE_PYTHON)";
    fs::create_directory_symlink(fs::path(TOUCHSTONE_SOURCE_DIR) / "paper_figures",
                                 root / "paper_figures");
  }
  TempFolder root;
};

TEST_F(Frames, ArePartOfTheRunDirectory) {
  for (const char* scene : {"four-bar.toml", "cylinders.toml"}) {
    SCOPED_TRACE(scene);
    run_scene(root, root / scene, scene, {"--set", "t_end=0.02", "--frames", "3"});
    EXPECT_GT(content(root / scene / "frames.png").size(), 5000u);
    EXPECT_TRUE(fs::exists(root / scene / "frames.pdf"));
  }
}

TEST_F(Frames, AreTheSameEveryTime) {
  std::string first;
  for (const bool again : {false, true}) {
    run_scene(root, root / "run", "four-bar.toml", {"--set", "t_end=0.02", "--frames", "3"});
    const std::string picture = content(root / "run/frames.pdf");
    if (again) {
      EXPECT_EQ(picture, first);
    }
    first = picture;
  }
}

TEST_F(Frames, GoWithTheRunThatARerunReplaces) {
  run_scene(root, root / "run", "four-bar.toml", {"--set", "t_end=0.02", "--frames", "1"});
  run_scene(root, root / "run", "four-bar.toml", {"--set", "t_end=0.03"});
  EXPECT_FALSE(fs::exists(root / "run/frames.png")) << "of a run that is not there any more";
  EXPECT_TRUE(fs::exists(root / "run/bodies.json"));
}

TEST_F(Frames, OfARunWithoutBodiesAreRefusedWithTheRemedy) {
  run_scene(root, root / "run", "bouncing-ball.toml", {"--set", "t_end=0.02"});
  fs::remove(root / "run/bodies.json");
  const std::string script = (root / "paper_figures/frames.py").string();
  const std::string errors = (root / "errors").string();
  EXPECT_NE(
      std::system(
          (python() + " " + script + " " + (root / "run").string() + " 2> " + errors).c_str()),
      0);
  EXPECT_THAT(content(errors), testing::HasSubstr("--rerun"));
}

}  // namespace
}  // namespace touchstone::cli
