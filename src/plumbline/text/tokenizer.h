/// Text to token ids and back, exactly as the checkpoint's own tokenizer does it.
/// Source: Hugging Face `tokenizers` semantics (added tokens, normalizer, pre-tokenizer, BPE, decoder). Anything in the
/// file that is not known is an error naming it, never a silent difference.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/text/token_decoder.h"

namespace plumbline {

/// Immutable after construction; all const members are thread-safe.
class Tokenizer {
 public:
  /// From a tokenizer.json (plain or .gz), a folder that holds one, or a GGUF file's metadata.
  /// Throws DataError: data.missing_file, data.tokenizer_unsupported (names the part), data.tokenizer.
  static Tokenizer load(const std::string& path);

  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  /// No special tokens are added; added and special tokens that stand in `text` are recognised. Invalid UTF-8 is
  /// replaced by U+FFFD first.
  std::vector<int64_t> encode(std::string_view text) const;
  /// Special tokens are kept. Bytes that are not UTF-8 come out as U+FFFD.
  std::string decode(const std::vector<int64_t>& ids) const;
  /// As decode, without the special tokens.
  std::string decode_text(const std::vector<int64_t>& ids) const;
  /// How the decoder takes text that comes token by token (TextStream).
  StreamingRules streaming_rules() const;
  /// Whether text goes on behind a run of <0xXX> tokens: false for those, and for ids that are left out of the text.
  bool ends_byte_run(int64_t id, bool keep_special) const;
  /// The id of exactly this token, or -1.
  int64_t id_of(const std::string& token) const;
  /// Whether the id is an added token that is left out of text shown to people.
  bool is_special(int64_t id) const;
  /// Whether any token has this id; decoding leaves out ids that none has.
  bool has(int64_t id) const;
  /// Number of ids, added tokens included.
  int64_t size() const;
  /// Ids that the post-processor would put before a lone sequence (a BOS, usually); empty for most.
  const std::vector<int64_t>& ids_before() const;
  /// Ids that it would put behind one (an EOS); empty for nearly all.
  const std::vector<int64_t>& ids_after() const;

 private:
  struct Impl;
  explicit Tokenizer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace plumbline
