/// What can be seen in a completion or a prompt without grading it.
#pragma once

#include <string_view>
#include <vector>

#include "plumbline/doctor/evidence.h"

namespace plumbline::doctor {

/// Lines that begin with ``` open and close fences. One that is still open at the end counts as kOpen unless an
/// earlier one was closed.
Fence fence_of(std::string_view text);

/// Whether some line is a statement of a programming language (def, class, return, import, ...), rather than prose.
bool looks_like_code(std::string_view text);

/// Whether a prompt was rendered by a chat template: <|im_start|>, [INST], <|user|>, <start_of_turn>, ...
bool has_chat_markers(std::string_view prompt);

/// Distinct expressions of a derivation once blanks, factors of 1 and of sin^2+cos^2, and outer brackets are gone.
int count_distinct_steps(const std::vector<std::string_view>& steps);

/// Whether the name says that a model was tuned for chat (Instruct, chat, -it).
bool is_chat_model_name(std::string_view model);
/// Whether the name says mixture of experts (Mixtral, OLMoE, -A3B, ...).
bool is_mixture_name(std::string_view text);

}  // namespace plumbline::doctor
