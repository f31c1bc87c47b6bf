/// How normalised text is cut into the pieces that the merges never cross.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plumbline/base/json.h"

namespace plumbline {

/// Text and the pieces it is cut into, as [begin, end) byte ranges in order; empty pieces are left out.
struct CutText {
  std::string text;
  std::vector<std::pair<size_t, size_t>> pieces;
  /// Whether the first piece stands at the very start of what the user gave (no added token before it).
  bool at_start = false;
  /// Whether the pieces are still bytes that are to be written in the byte alphabet; that is left to the merges, so
  /// that a piece seen before costs nothing.
  bool raw_bytes = false;

  CutText(std::string whole, bool is_at_start);
  std::string_view piece(size_t index) const {
    return std::string_view(text).substr(pieces[index].first, pieces[index].second - pieces[index].first);
  }
};

/// Immutable, thread-safe.
class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  virtual void cut(CutText& text) const = 0;
};

/// From the "pre_tokenizer" of a tokenizer.json: Split, ByteLevel, Digits, Metaspace, Punctuation,
/// Whitespace, WhitespaceSplit, CharDelimiterSplit, BertPreTokenizer, FixedLength, Sequence; null gives null.
/// Throws DataError(data.tokenizer_unsupported) naming any other.
std::unique_ptr<PreTokenizer> make_pre_tokenizer(const Json& json, const std::string& where);

}  // namespace plumbline
