/// `plumbline doctor` as a user runs it: exit codes, outputs, hostile text.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "plumbline/base/file_system.h"
#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/simulated_runs.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

using nlohmann::json;
using test::ProcessResult;
using test::TemporaryFolder;

ProcessResult doctor(std::vector<std::string> words) {
  words.insert(words.begin(), {test::binary_path("plumbline"), "doctor"});
  return test::run_process(words);
}

const char* const kSoundRow = "{\"problem_id\":\"%\",\"completion\":\"text %\",\"passed\":true,\"reward\":1}\n";

std::string rows(int count, const std::string& row = kSoundRow) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    std::string line = row;
    for (size_t at = line.find('%'); at != std::string::npos; at = line.find('%'))
      line.replace(at, 1, std::to_string(i));
    text += line;
  }
  return text;
}

TEST(Doctor, ExitCodesFollowTheVerdict) {
  const TemporaryFolder folder;
  const std::string sound = folder.write("sound.jsonl", rows(12));
  const std::string suspect = folder.write("suspect.jsonl", rows(12, "{\"problem_id\":\"%\",\"passed\":true}\n"));
  const std::string broken = folder.write("broken.json", "{\"a\": ");
  EXPECT_EQ(doctor({sound}).exit_code, 0);
  EXPECT_EQ(doctor({suspect}).exit_code, 1);
  EXPECT_EQ(doctor({broken}).exit_code, 3);
  EXPECT_EQ(doctor({sound, broken}).exit_code, 1);
  EXPECT_EQ(doctor({folder.file("nowhere")}).exit_code, 2);
  EXPECT_EQ(doctor({sound, "--json", "--html"}).exit_code, 2);
  EXPECT_EQ(doctor({sound, "--map", "nonsense=x"}).exit_code, 2);
}

TEST(Doctor, WhatItCannotReadIsNotSound) {
  const TemporaryFolder folder;
  const std::string other = folder.write("other.json", "{\"a\": 1}");
  const std::string readme = folder.write("readme.md", "# A project\n\nIt loses nothing and rewards nobody.\n");
  for (const std::string& path : {folder.path(), other, readme}) {
    const ProcessResult result = doctor({path});
    EXPECT_EQ(result.exit_code, 3) << path;
    EXPECT_EQ(result.out.find("sound"), std::string::npos) << result.out;
    EXPECT_TRUE(json::parse(doctor({path, "--json"}).out)["verdict"].is_null());
  }
}

TEST(Doctor, WhatIsNoFileInAFolderIsNamedAsNotRead) {
  const TemporaryFolder folder, elsewhere;
  folder.write("sound.jsonl", rows(12));
  ASSERT_EQ(::mkfifo(folder.file("rows.jsonl").c_str(), 0600), 0);
  std::filesystem::create_symlink(folder.file("nowhere"), folder.file("lost.jsonl"));
  std::filesystem::create_symlink(elsewhere.path(), folder.file("other"));
  const json diagnosis = json::parse(doctor({folder.path(), "--json"}).out);
  std::map<std::string, std::string> reasons;
  for (const json& item : diagnosis["not_checked"]) reasons[item["where"]] = item["reason"];
  EXPECT_EQ(reasons[folder.file("rows.jsonl")], "a pipe, which is not read");
  EXPECT_EQ(reasons[folder.file("lost.jsonl")], "a link to nothing, which is not read");
  EXPECT_EQ(reasons[folder.file("other")], "a link to a folder, which is not read");
  EXPECT_EQ(diagnosis["verdict"], "sound");
}

TEST(Doctor, ListsThatJudgeAndTeachLeaveEmptyAreNoFinding) {
  const TemporaryFolder folder;
  folder.write("settings.json", "{\"schema\": \"judge_settings.v1\"}");
  folder.write("rows.jsonl", rows(12));
  folder.write("disagreements.jsonl", "");
  EXPECT_EQ(doctor({folder.path()}).exit_code, 0) << doctor({folder.path()}).out;
  folder.write("verdicts.jsonl", "");  // rows are another matter
  EXPECT_EQ(doctor({folder.path()}).exit_code, 1);
}

