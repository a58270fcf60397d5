#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstdlib>
#include <cstring>
#include <set>

#include "experiments/cli/commands.hpp"

extern char** environ;

namespace touchstone {

namespace {

struct Figure {
  std::string name;
  const StudyEntry* study;
};

std::vector<Figure> all_figures() {
  std::vector<Figure> figures;
  for (const StudyEntry* study : Registry<StudyEntry>::instance().all())
    for (const std::string& name : study->figures) figures.push_back({name, study});
  return figures;
}

/// The figures that the user named, by figure or by study; all of them when nothing was named.
std::vector<Figure> select(const std::vector<std::string>& wanted) {
  const std::vector<Figure> known = all_figures();
  if (wanted.empty()) return known;
  std::vector<Figure> chosen;
  for (const std::string& name : wanted) {
    const std::size_t before = chosen.size();
    for (const Figure& figure : known)
      if (figure.name == name || figure.study->name == name) chosen.push_back(figure);
    if (chosen.size() > before) continue;
    std::vector<std::string> names = Registry<StudyEntry>::instance().names();
    for (const Figure& figure : known) names.push_back(figure.name);
    throw InputError(unknown_name("figure or study", name, names));
  }
  return chosen;
}

/// Runs a program and waits; its exit code.
int execute(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  if (const int error = posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ))
    throw InputError(fmt::format("cannot start '{}': {}", words[0], std::strerror(error)));
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

bool draw(const Figure& figure, const std::filesystem::path& out) {
  return run_script(figure.name,
                    {"--results", (project_root() / "results").string(), "--out", out.string()});
}

}  // namespace

bool run_script(const std::string& name, const std::vector<std::string>& arguments) {
  const char* python = std::getenv("TOUCHSTONE_PYTHON");
  const auto script = project_root() / "paper_figures" / (name + ".py");
  std::vector<std::string> words{python ? python : "python3", script.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const int code = execute(words);
  if (code != 0) fmt::print(stderr, "{}: the script ended with code {}\n", name, code);
  return code == 0;
}

bool figures_command(const std::vector<std::string>& wanted, const Choice& choice) {
  const std::vector<Figure> figures = select(wanted);
  const std::filesystem::path out =
      choice.out ? std::filesystem::path(*choice.out) : project_root() / "results" / "figures";
  bool passed = true;
  std::set<const StudyEntry*> done;
  for (const Figure& figure : figures)
    if (done.insert(figure.study).second)
      passed =
          run_published(*figure.study, default_results(figure.study->name), choice.batch) && passed;
  fmt::print("\n");
  std::fflush(stdout);
  std::set<std::string> drawn;  // some figures belong to several studies
  for (const Figure& figure : figures)
    if (drawn.insert(figure.name).second) passed = draw(figure, out) && passed;
  return passed;
}

}  // namespace touchstone
