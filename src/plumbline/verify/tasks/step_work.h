/// Whether steps that hold are work, and not the answer said again (evaluation.md, section 1).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "plumbline/math/expression.h"
#include "plumbline/record/problem.h"

namespace plumbline {

/// The messages of the prompt, joined.
std::string prompt_text(const Problem& problem);

/// An expression without what can be written in without work: order of terms and factors, brackets, +0, *1, terms that
/// cancel, factors that cancel, sin^2 + cos^2, zeros behind the point. Numbers are not added up: 3 + 4 and 7 differ.
std::string normal_form(const Expression& expression);

/// Whether every number, symbol and function of the expression occurs in the problem's text (at least one does). A
/// number may be spelt out, up to twenty, as "twice", "half", "dozen" and the like.
bool is_derived(const Expression& expression, std::string_view problem_text);

/// Whether a text reads as an expression with a symbol that neither the problem nor the gold answer has: short words do
/// ("no" is n times o), and are no answer. False for what cannot be read.
bool has_foreign_symbol(std::string_view text, std::string_view gold, std::string_view problem_text);

/// At least `min_steps` different transitions; none between expressions of one normal form; none back to one that was
/// there before; the first expression derived from the problem and not the gold answer itself; no symbol on the way
/// that the problem does not have. `why_not` (optional) receives the first reason.
bool did_work(std::span<const Expression> steps, const Expression& gold, std::string_view problem_text,
              int64_t min_steps, std::string* why_not = nullptr);

}  // namespace plumbline