TEST(Doctor, TheSummaryOfTeachTellsThatNoTeacherAnswered) {
  const TemporaryFolder folder;
  const std::string path = folder.write(
      "summary.json",
      "{\"schema\": \"teachers.v1\", \"complete\": true, \"kept\": 0, \"teachers\": [{\"schema\": \"teacher.v1\", "
      "\"teacher\": \"local:m@http://a/v1\", \"attempted\": 8, \"calls_ok\": 0, \"graded\": 0, \"kept\": 0}]}");
  const ProcessResult result = doctor({path});
  EXPECT_EQ(result.exit_code, 1) << result.out;
  EXPECT_NE(result.out.find("teacher_all_failed"), std::string::npos) << result.out;
}

TEST(Doctor, JsonNamesPlacesNumbersAndPages) {
  const TemporaryFolder folder;
  const std::string path = folder.write("suspect.jsonl", rows(12, "{\"problem_id\":\"%\",\"passed\":true}\n"));
  const json report = json::parse(doctor({path, "--json"}).out);
  EXPECT_EQ(report["verdict"], "suspect");
  EXPECT_EQ(report["inputs"], json::array({path}));
  ASSERT_EQ(report["findings"].size(), 1u);
  const json& finding = report["findings"][0];
  EXPECT_EQ(finding["id"], "missing_completions");
  EXPECT_EQ(finding["where"], json::array({path}));
  EXPECT_EQ(finding["evidence"][0]["rows_without_completion"], 12);
  EXPECT_EQ(finding["page"], "docs/doctor/missing_completions.md");
}

TEST(Doctor, TextOfFilesNeverDrivesTheTerminalOrThePage) {
  const TemporaryFolder folder;
  const std::string path = folder.write("log.txt", "error: unrecognized arguments: \x1b[2J<script>alert(1)</script>\n");
  const ProcessResult text = doctor({path});
  EXPECT_EQ(text.out.find('\x1b'), std::string::npos);
  EXPECT_NE(text.out.find("config_error_in_log"), std::string::npos);
  EXPECT_EQ(doctor({path, "--out", folder.file("d.html")}).exit_code, 1);
  const std::string page = read_file(folder.file("d.html"));
  EXPECT_NE(page.find("config_error_in_log"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
}

TEST(Doctor, CausesStandBeforeWhatTheyExplain) {
  const TemporaryFolder folder;
  std::string text;
  for (const char* arm : {"base", "candidate"}) {
    text += rows(30, std::string("{\"problem_id\":\"%\",\"arm\":\"") + arm +
                         "\",\"task\":\"code\",\"finish_reason\":\"length\",\"tokens\":64,\"completion\":\"```"
                         "python\\nx = %\",\"passed\":false}\n");
  }
  const std::string path = folder.write("rows.jsonl", text);
  const json report = json::parse(doctor({path, "--json"}).out);
  std::vector<std::string> order;
  for (const json& finding : report["findings"]) order.push_back(finding["id"]);
  EXPECT_EQ(order, (std::vector<std::string>{"both_arms_zero", "token_cap_suspected", "no_code_block"}));
  EXPECT_EQ(report["findings"][1]["explains"], json::array({"no_code_block"}));
  EXPECT_EQ(report["findings"][0]["explained_by"], json::array({"no_code_block"}));
}

TEST(Doctor, ReportBeginsWithTheFindings) {
  const TemporaryFolder folder;
  test::SimulatedProbe probe = test::usual_probe();
  probe.num_steps = 60;
  write_probe(folder.file("p"), probe);
  const ProcessResult result = test::run_process({test::binary_path("plumbline"), "report", folder.file("p")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::string page = read_file(folder.file("p/report.html"));
  const size_t finding = page.find("reward_hacking_onset"), verdict = page.find("The projection lowered hacking");
  ASSERT_NE(finding, std::string::npos);
  ASSERT_NE(verdict, std::string::npos);
  EXPECT_LT(finding, verdict);
  EXPECT_NE(page.find("vanilla-s10/steps.tsv"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
