/// How the strings of tokens become text again.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plumbline/base/json.h"

namespace plumbline {

/// Immutable, thread-safe.
class TokenDecoder {
 public:
  virtual ~TokenDecoder() = default;
  /// The parts whose concatenation is the text.
  virtual std::vector<std::string> decode(std::vector<std::string> tokens) const = 0;
};

/// From the "decoder" of a tokenizer.json: ByteLevel, Replace, ByteFallback, Fuse, Strip, Metaspace,
/// BPEDecoder, Sequence; null
/// gives null. Throws DataError(data.tokenizer_unsupported) naming any other.
std::unique_ptr<TokenDecoder> make_token_decoder(const Json& json, const std::string& where);

}  // namespace plumbline
