/// How the strings of tokens become text again.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plumbline/base/json.h"

namespace plumbline {

/// What text that comes token by token must know about a decoder.
struct StreamingRules {
  bool by_token = true;        ///< what earlier tokens decode to does not depend on later ones, but for the next two
  bool has_byte_runs = false;  ///< <0xXX> tokens decode by runs
  bool last_differs = false;   ///< the last token decodes in another way than it would before others
  bool is_fused = false;       ///< the parts behind see all tokens as one
};

/// Whether it is a token "<0xXX>" of byte fallback.
bool is_byte_token(const std::string& token);

/// Immutable, thread-safe.
class TokenDecoder {
 public:
  virtual ~TokenDecoder() = default;
  /// The parts whose concatenation is the text.
  virtual std::vector<std::string> decode(std::vector<std::string> tokens) const = 0;
  /// `before`: what holds for the parts before this one.
  virtual StreamingRules streaming_rules(StreamingRules before) const { return before; }
};

/// From the "decoder" of a tokenizer.json: ByteLevel, Replace, ByteFallback, Fuse, Strip, Metaspace,
/// BPEDecoder, Sequence; null
/// gives null. Throws DataError(data.tokenizer_unsupported) naming any other.
std::unique_ptr<TokenDecoder> make_token_decoder(const Json& json, const std::string& where);

}  // namespace plumbline
