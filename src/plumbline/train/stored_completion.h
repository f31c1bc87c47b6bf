/// Completions that were written down (a teacher's pool, an earlier run's rollouts) as token ids behind a prompt.
#pragma once

#include <cstdint>
#include <vector>

#include "plumbline/record/completion.h"
#include "plumbline/text/model_text.h"

namespace plumbline {

/// The ids that `completion` adds to `prompt`: its text, encoded afresh (ids that stand in the row may be another
/// tokenizer's), without the prompt's prefill where it begins with it, and the model's closing token unless the row
/// says that it was cut (finish_reason "length"). Throws DataError(data.empty_completion) when no text is left, and
/// what closing_token throws.
std::vector<int64_t> stored_completion_ids(const ModelText& text, const RenderedPrompt& prompt,
                                           const Completion& completion);

}  // namespace plumbline
