/// Tokens that stand outside the vocabulary's merges ("<|im_end|>", runs of spaces) and are found in the text first.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace plumbline {

struct AddedToken {
  int64_t id = 0;
  std::string content;
  bool single_word = false;  ///< only where no word character touches it
  bool lstrip = false;       ///< takes the white space before it
  bool rstrip = false;       ///< takes the white space behind it
  bool normalized = false;   ///< looked for in normalised text, else in the text as given
  bool special = false;      ///< left out of text shown to people
};

/// A stretch of text: an added token, or what the rest of the pipeline must handle (`id` -1).
struct TokenStretch {
  size_t begin = 0, end = 0;
  int64_t id = -1;
};

/// Finds the leftmost-longest tokens of one set. Immutable, thread-safe.
class TokenFinder {
 public:
  /// `content` of each token must be as it will stand in the text. Empty ones are ignored.
  explicit TokenFinder(const std::vector<AddedToken>& tokens);
  bool empty() const { return tokens_.empty(); }
  /// The whole of `text` (valid UTF-8) as stretches, in order. Empty text gives none.
  std::vector<TokenStretch> split(std::string_view text) const;

 private:
  /// The longest token that begins at `at`, or null.
  const AddedToken* longest_at(std::string_view text, size_t at) const;

  std::vector<AddedToken> tokens_;
  std::unordered_map<uint64_t, uint32_t> edges_;  ///< trie: (node << 8 | byte) -> node
  std::vector<int32_t> token_of_node_;            ///< index into tokens_, or -1
  std::array<bool, 256> is_first_byte_ = {};
};

}  // namespace plumbline
