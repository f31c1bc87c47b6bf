#include "plumbline/model/qwen3/qwen3.h"

#include "plumbline/model/hf_config.h"

namespace plumbline {

const ModelFamily kQwen3Family = {
    .name = "qwen3",
    .gguf_interleaved_rotary = false,
    .adapt_hf =
        [](const HfConfig& fields, DecoderConfig& config) {
          config.head_size = fields.count_or("head_dim", 128);  // transformers' default, whatever the width
          config.head_norms = true;
          config.qkv_bias = config.output_bias = fields.flag_or("attention_bias", false);
          fields.refuse_sliding_window(config.num_layers);
        },
    .adapt_gguf = [](DecoderConfig& config) { config.head_norms = true; },
};

}  // namespace plumbline
