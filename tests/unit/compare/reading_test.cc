/// Strict reading of reports, pins, plans and item files.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/compare/effect.h"
#include "plumbline/compare/eval_report.h"
#include "plumbline/compare/paired_rows.h"
#include "plumbline/compare/plan.h"
#include "tests/support/made_reports.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

/// "id where message" of the error, or "".
std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.id() + " " + error.where() + " " + error.message();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class ReadingTest : public testing::Test {
 protected:
  std::string error_after(const std::function<void(Json&)>& change) {
    Json report = test::made_report({});
    change(report);
    const std::string path = folder_.write("report.json", report.dump());
    return error_of([&] { read_eval_report(path); });
  }
  test::TemporaryFolder folder_;
};

TEST_F(ReadingTest, NumberWrittenAsTextIsNoNumber) {
  const std::string error = error_after([](Json& report) { report["pin"]["max_new_tokens"] = "128"; });
  EXPECT_TRUE(contains(error, "data.json_type") && contains(error, "max_new_tokens") && contains(error, "pin"))
      << error;
}

TEST_F(ReadingTest, WrongTypesOfRowsNameTheRow) {
  const std::string error = error_after([](Json& report) { report["rows"]["candidate"][7]["passed"] = 1; });
  EXPECT_TRUE(contains(error, "rows.candidate[7]") && contains(error, "passed")) << error;
}

TEST_F(ReadingTest, ReportWithoutRowsCannotBePaired) {
  EXPECT_TRUE(contains(error_after([](Json& report) { report.erase("rows"); }), "data.no_rows"));
}

TEST_F(ReadingTest, ArmsWithOtherItemsCannotBePaired) {
  EXPECT_TRUE(contains(error_after([](Json& report) { report["rows"]["candidate"].erase(5); }), "data.unpaired"));
  EXPECT_TRUE(contains(error_after([](Json& report) { report["rows"]["base"].erase(5); }), "data.unpaired"));
  EXPECT_TRUE(contains(error_after([](Json& report) { report["rows"]["candidate"][5]["problem_id"] = "item-4"; }),
                       "data.duplicate_id"));
}

TEST_F(ReadingTest, UnknownFileIsNoReport) {
  const std::string path = folder_.write("x.json", "{\"schema\": \"judge.v1\"}");
  EXPECT_TRUE(contains(error_of([&] { read_eval_report(path); }), "data.unknown_report"));
}

/// What people give instead of a report: said by name, with what to give.
class WrongFileTest : public ReadingTest {
 protected:
  static std::string line_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.line();
    }
    return "";
  }
  void expect(const std::string& name, const std::string& text, const std::string& what, const std::string& next) {
    const std::string line = line_of([&] { read_eval_report(folder_.write(name, text)); });
    EXPECT_TRUE(contains(line, "data.unknown_report") && contains(line, what) && contains(line, next)) << line;
  }
};

TEST_F(WrongFileTest, IsNamedWithWhatToGiveInstead) {
  expect("pins.json", "{\"code-s0.eval.json\": {\"split_hash\": \"a\", \"commit\": \"b\"}}",
         "the pins of an evaluation", "*.eval.json");
  expect("rows.jsonl", "{\"sample\": 0, \"row\": {}}\n{\"sample\": 0, \"row\": {}}\n", "rows of one arm",
         "*.eval.json");
  expect("scores.jsonl", "{\"id\": 1, \"score\": 0}\n{\"id\": 2, \"score\": 0}\n", "JSON lines", "compare --items");
  expect("p.toml", "# mine\n[model]\npath = \"m\"\n", "a preset", "plumbline eval");
  expect("plan.toml", "[gates]\nmin_seeds = 1\n", "a plan", "--plan");
  expect("j.json", "{\"schema\": \"judge.v1\"}", "its schema is \"judge.v1\"", "compare.md");
  expect("results.json", "{\"results\": {}, \"configs\": {}}", "lm-evaluation-harness", "compare --items");
  // Neither: the JSON error itself, with its place.
  const std::string cut = line_of([&] { read_eval_report(folder_.write("cut.json", "{\"schema\": \"eval.v1\", ")); });
  EXPECT_TRUE(contains(cut, "data.json:")) << cut;
}

