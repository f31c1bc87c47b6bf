/// The token that closes an answer, for completions that are written down rather than sampled.
#pragma once

#include <cstdint>

#include "plumbline/text/model_text.h"

namespace plumbline {

/// The model's end-of-sequence token, else its first stop token. Throws DataError(data.no_stop_token) where it has
/// neither.
int64_t closing_token(const ModelText& text);

}  // namespace plumbline
