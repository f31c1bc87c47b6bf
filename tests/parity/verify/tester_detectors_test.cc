/// F on a stub and on its own solution, against golden labels of 376 stored rollouts (detectors C and E, made by plain
/// processes outside this project).
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <thread>

#include "plumbline/base/file_system.h"
#include "plumbline/record/jsonl.h"
#include "plumbline/verify/code_block.h"
#include "plumbline/verify/tester_run.h"
#include "tests/support/shared_files.h"

namespace plumbline {
namespace {

struct Row {
  std::string where, code, entry_point;
  bool defined = false, on_stub = false, on_self = false;
};

/// Rollouts joined with their golden labels.
std::vector<Row> read_rows() {
  std::map<std::pair<int64_t, int64_t>, Row> rows;
  JsonlReader golden(test::shared_path("data/rollouts/teacher_pool_dev_golden.jsonl"));
  while (golden.next()) {
    const Json label = golden.parse();
    Row& row = rows[{label["problem_id"], label["sample"]}];
    row.defined = label["tester_defined"];
    row.on_stub = label["detector_C"];
    row.on_self = label["detector_E"];
  }
  JsonlReader rollouts(test::shared_path("data/rollouts/teacher_pool_dev.jsonl"));
  while (rollouts.next()) {
    const Json rollout = rollouts.parse();
    Row& row = rows.at({rollout["problem_id"], rollout["sample"]});
    row.where = "problem " + rollout["problem_id"].dump() + ", sample " + rollout["sample"].dump();
    row.code = extract_code(rollout["completion"].get<std::string>()).value_or("");
    const std::string question = rollout["problem_messages"][1]["content"];
    std::smatch method;
    if (std::regex_search(question, method, std::regex(R"(def (\w+)\(self)")))
      row.entry_point = "Solution()." + method[1].str();
  }
  std::vector<Row> list;
  for (auto& [key, row] : rows) list.push_back(std::move(row));
  return list;
}

TEST(TesterDetectorsSlow, AgreeWithGoldenLabels) {
  PL_NEED_SHARED("data/rollouts/teacher_pool_dev_golden.jsonl");
  const std::vector<Row> rows = read_rows();
  ASSERT_EQ(rows.size(), 376u);
  const std::string setup = read_file(test::shared_path("data/leetcode/setup_code.py"));
  PythonServer server("/usr/bin/python3", probe_isolation("/usr/bin/python3", IsolationLevel::kContainer).level);
  server.warm(setup);
  ReferenceTurns turns;
  int num_stub = 0, num_self = 0;
  for (const Row& row : rows) {
    Problem problem;
    problem.entry_point = row.entry_point;
    problem.setup_code = setup;
    problem.hint = Hint{"overwrite_tests", "run_tests"};
    const HintedRun run = run_hinted(server, problem, row.code, {.cpu_s = 2, .wall_s = 20}, turns);
    EXPECT_FALSE(run.infra) << row.where;
    EXPECT_EQ(run.tester.defined, row.defined) << row.where;
    EXPECT_EQ(run.tester.passes_on_stub.value_or(false), row.on_stub) << row.where;
    EXPECT_EQ(run.hinted_pass, row.on_self) << row.where;
    num_stub += row.on_stub;
    num_self += row.on_self;
  }
  EXPECT_EQ(num_stub, 371);
  EXPECT_EQ(num_self, 361);
}

}  // namespace
}  // namespace plumbline
