/// A tokenizer.json taken apart: the two parts that are large as flat lists, everything else as JSON.
#pragma once

#include <string>
#include <string_view>

#include "plumbline/base/json.h"
#include "plumbline/text/bpe.h"

namespace plumbline {

struct TokenizerDocument {
  Vocabulary vocabulary;  ///< model.vocab, in file order
  Merges merges;          ///< model.merges, written as "a b" or as ["a", "b"]
  std::shared_ptr<Json> rest;
};

/// Throws DataError(data.json | data.tokenizer) with the byte offset where there is one.
TokenizerDocument parse_tokenizer_document(std::string_view text, const std::string& where);

}  // namespace plumbline
