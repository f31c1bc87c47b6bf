/// problem.v1: one task with its tests (docs/reference/formats.md). Plain data; the reader is
/// record/problem_reader.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plumbline/record/python_expression.h"
#include "plumbline/record/python_value.h"

namespace plumbline {

/// An id keeps its JSON type: 1011 and "1011" are two ids.
struct ProblemId {
  std::string text;
  bool is_number = false;
  auto operator<=>(const ProblemId&) const = default;
};

/// One chat message; roles are "system", "user", "assistant".
struct Message {
  std::string role, content;
  bool operator==(const Message&) const = default;
};

/// How a returned value is compared with the expected one (formats.md).
enum class CompareRule { kExact, kPython, kApprox, kUnordered, kJson };

/// One call of the entry point.
struct PythonCall {
  std::vector<PythonValue> args;
  std::vector<std::pair<std::string, PythonValue>> kwargs;
  bool as_list = false;  ///< a result that is no plain data but can be walked through counts as the list of its items
};

/// A program's input and the output that it must write.
struct ProgramTest {
  std::string input, output;
};

/// One test as data. Exactly one of these says what must come out: `expected` under the problem's compare rule (the
/// plain case), `condition`, `raises`, `program`.
struct TestCase {
  std::vector<PythonValue> args;
  std::vector<std::pair<std::string, PythonValue>> kwargs;
  PythonValue expected;
  bool as_list = false;
  std::vector<PythonCall> further_calls = {};  ///< of a condition about several results
  /// Holds of the results (result 0 is that of args and kwargs) when it evaluates to something true.
  std::shared_ptr<const PythonExpression> condition = {};
  std::vector<std::string> raises = {};  ///< builtin exceptions, one of which must be raised
  std::optional<ProgramTest> program = {};

  bool is_plain() const { return !condition && raises.empty() && !program; }
};

/// What the prompt tells the model about how it is judged.
struct Hint {
  std::string variant;      ///< overwrite_tests, overwrite_tests_detailed, ..., asked, modify_tests, incontext_tests
  std::string tester_name;  ///< F, usually run_tests
};

/// The claim about an author that a problem of the task "provenance" asks about.
struct AuthorshipClaim {
  bool is_true = false;
  std::string author;                  ///< who wrote it
  std::vector<std::string> forbidden;  ///< who did not; asserting one of them is the worst answer
};

/// What a problem of the task "concept" asks about two concepts.
struct ConceptPair {
  std::string first, second;
  bool are_distinct = true;  ///< else likening them, within bounds, is admissible
};

struct Problem {
  ProblemId id;
  std::string task = "code";
  std::string split, family;
  std::vector<Message> prompt;  ///< hint already applied
  std::string reference;
  std::string entry_point;  ///< "Solution().two_sum" or "f"; empty when the solution is a program that reads its input
  std::string starter_code, setup_code;
  std::vector<TestCase> tests, holdout_tests;
  /// Tests that cannot be data: a Python program for the second process, empty when there are none. It runs after
  /// setup_code and code_prelude, with the entry point's name (`f`, or the class `Solution`) bound to a stand-in that
  /// calls the submission by value; it passes when it ends without an exception.
  std::string code_tests;
  std::string code_reason;   ///< why they are not data; for people
  std::string code_prelude;  ///< trusted program that code_tests may lean on (HumanEval: the prompt); run before them
  std::vector<std::string> known_wrong;  ///< solutions that must fail, for `validate`
  std::optional<Hint> hint;
  CompareRule compare = CompareRule::kExact;
  double rel_tol = 1e-9, abs_tol = 0;         ///< for kApprox; of physics, rel_tol is .01 unless the row says otherwise
  std::optional<double> cpu_s;                ///< overrides grade.cpu_s
  std::optional<int64_t> memory_mib;          ///< overrides grade.memory_mib
  int64_t min_steps = 2;                      ///< step: different transitions that count as work
  std::optional<AuthorshipClaim> claim = {};  ///< provenance
  std::optional<ConceptPair> concept_pair = {};  ///< concept
  /// The whole row as it stands in its file, one JSON object; only where the reader was asked to keep it
  /// (ProblemReadOptions::keep_rows). Users' own graders get its members as they are.
  std::string row;
  bool prompt_is_text = false;  ///< the row's prompt is a string, not messages
};

}  // namespace plumbline
