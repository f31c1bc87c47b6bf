/// What a tokenizer puts around a lone sequence when it is asked to add special tokens.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumbline/base/json.h"

namespace plumbline {

struct IdsAround {
  std::vector<int64_t> before, after;
};

/// From the "post_processor" of a tokenizer.json: TemplateProcessing, RobertaProcessing, BertProcessing, ByteLevel
/// (which moves offsets only), Sequence; null gives nothing. Throws DataError(data.tokenizer_unsupported) naming any
/// other.
IdsAround read_post_processor(const Json& json, const std::string& where);

}  // namespace plumbline
