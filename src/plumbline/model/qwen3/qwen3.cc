#include "plumbline/model/qwen3/qwen3.h"

#include "plumbline/model/hf_config.h"

namespace plumbline {

const ModelFamily kQwen3Family = {
    .name = "qwen3",
    .gguf_name = "qwen3",
    .gguf_interleaved_rotary = false,
    .rope_theta = 1e4,
    .tied_head = false,
    .reads = {"attention_bias", "sliding_window", "use_sliding_window", "layer_types"},
    .adapt_hf =
        [](const HfConfig& fields, DecoderConfig& config) {
          config.head_size = fields.count_or("head_dim", 128);  // transformers' default, whatever the width
          config.qk_norm = QkNorm::kHead;
          config.qkv_bias = config.output_bias = fields.flag_or("attention_bias", false);
          fields.use_qwen_windows(config);
        },
    .adapt_gguf = [](const GgufFile&, DecoderConfig& config) { config.qk_norm = QkNorm::kHead; },
};

}  // namespace plumbline
