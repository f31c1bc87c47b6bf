#include "plumbline/run/direction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/log.h"

namespace plumbline {
namespace {

/// The token that closes an answer: the model's end-of-sequence token, else its first stop token.
int64_t closing_token(const ModelText& text) {
  const auto eos = text.special_tokens().find("eos_token");
  const int64_t id = eos == text.special_tokens().end() ? -1 : text.tokenizer().id_of(eos->second);
  if (id >= 0) return id;
  if (!text.stop_tokens().empty()) return text.stop_tokens().front().id;
  throw DataError("data.no_stop_token", "the model names no end-of-sequence token", "tokenizer",
                  "add eos_token to tokenizer_config.json or generation_config.json");
}

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

std::string flavors_name(const SteerOptions& options) {
  return options.flavors.empty() ? "all" : fmt::format("{}", fmt::join(options.flavors, ","));
}

std::vector<TokenizedPair> tokenized_pairs(const std::string& path, const SteerOptions& options,
                                           const ModelText& text) {
  ContrastPairs pairs = load_contrast_pairs(path);
  pairs.pairs = select_flavors(pairs.pairs, options.flavors);
  return tokenize_pairs(pairs, text);
}

/// The base model: whatever was trained before is out of the weights.
void put_base_weights(SvdAdapter& adapter) {
  for (const SvdAdapter::Module& module : adapter.modules()) {
    adapter.set_delta(module.linear->name, torch::zeros_like(module.delta_R));
  }
  adapter.merge(0, 0);
}

HackDirection extract_from(const std::string& path, const Preset& preset, ModelBench& bench) {
  const DirectionMethod method = direction_method(preset.steer);
  const ContrastPairs pairs = load_contrast_pairs(path);
  const DirectionMetadata metadata =
      direction_metadata(*bench.adapter, preset.steer.method, pairs.hash, flavors_name(preset.steer));
  put_base_weights(*bench.adapter);
  return extract_hack_direction(*bench.adapter, tokenized_pairs(path, preset.steer, bench.text), method, metadata);
}

int finish(const std::vector<Gate>& gates, const RunDirectory& directory) {
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

HackDirection obtain_direction(const Preset& preset, ModelBench& bench) {
  if (!preset.steer.direction.empty()) return load_direction(preset.steer.direction, *bench.adapter);
  log_info("extracting the hack direction from contrast pairs");
  return extract_from(preset.steer.pairs, preset, bench);
}

DirectionCheck check_direction(const Preset& preset, ModelBench& bench, const HackDirection& direction) {
  put_base_weights(*bench.adapter);
  log_info("checking the direction on held-out pairs, and a placebo direction beside it");
  DirectionCheck check;
  check.direction =
      check_held_out(*bench.adapter, tokenized_pairs(preset.steer.pairs, preset.steer, bench.text), direction);
  const HackDirection placebo = extract_from(placebo_pairs_path(), preset, bench);
  check.placebo =
      check_held_out(*bench.adapter, tokenized_pairs(placebo_pairs_path(), preset.steer, bench.text), placebo);
  return check;
}

Json pairs_provenance(const Preset& preset) {
  const ContrastPairs pairs = load_contrast_pairs(preset.steer.pairs);
  return {{"pairs", pairs.modified() ? "modified" : "shipped"}, {"pairs_hash", pairs.hash}};
}

int extract_direction(const Preset& preset, const std::string& out) {
  RunDirectory::check(out);
  ModelBench bench = load_model_bench(preset);
  const HackDirection direction = obtain_direction(preset, bench);
  const RunDirectory directory = RunDirectory::create(out, preset);
  directory.write_provenance(provenance_of(preset, bench, pairs_provenance(preset)));
  direction.save(directory.file("direction.safetensors"));
  return finish({gate_a(gate_a_of(direction))}, directory);
}

int verify_direction(const Preset& preset, const std::string& out) {
  RunDirectory::check(out);
  ModelBench bench = load_model_bench(preset);
  const HackDirection direction = obtain_direction(preset, bench);
  const DirectionCheck check = check_direction(preset, bench, direction);
  const RunDirectory directory = RunDirectory::create(out, preset);
  directory.write_provenance(provenance_of(preset, bench, pairs_provenance(preset)));
  return finish({gate_b(check.direction, check.placebo, preset.gates)}, directory);
}

}  // namespace plumbline
