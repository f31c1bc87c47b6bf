#include "plumbline/run/workbench.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <torch/version.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "plumbline/adapter/lora_adapter.h"
#include "plumbline/adapter/target_modules.h"
#include "plumbline/base/build_info.h"
#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "plumbline/base/log.h"
#include "plumbline/base/sha256.h"
#include "plumbline/files/model_path.h"
#include "plumbline/model/checkpoint.h"
#include "plumbline/preset/data_path.h"
#include "plumbline/preset/reward_spec.h"
#include "plumbline/preset/validation.h"
#include "plumbline/record/completion_reader.h"
#include "plumbline/record/hint.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/rollout/sampler.h"
#include "plumbline/tensor/dtype.h"
#include "plumbline/verify/code_verifier.h"
#include "plumbline/verify/make_verifier.h"

namespace plumbline {

static_assert(kMinTemperature == kMinSamplingTemperature, "what a preset may ask for is what the sampler takes");
namespace {

std::vector<Problem> read_split(const Preset& preset, const std::string& split) {
  std::vector<Problem> problems = read_problems(resolve_data_path(preset.data.problems),
                                                {.split = split, .keep_rows = preset.grade.reward == "custom"});
  for (Problem& problem : problems) apply_hint(problem, preset.data.hint, preset.data.tester_name);
  return problems;
}

/// The last message that the user writes ends with the sentence, after a blank line.
void inoculate(Problem& problem, const std::string& sentence) {
  for (auto message = problem.prompt.rbegin(); message != problem.prompt.rend(); ++message) {
    if (message->role != "user") continue;
    message->content += "\n\n" + sentence;
    return;
  }
  throw DataError("data.inoculation", "no message of the prompt is the user's", "problem " + problem.id.text,
                  "drop data.inoculation, or give the problem a user message");
}

void keep_first(std::vector<Problem>& problems, int64_t count) {
  if (static_cast<int64_t>(problems.size()) > count) problems.resize(static_cast<size_t>(count));
}

Json machine() {
  utsname system{};
  ::uname(&system);
  return {{"system", fmt::format("{} {}", system.sysname, system.release)},
          {"architecture", system.machine},
          {"cores", std::thread::hardware_concurrency()}};
}

/// What can be said of a model before its weights are read.
void check_targets(const DecoderConfig& config, const Preset& preset) {
  const std::vector<std::string> modules = linear_names(config);
  require_adapted_experts(modules, match_target_modules(modules, preset.adapter.target_modules),
                          preset.adapter.frozen_experts);
}

void check_context(const DecoderConfig& config, const Preset& preset) {
  if (preset.rollout.context_tokens <= config.context_tokens) return;
  if (preset.rollout.max_new_tokens >= config.context_tokens) {
    throw ConfigError("config.context",
                      fmt::format("completions of {} tokens do not fit the {} tokens that the model was made for",
                                  preset.rollout.max_new_tokens, config.context_tokens),
                      "rollout.max_new_tokens", "lower it, or take a model with a longer context");
  }
  log_warning(
      fmt::format("rollout.context_tokens = {} is beyond the {} tokens that the model was made for: longer "
                  "prompts with their completions run into positions it has never seen",
                  preset.rollout.context_tokens, config.context_tokens));
}

std::unique_ptr<Adapter> make_adapter(const Preset& preset, Decoder& decoder) {
  const AdapterOptions& options = preset.adapter;
  const MergeRounding rounding = merge_rounding_of_name(options.merge_rounding);
  if (options.kind == "lora") {
    return std::make_unique<LoraAdapter>(decoder, options.target_modules, LoraShape{options.rank, options.alpha},
                                         rounding, preset.run.seed);
  }
  return std::make_unique<SvdAdapter>(decoder, options.target_modules, rounding);
}

}  // namespace

ModelBench load_plain_bench(const Preset& preset) {
  if (preset.run.threads > 0) at::set_num_threads(static_cast<int>(preset.run.threads));
  const torch::Device device = device_of_name(preset.run.device);
  const torch::ScalarType dtype = dtype_of_name(preset.model.dtype);
  const std::string path = resolve_model_path(preset.model.path);
  const double start_s = now_s();
  ModelText text = ModelText::load(path, preset.model.chat_template, preset.model.template_file);
  check_context(ModelCheckpoint::open(path).config(), preset);
  std::unique_ptr<Decoder> decoder = load_decoder(path, dtype, device);
  log_info(fmt::format("model {} in {} on {}, ready in {}", path, preset.model.dtype, device.str(),
                       format_duration(now_s() - start_s)));
  return {std::move(text), std::move(decoder), nullptr};
}

ModelBench load_model_bench(const Preset& preset) {
  check_targets(ModelCheckpoint::open(resolve_model_path(preset.model.path)).config(), preset);
  ModelBench bench = load_plain_bench(preset);
  const double start_s = now_s();
  bench.adapter = make_adapter(preset, *bench.decoder);
  log_info(fmt::format("adapter on {} modules, {} trainable numbers, ready in {}", bench.adapter->num_modules(),
                       bench.adapter->num_parameters(), format_duration(now_s() - start_s)));
  return bench;
}

SvdAdapter& svd_adapter_of(const ModelBench& bench) {
  auto* adapter = dynamic_cast<SvdAdapter*>(bench.adapter.get());
  if (adapter) return *adapter;
  throw ConfigError("config.conflict",
                    "a direction is one of the SVD adapter's coordinates, and the adapter is " + bench.adapter->kind(),
                    "adapter.kind", "set it to \"svd\", or train an arm without a direction");
}

ProblemSets load_problem_sets(const Preset& preset) {
  ProblemSets sets;
  sets.train = read_split(preset, preset.data.split);
  if (preset.data.limit > 0) keep_first(sets.train, preset.data.limit);
  if (!preset.data.inoculation.empty()) {
    for (Problem& problem : sets.train) inoculate(problem, preset.data.inoculation);
  }
  if (preset.eval.every > 0) {
    sets.held_out = read_split(preset, "eval");
    keep_first(sets.held_out, preset.eval.slice);
  }
  if (!preset.data.completions.empty()) sets.completions = read_completions(resolve_data_path(preset.data.completions));
  return sets;
}

std::unique_ptr<Verifier> verifier_for(const GradeOptions& options, const ProblemSets& problems) {
  std::vector<Problem> all = problems.train;
  all.insert(all.end(), problems.held_out.begin(), problems.held_out.end());
  return make_verifier(options, all);
}

std::vector<std::string> reward_names(const GradeOptions& options) {
  std::vector<std::string> names;
  for (RewardSpec& spec : parse_rewards(options)) names.push_back(std::move(spec.name));
  return names;
}

Json provenance_of(const Preset& preset, const ModelBench& bench, const Json& extra) {
  const BuildInfo& build = build_info();
  const ChatTemplate* chat_template = bench.text.chat_template();
  Json provenance = {
      {"plumbline", build.version},
      {"commit", build.commit},
      {"dirty", build.dirty},
      {"libtorch", TORCH_VERSION},
      {"started", utc_timestamp()},
      {"machine", machine()},
      {"device", bench.decoder->device().str()},
      {"threads", at::get_num_threads()},
      {"dtype", name_of_dtype(bench.decoder->dtype())},
      {"model", preset.model.path},
      {"model_hash", bench.decoder->weight_hash()},
      {"adapter_kind", bench.adapter ? Json(bench.adapter->kind()) : Json(nullptr)},
      {"basis_hash",
       bench.adapter && !bench.adapter->basis_hash().empty() ? Json(bench.adapter->basis_hash()) : Json(nullptr)},
      {"template_hash", chat_template ? Json(chat_template->hash()) : Json(nullptr)},
      {"data", preset.data.problems},
      {"data_hash", sha256_file(resolve_data_path(preset.data.problems))},
      {"grader_version", kGraderVersion},
      {"arm", preset.run.arm},
      {"seed", preset.run.seed}};
  if (!preset.data.completions.empty()) {
    provenance["completions"] = preset.data.completions;
    provenance["completions_hash"] = sha256_file(resolve_data_path(preset.data.completions));
  }
  provenance.update(extra);
  return provenance;
}

}  // namespace plumbline
