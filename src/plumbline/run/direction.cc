#include "plumbline/run/direction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/log.h"
#include "plumbline/preset/data_path.h"
#include "plumbline/record/arm.h"
#include "plumbline/steer/control_direction.h"
#include "plumbline/text/closing_token.h"

namespace plumbline {
namespace {

TokenizedPair tokenize(const ContrastPair& pair, const ModelText& text, int64_t closing) {
  std::vector<ChatTurn> turns;
  for (const ContrastPair::Message& message : pair.prompt) turns.push_back({message.role, message.content});
  TokenizedPair tokenized;
  tokenized.prompt_ids = text.render(turns).token_ids;
  tokenized.hack_ids = text.tokenizer().encode(pair.hack);
  tokenized.clean_ids = text.tokenizer().encode(pair.clean);
  tokenized.hack_ids.push_back(closing);
  tokenized.clean_ids.push_back(closing);
  tokenized.flavor = pair.flavor;
  tokenized.held_out = pair.held_out;
  return tokenized;
}

/// Empty stands for the shipped file.
std::string pairs_path(const Preset& preset) {
  return preset.steer.pairs.empty() ? "" : resolve_data_path(preset.steer.pairs);
}

std::string flavors_name(const SteerOptions& options) {
  return options.flavors.empty() ? "all" : fmt::format("{}", fmt::join(options.flavors, ","));
}

/// The base model: whatever was trained before is out of the weights.
void put_base_weights(SvdAdapter& adapter) {
  adapter.reset();
  adapter.merge(0, 0);
}

int finish(const std::vector<RunGate>& gates, const RunDirectory& directory) {
  write_file(directory.file("gates.json"), gates_json(gates).dump(2) + "\n");
  directory.mark_complete();
  std::fputs(format_gates(gates, false).c_str(), stdout);
  std::printf("run: %s\n", directory.path().c_str());
  return any_failed(gates) ? 1 : 0;
}

}  // namespace

std::vector<TokenizedPair> tokenize_pairs(const ContrastPairs& pairs, const ModelText& text) {
  const int64_t closing = closing_token(text);
  std::vector<TokenizedPair> tokenized;
  for (const ContrastPair& pair : pairs.pairs) tokenized.push_back(tokenize(pair, text, closing));
  return tokenized;
}

DirectionSource::DirectionSource(const Preset& preset, ModelBench& bench)
    : preset_(preset),
      bench_(bench),
      recipe_(direction_recipe(preset.steer)),
      pairs_(load(pairs_path(preset))),
      placebo_(load(preset.steer.placebo_pairs.empty() ? placebo_pairs_path()
                                                       : resolve_data_path(preset.steer.placebo_pairs))) {}

DirectionSource::Pairs DirectionSource::load(const std::string& path) const {
  ContrastPairs file = load_contrast_pairs(path);
  file.pairs = select_flavors(file.pairs, preset_.steer.flavors);
  return {file.hash, tokenize_pairs(file, bench_.text), std::nullopt, std::nullopt};
}

const PairDifferences& DirectionSource::train(Pairs& pairs) {
  if (!pairs.train) {
    put_base_weights(svd_adapter_of(bench_));
    pairs.train = pair_differences(svd_adapter_of(bench_), pairs_of(pairs.pairs, false));
  }
  return *pairs.train;
}

const PairDifferences& DirectionSource::held_out(Pairs& pairs) {
  if (!pairs.held_out) {
    put_base_weights(svd_adapter_of(bench_));
    pairs.held_out = pair_differences(svd_adapter_of(bench_), pairs_of(pairs.pairs, true));
  }
  return *pairs.held_out;
}

HackDirection DirectionSource::extract(Pairs& pairs, const PairDifferences& differences, const std::string& method) {
  return make_direction(
      svd_adapter_of(bench_), differences, recipe_,
      direction_metadata(svd_adapter_of(bench_), method, recipe_.k, pairs.hash, flavors_name(preset_.steer)));
}

const HackDirection& DirectionSource::hack() {
  if (hack_) return *hack_;
  if (!preset_.steer.direction.empty()) {
    hack_ = load_direction(preset_.steer.direction, svd_adapter_of(bench_));
  } else {
    log_info("extracting the hack direction from contrast pairs");
    hack_ = extract(pairs_, train(pairs_), preset_.steer.method);
  }
  return *hack_;
}

HackDirection DirectionSource::of_arm(const std::string& name, uint64_t seed) {
  const Arm arm = arm_of_name(name);
  if (arm.kind == "haar") return haar_direction(hack(), seed, arm.draw);
  if (arm.kind == "shuffled") {
    return extract(pairs_, shuffle_labels(train(pairs_), seed, arm.draw), fmt::format("shuffled.{}", arm.draw));
  }
  if (arm.kind == "placebo") return extract(placebo_, train(placebo_), "placebo");
  return hack();
}

HackDirection DirectionSource::on_current_weights(const std::string& name, uint64_t seed) {
  const Arm arm = arm_of_name(name);
  Pairs& pairs = arm.kind == "placebo" ? placebo_ : pairs_;
  PairDifferences differences = pair_differences(svd_adapter_of(bench_), pairs_of(pairs.pairs, false));
  if (arm.kind == "shuffled") differences = shuffle_labels(differences, seed, arm.draw);
  return extract(pairs, differences, arm.kind == "projected" ? preset_.steer.method : name);
}

DirectionCheck DirectionSource::check() {
  log_info("checking the direction on held-out pairs, and a placebo direction beside it");
  return {check_differences(hack(), held_out(pairs_)), check_differences(of_arm("placebo", 0), held_out(placebo_))};
}

Json pairs_provenance(const Preset& preset) {
  const ContrastPairs pairs = load_contrast_pairs(pairs_path(preset));
  return {{"pairs", pairs.modified() ? "modified" : "shipped"}, {"pairs_hash", pairs.hash}};
}

int extract_direction(const Preset& preset, const std::string& out) {
  RunDirectory::check(out);
  ModelBench bench = load_model_bench(preset);
  DirectionSource source(preset, bench);
  const HackDirection& direction = source.hack();
  const RunDirectory directory = RunDirectory::create(out, preset);
  directory.write_provenance(provenance_of(preset, bench, pairs_provenance(preset)));
  direction.save(directory.file("direction.safetensors"));
  return finish({gate_a(gate_a_of(direction))}, directory);
}

int verify_direction(const Preset& preset, const std::string& out) {
  RunDirectory::check(out);
  ModelBench bench = load_model_bench(preset);
  const DirectionCheck check = DirectionSource(preset, bench).check();
  const RunDirectory directory = RunDirectory::create(out, preset);
  directory.write_provenance(provenance_of(preset, bench, pairs_provenance(preset)));
  return finish({gate_b(check.direction, check.placebo, preset.gates)}, directory);
}

}  // namespace plumbline
