/// A decoder's configuration out of GGUF metadata.
#pragma once

#include "plumbline/files/gguf.h"
#include "plumbline/model/decoder_config.h"
#include "plumbline/model/registry.h"

namespace plumbline {

/// The fields that every family has, read under the file's `general.architecture` prefix, then what `family` makes of
/// its own. Biases, the tied head and rotary divisors show in which tensors there are. Throws
/// DataError(data.model_config) naming the key.
DecoderConfig gguf_decoder_config(const GgufFile& file, const ModelFamily& family);

/// For families: expert_count, expert_used_count, expert_feed_forward_length, expert_weights_norm. A layer has experts
/// where the file holds a router for it.
void gguf_use_experts(const GgufFile& file, DecoderConfig& config, bool renormalise_by_default);

}  // namespace plumbline
