#include "plumbline/model/phi3/phi3.h"

#include "plumbline/model/hf_config.h"

namespace plumbline {

const ModelFamily kPhi3Family = {
    .name = "phi3",
    .gguf_name = nullptr,
    .gguf_interleaved_rotary = false,
    .rope_theta = 1e4,
    .tied_head = false,
    .reads = {"sliding_window"},
    .adapt_hf =
        [](const HfConfig& fields, DecoderConfig& config) {
          // "yarn" of an old Phi-3 file means longrope; transformers takes nothing but these two.
          if (config.rope.kind != "default") {
            fields.refuse("rope_scaling.rope_type", "'" + config.rope.kind + "' is not supported for phi3");
          }
          fields.use_window(config, fields.window_or(0), [](int64_t) { return true; });
        },
    .adapt_gguf = nullptr,
};

}  // namespace plumbline
