#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>

#include "experiments/cli/commands.hpp"
#include "experiments/harness/run.hpp"

namespace {

using namespace touchstone;

/// The first Ctrl-C ends the work in good order; a second one ends the program.
extern "C" void on_signal(int signal) {
  interrupt_flag() = true;
  std::signal(signal, SIG_DFL);
}

void check_command_name(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names{"test", "bench"};  // the entry script's own
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == argv[1]) return;
    names.push_back(command->get_name());
  }
  throw InputError(unknown_name("command", argv[1], names));
}

void add_output_options(CLI::App& command, Choice& choice,
                        const std::string& default_jobs = "one per core") {
  command.add_option("--out", choice.out, "where to write (default: below results/)");
  command.add_option("--jobs", choice.batch.jobs, "workers (default: " + default_jobs + ")")
      ->check(CLI::Range(1, 1024));
  command.add_flag("--rerun", choice.batch.rerun, "run again what is already on disk");
}

void add_dump_options(CLI::App& command, std::string& folder, DumpOptions& dump) {
  command.add_option("--dump", folder, "write the problems of the steps into this folder");
  command.add_option("--dump-every", dump.every, "of every so many steps (default: 1)")
      ->check(CLI::Range(1, 1000000000));
  command.add_flag("--cone", dump.exact_cone,
                   "dump the exact-cone problems of the steps, not the formulation's");
}

void add_sets(CLI::App& command, Choice& choice) {
  command
      .add_option("--set", choice.sets,
                  "KEY=VALUE: a parameter of the study or scene, of the formulation, or solver.KEY")
      ->take_all()
      ->allow_extra_args(false);
}

void add_choice(CLI::App& command, Choice& choice) {
  command.add_option("--formulation", choice.formulation, "see: list formulations");
  command.add_option("--solver", choice.solver, "see: list solvers");
  add_sets(command, choice);
  add_output_options(command, choice);
}

void add_profile(CLI::App& app, std::vector<std::string>& sources, Choice& choice, bool& passed) {
  auto* profile = app.add_subcommand(
      "profile", "Run solvers over collections of problems and compare them (docs/profiles.md)");
  static ProfileOptions options;
  MeasureSettings& measure = options.measure;
  profile
      ->add_option("COLLECTION|FILE|random:NAME[:COUNT[/STRIDE]]", sources,
                   "folders of problems, problem files, FCLIB files, random families")
      ->required();
  profile->add_option("--solvers", options.solvers, "names or patterns: lemke,siconos-* (all)")
      ->delimiter(',');
  profile->add_option("--class", options.problem_class,
                      "only lcp, mlcp, mcp, qp or friction-contact problems");
  profile->add_option("--tolerance", measure.bound.absolute,
                      "bound on the natural residual of every answer (default: 1e-9)");
  profile->add_option("--relative", measure.bound.relative,
                      "the same as a multiple of the size of the data, added (default: 0)");
  profile
      ->add_option("--time-limit", measure.time_limit, "processor time per solve [s] (default: 10)")
      ->check(CLI::PositiveNumber);
  profile->add_option("--repeats", measure.repeats, "timed calls after the first (default: 5)")
      ->check(CLI::Range(0, 1000));
  profile->add_option("--out", choice.out, "where to write (default: below results/profiles/)");
  profile->add_flag("--rerun", options.rerun, "measure again what is already on disk");
  profile->callback([&] { passed = profile_command(sources, options, choice); });
}

