/// Reads problems: problem.v1 and, as they are, rows of other tools, told by their content: LeetCode-style rows
/// (`gt_answer`, `func_name`), HumanEval (`task_id`, `canonical_solution`, `test`), MBPP (`test_list`), LiveCodeBench
/// (`question_content`, `public_test_cases`), APPS (`question`, `input_output`) and rows of `id, family, split,
/// entry_point, prompt, test, solution`. JSON lines, plain, gzip or zstd. Formats may be mixed in one file.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/base/error.h"
#include "plumbline/record/problem.h"

namespace plumbline {

struct ProblemReadOptions {
  /// Only this split; rows that name no split are always taken. Empty = all.
  std::string split;
  /// Called with the error of each row that cannot be read, which is then left out; unset: the error is thrown.
  std::function<void(const DataError&)> on_bad_row = {};
  /// Fill Problem::row, for users' own graders.
  bool keep_rows = false;
};

/// All problems of the file in order. Tests that are `assert` statements become data where they mean the same
/// (record/test_program.h) under CompareRule::kPython; the others go to Problem::code_tests.
/// Throws DataError with path:line: data.json, data.truncated_file, data.json_missing_key, data.json_type,
/// data.python_value, data.problem (a value out of its range, a code problem without tests), data.duplicate_id,
/// data.problem_format, data.pickled_tests, data.packed, data.empty_file, data.empty_split.
std::vector<Problem> read_problems(const std::string& path, const ProblemReadOptions& options = {});

/// One row. `where` goes into errors.
Problem parse_problem(std::string_view row, const std::string& where);

/// SHA-256 (hex) over everything that decides a verdict: entry point, set-up, tests, compare rule, reference, hint,
/// limits. Prompt, split and family do not count.
std::string grading_hash(const Problem& problem);

/// The id as people and where-lines write it: 1011, or "a01".
std::string to_string(const ProblemId& id);

}  // namespace plumbline
