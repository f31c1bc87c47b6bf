/// `plumbline compare` as a user runs it: exit codes, outputs, error lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/file_system.h"
#include "tests/support/made_reports.h"
#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

using nlohmann::ordered_json;
using test::ProcessResult;
using testing::HasSubstr;

ProcessResult compare(std::vector<std::string> words) {
  words.insert(words.begin(), {test::binary_path("plumbline"), "compare"});
  return test::run_process(words);
}

std::vector<std::string> write_seeds(const test::TemporaryFolder& folder, int num_seeds) {
  std::vector<std::string> paths;
  for (int seed = 0; seed < num_seeds; ++seed) {
    paths.push_back(folder.write("s" + std::to_string(seed) + ".json", test::made_report({.seed = seed}).dump()));
  }
  return paths;
}

TEST(Compare, ExitsWithTheDecision) {
  const test::TemporaryFolder folder;
  std::vector<std::string> seeds = write_seeds(folder, 3);
  const ProcessResult go = compare(seeds);
  EXPECT_EQ(go.exit_code, 0) << go.err << go.out;
  EXPECT_THAT(go.out, HasSubstr("\nGO\n"));
  seeds.pop_back();
  const ProcessResult no_go = compare(seeds);
  EXPECT_EQ(no_go.exit_code, 1);
  EXPECT_THAT(no_go.out, HasSubstr("NO-GO: enough_seeds"));
}

TEST(Compare, WritesJsonPageAndMarkdown) {
  const test::TemporaryFolder folder;
  std::vector<std::string> words = write_seeds(folder, 3);
  words.insert(words.end(), {"--json", "--html", folder.file("c.html"), "--markdown", folder.file("c.md")});
  const ProcessResult result = compare(words);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const ordered_json json = ordered_json::parse(result.out);
  EXPECT_EQ(json["schema"], "compare.v1");
  EXPECT_EQ(json["decision"], "GO");
  EXPECT_THAT(read_file(folder.file("c.html")), HasSubstr("<h2>GO</h2>"));
  EXPECT_THAT(read_file(folder.file("c.md")), HasSubstr("**GO**"));
}

TEST(Compare, NeverOverwritesWhatItReads) {
  const test::TemporaryFolder folder;
  std::vector<std::string> words = write_seeds(folder, 3);
  const std::string plan = folder.write("plan.toml", "min_seeds = 3\n");
  const std::string report = read_file(words[0]);
  for (const auto& [option, name] : std::vector<std::pair<std::string, std::string>>{
           {"--html", words[0]}, {"--markdown", plan}, {"--html", folder.path() + "/./plan.toml"}}) {
    std::vector<std::string> asked = words;
    asked.insert(asked.end(), {"--plan", plan, option, name});
    const ProcessResult result = compare(asked);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_THAT(result.err, HasSubstr("config.output_is_input"));
  }
  EXPECT_EQ(read_file(words[0]), report);
  EXPECT_EQ(read_file(plan), "min_seeds = 3\n");
}

TEST(Compare, NamesTheDoctorsFindingsFirst) {
  PL_NEED_SHARED("cases/doctor/paid-hacks");
  std::vector<std::string> words;
  for (const char* seed : {"0", "1", "2"}) {
    words.push_back(test::shared_path(std::string("cases/doctor/paid-hacks/seed") + seed + ".eval.json"));
  }
  const std::string text = compare(words).out;
  EXPECT_EQ(text.rfind("findings: invalid: 1 error", 0), 0u) << text.substr(0, 200);
  EXPECT_THAT(text, HasSubstr("reward_hacks"));
  const test::TemporaryFolder folder;
  words.insert(words.end(), {"--json", "--html", folder.file("c.html"), "--markdown", folder.file("c.md")});
  const ordered_json json = ordered_json::parse(compare(words).out);
  const std::string page = read_file(folder.file("c.html")), table = read_file(folder.file("c.md"));
  EXPECT_THAT(table, HasSubstr("\nFindings: invalid: 1 error"));
  for (const ordered_json& finding : json["doctor"]["findings"]) {
    EXPECT_THAT(table, HasSubstr("**" + finding["id"].get<std::string>() + "**"));
  }
  EXPECT_LT(table.find("**reward_hacks**"), table.find("| gate |"));
  EXPECT_LT(page.find("<h2>Findings</h2>"), page.find("<h2>Gates</h2>"));
  EXPECT_EQ(json["doctor"]["findings"][0]["id"], "reward_hacks");
}

TEST(Compare, TakesRolesAndThresholdsFromAPlan) {
  const test::TemporaryFolder folder;
  std::vector<std::string> words = write_seeds(folder, 3);
  words.insert(words.end(), {"--plan", folder.write("plan.toml", "[gates]\ntolerance = 0.1\n")});
  EXPECT_THAT(compare(words).out, HasSubstr("NO-GO: powered"));
  words.push_back("--preregistered");
  EXPECT_THAT(compare(words).out, HasSubstr("NO-GO: powered, preregistered"));
}

