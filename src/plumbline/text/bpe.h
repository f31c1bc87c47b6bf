/// Byte-pair encoding of one piece of text: the pair of lowest rank is merged first, the leftmost one among equals.
/// Source: Sennrich et al. 2016; unknown characters, byte fallback and ignore_merges as in Hugging Face `tokenizers`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline {

struct BpeOptions {
  std::string unknown_token;      ///< stands for characters without an id; empty = they vanish
  bool fuse_unknown = false;      ///< neighbouring unknown characters become one token
  bool byte_fallback = false;     ///< characters without an id are written as <0xXX> tokens
  std::string continuing_prefix;  ///< stands before every character of a piece but the first
  std::string end_suffix;         ///< stands behind the last character of a piece
  bool ignore_merges = false;     ///< a piece that is a token as a whole is taken whole
};

using Vocabulary = std::vector<std::pair<std::string, int64_t>>;
using Merges = std::vector<std::pair<std::string, std::string>>;

/// Immutable apart from an internally locked cache of pieces; thread-safe.
class Bpe {
 public:
  /// Throws DataError(data.tokenizer): duplicate tokens or ids, ids out of range, merges of unknown tokens.
  Bpe(Vocabulary vocabulary, const Merges& merges, BpeOptions options, const std::string& where);
  ~Bpe();

  /// Appends the ids of `piece`; with `raw_bytes` its bytes are first written in the byte alphabet.
  /// Throws DataError(data.tokenizer) where the unknown token is needed and not in the vocabulary.
  void encode(std::string_view piece, bool raw_bytes, std::vector<int64_t>& ids) const;
  /// -1 when it is not in the vocabulary.
  int64_t id_of(std::string_view token) const;
  const Vocabulary& vocabulary() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plumbline
