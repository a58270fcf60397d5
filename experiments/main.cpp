#include <fmt/format.h>

#include <csignal>
#include <cstdio>

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

int run(int argc, char** argv) {
  CLI::App app{"Touchstone: a research testbed for rigid-body contact formulations", "touchstone"};
  app.require_subcommand(1);
  app.footer(
      "  test                        Build and run the tests (by the script ./touchstone)\n"
      "  bench                       Build and run the benchmarks (likewise)\n\n"
      "Exit codes: 0 well, 1 a verdict or a run failed, 2 bad input, 130 interrupted.");
  app.set_version_flag("--version",
                       fmt::format("touchstone {} ({})", TOUCHSTONE_VERSION, commit()));
  int exit_code = 0;
  add_list_command(app, exit_code);
  add_run_command(app, exit_code);
  add_simulate_command(app, exit_code);
  add_sweep_command(app, exit_code);
  add_figures_command(app, exit_code);
  check_command_name(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return exit_code;
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
