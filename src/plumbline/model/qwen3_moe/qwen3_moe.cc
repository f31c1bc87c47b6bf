#include "plumbline/model/qwen3_moe/qwen3_moe.h"

#include <algorithm>

#include "plumbline/model/gguf_config.h"
#include "plumbline/model/hf_config.h"

namespace plumbline {

const ModelFamily kQwen3MoeFamily = {
    .name = "qwen3_moe",
    .gguf_name = "qwen3moe",
    .gguf_interleaved_rotary = false,
    .rope_theta = 1e4,
    .tied_head = false,
    .reads = {"attention_bias", "sliding_window", "use_sliding_window", "num_experts", "num_local_experts"},
    .adapt_hf =
        [](const HfConfig& fields, DecoderConfig& config) {
          config.qk_norm = QkNorm::kHead;
          config.qkv_bias = config.output_bias = fields.flag_or("attention_bias", false);
          constexpr int64_t kDefaultWindow = 4096;  // transformers'
          const int64_t window = fields.flag_or("use_sliding_window", false) ? fields.window_or(kDefaultWindow) : 0;
          fields.use_window(config, window, [](int64_t) { return true; });
          const std::vector<int64_t> dense = fields.integers_or("mlp_only_layers", {});
          const int64_t step = fields.count_or("decoder_sparse_step", 1);
          fields.use_experts(config, fields.count("moe_intermediate_size"), [&](int64_t layer) {
            return std::find(dense.begin(), dense.end(), layer) == dense.end() && (layer + 1) % step == 0;
          });
        },
    .adapt_gguf =
        [](const GgufFile& file, DecoderConfig& config) {
          config.qk_norm = QkNorm::kHead;
          gguf_use_experts(file, config, /*renormalise_by_default=*/true);
        },
};

}  // namespace plumbline
