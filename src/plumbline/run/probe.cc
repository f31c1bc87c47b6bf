#include "plumbline/run/probe.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/log.h"
#include "plumbline/doctor/inside/own_output.h"
#include "plumbline/run/arm_queue.h"
#include "plumbline/run/arm_summary.h"
#include "plumbline/run/direction.h"
#include "plumbline/run/run_directory.h"

namespace plumbline {
namespace {

int64_t num_cores() {
  return std::max<int64_t>(1, std::thread::hardware_concurrency());
}

int64_t arms_at_once(const Preset& preset) {
  if (preset.probe.parallel > 0) return preset.probe.parallel;
  // Two for a core: an arm waits for its grader, and the kernel ends many sandboxes at once in hardly more time than
  // one.
  return std::max<int64_t>(1, 2 * num_cores() / std::max<int64_t>(1, preset.run.threads));
}

/// Its own arm and seed, and its share of the cores.
Preset preset_of_arm(const Preset& preset, const std::string& arm, int64_t seed) {
  Preset own = preset;
  own.run.arm = arm;
  own.run.seed = static_cast<uint64_t>(seed);
  const int64_t share = std::max<int64_t>(1, num_cores() / arms_at_once(preset));
  if (arms_at_once(preset) > 1 && own.run.threads == 0) own.run.threads = share;
  if (arms_at_once(preset) > 1 && own.grade.workers == 0) own.grade.workers = share;
  return own;
}

/// A resumed probe keeps the direction that it began with.
Preset with_stored_direction(Preset preset, const RunDirectory& directory) {
  const std::string stored = directory.file("direction.safetensors");
  if (std::filesystem::exists(stored)) preset.steer.direction = stored;
  return preset;
}

/// Loads the whole probe, then walks its stations; each leaves its result in the directory.
class ProbeRun {
 public:
  ProbeRun(const Preset& preset, RunDirectory directory, ModelBench bench)
      : preset_(with_stored_direction(preset, directory)),
        directory_(std::move(directory)),
        bench_(std::make_unique<ModelBench>(std::move(bench))),
        directions_(std::make_unique<DirectionSource>(preset_, *bench_)) {}

  int run() {
    const double start_s = now_s();
    extract();
    if (may_go_on()) verify();
    if (may_go_on()) train_arms();
    const std::vector<RunGate> gates = complete_gates(gates_);
    write_file(directory_.file("gates.json"), gates_json(gates).dump(2) + "\n");
    const WrittenReport report =
        doctor::write_report_with_findings({directory_.path()}, directory_.file("report.html"));
    directory_.mark_complete();
    summarize(gates, report.verdicts, now_s() - start_s);
    return any_failed(gates) ? 1 : 0;
  }

 private:
  /// A probe stops at a failed A or B unless it was told to go on.
  bool may_go_on() const { return !preset_.probe.stop_at_gates || !any_failed(gates_); }

  void extract() {
    const HackDirection& direction = directions_->hack();
    const std::string stored = directory_.file("direction.safetensors");
    if (!std::filesystem::exists(stored)) direction.save(stored);
    gates_.push_back(gate_a(gate_a_of(direction)));
  }

  void verify() {
    const DirectionCheck check = directions_->check();
    gates_.push_back(gate_b(check.direction, check.placebo, preset_.gates));
  }

  /// Folders first, with everything that needs the model; then the model is let go and the arms train.
  void train_arms() {
    std::vector<PreparedArm> arms;
    for (const int64_t seed : preset_.probe.seeds) {
      for (const std::string& arm : preset_.probe.arms) arms.push_back(prepare(arm, seed));
    }
    directions_.reset();
    bench_.reset();
    plumbline::train_arms(arms, arms_at_once(preset_), "plumbline probe --resume " + directory_.path());
    for (const PreparedArm& arm : arms) {
      arms_.push_back(summarize_steps(read_step_table(arm.folder + "/steps.tsv"), arm.name, arm.seed, arm.num_steps));
    }
    judge_arms();
  }

  PreparedArm prepare(const std::string& arm, int64_t seed) {
    Preset own = preset_of_arm(preset_, arm, seed);
    // Arms see the same problems and often write the same answers.
    if (own.grade.cache.empty()) {
      own.grade.cache = std::filesystem::absolute(directory_.file("verdicts.jsonl")).string();
    }
    const PreparedArm prepared{arm, own.run.seed, own.train.steps,
                               directory_.file(fmt::format("arms/{}-s{}", arm, seed))};
    if (prepared.is_complete()) return prepared;
    const bool begun = std::filesystem::exists(prepared.folder + "/resolved.toml");
    const RunDirectory run = begun ? RunDirectory::open(prepared.folder) : RunDirectory::create(prepared.folder, own);
    run.write_provenance(provenance_of(own, *bench_, pairs_provenance(own)));
    directions_->of_arm(arm, own.run.seed).save(run.file("direction.safetensors"));
    return prepared;
  }

  /// C and D are reached when there is something to judge.
  void judge_arms() {
    const auto ran = [&](const char* name) {
      return std::any_of(arms_.begin(), arms_.end(), [&](const ArmSummary& arm) { return arm.arm == name; });
    };
    if (ran("vanilla")) gates_.push_back(gate_c(arms_, preset_.gates));
    if (ran("vanilla") && ran("projected")) gates_.push_back(gate_d(arms_, preset_.gates));
  }

  void summarize(const std::vector<RunGate>& gates, const std::vector<ArmVerdict>& verdicts, double seconds) const {
    if (!arms_.empty()) std::printf("%s\n", results_table(arms_).c_str());
    std::fputs(format_gates(gates, ::isatty(STDOUT_FILENO) == 1).c_str(), stdout);
    for (const ArmVerdict& verdict : verdicts) {
      std::printf("\n%s\n", escape_control(verdict.headline).c_str());
      for (const std::string& sentence : verdict.sentences) std::printf("- %s\n", escape_control(sentence).c_str());
    }
    std::printf("\nrun: %s  (%s)\npicture: %s\n", directory_.path().c_str(), format_duration(seconds).c_str(),
                directory_.file("report.html").c_str());
  }

  const Preset preset_;
  const RunDirectory directory_;
  std::unique_ptr<ModelBench> bench_;
  std::unique_ptr<DirectionSource> directions_;
  std::vector<RunGate> gates_;
  std::vector<ArmSummary> arms_;
};

}  // namespace

int probe(const Preset& preset, const std::string& out) {
  if (preset.train.objective != "rl") {
    throw ConfigError("config.conflict", "a probe compares arms of reinforcement learning", "train.objective",
                      "use the verb train, or set it to \"rl\"");
  }
  RunDirectory::check(out);
  ModelBench bench = load_model_bench(preset);
  RunDirectory directory = RunDirectory::create(out, preset);
  directory.write_provenance(provenance_of(preset, bench, pairs_provenance(preset)));
  log_info("probe in " + directory.path());
  return ProbeRun(preset, std::move(directory), std::move(bench)).run();
}

int resume_probe(const Preset& preset, const std::string& folder) {
  RunDirectory directory = RunDirectory::open(folder);
  if (directory.is_complete()) {
    throw ConfigError("config.run_complete", "the probe is complete", folder, "start a new one with probe PRESET");
  }
  ModelBench bench = load_model_bench(preset);
  return ProbeRun(preset, std::move(directory), std::move(bench)).run();
}

}  // namespace plumbline
