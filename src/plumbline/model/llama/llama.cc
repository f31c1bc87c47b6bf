#include "plumbline/model/llama/llama.h"

#include "plumbline/model/hf_config.h"

namespace plumbline {

const ModelFamily kLlamaFamily = {
    .name = "llama",
    .gguf_interleaved_rotary = true,
    .adapt_hf =
        [](const HfConfig& fields, DecoderConfig& config) {
          config.qkv_bias = config.output_bias = fields.flag_or("attention_bias", false);
          config.mlp_bias = fields.flag_or("mlp_bias", false);
        },
    .adapt_gguf = [](DecoderConfig&) {},
};

}  // namespace plumbline
