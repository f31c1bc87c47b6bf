#include "plumbline/model/qwen2/qwen2.h"

#include "plumbline/model/hf_config.h"

namespace plumbline {

const ModelFamily kQwen2Family = {
    .name = "qwen2",
    .gguf_name = "qwen2",
    .gguf_interleaved_rotary = false,
    .rope_theta = 1e4,
    .tied_head = false,
    .reads = {"attention_bias", "sliding_window", "use_sliding_window", "layer_types"},
    .adapt_hf =
        [](const HfConfig& fields, DecoderConfig& config) {
          config.qkv_bias = true;
          fields.use_qwen_windows(config);
        },
    .adapt_gguf = [](const GgufFile&, DecoderConfig& config) { config.qkv_bias = true; },
};

}  // namespace plumbline
