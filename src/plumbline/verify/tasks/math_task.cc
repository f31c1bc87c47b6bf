#include "plumbline/verify/tasks/math_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "plumbline/base/error.h"
#include "plumbline/math/parser.h"
#include "plumbline/math/quantity.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/verify/tasks/final_answer.h"
#include "plumbline/verify/tasks/step_work.h"

namespace plumbline {
namespace {

constexpr size_t kShownCharacters = 120;

std::string shown(std::string_view text) {
  return escape_control(text.substr(0, kShownCharacters));
}

Verdict answer_verdict(const Problem& problem, Outcome outcome, std::string detail) {
  Verdict verdict;
  verdict.problem_id = problem.id;
  verdict.method = problem.task;
  verdict.outcome = outcome;
  verdict.tests_total = 1;
  verdict.tests_passed = outcome == Outcome::kPass;
  verdict.label = outcome == Outcome::kPass ? Label::kCorrect : Label::kIncorrect;
  if (outcome != Outcome::kUndecided) verdict.reward = outcome == Outcome::kPass ? 1 : -1;
  verdict.detail = std::move(detail);
  return verdict;
}

/// The last side of a chain of equations.
const Expression* last_side(const Expression& expression) {
  const auto is_equation = [](const std::string& op) { return op == "="; };
  if (expression.kind != ExpressionKind::kRelation) return nullptr;
  if (!std::all_of(expression.operators.begin(), expression.operators.end(), is_equation)) return nullptr;
  return &expression.operands.back();
}

}  // namespace

MathComparison compare_answer(std::string_view answer, std::string_view gold) {
  return compare_math(answer, gold, [](const Expression& tree, const Expression& gold_tree) {
    const MathVerdict whole = compare_expressions(tree, gold_tree);
    if (whole == MathVerdict::kEqual || gold_tree.kind == ExpressionKind::kRelation) return whole;
    const Expression* side = last_side(tree);
    return side ? compare_expressions(*side, gold_tree) : whole;
  });
}

Verdict grade_math(const Problem& problem, std::string_view completion) {
  const auto answer = final_answer(completion);
  if (!answer) return answer_verdict(problem, Outcome::kUnparsed, "there is no answer");
  const MathComparison comparison = compare_answer(*answer, problem.reference);
  switch (comparison.verdict) {
    case MathVerdict::kEqual:
      return answer_verdict(problem, Outcome::kPass, "");
    case MathVerdict::kDifferent:
      if (has_foreign_symbol(*answer, problem.reference, prompt_text(problem))) {
        return answer_verdict(problem, Outcome::kUnparsed,
                              fmt::format("answer '{}' has symbols of its own", shown(*answer)));
      }
      return answer_verdict(problem, Outcome::kWrong, fmt::format("answer '{}'", shown(*answer)));
    case MathVerdict::kUndecided:
      break;
  }
  const auto parsed = parse_math(*answer);
  const auto as_units = parse_math(*answer, {.letters = UnitLetters::kAll});  // "1 h 30 min" is read so only
  const MathFailure* failure = std::get_if<MathFailure>(&parsed);
  if (failure && std::holds_alternative<MathFailure>(as_units)) {
    return answer_verdict(problem, Outcome::kUnparsed,
                          fmt::format("answer '{}', byte {}: {}", shown(*answer), failure->offset, failure->reason));
  }
  return answer_verdict(problem, Outcome::kUndecided,
                        fmt::format("answer '{}': {}", shown(*answer), comparison.reason));
}

Verdict grade_physics(const Problem& problem, std::string_view completion) {
  const auto gold = parse_quantity(problem.reference);
  if (!gold) {
    throw DataError("data.problem", fmt::format("the reference '{}' is no quantity", shown(problem.reference)),
                    "problem " + to_string(problem.id), "write a number with SI units, such as 12.5 m/s");
  }
  const auto answer = final_answer(completion);
  if (!answer) return answer_verdict(problem, Outcome::kUnparsed, "there is no answer");
  const size_t equals = answer->rfind('=');
  const std::string text = equals == std::string::npos ? *answer : answer->substr(equals + 1);
  const auto found = parse_quantity(text);
  if (!found) {
    return answer_verdict(problem, Outcome::kUnparsed, fmt::format("'{}' is no quantity", shown(*answer)));
  }
  if (found->dimension != gold->dimension) {
    return answer_verdict(problem, Outcome::kWrong,
                          fmt::format("answer '{}': {}, not {}", shown(*answer), dimension_text(found->dimension),
                                      dimension_text(gold->dimension)));
  }
  const bool is_near = std::abs(found->value - gold->value) <= problem.rel_tol * std::abs(gold->value);
  return answer_verdict(problem, is_near ? Outcome::kPass : Outcome::kWrong,
                        is_near ? "" : fmt::format("answer '{}'", shown(*answer)));
}

}  // namespace plumbline