TEST_F(WrongFileTest, FolderOfAnEvaluationNamesItsReportsOrHowToFinish) {
  const auto line = [&](const std::string& path) { return line_of([&] { read_eval_report(path); }); };
  EXPECT_TRUE(contains(line(folder_.path()), "it is a folder"));
  EXPECT_TRUE(contains(line(folder_.path()), "FOLDER/*.eval.json"));
  folder_.write("pins.json", "{}");
  std::filesystem::create_directory(folder_.file("rows"));
  const std::string resume = "plumbline eval --resume " + folder_.path();
  EXPECT_TRUE(contains(line(folder_.path()), resume)) << line(folder_.path());
  for (const char* name : {"code-s0.eval.json", "*.eval.json"}) {
    EXPECT_TRUE(contains(line(folder_.file(name)), "data.missing_file")) << name;
    EXPECT_TRUE(contains(line(folder_.file(name)), resume)) << name;
  }
  folder_.write("code-s1.eval.json", test::made_report({}).dump());
  folder_.write("COMPLETE", "");
  EXPECT_TRUE(contains(line(folder_.path()), "give its reports: " + folder_.file("*.eval.json")))
      << line(folder_.path());
  EXPECT_FALSE(contains(line(folder_.file("code-s0.eval.json")), "--resume"));
}

TEST_F(WrongFileTest, ReportGivenAsItemsIsNamed) {
  const std::string good = folder_.write("g.jsonl", "{\"id\": 1, \"score\": 0}\n");
  for (const int indent : {-1, 2}) {
    const std::string report = folder_.write("r.json", test::made_report({}).dump(indent));
    const std::string line = line_of([&] { pair_item_files(report, good, false); });
    EXPECT_TRUE(contains(line, "data.not_items") && contains(line, "leave out --items")) << line;
  }
}

TEST_F(WrongFileTest, ErrorsOfRowsHaveANextStepAndTheRightPage) {
  const auto line_after = [&](const std::function<void(Json&)>& change) {
    Json report = test::made_report({});
    change(report);
    return line_of([&] { read_eval_report(folder_.write("report.json", report.dump())); });
  };
  const std::vector<std::pair<std::string, std::function<void(Json&)>>> changes = {
      {"data.no_rows", [](Json& report) { report.erase("rows"); }},
      {"data.no_rows",
       [](Json& report) {
         report["rows"] = {{"base", Json::array()}, {"candidate", Json::array()}};
       }},
      {"data.duplicate_id", [](Json& report) { report["rows"]["candidate"][5]["problem_id"] = "item-4"; }},
      {"data.json_missing_key", [](Json& report) { report["rows"]["base"][5].erase("passed"); }},
      {"data.json_missing_key", [](Json& report) { report.erase("pin"); }},
      {"data.json_type", [](Json& report) { report["pin"]["dirty"] = 1; }}};
  for (const auto& [id, change] : changes) {
    const std::string line = line_after(change);
    EXPECT_TRUE(contains(line, id) && contains(line, "); ")) << line;
    EXPECT_FALSE(contains(line, "formats.md")) << line;
  }
}

TEST_F(ReadingTest, CandidateRowsAreTakenByIdNotByPlace) {
  Json report = test::made_report({});
  std::swap(report["rows"]["candidate"][0], report["rows"]["candidate"][9]);
  const EvalReport read = read_eval_report(folder_.write("r.json", report.dump()));
  for (size_t i = 0; i < read.base.rows.size(); ++i) EXPECT_EQ(read.base.rows[i].id, read.candidate.rows[i].id);
}

TEST_F(ReadingTest, StepRowsWithoutWorkDoNotPass) {
  Json report = test::made_report({.task = "step"});
  for (Json& row : report["rows"]["candidate"]) row["steps"] = {"x", "x", "x"};
  const EvalReport read = read_eval_report(folder_.write("r.json", report.dump()));
  for (const EvalRow& row : read.candidate.rows) EXPECT_EQ(row.score, 0);
  ASSERT_FALSE(read.faults.empty());
  EXPECT_TRUE(contains(read.faults[0], "candidate.pass_at_1")) << read.faults[0];
}

