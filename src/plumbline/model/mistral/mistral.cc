#include "plumbline/model/mistral/mistral.h"

#include "plumbline/model/hf_config.h"

namespace plumbline {

const ModelFamily kMistralFamily = {
    .name = "mistral",
    .gguf_name = nullptr,  // converters write it as llama
    .gguf_interleaved_rotary = false,
    .rope_theta = 1e4,
    .tied_head = false,
    .reads = {"sliding_window"},
    .adapt_hf =
        [](const HfConfig& fields, DecoderConfig& config) {
          constexpr int64_t kDefaultWindow = 4096;  // transformers', for a file without the field; null is off
          fields.use_window(config, fields.window_or(kDefaultWindow), [](int64_t) { return true; });
        },
    .adapt_gguf = nullptr,
};

}  // namespace plumbline
