#include "experiments/harness/batch.hpp"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <mutex>
#include <set>
#include <thread>

#include "experiments/harness/files.hpp"
#include "experiments/harness/progress.hpp"
#include "experiments/scene.hpp"

namespace touchstone {

namespace {

struct Job {
  RunSpec spec;
  std::filesystem::path folder;
  bool on_disk = false;
  std::optional<DumpOptions> dump{};
};

/// The dump of one case among `count`.
std::optional<DumpOptions> dump_of(const BatchOptions& options, const Case& c, std::size_t count) {
  std::optional<DumpOptions> dump = options.dump;
  if (dump && count > 1) dump->folder = case_folders(dump->folder, {c}).front();
  return dump;
}

std::vector<Job> prepare(const StudyEntry& entry, const Study& study,
                         const std::vector<Case>& cases,
                         const std::vector<std::filesystem::path>& folders,
                         const BatchOptions& options) {
  std::vector<Job> jobs;
  std::set<std::filesystem::path> seen;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const Case& c = cases[k];
    Job job{make_spec("study", entry.name, entry.parameters, c.formulation, c.solver, c.sets),
            folders[k], false, dump_of(options, c, cases.size())};
    if (!seen.insert(job.folder).second)
      throw InputError(fmt::format("two cases would write to '{}'", job.folder.string()));
    if (c.computed()) {
      if (job.dump)
        throw InputError(
            fmt::format("--dump: study '{}' computes tables and has no steps to dump", entry.name));
    } else {
      const World world = study.world(job.spec.parameters);
      check_no_overlap(world, "study '" + entry.name + "'");
      check_runnable(job.spec, world);
    }
    job.on_disk = !options.rerun && !job.dump && already_run(job.spec, job.folder);
    jobs.push_back(std::move(job));
  }
  for (const Job& job : jobs)  // only now: the check makes parent folders
    if (!job.on_disk) check_writable(job.folder);
  return jobs;
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::map<std::string, std::string> simulated_files(const Study& study, const RunSpec& spec,
                                                   std::optional<Dump>& dump,
                                                   const Progress& progress) {
  const auto start = Clock::now();
  const World world = study.world(spec.parameters);
  const Record record = simulate(spec, world, progress, observer(dump));
  const double seconds = seconds_since(start);
  return run_files(spec, record, study.oracle(spec.parameters),
                   study.measures(spec.parameters, record), seconds);
}

std::map<std::string, std::string> computed_files(const Study& study, const RunSpec& spec,
                                                  const Progress& progress) {
  const auto start = Clock::now();
  Computed computed = study.compute(spec.parameters, [&progress](double fraction) {
    if (interrupt_flag()) throw Interrupted();
    progress(fraction);
  });
  Json summary = {{"status", "completed"}};
  summary.update(computed.summary);
  return run_directory(spec, std::move(computed.tables), summary, seconds_since(start));
}

void run_job(const Study& study, const Job& job, const Case& c, const Progress& progress) {
  if (c.computed())
    return write_run_directory(job.folder, computed_files(study, job.spec, progress));
  std::optional<Dump> dump;
  if (job.dump) dump.emplace(*job.dump, job.spec.name, Asked{c.formulation, c.solver, c.sets});
  write_run_directory(job.folder, simulated_files(study, job.spec, dump, progress));
  if (dump) dump->finish();
}

}  // namespace

int worker_count(int asked) {
  return asked > 0 ? asked : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

std::filesystem::path default_results(const std::string& name) {
  return project_root() / "results" / name;
}

std::vector<std::filesystem::path> case_folders(const std::filesystem::path& results,
                                                const std::vector<Case>& cases) {
  std::vector<std::filesystem::path> folders;
  for (const Case& c : cases) folders.push_back(results / c.path());
  return folders;
}

Batch run_cases(const StudyEntry& entry, const std::vector<Case>& cases,
                const std::vector<std::filesystem::path>& folders, const BatchOptions& options) {
  const auto study = entry.make();
  const std::vector<Job> jobs = prepare(entry, *study, cases, folders, options);
  std::vector<int> todo;
  for (int k = 0; k < static_cast<int>(jobs.size()); ++k)
    if (!jobs[static_cast<std::size_t>(k)].on_disk) todo.push_back(k);

  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  {
    ProgressBar bar(entry.name, static_cast<int>(todo.size()));
    const auto work = [&] {
      for (std::size_t k = next++; k < todo.size(); k = next++) {
        try {
          const auto at = static_cast<std::size_t>(todo[k]);
          run_job(*study, jobs[at], cases[at],
                  [&bar, k](double fraction) { bar.report(static_cast<int>(k), fraction); });
        } catch (...) {
          const std::lock_guard lock(failure_mutex);
          if (!failure) failure = std::current_exception();
          next = todo.size();
        }
      }
    };
    std::vector<std::jthread> workers;
    const int count = std::min(worker_count(options.jobs), static_cast<int>(todo.size()));
    for (int w = 1; w < count; ++w) workers.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);

  Batch batch{.results = {}, .found = static_cast<int>(jobs.size() - todo.size())};
  for (std::size_t k = 0; k < jobs.size(); ++k)
    batch.results.push_back({cases[k], jobs[k].spec.parameters,
                             Json::parse(read_file(jobs[k].folder / "summary.json")),
                             jobs[k].folder});
  return batch;
}

}  // namespace touchstone
