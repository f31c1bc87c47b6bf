#include "plumbline/text/closing_token.h"

#include "plumbline/base/error.h"

namespace plumbline {

int64_t closing_token(const ModelText& text) {
  const auto eos = text.special_tokens().find("eos_token");
  const int64_t id = eos == text.special_tokens().end() ? -1 : text.tokenizer().id_of(eos->second);
  if (id >= 0) return id;
  if (!text.stop_tokens().empty()) return text.stop_tokens().front().id;
  throw DataError("data.no_stop_token", "the model names no end-of-sequence token", "tokenizer",
                  "add eos_token to tokenizer_config.json or generation_config.json");
}

}  // namespace plumbline
