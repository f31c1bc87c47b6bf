#include "plumbline/model/qwen2/qwen2.h"

#include "plumbline/model/hf_config.h"

namespace plumbline {

const ModelFamily kQwen2Family = {
    .name = "qwen2",
    .gguf_interleaved_rotary = false,
    .adapt_hf =
        [](const HfConfig& fields, DecoderConfig& config) {
          config.qkv_bias = true;
          fields.refuse_sliding_window(config.num_layers);
        },
    .adapt_gguf = [](DecoderConfig& config) { config.qkv_bias = true; },
};

}  // namespace plumbline
