/// Text of tokens that come one by one: a chunk is given out once no later token can change it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plumbline/text/tokenizer.h"

namespace plumbline {

/// The concatenation of all chunks is Tokenizer::decode (or decode_text) of all ids, and every chunk is valid UTF-8: a
/// character whose bytes stand in several tokens comes whole, with its last one. Byte-fallback tokens wait for the end
/// of their run, because one bad byte changes how all of it decodes. A decoder that looks at text as a whole (a Replace
/// behind a Fuse) gives everything at the end. Time for each token does not depend on how many came before.
/// One thread; `tokenizer` must outlive it.
class TextStream {
 public:
  explicit TextStream(const Tokenizer& tokenizer, bool keep_special = false)
      : tokenizer_(tokenizer), keep_special_(keep_special) {}

  /// What has become certain with this token; often empty.
  std::string add(int64_t id);
  /// The rest. The stream is empty afterwards and can be used for another text.
  std::string finish();

 private:
  std::string text_of(size_t begin, size_t end) const;
  /// How many of the ids no later one can change, counted from the front.
  size_t num_settled() const;
  void forget_old(size_t settled, const std::string& text);

  const Tokenizer& tokenizer_;
  bool keep_special_;
  std::vector<int64_t> ids_;  ///< the latest ones; earlier ones have been given out and cannot matter any more
  size_t given_bytes_ = 0;    ///< of the text of ids_
  size_t clean_ = 0;          ///< a place in ids_ where a character ended
};

}  // namespace plumbline
