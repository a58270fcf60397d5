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

TEST_F(Frames, ArePartOfTheRunDirectoryAndTheSameEveryTime) {
  for (const char* scene : {"four-bar.toml", "cylinders.toml"}) {
    SCOPED_TRACE(scene);
    const fs::path run = root / scene;
    std::string first;
    for (int attempt = 0; attempt < 2; ++attempt) {
      run_scene(root, run, scene, {"--set", "t_end=0.02", "--frames", "2"});
      EXPECT_TRUE(fs::exists(run / "frames.pdf"));
      const std::string picture = content(run / "frames.png");
      EXPECT_GT(picture.size(), 5000u);
      if (attempt > 0) EXPECT_EQ(picture, first);
      first = picture;
    }
  }
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
