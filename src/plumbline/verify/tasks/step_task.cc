#include "plumbline/verify/tasks/step_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <variant>

#include "plumbline/base/error.h"
#include "plumbline/math/parser.h"
#include "plumbline/verify/tasks/final_answer.h"
#include "plumbline/verify/tasks/math_task.h"
#include "plumbline/verify/tasks/step_work.h"

namespace plumbline {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// The expression of a line "STEP: expression | reason".
std::optional<std::string> step_of(std::string_view line) {
  line = trimmed(line);
  constexpr std::string_view kWord = "step";
  if (line.size() <= kWord.size()) return std::nullopt;
  for (size_t i = 0; i < kWord.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(line[i])) != kWord[i]) return std::nullopt;
  }
  line.remove_prefix(kWord.size());
  if (line.front() != ':' && line.front() != '-') return std::nullopt;
  line.remove_prefix(1);
  return std::string(trimmed(line.substr(0, line.find('|'))));
}

/// Sides of a line with equals signs that hold a digit or an operator.
std::vector<std::string> sides_of(std::string_view line) {
  std::vector<std::string> sides;
  size_t begin = 0;
  for (size_t i = 0; i <= line.size(); ++i) {
    const bool is_end = i == line.size();
    if (!is_end && line[i] != '=') continue;
    const std::string_view side = trimmed(line.substr(begin, i - begin));
    begin = i + 1;
    const bool counts = std::any_of(side.begin(), side.end(), [](char c) {
      return std::isdigit(static_cast<unsigned char>(c)) || std::string_view("+-*/^").find(c) != std::string_view::npos;
    });
    if (counts) sides.emplace_back(side);
  }
  return sides;
}

std::vector<std::string> longest_chain(std::string_view completion) {
  std::vector<std::string> longest;
  for (const std::string_view line : lines_of(completion)) {
    std::vector<std::string> sides = sides_of(line);
    if (sides.size() >= 2 && sides.size() > longest.size()) longest = std::move(sides);
  }
  return longest;
}

/// A difference is only told of expressions in the problem's own symbols: words may read as products of letters.
void count_check(const Problem& problem, const std::string& before, const std::string& after, MathVerdict verdict,
                 StepReport& report) {
  ++report.num_checks;
  report.num_accepted += verdict == MathVerdict::kEqual;
  if (verdict != MathVerdict::kDifferent) return;
  const std::string prompt = prompt_text(problem);
  report.num_rejected +=
      !has_foreign_symbol(before, problem.reference, prompt) && !has_foreign_symbol(after, problem.reference, prompt);
}

/// Unset unless all of them can be read.
std::optional<std::vector<Expression>> parse_all(const std::vector<std::string>& texts) {
  std::vector<Expression> expressions;
  for (const std::string& text : texts) {
    auto parsed = parse_math(text);
    if (!std::holds_alternative<Expression>(parsed)) return std::nullopt;
    expressions.push_back(std::move(std::get<Expression>(parsed)));
  }
  return expressions;
}

/// Fills did_work; returns why it is not.
std::string judge_work(const Problem& problem, StepReport& report) {
  const auto gold = parse_all({problem.reference});
  const auto steps = parse_all(report.steps);
  if (!gold || !steps) return "a step cannot be read";
  std::string why;
  report.did_work = did_work(*steps, gold->front(), prompt_text(problem), problem.min_steps, &why);
  return why;
}

double reward_of(const StepReport& report) {
  if (report.num_checks == 0) return 0;
  const auto checks = static_cast<double>(report.num_checks);
  double reward = static_cast<double>(report.num_accepted - report.num_rejected) / checks;
  if (report.num_rejected > 0) reward = std::min(reward, -1 + static_cast<double>(report.num_accepted) / checks);
  if (!report.did_work) reward = std::min(reward, 0.0);
  return std::clamp(reward, -1.0, 1.0);
}

}  // namespace

std::vector<std::string> find_steps(std::string_view completion) {
  std::vector<std::string> steps;
  for (const std::string_view line : lines_of(completion)) {
    if (auto step = step_of(line)) steps.push_back(std::move(*step));
  }
  if (!steps.empty()) return steps;
  steps = longest_chain(completion);
  if (!steps.empty()) return steps;
  if (auto answer = final_answer(completion)) return {std::move(*answer)};
  return {};
}

Verdict grade_steps(const Problem& problem, std::string_view completion) {
  Verdict verdict;
  verdict.problem_id = problem.id;
  verdict.method = problem.task;
  StepReport report;
  report.steps = find_steps(completion);
  if (report.steps.size() > kMostSteps) report.steps.clear();
  for (size_t i = 1; i < report.steps.size(); ++i) {
    const std::string &before = report.steps[i - 1], &after = report.steps[i];
    count_check(problem, before, after, compare_math(before, after).verdict, report);
  }
  if (!report.steps.empty()) {
    const std::string& last = report.steps.back();
    count_check(problem, last, problem.reference, compare_answer(last, problem.reference).verdict, report);
  }
  const bool is_accepted = report.num_checks > 0 && report.num_accepted == report.num_checks;
  report.verdict = report.num_rejected > 0 ? "rejected" : is_accepted ? "accepted" : "abstain";
  const std::string why_not = judge_work(problem, report);
  if (report.num_rejected > 0) {
    verdict.outcome = Outcome::kWrong;
  } else if (is_accepted) {
    verdict.outcome = report.did_work ? Outcome::kPass : Outcome::kNoWork;
    if (!report.did_work) verdict.detail = why_not;
  } else {
    verdict.outcome = report.steps.empty() ? Outcome::kUnparsed : Outcome::kUndecided;
  }
  verdict.label = verdict.passed() ? Label::kCorrect : Label::kIncorrect;
  verdict.tests_total = report.num_checks;
  verdict.tests_passed = report.num_accepted;
  verdict.reward = reward_of(report);
  verdict.steps = std::move(report);
  return verdict;
}

}  // namespace plumbline
