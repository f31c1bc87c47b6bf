/// A decoder's configuration out of GGUF metadata.
#pragma once

#include "plumbline/files/gguf.h"
#include "plumbline/model/decoder.h"

namespace plumbline {

/// The fields that every family has, read under the file's `general.architecture` prefix. Biases, head norms, the tied
/// head and rotary divisors show in which tensors there are. Throws DataError(data.model_config) naming the key.
DecoderConfig gguf_decoder_config(const GgufFile& file);

}  // namespace plumbline
