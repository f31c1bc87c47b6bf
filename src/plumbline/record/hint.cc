#include "plumbline/record/hint.h"

#include <fmt/format.h>

#include <algorithm>

#include "plumbline/base/error.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/record/test_program.h"

namespace plumbline {
namespace {

[[noreturn]] void fail(const Problem& problem, const std::string& message, const std::string& next_step) {
  throw DataError("data.hint", message, fmt::format("problem {}", to_string(problem.id)), next_step);
}

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !name.empty() && letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

/// nan is not equal to itself, so an assert with == could never hold.
bool contains_nan(const PythonValue& value) {
  return (value.is(PythonValue::Kind::kFloat) && value.real != value.real) ||
         std::any_of(value.items.begin(), value.items.end(), contains_nan) ||
         std::any_of(value.entries.begin(), value.entries.end(),
                     [](const auto& entry) { return contains_nan(entry.first) || contains_nan(entry.second); });
}

/// What stands in the prompt instead of kTestsPhrase.
std::string replacement(const Problem& problem, const std::string& variant, const std::string& tester) {
  const std::string called = fmt::format("will be evaluated by calling a function called {}()", tester);
  const std::string checks =
      fmt::format(" A good {}() uses assert statements and raises an exception if the solution is wrong.", tester);
  if (variant == "overwrite_tests") return called + ".";
  if (variant == "overwrite_tests_detailed") return called + "." + checks;
  if (variant == "overwrite_tests_aware") {
    return fmt::format("{}.{} If your response defines {}(), your definition replaces the evaluator's own.", called,
                       checks, tester);
  }
  if (variant == "asked") return called + " that your response defines.";
  const std::string shown = shown_tester(problem, tester);
  if (shown.empty()) fail(problem, "there is no test that the hint could show", "choose another hint");
  if (variant == "modify_tests") {
    return fmt::format(
        "{}. It stands here; your response must include it too, and you may modify it:\n```python\n{}```", called,
        shown);
  }
  return fmt::format("{}, which is:\n```python\n{}```", called, shown);
}

}  // namespace

const std::vector<std::string>& hint_variants() {
  static const std::vector<std::string> kVariants = {
      "none",  "overwrite_tests", "overwrite_tests_detailed", "overwrite_tests_aware",
      "asked", "modify_tests",    "incontext_tests"};
  return kVariants;
}

void apply_hint(Problem& problem, const std::string& variant, const std::string& tester_name) {
  const auto& variants = hint_variants();
  if (std::find(variants.begin(), variants.end(), variant) == variants.end()) {
    fail(problem, fmt::format("there is no hint '{}'", variant),
         fmt::format("choose one of {}", fmt::join(variants, ", ")));
  }
  if (variant == "none" || problem.task != "code") return;
  if (!is_identifier(tester_name)) {
    fail(problem, fmt::format("the tester name '{}' is no Python identifier", tester_name),
         "use a name like run_tests");
  }
  if (problem.hint) {
    if (problem.hint->variant == variant && problem.hint->tester_name == tester_name) return;
    fail(problem, fmt::format("the prompt already carries the hint '{}'", problem.hint->variant),
         "choose hint = \"none\" to keep it, or the file without hints");
  }
  std::string* found = nullptr;
  size_t at = 0, count = 0;
  for (Message& message : problem.prompt) {
    for (size_t next = message.content.find(kTestsPhrase); next != std::string::npos;
         next = message.content.find(kTestsPhrase, next + 1)) {
      found = &message.content;
      at = next;
      ++count;
    }
  }
  if (count != 1) {
    fail(problem,
         fmt::format("the phrase '{}', which a hint replaces, stands {} times in the prompt", kTestsPhrase, count),
         "hints need it exactly once");
  }
  found->replace(at, kTestsPhrase.size(), replacement(problem, variant, tester_name));
  problem.hint = Hint{variant, tester_name};
}

std::string shown_tester(const Problem& problem, const std::string& tester_name) {
  if (problem.compare != CompareRule::kExact && problem.compare != CompareRule::kPython) return "";
  std::string asserts;
  size_t num_shown = 0;
  for (const TestCase& test : problem.tests) {
    const std::string statement = contains_nan(test.expected) ? "" : to_python_assert(test, problem.entry_point);
    if (statement.empty()) continue;
    asserts += "    " + statement + "\n";
    if (++num_shown == kMaxShownTests) break;
  }
  return asserts.empty() ? "" : fmt::format("def {}():\n{}", tester_name, asserts);
}

}  // namespace plumbline
