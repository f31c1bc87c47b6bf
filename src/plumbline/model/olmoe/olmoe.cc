#include "plumbline/model/olmoe/olmoe.h"

#include "plumbline/model/gguf_config.h"
#include "plumbline/model/hf_config.h"

namespace plumbline {

const ModelFamily kOlmoeFamily = {
    .name = "olmoe",
    .gguf_name = "olmoe",
    .gguf_interleaved_rotary = false,
    .rope_theta = 1e4,
    .tied_head = false,
    .reads = {"attention_bias", "clip_qkv", "num_experts", "num_local_experts"},
    .adapt_hf =
        [](const HfConfig& fields, DecoderConfig& config) {
          config.qk_norm = QkNorm::kWhole;
          config.qkv_bias = config.output_bias = fields.flag_or("attention_bias", false);
          config.clip_qkv = fields.real_or("clip_qkv", 0);
          if (fields.has("clip_qkv") && !(config.clip_qkv > 0)) fields.refuse("clip_qkv", "must be positive");
          fields.use_experts(config, fields.count("intermediate_size"), [](int64_t) { return true; });
        },
    .adapt_gguf =
        [](const GgufFile& file, DecoderConfig& config) {
          config.qk_norm = QkNorm::kWhole;
          const std::string key = "olmoe.attention.clamp_kqv";
          if (file.has(key)) config.clip_qkv = file.real(key);
          gguf_use_experts(file, config, /*renormalise_by_default=*/false);
        },
};

}  // namespace plumbline
