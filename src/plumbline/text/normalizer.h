/// What is done to text before it is split: Unicode forms, replaced and prepended strings.
#pragma once

#include <memory>
#include <string>

#include "plumbline/base/json.h"

namespace plumbline {

/// Immutable, thread-safe.
class Normalizer {
 public:
  virtual ~Normalizer() = default;
  /// `text` is valid UTF-8, and so is the result.
  virtual std::string normalize(std::string text) const = 0;
};

/// From the "normalizer" of a tokenizer.json: NFC, NFD, NFKC, NFKD, Prepend, Replace, Lowercase,
/// StripAccents, Strip, Nmt, ByteLevel, Sequence; null gives null.
/// Throws DataError(data.tokenizer_unsupported) naming any other.
std::unique_ptr<Normalizer> make_normalizer(const Json& json, const std::string& where);
std::unique_ptr<Normalizer> make_nfc();

}  // namespace plumbline
