#include "plumbline/run/arm.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumbline/adapter/gradient_transform.h"
#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/log.h"
#include "plumbline/doctor/inside/live_findings.h"
#include "plumbline/doctor/inside/own_output.h"
#include "plumbline/eval/evaluator.h"
#include "plumbline/record/arm.h"
#include "plumbline/rollout/engine.h"
#include "plumbline/run/arm_summary.h"
#include "plumbline/run/deployment.h"
#include "plumbline/run/direction.h"
#include "plumbline/run/monitor.h"
#include "plumbline/run/refreshed_direction.h"
#include "plumbline/steer/projector.h"
#include "plumbline/steer/route.h"
#include "plumbline/steer/weight_erasure.h"
#include "plumbline/train/checkpoint.h"
#include "plumbline/train/recorder.h"
#include "plumbline/train/supervised_trainer.h"
#include "plumbline/train/trainer.h"

namespace plumbline {
namespace {

constexpr int64_t kMaxBatch = 256;  // sequences that decode together

bool is_supervised(const Preset& preset) {
  return preset.train.objective == "sft";
}

/// Arms that train with a quarantine; null for the others.
std::unique_ptr<GradientTransform> quarantine_of_arm(const Preset& preset,
                                                     const std::map<std::string, torch::Tensor>& axes) {
  const ProjectionOptions options = projection_options(preset.steer);
  if (preset.run.arm == "route") return std::make_unique<RouteTransform>(axes, options);
  if (preset.run.arm == "absorb") return std::make_unique<RouteTransform>(axes, options, preset.steer.absorption);
  if (preset.run.arm == "erase_weights") return std::make_unique<WeightErasure>(axes, options);
  return nullptr;
}

/// Arms that have no use without a direction; the others are measured against one where the folder has it (a probe).
bool needs_direction(const std::string& name) {
  const Arm arm = arm_of_name(name);
  return arm.kind == "projected" || arm.kind == "route" || arm.kind == "absorb" || arm.kind == "erase_weights" ||
         arm.is_control();
}

std::unique_ptr<GradientTransform> transform_of_run(const Preset& preset, ModelBench& bench,
                                                    const RunDirectory& directory) {
  const std::string path = directory.file("direction.safetensors");
  if (!needs_direction(preset.run.arm) && !std::filesystem::exists(path)) return std::make_unique<IdentityTransform>();
  ProjectionOptions options = projection_options(preset.steer);
  if (!needs_direction(preset.run.arm)) options.where = ProjectionWhere::kNowhere;
  HackDirection direction = load_direction(path, svd_adapter_of(bench));
  if (auto quarantine = quarantine_of_arm(preset, direction.axes())) return quarantine;
  const bool has_pairs = arm_of_name(preset.run.arm).kind != "haar";  // a random frame stays what it is
  if (preset.steer.refresh_every == 0 || !needs_direction(preset.run.arm) || !has_pairs) {
    return std::make_unique<ProjectionTransform>(direction.axes(), options);
  }
  auto source = std::make_shared<DirectionSource>(preset, bench);
  return std::make_unique<RefreshedDirection>(
      std::move(direction), options, preset.steer.refresh_every,
      [source, &preset] { return source->on_current_weights(preset.run.arm, preset.run.seed); });
}

Json evaluation_row(const std::string& decode, const Evaluator& evaluator, const SliceScore& score) {
  return {{"decode", decode},
          {"problems", evaluator.num_problems()},
          {"left_out", evaluator.num_left_out()},
          {"n", score.num_completions},
          {"graded", score.num_graded},
          {"infra", score.num_infra},
          {"passed", score.num_passed},
          {"hacked", score.num_hacked},
          {"vacuous", score.num_vacuous},
          {"truncated", score.num_truncated},
          {"mean_reward", score.mean_reward}};
}

/// How the slice is decoded at an evaluation: as [eval] says, and greedily beside it where it asks for that.
std::vector<SliceOptions> slice_decodes(const Preset& preset) {
  const SliceOptions own{preset.eval.samples, preset.eval.temperature, preset.rollout.max_new_tokens,
                         preset.rollout.context_tokens, preset.run.seed};
  std::vector<SliceOptions> decodes = {own};
  if (own.temperature > 0 && preset.eval.greedy_beside) {
    SliceOptions& greedy = decodes.emplace_back(own);
    greedy.samples = 1;
    greedy.temperature = 0;
  }
  return decodes;
}

TrainerOptions trainer_options(const Preset& preset, const RunDirectory& directory) {
  TrainerOptions options;
  options.train = preset.train;
  options.rollout = preset.rollout;
  options.run = preset.run;
  options.order_seed = preset.data.order_seed;
  options.evaluate_every = preset.eval.every;
  options.checkpoints_folder = directory.file("checkpoints");
  options.reward_names = reward_names(preset.grade);
  options.alignment_every = preset.steer.alignment_every;
  options.alignment_by_vacuous = preset.probe.hack_rate == "vacuous";
  options.resume_hint = "plumbline train --resume " + directory.path();
  return options;
}

std::unique_ptr<TrainingRun> make_trainer(const Preset& preset, ModelBench& bench, RolloutEngine& engine,
                                          Verifier& verifier, GradientTransform& transform, RunRecorder& recorder,
                                          const RewardTransform* monitor, const ProblemSets& problems,
                                          const TrainerOptions& options) {
  if (is_supervised(preset)) {
    return std::make_unique<SupervisedTrainer>(RunParts{*bench.decoder, *bench.adapter, transform, recorder},
                                               bench.text, SupervisedData{problems.train, problems.completions},
                                               options);
  }
  return std::make_unique<Trainer>(
      TrainerParts{*bench.decoder, *bench.adapter, engine, verifier, transform, bench.text, recorder, monitor},
      problems.train, options, problems.completions);
}

/// One decode of the slice; its row goes to eval.jsonl.
void evaluate(int64_t step, const std::string& decode, Evaluator& evaluator, RunRecorder& recorder) {
  const SliceScore score = evaluator.run();
  recorder.record_evaluation(step, evaluation_row(decode, evaluator, score));
  log_info(fmt::format("held-out slice after step {}: pass {:.3f}, hack {:.3f}, vacuous {:.3f} ({} completions, {})",
                       step, score.pass_rate(), score.hack_rate(), score.vacuous_rate(), score.num_graded, decode));
}

/// What the doctor sees in a step, told once each.
void tell(doctor::LiveFindings& live, const StepRow& row) {
  const doctor::LiveStep step{.step = row.step,
                              .num_completions = row.num_completions,
                              .num_groups = row.num_groups,
                              .num_without_verdict = row.num_infra,
                              .pass_rate = row.pass_rate,
                              .hack_rate = row.hack_rate,
                              .truncated_rate = row.truncated_rate,
                              .num_zero_spread_groups = row.num_zero_spread_groups};
  for (const doctor::LiveFinding& finding : live.take(step)) {
    log_warning(fmt::format("finding {} ({}): {}", finding.id, finding.severity, finding.text));
  }
}

/// A supervised run has no gate: what it learnt is in its loss and on the held-out slice.
void print_supervised(const ArmSummary& summary, const RunDirectory& directory) {
  const StepTable table = read_step_table(directory.file("steps.tsv"));
  const std::vector<double> loss = table.column("loss");
  std::printf("supervised: %lld of %lld steps, loss %.4f -> %.4f nats a token\n",
              static_cast<long long>(summary.steps_done), static_cast<long long>(summary.steps_planned), loss.front(),
              loss.back());
}

/// Whether a completion earns by its own tester's word. Where none does, hacking is not expected to emerge, and no gate
/// asks for it.
bool pays_for_loophole(const Preset& preset) {
  return preset.grade.reward == "loophole" && preset.data.hint != "none";
}

int finish(const Preset& preset, const ArmSummary& summary, const RunDirectory& directory) {
  std::fputs(doctor::findings_text(doctor::diagnose_paths({directory.path()})).c_str(), stdout);
  if (is_supervised(preset)) {
    print_supervised(summary, directory);
  } else {
    std::fputs(results_table({summary}).c_str(), stdout);
  }
  std::printf("run: %s\n", directory.path().c_str());
  if (preset.run.arm != "vanilla" || is_supervised(preset) || !pays_for_loophole(preset)) return 0;
  const RunGate gate = gate_c({&summary, 1}, preset.gates);
  std::fputs(format_gates({&gate, 1}, false).c_str(), stdout);
  return gate.status == GateStatus::kFail ? 1 : 0;
}

int run_in(const Preset& preset, ModelBench& bench, const RunDirectory& directory) {
  const ProblemSets problems = load_problem_sets(preset);
  const std::unique_ptr<Verifier> verifier = verifier_for(preset.grade, problems);
  return finish(preset, train_arm(preset, bench, *verifier, problems, directory), directory);
}

}  // namespace

ArmSummary train_arm(const Preset& preset, ModelBench& bench, Verifier& verifier, const ProblemSets& problems,
                     const RunDirectory& directory) {
  const std::unique_ptr<GradientTransform> transform = transform_of_run(preset, bench, directory);
  LocalEngine engine(*bench.decoder, std::min(kMaxBatch, preset.rollout.group_size * preset.rollout.prompts_per_step));
  const std::optional<std::string> newest = latest_checkpoint(directory.file("checkpoints"));
  const std::optional<Checkpoint> checkpoint = newest ? std::optional(load_checkpoint(*newest)) : std::nullopt;
  RunRecorder recorder(directory.path(), checkpoint ? checkpoint->state.step : 0, reward_names(preset.grade),
                       !is_supervised(preset));

  bench.adapter->reset(preset.run.seed);
  const std::unique_ptr<RewardTransform> monitor = monitor_of_run(preset, bench, directory);
  const std::optional<ResidualEdit> edit = deployment_edit(preset, bench, directory);
  const std::unique_ptr<TrainingRun> trainer =
      make_trainer(preset, bench, engine, verifier, *transform, recorder, monitor.get(), problems,
                   trainer_options(preset, directory));
  doctor::LiveFindings live(preset.grade.reward == "custom");
  if (!is_supervised(preset)) trainer->set_observer([&live](const StepRow& row) { tell(live, row); });
  const auto evaluate_slice = [&](int64_t step, const std::string& suffix) {
    for (const SliceOptions& decode : slice_decodes(preset)) {
      Evaluator evaluator(engine, verifier, bench.text, problems.held_out, decode);
      evaluate(step, (decode.temperature == 0 ? "greedy" : "sampled") + suffix, evaluator, recorder);
    }
  };
  if (preset.eval.every > 0) {
    trainer->set_evaluation([&](int64_t step) {
      evaluate_slice(step, "");
      if (transform->quarantine().empty() && !edit) return;
      const Deployed deployed(bench, *transform, edit, preset.run.seed, step);
      evaluate_slice(step, preset.run.arm.starts_with("erase") ? "_erased" : "_dropped");
    });
  }
  if (checkpoint) {
    trainer->resume(*checkpoint);
    log_info(fmt::format("resumed after step {} from {}", trainer->steps_done(), checkpoint->folder));
  }
  trainer->train();
  if (!trainer->stopped_by().empty()) {
    const Json row = {{"step", trainer->steps_done()}, {"rule", trainer->stopped_by()}};
    write_file(directory.file("stopped_early.json"), row.dump() + "\n");
  }
  if (!transform->quarantine().empty()) {
    const Deployed deployed(bench, *transform, edit, preset.run.seed, trainer->steps_done());
    bench.adapter->save(directory.file("deployed"));
  }
  directory.mark_complete();
  // A run that ended by its own rule did what was planned.
  const int64_t planned = trainer->stopped_by().empty() ? preset.train.steps : trainer->steps_done();
  return summarize_steps(read_step_table(directory.file("steps.tsv")), preset.run.arm, preset.run.seed, planned);
}

int train_one_arm(const Preset& preset, const std::string& out) {
  RunDirectory::check(out);
  ModelBench bench = load_model_bench(preset);
  std::optional<HackDirection> direction;
  // The alignment of an arm that projects nothing is measured against the direction all the same.
  if (needs_direction(preset.run.arm) || preset.steer.alignment_every > 0)
    direction = DirectionSource(preset, bench).of_arm(preset.run.arm, preset.run.seed);
  const RunDirectory directory = RunDirectory::create(out, preset);
  directory.write_provenance(provenance_of(preset, bench, pairs_provenance(preset)));
  if (direction) direction->save(directory.file("direction.safetensors"));
  return run_in(preset, bench, directory);
}

int resume_one_arm(const Preset& preset, const std::string& folder) {
  const RunDirectory directory = RunDirectory::open(folder);
  if (directory.is_complete()) {
    throw ConfigError("config.run_complete", "the run is complete", folder, "start a new one with train PRESET");
  }
  ModelBench bench = load_model_bench(preset);
  return run_in(preset, bench, directory);
}

}  // namespace plumbline