TEST_F(ReadingTest, PinFileThatFitsIsSilentAndOneThatDoesNotNamesEveryField) {
  const std::string path = folder_.write("r.json", test::made_report({}).dump());
  Pins planned = read_eval_report(path).pins;
  EXPECT_EQ(error_of([&] { require_pins_of(planned, "code", 0, path); }), "");
  planned.set("max_new_tokens", 256);
  planned.set("precision", "float32");
  const std::string error = error_of([&] { require_pins_of(planned, "code", 0, path); });
  EXPECT_TRUE(contains(error, "config.pin_mismatch") && contains(error, "max_new_tokens: 256 and 128") &&
              contains(error, "precision: \"float32\" and \"bf16\""))
      << error;
  EXPECT_TRUE(contains(error_of([&] { require_pins_of(planned, "math", 0, path); }), "task: \"math\" and \"code\""));
}

TEST_F(ReadingTest, PinFileOfAnotherSeedMayHaveAnotherGeneratedSplit) {
  const std::string path = folder_.write("r.json", test::made_report({.task = "invention"}).dump());
  Pins planned = read_eval_report(path).pins;
  planned.set("split_hash", "another");
  EXPECT_EQ(error_of([&] { require_pins_of(planned, "invention", 1, path); }), "");
  EXPECT_TRUE(contains(error_of([&] { require_pins_of(planned, "invention", 0, path); }), "split_hash"));
}

TEST(PinsTest, SurviveTheirJson) {
  Pins pins;
  pins.set("temperature", 0.0);
  pins.set("template_hash", nullptr);
  pins.set("libraries", Json{{"plumbline", "0.1.0"}});
  EXPECT_EQ(pins.find("temperature"), "0");
  const Pins again = read_pins(pins.to_json(), "here");
  EXPECT_TRUE(pin_differences(pins, again).empty());
  EXPECT_EQ(again.find("libraries.plumbline"), "\"0.1.0\"");
  EXPECT_FALSE(again.find("commit"));
}

TEST(PlanTest, SaysWhereItIsWrong) {
  const Plan plan = parse_plan(
      "[tasks]\nheadline = ['code']\nprotected = ['concept']\nseeds = [0, 1, 2]\n[gates]\nmin_effect = 0.05\ntolerance "
      "= 0.2\n",
      "p");
  EXPECT_EQ(plan.headline, std::vector<std::string>{"code"});
  EXPECT_EQ(plan.seeds.size(), 3u);
  EXPECT_EQ(plan.min_effect, 0.05);
  EXPECT_EQ(plan.tolerance, 0.2);
  EXPECT_TRUE(contains(error_of([] { parse_plan("[gates]\nmin_efect = 0.1\n", "p"); }), "config.unknown_key p:2:1"));
  EXPECT_TRUE(contains(error_of([] { parse_plan("[gates]\nmin_effect = 3\n", "p"); }), "config.out_of_range p:2:14"));
  EXPECT_TRUE(contains(error_of([] { parse_plan("[tasks]\nold = 'math'\n", "p"); }), "config.wrong_type p:2:7"));
  EXPECT_TRUE(contains(error_of([] { parse_plan("[gate]\n", "p"); }), "config.unknown_key"));
}

TEST(ItemFilesTest, PairsByIdAndSeedAndCountsWhatIsMissing) {
  const test::TemporaryFolder folder;
  const std::string base = folder.write("b.jsonl", R"({"id": 1, "score": 0}
{"id": "2", "score": 1, "seed": 3}
{"id": 3, "score": 0.5}
)");
  const std::string candidate = folder.write("c.jsonl", R"({"id": "2", "score": 0, "seed": 3}
{"id": 1, "score": 1}
{"id": 4, "score": 1}
)");
  EXPECT_TRUE(contains(error_of([&] { pair_item_files(base, candidate, false); }), "data.unpaired"));
  const ItemFiles files = pair_item_files(base, candidate, true);
  EXPECT_EQ(files.num_base_only, 1);
  EXPECT_EQ(files.num_candidate_only, 1);
  ASSERT_EQ(files.pairs.rows.size(), 2u);
  EXPECT_EQ(files.pairs.rows[1].seed, 3);
  EXPECT_EQ(files.pairs.rows[1].candidate, 0);
  EXPECT_FALSE(files.are_copies);
  EXPECT_TRUE(pair_item_files(base, folder.write("copy.jsonl", read_file(base)), false).are_copies);
}

