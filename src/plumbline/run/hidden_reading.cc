#include "plumbline/run/hidden_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "plumbline/base/error.h"
#include "plumbline/base/log.h"
#include "plumbline/preset/data_path.h"
#include "plumbline/run/direction.h"
#include "plumbline/tensor/raw_tensor.h"
#include "plumbline/train/response_states.h"

namespace plumbline {
namespace {

constexpr const char* kDirection = "direction";
constexpr const char* kThreshold = "threshold";
constexpr const char* kClean = "clean";
constexpr const char* kLayer = "layer";

void save_reading(const HiddenReading& reading, const std::string& path) {
  write_tensors(path, {{kDirection, torch::tensor(reading.direction_D)},
                       {kThreshold, torch::tensor(std::vector<double>{reading.threshold}, torch::kFloat64)},
                       {kClean, torch::tensor(std::vector<double>{reading.clean}, torch::kFloat64)},
                       {kLayer, torch::tensor(std::vector<int64_t>{reading.layer})}});
}

HiddenReading load_reading(const std::string& path, const Decoder& decoder) {
  const auto tensors = read_tensors(path);
  const auto found = tensors.find(kDirection);
  if (found == tensors.end() || !tensors.contains(kThreshold) || !tensors.contains(kClean) ||
      !tensors.contains(kLayer) || found->second.numel() != decoder.embedding_VD().size(1)) {
    throw DataError("data.monitor", "the reading of hidden states is not one of this model", path,
                    "start the run anew");
  }
  const torch::Tensor direction_D = found->second.to(torch::kFloat32).contiguous();
  HiddenReading reading;
  reading.direction_D.assign(direction_D.const_data_ptr<float>(),
                             direction_D.const_data_ptr<float>() + direction_D.numel());
  reading.clean = tensors.at(kClean).item<double>();
  reading.threshold = tensors.at(kThreshold).item<double>();
  reading.layer = tensors.at(kLayer).item<int64_t>();
  return reading;
}

/// Means of the extraction pairs' completions: hacks, or clean answers.
torch::Tensor pair_means(const std::vector<TokenizedPair>& pairs, bool hacks, const Decoder& decoder, int64_t layer,
                         int64_t micro_batch) {
  std::vector<SequenceRow> rows;
  for (const TokenizedPair& pair : pairs) rows.push_back({pair.prompt_ids, hacks ? pair.hack_ids : pair.clean_ids});
  return response_means(decoder, rows, layer, micro_batch);
}

}  // namespace

HiddenReading reading_of_run(const Preset& preset, ModelBench& bench, const RunDirectory& directory) {
  const std::string path = directory.file("monitor.safetensors");
  if (std::filesystem::exists(path)) return load_reading(path, *bench.decoder);
  const int64_t num_layers = bench.decoder->config().num_layers;
  const int64_t layer =
      std::clamp<int64_t>(std::llround(preset.monitor.depth * static_cast<double>(num_layers)), 1, num_layers);
  ContrastPairs file = load_contrast_pairs(preset.steer.pairs.empty() ? "" : resolve_data_path(preset.steer.pairs));
  file.pairs = select_flavors(file.pairs, preset.steer.flavors);
  const std::vector<TokenizedPair> pairs = pairs_of(tokenize_pairs(file, bench.text), false);
  bench.adapter->disable();  // the base model
  const HiddenReading reading =
      contrast_reading(pair_means(pairs, true, *bench.decoder, layer, preset.run.micro_batch),
                       pair_means(pairs, false, *bench.decoder, layer, preset.run.micro_batch), layer);
  bench.adapter->enable();
  save_reading(reading, path);
  log_info(fmt::format("hidden states are read after {} of {} layers; direction from {} pairs", layer, num_layers,
                       pairs.size()));
  return reading;
}

}  // namespace plumbline
