#include "plumbline/model/llama/llama.h"

#include "plumbline/model/hf_config.h"

namespace plumbline {

const ModelFamily kLlamaFamily = {
    .name = "llama",
    .gguf_name = "llama",
    .gguf_interleaved_rotary = true,
    .rope_theta = 1e4,
    .tied_head = false,
    .reads = {"attention_bias", "mlp_bias"},
    .adapt_hf =
        [](const HfConfig& fields, DecoderConfig& config) {
          config.qkv_bias = config.output_bias = fields.flag_or("attention_bias", false);
          config.mlp_bias = fields.flag_or("mlp_bias", false);
        },
    .adapt_gguf = [](const GgufFile&, DecoderConfig&) {},
};

}  // namespace plumbline