TEST(ItemFilesTest, ANumberAndATextAreTwoIds) {
  const test::TemporaryFolder folder;
  const std::string base = folder.write("b.jsonl", "{\"id\": 2, \"score\": 0}\n{\"id\": \"2\", \"score\": 1}\n");
  const std::string turned = folder.write("t.jsonl", "{\"id\": \"2\", \"score\": 1}\n{\"id\": 2, \"score\": 0}\n");
  const ItemFiles files = pair_item_files(base, turned, false);
  ASSERT_EQ(files.pairs.rows.size(), 2u);
  for (const PairedRow& row : files.pairs.rows) EXPECT_EQ(row.base, row.candidate) << row.item;
  EXPECT_EQ(effect_of(files.pairs.rows).effective_n, 2);
  const std::string numbers = folder.write("n.jsonl", "{\"id\": 2, \"score\": 0}\n"),
                    texts = folder.write("s.jsonl", "{\"id\": \"2\", \"score\": 1}\n");
  EXPECT_TRUE(contains(error_of([&] { pair_item_files(numbers, texts, false); }), "data.unpaired"));
}

TEST(ItemFilesTest, RefusesWhatIsNoScore) {
  const test::TemporaryFolder folder;
  const std::string good = folder.write("g.jsonl", "{\"id\": 1, \"score\": 0}\n");
  for (const char* bad :
       {"{\"id\": 1, \"score\": \"0\"}\n", "{\"id\": 1}\n", "{\"id\": 1.5, \"score\": 1}\n", "[1]\n", ""}) {
    EXPECT_NE(error_of([&] { pair_item_files(good, folder.write("b.jsonl", bad), false); }), "") << bad;
  }
  const std::string twice = folder.write("t.jsonl", "{\"id\": 1, \"score\": 0}\n{\"id\": 1, \"score\": 1}\n");
  EXPECT_TRUE(contains(error_of([&] { pair_item_files(twice, good, false); }), "data.duplicate_id"));
  EXPECT_TRUE(contains(error_of([&] { pair_item_files(good, twice, false); }), "data.duplicate_id"));
}

TEST(EffectTest, OfHandMadeRows) {
  std::vector<PairedRow> rows;
  for (int i = 0; i < 40; ++i) {
    // 10 gain, 2 lose.
    const double base = i < 10 ? 0 : i < 12 ? 1 : i % 2, candidate = i < 10 ? 1 : i < 12 ? 0 : i % 2;
    rows.push_back({std::to_string(i), std::to_string(i), 0, base, candidate, false});
  }
  const Effect effect = effect_of(rows);
  EXPECT_NEAR(effect.delta, 0.2, 1e-12);
  EXPECT_EQ(effect.num_gained, 10);
  EXPECT_EQ(effect.num_lost, 2);
  EXPECT_EQ(effect.method, "Tango's score interval");
  // McNemar: chi = 8 / sqrt(12), two-sided normal p; exact 2 (1 + 12 + 66) / 4096.
  EXPECT_NEAR(effect.p, std::erfc(8 / std::sqrt(12.0) / std::sqrt(2.0)), 1e-12);
  EXPECT_NEAR(effect.exact_p, 158.0 / 4096, 1e-12);
  EXPECT_TRUE(effect.interval->low > 0);
  EXPECT_FALSE(effect.over_seeds);
  EXPECT_FALSE(effect.published_by_item);
}

TEST(EffectTest, OfRealScoresUsesTheBootstrapT) {
  std::vector<PairedRow> rows;
  for (int i = 0; i < 30; ++i)
    rows.push_back({std::to_string(i), std::to_string(i), 0, 0.1 * (i % 5), 0.1 * (i % 7), {}});
  const Effect effect = effect_of(rows);
  EXPECT_FALSE(effect.is_binary);
  EXPECT_FALSE(effect.base_interval);
  EXPECT_TRUE(contains(effect.method, "bootstrap-t"));
  EXPECT_LT(effect.interval->low, effect.delta);
  EXPECT_FALSE(untruncated_rows(rows));
}

