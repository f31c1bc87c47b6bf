/// The parts of a tokenizer, as its file describes them, before they are put together.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/files/gguf.h"
#include "plumbline/text/added_tokens.h"
#include "plumbline/text/bpe.h"
#include "plumbline/text/normalizer.h"
#include "plumbline/text/post_processor.h"
#include "plumbline/text/pre_tokenizer.h"
#include "plumbline/text/token_decoder.h"

namespace plumbline {

/// Null normalizer and pre-tokenizer do nothing; without a decoder tokens are joined by spaces, as in the reference.
struct TokenizerParts {
  std::vector<AddedToken> added_tokens;
  std::unique_ptr<Normalizer> normalizer;
  std::unique_ptr<PreTokenizer> pre_tokenizer;
  std::unique_ptr<Bpe> bpe;
  std::unique_ptr<TokenDecoder> decoder;
  IdsAround around;
};

/// Reads the text of a tokenizer.json. Throws DataError: data.json*, data.tokenizer, data.tokenizer_unsupported.
TokenizerParts read_tokenizer_json(std::string_view text, const std::string& where);

/// Reads the tokenizer.ggml.* metadata: kinds "gpt2" (with the pre-tokenizers that have been compared with the original
/// tokenizer) and "llama" (SentencePiece scores). Throws DataError as above, and as GgufFile does.
TokenizerParts read_tokenizer_gguf(const GgufFile& file);

}  // namespace plumbline