TEST(Compare, OptionsThatWouldBeIgnoredAreErrors) {
  const test::TemporaryFolder folder;
  const std::string items = folder.write("i.jsonl", "{\"id\": 1, \"score\": 0}\n{\"id\": 2, \"score\": 1}\n");
  const std::string page = folder.file("c.html"), plan = folder.write("plan.toml", "[gates]\nmin_seeds = 3\n");
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--html", page}, {"--markdown", page}, {"--plan", plan}, {"--preregistered"}}) {
    std::vector<std::string> words = {"--items", items, items};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessResult result = compare(words);
    EXPECT_EQ(result.exit_code, 2) << more[0];
    EXPECT_THAT(result.err, HasSubstr("config.usage"));
    EXPECT_THAT(result.err, HasSubstr("ignores " + more[0]));
  }
  const std::vector<std::string> seeds = write_seeds(folder, 3);
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--preregistered"}, {"--filter", "none"}, {"--allow-missing"}}) {
    std::vector<std::string> words = seeds;
    words.insert(words.end(), more.begin(), more.end());
    const ProcessResult result = compare(words);
    EXPECT_EQ(result.exit_code, 2) << more[0] << result.out;
    EXPECT_THAT(result.err, HasSubstr(more[0]));
  }
}

TEST(Compare, SameItemsTwiceAreNamed) {
  const test::TemporaryFolder folder;
  const std::string text = "{\"id\": 1, \"score\": 0}\n{\"id\": 2, \"score\": 1}\n";
  const std::string a = folder.write("a.jsonl", text), b = folder.write("b.jsonl", text);
  EXPECT_THAT(compare({"--items", a, b}).out, HasSubstr("note: both files have the same content"));
  EXPECT_EQ(ordered_json::parse(compare({"--items", a, b, "--json"}).out)["notes"].size(), 1u);
  const std::string other = folder.write("c.jsonl", "{\"id\": 1, \"score\": 1}\n{\"id\": 2, \"score\": 1}\n");
  EXPECT_EQ(ordered_json::parse(compare({"--items", a, other, "--json"}).out)["notes"].size(), 0u);
}

TEST(Compare, ErrorsHaveTheirCodes) {
  const test::TemporaryFolder folder;
  const ProcessResult missing = compare({folder.file("none.json")});
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.err, HasSubstr("data.missing_file"));
  const ProcessResult cut = compare({folder.write("cut.json", test::made_report({}).dump().substr(0, 500))});
  EXPECT_EQ(cut.exit_code, 3);
  EXPECT_THAT(cut.err, HasSubstr("data.json"));
  const ProcessResult one = compare({folder.write("one.json", test::made_report({.num_items = 1}).dump())});
  EXPECT_EQ(one.exit_code, 3);
  EXPECT_THAT(one.err, HasSubstr("data.too_few_values"));
  EXPECT_THAT(one.err, HasSubstr("one.json); evaluate more items"));
  const ProcessResult whole = compare({folder.path()});
  EXPECT_EQ(whole.exit_code, 3);
  EXPECT_THAT(whole.err, HasSubstr("it is a folder"));
  std::vector<std::string> words = write_seeds(folder, 1);
  words.insert(words.end(), {"--plan", folder.write("plan.toml", "[gates]\nmin_efect = 1\n")});
  const ProcessResult plan = compare(words);
  EXPECT_EQ(plan.exit_code, 2);
  EXPECT_THAT(plan.err, HasSubstr("config.unknown_key"));
  EXPECT_EQ(compare({}).exit_code, 2);
}

TEST(Compare, ItemsOfAnyTwoFiles) {
  const test::TemporaryFolder folder;
  std::string base, candidate;
  for (int seed = 0; seed < 3; ++seed) {
    for (int i = 0; i < 20; ++i) {
      const std::string row = "{\"id\": " + std::to_string(i) + ", \"seed\": " + std::to_string(seed) + ", \"score\": ";
      base += row + (i % 4 == 0 ? "1}\n" : "0}\n");
      candidate += row + (i % 2 == 0 || i == seed ? "1}\n" : "0}\n");
    }
  }
  const std::string b = folder.write("b.jsonl", base), c = folder.write("c.jsonl", candidate);
  const ProcessResult result = compare({"--items", b, c, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const ordered_json json = ordered_json::parse(result.out);
  EXPECT_EQ(json["n"], 60);
  EXPECT_EQ(json["effective_n"], 20);
  EXPECT_EQ(json["base_mean"], 0.25);
  // 5 gained by every seed, and item 1 by seed 1.
  EXPECT_NEAR(json["delta"].get<double>(), 16.0 / 60, 1e-12);
  EXPECT_EQ(json["gained"], 16);
  EXPECT_FALSE(json["paired_bootstrap95_by_item"].is_null());
  EXPECT_FALSE(json["over_seeds"].is_null());
  EXPECT_THAT(compare({"--items", b, c}).out, HasSubstr("20 distinct prompts"));
  const std::string fewer = folder.write("f.jsonl", candidate.substr(0, candidate.find('\n', 300) + 1));
  EXPECT_EQ(compare({"--items", b, fewer}).exit_code, 3);
  EXPECT_THAT(compare({"--items", b, fewer, "--allow-missing"}).out, HasSubstr("left out"));
  EXPECT_EQ(compare({"--items", b}).exit_code, 2);
  const std::string two = folder.write("two.jsonl", "{\"id\": 1, \"score\": 0.1}\n{\"id\": 2, \"score\": 0.3}\n"),
                    more = folder.write("more.jsonl", "{\"id\": 1, \"score\": 0.2}\n{\"id\": 2, \"score\": 0.9}\n");
  const std::string text = compare({"--items", two, more}).out;
  EXPECT_THAT(text, HasSubstr("+0.3500 none: 2 prompts are too few"));
  EXPECT_EQ(text.find("inf"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
