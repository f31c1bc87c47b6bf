#include "plumbline/model/smollm3/smollm3.h"

#include "plumbline/model/hf_config.h"

namespace plumbline {
namespace {

/// no_rope_layers (1 = rotated), or every no_rope_layer_interval-th layer is not.
std::vector<int64_t> rotated_layers(const HfConfig& fields, int64_t num_layers) {
  std::vector<int64_t> rotated = fields.integers_or("no_rope_layers", {});
  if (!fields.has("no_rope_layers")) {
    const int64_t interval = fields.count_or("no_rope_layer_interval", 4);
    for (int64_t layer = 0; layer < num_layers; ++layer) rotated.push_back((layer + 1) % interval != 0 ? 1 : 0);
  }
  if (static_cast<int64_t>(rotated.size()) < num_layers) fields.refuse("no_rope_layers", "must name every layer");
  for (const int64_t flag : rotated) {
    if (flag != 0 && flag != 1) fields.refuse("no_rope_layers", "holds something that is neither 0 nor 1");
  }
  return rotated;
}

}  // namespace

const ModelFamily kSmollm3Family = {
    .name = "smollm3",
    .gguf_name = nullptr,
    .gguf_interleaved_rotary = false,
    .rope_theta = 2e6,
    .tied_head = true,
    .reads = {"attention_bias", "mlp_bias", "sliding_window", "use_sliding_window", "layer_types", "no_rope_layers",
              "no_rope_layer_interval"},
    .adapt_hf =
        [](const HfConfig& fields, DecoderConfig& config) {
          config.qkv_bias = config.output_bias = fields.flag_or("attention_bias", false);
          config.mlp_bias = fields.flag_or("mlp_bias", false);
          const std::vector<int64_t> rotated = rotated_layers(fields, config.num_layers);
          const int64_t window = fields.flag_or("use_sliding_window", false) ? fields.window_or(0) : 0;
          const auto types = fields.windowed_layers(config.num_layers);
          fields.use_window(config, window, [&](int64_t layer) {
            return types ? (*types)[static_cast<size_t>(layer)] : rotated[static_cast<size_t>(layer)] == 0;
          });
          config.layer_kinds.resize(static_cast<size_t>(config.num_layers));
          for (size_t layer = 0; layer < config.layer_kinds.size(); ++layer) {
            config.layer_kinds[layer].rotary = rotated[layer] == 1;
          }
        },
    .adapt_gguf = nullptr,
};

}  // namespace plumbline
