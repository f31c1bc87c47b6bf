/// Files of lm-evaluation-harness: written, and read beside the stored ones.
#include "plumbline/compare/lm_eval_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/compare/eval_report_writer.h"
#include "plumbline/compare/paired_rows.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

std::string samples_of(const std::string& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("samples_")) return entry.path().string();
  }
  return "";
}

std::string error_of(const std::string& base, const std::string& candidate) {
  try {
    pair_item_files(base, candidate, false);
    return "";
  } catch (const DataError& error) {
    return error.id();
  }
}

double mean(const PairedRows& pairs, double PairedRow::*arm) {
  double sum = 0;
  for (const PairedRow& row : pairs.rows) sum += row.*arm;
  return sum / static_cast<double>(pairs.rows.size());
}

TEST(LmEvalFiles, StoredSamplesPairByDocument) {
  PL_NEED_SHARED("cases/doctor/lm-eval-instruct-no-template");
  const std::string folder = test::shared_path("cases/doctor/lm-eval-instruct-no-template");
  const ItemFiles files = pair_item_files(samples_of(folder + "/base"), samples_of(folder + "/candidate"), false);
  EXPECT_EQ(files.pairs.rows.size(), 60u);
  EXPECT_EQ(mean(files.pairs, &PairedRow::base), 0);  // results_*.json states 0.0
  const std::string filters = test::shared_path("cases/doctor/ok-lm-eval-two-filters");
  EXPECT_EQ(error_of(samples_of(filters + "/base"), samples_of(filters + "/candidate")), "data.several_filters");
  const ItemFiles strict =
      pair_item_files(samples_of(filters + "/base"), samples_of(filters + "/candidate"), false, "strict-match");
  EXPECT_EQ(strict.pairs.rows.size(), 110u);
}

TEST(LmEvalFiles, OtherDocumentsUnderTheSameNumbersAreNotPaired) {
  const test::TemporaryFolder folder;
  const auto sample = [](const std::string& hash, const std::string& metrics) {
    return R"({"doc_id": 0, "resps": [["x"]], "filter": "none", "metrics": )" + metrics + R"(, "doc_hash": ")" + hash +
           R"(", "acc": 1.0})" + "\n";
  };
  const std::string a = folder.write("a.jsonl", sample("aaa", R"(["acc"])")),
                    b = folder.write("b.jsonl", sample("bbb", R"(["acc"])"));
  EXPECT_EQ(error_of(a, b), "data.unpaired");
  EXPECT_EQ(error_of(a, a), "");
  EXPECT_EQ(error_of(a, folder.write("c.jsonl", sample("aaa", R"(["acc", "f1"])"))), "data.several_metrics");
}

TEST(LmEvalFiles, WhatIsWrittenStatesWhatItsRowsSay) {
  const test::TemporaryFolder folder;
  std::vector<Problem> problems(4);
  std::vector<Json> rows;
  for (size_t i = 0; i < problems.size(); ++i) {
    problems[i].id = {std::to_string(i), true};
    problems[i].task = "math";
    problems[i].prompt = {{"user", "question " + std::to_string(i)}};
    problems[i].reference = "7";
    Verdict verdict;
    verdict.outcome = i == 0 ? Outcome::kPass : Outcome::kWrong;
    rows.push_back(eval_row(problems[i], {"hash", "answer", "stop", 3}, verdict));
  }
  LmEvalArm arm{.task = "math",
                .model = "m",
                .adapter = "run@1",
                .date = "2026-01-31T12-00-00.000000",
                .template_hash = "",
                .num_problems = 9,
                .max_new_tokens = 40,
                .items = {}};
  for (size_t i = 0; i < rows.size(); ++i) arm.items.push_back({&problems[i], &rows[i], "prompt"});
  write_lm_eval_files(folder.file("out"), arm);
  const Json results = Json::parse(read_file(folder.file("out") + "/results_" + arm.date + ".json"));
  EXPECT_EQ(results["results"]["math"]["pass@1,none"], 0.25);
  EXPECT_NEAR(results["results"]["math"]["pass@1_stderr,none"].get<double>(), 0.25, 1e-12);  // sqrt(.25 * .75 / 3)
  EXPECT_EQ(results["n-samples"]["math"]["effective"], 4);
  EXPECT_EQ(results["n-samples"]["math"]["original"], 9);
  const std::string samples = folder.file("out") + "/samples_math_" + arm.date + ".jsonl";
  const ItemFiles files = pair_item_files(samples, samples, false);
  EXPECT_EQ(files.pairs.rows.size(), 4u);
  EXPECT_EQ(mean(files.pairs, &PairedRow::base), 0.25);
  // Every key that a samples line of the harness has (the stored one above), with the same shape.
  const Json line = Json::parse(read_file(samples).substr(0, read_file(samples).find('\n')));
  for (const char* key : {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
                          "doc_hash", "prompt_hash", "target_hash", "pass@1"}) {
    EXPECT_TRUE(line.contains(key)) << key;
  }
  EXPECT_EQ(line["arguments"]["gen_args_0"]["arg_0"], "prompt");
  EXPECT_EQ(line["resps"][0][0], "answer");
}

}  // namespace
}  // namespace plumbline