int run(int argc, char** argv) {
  CLI::App app{"Touchstone: a research testbed for rigid-body contact formulations", "touchstone"};
  app.require_subcommand(1);
  app.footer(
      "  test                        Build and run the tests (by the script ./touchstone)\n"
      "  bench                       Build and run the benchmarks (likewise)\n\n"
      "Exit codes: 0 well, 1 a verdict or a run failed, 2 bad input, 130 interrupted.");
  app.set_version_flag("--version",
                       fmt::format("touchstone {} ({})", TOUCHSTONE_VERSION, commit()));

  std::string name;
  std::vector<std::string> names;
  bool as_json = false, passed = true;
  Choice choice;

  auto* list = app.add_subcommand("list", "Show studies, formulations, solvers and shapes");
  list->add_option("WHAT", name, "studies, formulations, solvers or shapes (default: all)");
  list->add_flag("--json", as_json, "machine-readable");
  list->callback([&] { passed = list_command(name, as_json); });

  auto* run = app.add_subcommand(
      "run", "Run a study as published; one run when a formulation, solver or parameter is named");
  run->add_option("STUDY", name, "see: list studies")->required();
  std::string dump_folder;
  DumpOptions dump_options;
  const auto add_dump = [&] {
    if (dump_folder.empty()) return;
    dump_options.folder = dump_folder;
    choice.batch.dump = dump_options;
  };
  add_choice(*run, choice);
  add_dump_options(*run, dump_folder, dump_options);
  run->callback([&] {
    add_dump();
    passed = run_command(name, choice);
  });

  auto* simulate = app.add_subcommand("simulate", "Run a scene file (docs/scenes.md)");
  simulate->add_option("SCENE.toml", name, "scene file")->required();
  add_choice(*simulate, choice);
  add_dump_options(*simulate, dump_folder, dump_options);
  int frames = 0;
  simulate->add_option("--frames", frames, "draw so many pictures of the motion into the results")
      ->check(CLI::Range(1, 100));
  simulate->callback([&] {
    add_dump();
    passed = simulate_command(name, choice, frames);
  });

  auto* sweep = app.add_subcommand("sweep", "Run a study over values of its parameters");
  sweep->add_option("STUDY", name, "see: list studies")->required();
  sweep->add_option("--vary", names, "KEY=V1,V2,…: may be given several times")
      ->required()
      ->take_all()
      ->allow_extra_args(false);
  add_choice(*sweep, choice);
  sweep->callback([&] { passed = sweep_command(name, choice, names); });

  bool no_figure = false;
  auto* compare = app.add_subcommand(
      "compare", "Run every applicable formulation on a study or scene file, side by side");
  compare->add_option("STUDY|SCENE.toml", name, "see: list studies")->required();
  compare->add_option("--formulations", names, "F1,F2,…: only these (default: all that apply)")
      ->delimiter(',');
  compare->add_flag("--no-figure", no_figure, "the table only");
  add_sets(*compare, choice);
  add_output_options(*compare, choice, "1, since neighbours would falsify the costs");
  compare->callback([&] {
    if (choice.batch.jobs == 0) choice.batch.jobs = 1;
    passed = compare_command(name, choice, names, !no_figure);
  });

  auto* figures = app.add_subcommand(
      "figures", "Run the studies that the published figures need, and draw the figures");
  figures->add_option("FIGURE|STUDY", names, "figures or studies (default: all)");
  add_output_options(*figures, choice);
  figures->callback([&] { passed = figures_command(names, choice); });

  auto* solve = app.add_subcommand("solve", "Solve a problem file and have the answers judged");
  solve->add_option("FILE", name, "a problem as `export` writes it, or an FCLIB file (.hdf5)")
      ->required();
  solve->add_option("--solver", choice.solver, "one solver (default: all that accept the problem)");
  solve->callback([&] { passed = solve_command(name, choice); });

  int step = 1;
  bool exact_cone = false;
  auto* exporting =
      app.add_subcommand("export", "Write the problem of one step of a run to a file");
  exporting->add_option("STUDY|SCENE.toml", name, "what to run")->required();
  exporting->add_option("--step", step, "which step, from 1 on (default: 1)")
      ->check(CLI::Range(1, 1000000000));
  exporting->add_flag("--cone", exact_cone,
                      "the exact-cone problem of the step, not the formulation's");
  add_choice(*exporting, choice);
  exporting->callback([&] { passed = export_command(name, choice, step, exact_cone); });

  add_profile(app, names, choice, passed);

  check_command_name(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return passed ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  try {
    return run(argc, argv);
  } catch (const Interrupted& stop) {
    fmt::print(stderr, "touchstone: {}\n", stop.what());
    return 130;
  } catch (const InputError& error) {
    fmt::print(stderr, "touchstone: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "touchstone: internal error: {}\n", error.what());
    return 70;
  }
}