void expect_near(const std::optional<Interval>& seen, const std::optional<Interval>& wanted) {
  ASSERT_TRUE(seen && wanted);
  EXPECT_NEAR(seen->low, wanted->low, 1e-9);
  EXPECT_NEAR(seen->high, wanted->high, 1e-9);
}

TEST(EffectTest, CopiesOfASeedChangeNothing) {
  const auto rows_of = [](int num_seeds) {
    std::vector<PairedRow> rows;
    for (int seed = 0; seed < num_seeds; ++seed) {
      for (int i = 0; i < 20; ++i) {
        // 4 gain, 2 lose, 7 pass in both.
        const double base = i < 4 ? 0 : i < 6 ? 1 : i < 13, candidate = i < 4 ? 1 : i < 6 ? 0 : i < 13;
        rows.push_back({std::to_string(i), std::to_string(i), seed, base, candidate, {}});
      }
    }
    return rows;
  };
  const Effect once = effect_of(rows_of(1));
  // By the formulas: Wilson of 9 in 20; a = 1.4, s^2 = (6 - .2) / 19.
  expect_near(once.base_interval, wilson_interval(9, 20));
  const double radius = std::sqrt(5.8 / 19) * std::sqrt(2 * 1.4 / 8 * std::log(std::sqrt(1.4) / 0.05));
  expect_near(once.confidence_sequence, Interval{0.1 - radius, 0.1 + radius});
  for (const int seeds : {5, 50}) {
    const Effect copies = effect_of(rows_of(seeds));
    expect_near(copies.base_interval, once.base_interval);
    expect_near(copies.candidate_interval, once.candidate_interval);
    expect_near(copies.confidence_sequence, once.confidence_sequence);
    expect_near(copies.interval, once.interval);
    EXPECT_EQ(copies.mde, once.mde);
    EXPECT_EQ(copies.required_n, once.required_n);
  }
}

TEST(EffectTest, PowerIsInUnitsOfTheScores) {
  const auto effect_at = [](double scale) {
    std::vector<PairedRow> rows;
    for (int i = 0; i < 30; ++i) {
      rows.push_back({std::to_string(i), std::to_string(i), 0, scale * (i % 5), scale * (i % 5 + i % 3), {}});
    }
    return effect_of(rows);
  };
  // Scores from 0 to 6, delta 1: 36 / 4 is the largest variance of an arm.
  const Effect effect = effect_at(1), scaled = effect_at(100);
  const double z = 1.959963984540054 + 0.8416212335729143;
  EXPECT_NEAR(*effect.mde, z * std::sqrt(2 * 9.0 / 30), 1e-9);
  EXPECT_EQ(effect.required_n, std::ceil(z * z * 2 * 9.0));
  EXPECT_NEAR(*scaled.mde, 100 * *effect.mde, 1e-7);
  EXPECT_EQ(scaled.required_n, effect.required_n);
  EXPECT_EQ(variance_words(scaled), "the largest variance that scores from 0 to 600 can have");
  // Pass or fail keeps .25 an arm, whatever occurred.
  std::vector<PairedRow> passes;
  for (int i = 0; i < 30; ++i) passes.push_back({std::to_string(i), std::to_string(i), 0, 1, 1, {}});
  EXPECT_NEAR(*effect_of(passes).mde, z * std::sqrt(2 * 0.25 / 30), 1e-9);
  for (PairedRow& row : passes) row.base = row.candidate = 7;
  EXPECT_FALSE(effect_of(passes).mde);
}

TEST(EffectTest, TwoRealScoresHaveNoInterval) {
  const std::vector<PairedRow> rows = {{"a", "a", 0, 0.1, 0.2, {}}, {"b", "b", 0, 0.3, 0.9, {}}};
  const Effect effect = effect_of(rows);
  EXPECT_FALSE(effect.interval);
  EXPECT_EQ(effect.method, "none: 2 prompts are too few for the bootstrap-t");
}

TEST(EffectTest, OfOneRowIsAnError) {
  const std::vector<PairedRow> rows = {{"a", "a", 0, 0, 1, {}}};
  EXPECT_TRUE(contains(error_of([&] { effect_of(rows, "file"); }), "data.too_few_values file"));
  EXPECT_TRUE(contains(error_of([] { effect_of({}); }), "data.no_values"));
}

}  // namespace
}  // namespace plumbline
