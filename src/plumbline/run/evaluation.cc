#include "plumbline/run/evaluation.h"

#include <fmt/format.h>
#include <torch/version.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "plumbline/base/build_info.h"
#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/log.h"
#include "plumbline/base/optional_json.h"
#include "plumbline/base/progress.h"
#include "plumbline/compare/decision.h"
#include "plumbline/compare/eval_report.h"
#include "plumbline/compare/eval_report_writer.h"
#include "plumbline/compare/judgement_text.h"
#include "plumbline/compare/lm_eval_files.h"
#include "plumbline/compare/pins.h"
#include "plumbline/compare/preregistration.h"
#include "plumbline/doctor/diagnosis.h"
#include "plumbline/doctor/inside/own_output.h"
#include "plumbline/preset/validation.h"
#include "plumbline/rollout/engine.h"
#include "plumbline/run/eval_candidate.h"
#include "plumbline/run/eval_rows.h"
#include "plumbline/run/eval_set.h"
#include "plumbline/run/run_directory.h"
#include "plumbline/run/workbench.h"
#include "plumbline/tensor/dtype.h"
#include "plumbline/verify/make_verifier.h"

namespace plumbline {
namespace {

constexpr int64_t kMaxBatch = 256;  // sequences that decode together

/// Whose weights are in place.
struct EvalArmName {
  std::string file;   ///< part of the names of its row files: "base", "s7"
  std::string title;  ///< for people
};

bool wants_samples(const Preset& preset) {
  return preset.eval.temperature > 0;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

std::string report_name(const EvalSet& set, const EvalCandidate& candidate) {
  return fmt::format("{}-{}.eval.json", set.task, candidate.label());
}

class Evaluation {
 public:
  Evaluation(const Preset& preset, EvaluationFiles files, std::optional<Preregistration> preregistration)
      : preset_(preset),
        files_(std::move(files)),
        plan_(files_.plan.empty() ? Plan() : read_plan(files_.plan)),
        preregistration_(std::move(preregistration)),
        candidates_(find_candidates(preset)),
        sets_(read_eval_sets(preset)) {}

  /// Loads the base and everything that must be known before a completion is made.
  void prepare() {
    const bool has_adapters = !candidates_.front().adapter.empty();
    const Preset with_adapter = with_adapter_of(preset_, candidates_);
    bench_ = std::make_unique<ModelBench>(has_adapters ? load_model_bench(with_adapter) : load_plain_bench(preset_));
    if (has_adapters) warn_of_no_effect();
    std::vector<Problem> problems;
    for (EvalSet& set : sets_) {
      render_eval_set(bench_->text, preset_.rollout, set);
      problems.insert(problems.end(), set.problems.begin(), set.problems.end());
    }
    require_pins();
    for (const EvalSet& set : sets_) {
      for (const EvalCandidate& candidate : candidates_) plan_report(set, candidate);
    }
    verifier_ = make_verifier(preset_.grade, problems);
  }

  /// A key or an address that is wrong shows before the base is asked.
  void try_served() const {
    if (!candidates_.front().is_served) return;
    const ServedModel trial(candidates_.front().name, preset_.rollout.max_new_tokens, 0);
  }

  const Json& pins() const { return pins_; }
  Json provenance() const {
    Json names = Json::array();
    for (const EvalCandidate& candidate : candidates_) names.push_back(candidate.name);
    return provenance_of(preset_, *bench_, {{"candidates", std::move(names)}});
  }

  void run(const RunDirectory& directory) {
    directory_ = &directory;
    make_output_folder(directory.file("rows"));
    try {
      run_base();
      for (const EvalCandidate& candidate : candidates_) run_candidate(candidate);
    } catch (const Interrupted&) {
      throw Interrupted(
          fmt::format("stopped; the rows so far are saved. Go on with: plumbline eval --resume {}", directory.path()));
    }
  }

  /// Reports, and what compare and the doctor say of them.
  void conclude() const {
    std::vector<std::string> paths;
    std::vector<EvalReport> reports;
    for (const EvalSet& set : sets_) {
      for (const EvalCandidate& candidate : candidates_) {
        paths.push_back(directory_->file(report_name(set, candidate)));
        write_file(paths.back(), make_eval_report(parts_of(set, candidate)).dump() + "\n");
        reports.push_back(read_eval_report(paths.back()));
      }
    }
    write_for_lm_eval();
    directory_->mark_complete();
    const std::string findings = doctor::findings_text(doctor::diagnose_paths(paths));
    std::fputs((findings + judgement_text(judge(reports, {.plan = plan_}))).c_str(), stdout);
    for (const std::string& path : paths) std::printf("report: %s\n", escape_control(path).c_str());
  }

 private:
  Pins pins_of(const EvalSet& set, const EvalCandidate& candidate) const {
    const ChatTemplate* chat_template = bench_->text.chat_template();
    const bool is_adapter = !candidate.adapter.empty();
    Pins pins;
    pins.set("commit", build_info().commit);
    pins.set("dirty", build_info().dirty);
    pins.set("model_hash", bench_->decoder->weight_hash());
    pins.set("adapter_kind", is_adapter ? candidate.training.adapter.kind : "none");
    pins.set("arm", is_adapter ? Json(candidate.training.run.arm) : Json(nullptr));
    pins.set("model_has_chat_template", chat_template != nullptr);
    pins.set("template_hash", chat_template ? Json(chat_template->hash()) : Json(nullptr));
    pins.set("template_wrap", bench_->text.wraps(set.task));
    pins.set("max_prompt_tokens", preset_.rollout.context_tokens - preset_.rollout.max_new_tokens);
    pins.set("max_new_tokens", preset_.rollout.max_new_tokens);
    pins.set("decode", "greedy");
    pins.set("temperature", 0);
    pins.set("metric", headline_metric(set.task));
    pins.set("split_hash", set.hash);
    pins.set("generator_version", text_or_null(set.generator));
    pins.set("rollout_mode", candidate.is_served ? "served" : "in_process");
    pins.set("num_generations", is_adapter ? Json(candidate.training.rollout.group_size) : Json(nullptr));
    pins.set("precision", name_of_dtype(bench_->decoder->dtype()));
    pins.set("quantization", "none");
    pins.set("grader", grader_name(set.task, preset_.grade));
    pins.set("libraries", Json{{"libtorch", TORCH_VERSION}});
    return pins;
  }

  /// An adapter that has just been made is the base model, and its hash is the base's. A training without a signal ends
  /// so: its result is a difference of 0, and nobody should look for another reason.
  void warn_of_no_effect() const {
    for (const EvalCandidate& candidate : candidates_) {
      if (candidate.weight_hash != bench_->adapter->weight_hash()) continue;
      log_warning(fmt::format("the adapter of {} adds nothing to any weight: the candidate is the base itself",
                              candidate.name));
    }
  }

  /// --pin: the reports of its task must be comparable with it.
  void require_pins() const {
    if (files_.pin.empty()) return;
    const std::string task = read_eval_report(files_.pin).task;
    const auto set = std::find_if(sets_.begin(), sets_.end(), [&](const EvalSet& own) { return own.task == task; });
    const EvalSet& pinned = set == sets_.end() ? sets_.front() : *set;  // another task is refused by name
    for (const EvalCandidate& candidate : candidates_) {
      require_pins_of(pins_of(pinned, candidate), pinned.task, static_cast<int64_t>(candidate.seed), files_.pin);
    }
  }

  /// Pins, and what is in training too.
  void plan_report(const EvalSet& set, const EvalCandidate& candidate) {
    pins_[report_name(set, candidate)] = pins_of(set, candidate).to_json();
    const Overlap& overlap = overlaps_[report_name(set, candidate)] = overlap_with_training(set, candidate.training);
    if (overlap.empty()) return;
    log_warning(
        fmt::format("{}: {} families and {} prompts are in the training of {} too; compare will call it INVALID",
                    set.task, overlap.families.size(), overlap.prompts.size(), candidate.name));
  }

  void run_base() {
    if (bench_->adapter) {
      bench_->adapter->reset(preset_.run.seed);
      bench_->adapter->merge(preset_.run.seed, 0);
    }
    run_arm({"base", "base"}, in_process(*bench_));
  }

  void run_candidate(const EvalCandidate& candidate) {
    const EvalArmName arm = {candidate.label(), candidate.name};
    if (candidate.is_served) return run_arm(arm, served(candidate.name));
    if (candidate.adapter.empty()) return run_checkpoint(candidate, arm);
    bench_->adapter->load(candidate.adapter);
    bench_->adapter->merge(candidate.seed, static_cast<uint32_t>(candidate.step));  // as training rounded
    if (bench_->adapter->weight_hash() != candidate.weight_hash) {
      throw DataError("data.checkpoint",
                      fmt::format("the merged weights hash to {}, the checkpoint says {}",
                                  bench_->adapter->weight_hash(), candidate.weight_hash),
                      candidate.adapter, "evaluate with the model and the build that trained it");
    }
    run_arm(arm, in_process(*bench_));
  }

  void run_checkpoint(const EvalCandidate& candidate, const EvalArmName& arm) {
    const std::string base_hash = bench_->decoder->weight_hash();
    bench_->decoder.reset();  // two models need not fit side by side
    Preset preset = preset_;
    preset.model.path = candidate.name;
    const ModelBench bench = load_plain_bench(preset);
    checkpoint_hash_ = bench.decoder->weight_hash();
    if (checkpoint_hash_ == base_hash) {
      log_warning(fmt::format("{} has the weights of the base: the candidate is the base itself", candidate.name));
    }
    for (const EvalSet& set : sets_) {
      for (const EvalItem& item : set.list.items) require_same_prompt(bench.text.render(*item.problem), item);
    }
    run_arm(arm, in_process(bench));
  }

  static void require_same_prompt(const RenderedPrompt& prompt, const EvalItem& item) {
    if (prompt.text == item.prompt.text && prompt.token_ids == item.prompt.token_ids) return;
    throw ConfigError(
        "config.prompts_differ",
        fmt::format("problem {} is put to the two checkpoints as different prompts (SHA-256 {} and {}) or "
                    "tokens",
                    item.problem->id.text, item.prompt.hash(), prompt.hash()),
        "eval.candidate", "name one template for both in model.template_file; tokenizers must agree");
  }

  /// Completes and grades draws of a set; a completion that came to nothing has no row.
  using Completer = std::function<void(const EvalSet& set, std::span<const ItemDraw> draws, double temperature,
                                       const std::function<void(const ItemRow&)>& on_row)>;

  Completer in_process(const ModelBench& bench) {
    return [this, &bench](const EvalSet& set, std::span<const ItemDraw> draws, double temperature, const auto& on_row) {
      LocalEngine engine(*bench.decoder, std::min<int64_t>(kMaxBatch, static_cast<int64_t>(draws.size())));
      run_items(engine, *verifier_, bench.text, set.list.items, draws,
                {temperature, preset_.rollout.max_new_tokens, preset_.run.seed}, on_row);
    };
  }

  Completer served(const std::string& spec) {
    return [this, spec](const EvalSet& set, std::span<const ItemDraw> draws, double temperature, const auto& on_row) {
      ServedModel model(spec, preset_.rollout.max_new_tokens, temperature);
      run_served_items(model, *verifier_, set.list.items, draws, on_row);
    };
  }

  void run_arm(const EvalArmName& arm, const Completer& complete) {
    for (const EvalSet& set : sets_) {
      run_decode(arm, complete, set, "greedy", 1, 0);
      if (wants_samples(preset_)) {
        run_decode(arm, complete, set, "sampled", preset_.eval.samples, preset_.eval.temperature);
      }
    }
  }

  std::string rows_path(const EvalSet& set, const std::string& arm, const std::string& decode) const {
    return directory_->file(fmt::format("rows/{}.{}.{}.jsonl", set.task, arm, decode));
  }

  void run_decode(const EvalArmName& arm, const Completer& complete, const EvalSet& set, const std::string& decode,
                  int64_t num_samples, double temperature) {
    EvalRows rows(rows_path(set, arm.file, decode), set);
    const std::vector<ItemDraw> draws = rows.missing(num_samples);
    if (draws.empty()) return;
    int64_t num_passed = 0, num_done = 0;
    {
      Progress progress(fmt::format("{} of {}, {}", set.task, arm.title, decode), static_cast<int64_t>(draws.size()),
                        "completions");
      complete(set, draws, temperature, [&](const ItemRow& row) {
        rows.add(row);
        num_passed += row.verdict.passed();
        progress.advance(1, fmt::format("{} of {} passed", num_passed, ++num_done));
      });
    }
    const size_t num_missing = rows.missing(num_samples).size();
    if (num_missing == 0) return;
    throw SandboxError("sandbox.no_verdicts",
                       fmt::format("{} of {} completions could not be made or graded", num_missing, draws.size()),
                       fmt::format("{} of {}", set.task, arm.title),
                       "run `plumbline check`, then go on with: plumbline eval --resume " + directory_->path());
  }

  std::vector<Json> rows_of(const EvalSet& set, const std::string& arm, const std::string& decode) const {
    return EvalRows(rows_path(set, arm, decode), set).rows();
  }

  /// lm_eval/base and lm_eval/s7: the same rows for tools that read lm-evaluation-harness.
  void write_for_lm_eval() const {
    std::string date = utc_timestamp();  // 2026-01-31T12:00:00Z
    std::replace(date.begin(), date.end(), ':', '-');
    date.replace(date.size() - 1, 1, ".000000");
    for (const EvalSet& set : sets_) {
      write_lm_eval_arm(set, "base", nullptr, date);
      for (const EvalCandidate& candidate : candidates_) write_lm_eval_arm(set, candidate.label(), &candidate, date);
    }
  }

  void write_lm_eval_arm(const EvalSet& set, const std::string& arm, const EvalCandidate* candidate,
                         const std::string& date) const {
    const ChatTemplate* chat_template = bench_->text.chat_template();
    const std::vector<Json> rows = rows_of(set, arm, "greedy");
    LmEvalArm files;
    files.task = set.task;
    files.model = preset_.model.path;
    if (candidate) (candidate->adapter.empty() ? files.model : files.adapter) = candidate->name;
    files.date = date;
    if (bench_->text.wraps(set.task)) files.template_hash = chat_template->hash();
    files.num_problems = static_cast<int64_t>(set.problems.size());
    files.max_new_tokens = preset_.rollout.max_new_tokens;
    for (size_t i = 0; i < rows.size(); ++i) {
      const EvalItem& item = set.list.items[i];
      files.items.push_back({item.problem, &rows[i], item.prompt.text});
    }
    // One folder a task: the results of several tasks would otherwise have one name.
    write_lm_eval_files(directory_->file(fmt::format("lm_eval/{}/{}", arm, set.task)), files);
  }

  ReportParts parts_of(const EvalSet& set, const EvalCandidate& candidate) const {
    const std::string name = report_name(set, candidate);
    ReportParts parts;
    parts.task = set.task;
    parts.model = preset_.model.path;
    parts.adapter = candidate.name;
    if (!candidate.is_served) {
      parts.candidate_hash = candidate.adapter.empty() ? checkpoint_hash_ : candidate.weight_hash;
    }
    parts.pins = read_pins(pins_.at(name), name);
    parts.preregistration = preregistration_;
    parts.split = report_split(set, overlaps_.at(name), candidate.seed);
    parts.base = rows_of(set, "base", "greedy");
    parts.candidate = rows_of(set, candidate.label(), "greedy");
    if (wants_samples(preset_)) {
      parts.base_sampled = rows_of(set, "base", "sampled");
      parts.candidate_sampled = rows_of(set, candidate.label(), "sampled");
      parts.sampled_temperature = preset_.eval.temperature;
    }
    return parts;
  }

  const Preset preset_;
  const EvaluationFiles files_;
  const Plan plan_;
  const std::optional<Preregistration> preregistration_;
  const std::vector<EvalCandidate> candidates_;
  std::vector<EvalSet> sets_;
  std::unique_ptr<ModelBench> bench_;
  std::unique_ptr<Verifier> verifier_;
  std::string checkpoint_hash_;              ///< of the weights of a candidate that is a checkpoint
  Json pins_ = Json::object();               ///< by report name
  std::map<std::string, Overlap> overlaps_;  ///< likewise
  const RunDirectory* directory_ = nullptr;
};

/// The plan that an evaluation begins under, kept in its folder: bytes, hash, and the commit that held it then.
std::optional<Preregistration> begin_plan(const std::string& path) {
  if (path.empty()) return std::nullopt;
  Preregistration record = record_plan(read_plan(path));
  if (!record.commit) {
    log_warning(fmt::format(
        "{0} is not committed as it stands: compare --preregistered will not accept it; stop, git add {0} && "
        "git commit, and begin again",
        path));
  }
  return record;
}

void store_plan(const std::string& path, const std::optional<Preregistration>& record, const RunDirectory& directory) {
  if (!record) return;
  write_file(directory.file("plan.toml"), read_file(path));
  write_file(directory.file("plan.json"),
             Json{{"sha256", record->sha256}, {"commit", or_null(record->commit)}}.dump(2) + "\n");
}

/// The plan that the evaluation began under; `path` (empty: that one) must be no other.
std::optional<Preregistration> stored_plan(const std::string& path, const RunDirectory& directory) {
  const std::string record_path = directory.file("plan.json");
  std::optional<Preregistration> record;
  if (std::filesystem::exists(record_path)) {
    const Json json = parse_json(read_file(record_path), record_path);
    record = {require_member(json, "sha256", record_path).get<std::string>(), maybe<std::string>(json, "commit")};
  }
  if (!path.empty() && (!record || read_plan(path).sha256 != record->sha256)) {
    throw ConfigError("config.plan_differs",
                      record ? "the evaluation began under another plan" : "the evaluation began without a plan", path,
                      "a plan comes before the results: resume without --plan, or start a new evaluation");
  }
  return record;
}

/// What an evaluation began with must be what it goes on with.
void require_same_pins(const Json& now, const RunDirectory& directory) {
  const std::string path = directory.file("pins.json");
  const Json then = parse_json(read_file(path), path);
  for (const auto& [name, pins] : now.items()) {
    const Pins stored = read_pins(require_member(then, name, path), path);
    for (const PinDifference& difference : pin_differences(stored, read_pins(pins, name))) {
      throw ConfigError("config.pin_mismatch", "the evaluation began with another " + difference.words(), path,
                        "go on with what it began with, or start a new one");
    }
  }
}

}  // namespace

void check_evaluation(const Preset& preset, const EvaluationFiles& files) {
  check_eval_verb(preset);
  if (files.pin.empty() && files.plan.empty()) return;
  Evaluation(preset, files, begin_plan(files.plan)).prepare();
}

int evaluate(const Preset& preset, const std::string& out, const EvaluationFiles& files) {
  check_eval_verb(preset);
  RunDirectory::check(out);
  const std::optional<Preregistration> plan = begin_plan(files.plan);
  Evaluation evaluation(preset, files, plan);
  evaluation.prepare();
  evaluation.try_served();
  const RunDirectory directory = RunDirectory::create(out, preset);
  directory.write_provenance(evaluation.provenance());
  write_file(directory.file("pins.json"), evaluation.pins().dump(2) + "\n");
  store_plan(files.plan, plan, directory);
  evaluation.run(directory);
  evaluation.conclude();
  return 0;
}

int resume_evaluation(const Preset& preset, const std::string& folder, const EvaluationFiles& files) {
  const RunDirectory directory = RunDirectory::open(folder);
  if (directory.is_complete()) {
    throw ConfigError("config.run_complete", "the evaluation is complete", folder, "start a new one with eval PRESET");
  }
  const std::optional<Preregistration> plan = stored_plan(files.plan, directory);
  EvaluationFiles kept = files;
  if (plan) kept.plan = directory.file("plan.toml");
  Evaluation evaluation(preset, kept, plan);
  evaluation.prepare();
  require_same_pins(evaluation.pins(), directory);
  evaluation.try_served();
  evaluation.run(directory);
  evaluation.conclude();
  return 0;
}

}  // namespace plumbline
