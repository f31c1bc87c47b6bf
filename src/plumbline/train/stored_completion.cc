#include "plumbline/train/stored_completion.h"

#include <fmt/format.h>

#include "plumbline/base/error.h"
#include "plumbline/text/closing_token.h"

namespace plumbline {

std::vector<int64_t> stored_completion_ids(const ModelText& text, const RenderedPrompt& prompt,
                                           const Completion& completion) {
  std::string_view answer = completion.completion;
  if (answer.starts_with(prompt.prefill)) answer.remove_prefix(prompt.prefill.size());
  std::vector<int64_t> ids = text.tokenizer().encode(answer);
  if (ids.empty()) {
    throw DataError("data.empty_completion", "a stored completion has no text",
                    fmt::format("problem {}, sample {}", completion.problem_id.text, completion.sample),
                    "take the row out of the file");
  }
  if (completion.finish_reason != "length") ids.push_back(closing_token(text));
  return ids;
}

}  // namespace plumbline
