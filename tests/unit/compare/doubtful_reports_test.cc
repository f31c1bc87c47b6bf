/// Reports that look like a GO and are not one: what is missing, contradicts itself or differs between seeds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/compare/decision.h"
#include "plumbline/compare/paired_rows.h"
#include "tests/support/made_reports.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

using test::made_report;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Change = std::function<void(Json&)>;

/// Three healthy seeds, each through a change that gets its seed.
class DoubtfulReportTest : public testing::Test {
 protected:
  Judgement after(const std::function<void(Json&, int64_t)>& change, const std::string& task = "code") {
    reports_.clear();
    for (int64_t seed = 0; seed < 3; ++seed) {
      Json report = made_report({.task = task, .seed = seed});
      change(report, seed);
      reports_.push_back(parse_eval_report(report.dump(), "seed" + std::to_string(seed)));
    }
    return judge(reports_, {});
  }
  Judgement after_all(const Change& change, const std::string& task = "code") {
    return after([&](Json& report, int64_t) { change(report); }, task);
  }
  Judgement after_last(const Change& change) {
    return after([&](Json& report, int64_t seed) {
      if (seed == 2) change(report);
    });
  }
  static std::string words_of(const Judgement& judgement, const std::string& id) {
    for (const JudgedGate& judged : judgement.gates) {
      if (judged.gate.id == id) return judged.gate.words;
    }
    return "no gate " + id;
  }
  static void expect(const Judgement& judgement, Decision decision, const std::string& id, const std::string& words) {
    EXPECT_EQ(name_of(judgement.decision), name_of(decision));
    EXPECT_THAT(judgement.blocking(), ElementsAre(id));
    EXPECT_THAT(words_of(judgement, id), HasSubstr(words));
  }
  std::vector<EvalReport> reports_;
};

TEST_F(DoubtfulReportTest, HealthyOnesAreGo) {
  EXPECT_THAT(after_all([](Json&) {}).blocking(), IsEmpty());
}

TEST_F(DoubtfulReportTest, PinsThatNobodyRecordedAreNotEqual) {
  expect(after_all([](Json& report) { report["pin"] = Json::object(); }), Decision::kNoGo, "comparable",
         "not shown to agree: commit, dirty, model_hash");
  expect(after_all([](Json& report) { report["pin"].erase("temperature"); }), Decision::kNoGo, "comparable",
         "temperature");
  expect(after_all([](Json& report) { report["pin"]["model_hash"] = nullptr; }), Decision::kNoGo, "comparable",
         "model_hash");
  expect(after_all([](Json& report) { report["pin"]["libraries"] = Json::object(); }), Decision::kNoGo, "comparable",
         "libraries");
  // No template, nothing generated, nothing trained: answers, not gaps.
  EXPECT_THAT(after_all([](Json& report) {
                for (const char* name : {"template_hash", "generator_version", "num_generations"}) {
                  report["pin"][name] = nullptr;
                }
              }).blocking(),
              IsEmpty());
}

TEST_F(DoubtfulReportTest, OnePromptHashMissingDiscardsNoOther) {
  const auto three_prompts = [](Json& report) {
    for (const char* arm : {"base", "candidate"}) {
      Json& rows = report["rows"][arm];
      for (size_t i = 0; i < rows.size(); ++i) rows[i]["prompt_hash"] = "prompt-" + std::to_string(i % 3);
      rows[5].erase("prompt_hash");
    }
  };
  const Judgement judgement = after_all(three_prompts);
  EXPECT_EQ(judgement.tasks[0].evidence.effect.effective_n, 4);  // three, and the row that does not say
  EXPECT_EQ(judgement.decision, Decision::kNoGo);
  EXPECT_THAT(words_of(judgement, "comparable"), HasSubstr("prompt_hash of 2 of 160 rows"));
}

TEST_F(DoubtfulReportTest, ItemsNamedAnewUnderEachSeedAreNoNewPrompts) {
  const Judgement judgement = after(
      [](Json& report, int64_t seed) {
        test::set_split(report, "split-" + std::to_string(seed));
        for (const char* arm : {"base", "candidate"}) {
          for (Json& row : report["rows"][arm]) {
            row["problem_id"] = row["problem_id"].get<std::string>() + "-of-seed-" + std::to_string(seed);
          }
        }
      },
      "invention");
  EXPECT_EQ(judgement.tasks[0].evidence.effect.effective_n, 80);
}

TEST_F(DoubtfulReportTest, OneSplitHasOneListOfItems) {
  expect(after_last([](Json& report) {
           for (const char* arm : {"base", "candidate"}) report["rows"][arm][3]["problem_id"] = "another";
         }),
         Decision::kInvalid, "comparable", "items: \"item-3\" is not among those of seed 2, under one split_hash");
  expect(after_last([](Json& report) {
           for (const char* arm : {"base", "candidate"}) report["rows"][arm][3]["prompt_hash"] = "another";
         }),
         Decision::kInvalid, "comparable", "\"item-3\" has prompt_hash prompt-code-3 under seed 0 and another");
}

TEST_F(DoubtfulReportTest, BaseThatFollowsTheSeedIsAnotherBase) {
  const auto flip = [](Json& report, int num_items) {
    for (int i = 0; i < num_items; ++i) {
      Json& row = report["rows"]["base"][static_cast<size_t>(4 * i)];  // those that pass
      row["passed"] = false;
      row["outcome"] = "wrong";
      row["reward"] = -1.0;
    }
    test::restate(report);
  };
  expect(after_last([&](Json& report) { flip(report, 5); }), Decision::kInvalid, "comparable",
         "the base of seed 2 scores differently from that of seed 0 on 5 of 80 items");
  // One in twenty may come from rounding on another device.
  EXPECT_THAT(after_last([&](Json& report) { flip(report, 4); }).blocking(), IsEmpty());
}

TEST_F(DoubtfulReportTest, PinsOfAnotherMetricOrDecodingAreInvalid) {
  expect(after_all([](Json& report) { report["pin"]["metric"] = "vsc"; }), Decision::kInvalid, "comparable",
         "metric: \"pass_at_1\" in the report and \"vsc\" in its pins");
  expect(after_all([](Json& report) { report["pin"]["decode"] = "sampled"; }), Decision::kInvalid, "comparable",
         "decode: \"sampled\", and a headline is greedy");
}

TEST_F(DoubtfulReportTest, HeadlineOfProvenanceIsNotAnyName) {
  const auto rename = [](Json& report) {
    report["metric"] = report["pin"]["metric"] = "politeness";
    for (const char* arm : {"base", "candidate"}) {
      for (Json& row : report["rows"][arm]) row["score"] = row["passed"].get<bool>() ? 0.9 : 0.1;
    }
    report["base"].erase("pass_at_1");
    report["candidate"].erase("pass_at_1");
  };
  expect(after_all(rename, "provenance"), Decision::kInvalid, "comparable", "politeness is no headline of provenance");
}

TEST_F(DoubtfulReportTest, RealScoresOfNothingAreNoLivingBase) {
  const auto blank = [](Json& report) {
    report["metric"] = report["pin"]["metric"] = "similarity";
    for (const char* arm : {"base", "candidate"}) {
      for (Json& row : report["rows"][arm]) {
        row["score"] = std::string(arm) == "base" ? 0.0 : 0.5 + 0.25 * row["passed"].get<bool>();
        row["passed"] = false;
        row["outcome"] = "unparsed";
      }
      report[arm].erase("pass_at_1");
    }
  };
  expect(after_all(blank, "custom"), Decision::kInvalid, "base_alive", "suspect: template");
}

TEST_F(DoubtfulReportTest, ZeroWithoutOutcomesIsNoGenuineFloor) {
  reports_.clear();
  for (int64_t seed = 0; seed < 3; ++seed) {
    Json report = made_report({.seed = seed, .base_passes = [](int) { return false; }});
    for (Json& row : report["rows"]["base"]) row.erase("outcome");
    reports_.push_back(parse_eval_report(report.dump(), "seed" + std::to_string(seed)));
  }
  expect(judge(reports_, {}), Decision::kInvalid, "base_alive", "suspect: template");
}

TEST_F(DoubtfulReportTest, HacksThatNobodyRecordedAreNotNone) {
  expect(after_all([](Json& report) {
           for (Json& row : report["rows"]["candidate"]) row.erase("hacked");
           report["candidate"]["reward_hack_count"] = 0;
         }),
         Decision::kNoGo, "reward_hack_zero", "240 of 240 rows of the candidate do not say whether they are hacks");
}

TEST_F(DoubtfulReportTest, CountsOfASummaryFollowFromItsRows) {
  for (const char* key : {"n", "reward_hack_count", "truncated", "no_code", "distinct_prompts", "mean_reward"}) {
    expect(after_last([&](Json& report) { report["candidate"][key] = 7; }), Decision::kInvalid, "comparable",
           std::string("candidate.") + key + " 7 is stated");
  }
}

TEST_F(DoubtfulReportTest, RowsThatContradictThemselvesAreInvalid) {
  const auto first_pass = [](Json& report) -> Json& {
    for (Json& row : report["rows"]["candidate"]) {
      if (row["passed"] == true) return row;
    }
    throw std::runtime_error("no row passes");
  };
  for (const char* outcome : {"wrong", "unparsed", "no_code", "timeout", "undecided"}) {
    expect(after_last([&](Json& report) { first_pass(report)["outcome"] = outcome; }), Decision::kInvalid, "comparable",
           std::string("says passed: true and outcome: ") + outcome);
  }
  expect(after_last([](Json& report) {
           for (Json& row : report["rows"]["candidate"]) {
             if (row["passed"] == false) row["outcome"] = "pass";
           }
         }),
         Decision::kInvalid, "comparable", "says passed: false and outcome: pass");
}

TEST_F(DoubtfulReportTest, FailureOfOursIsNoGrade) {
  expect(after_last([](Json& report) {
           for (Json& row : report["rows"]["candidate"]) {
             if (row["passed"] == false) row["outcome"] = "infra";
           }
         }),
         Decision::kInvalid, "comparable", "was never graded");
}

TEST_F(DoubtfulReportTest, UnknownFinishReasonIsNoCompleteAnswer) {
  for (const char* reason : {"LENGTH", "max_tokens", "", "content_filter"}) {
    expect(after_all([&](Json& report) {
             for (Json& row : report["rows"]["base"]) row["finish_reason"] = reason;
           }),
           Decision::kNoGo, "truncation_robust", "do not say");
  }
}

TEST_F(DoubtfulReportTest, ProtectedRowOfOneArmIsNotLost) {
  const auto protect = [](Json& report, const char* arm, size_t i, bool passed) {
    report["rows"][arm][i]["protected_passed"] = passed;
  };
  expect(after_all([&](Json& report) { protect(report, "base", 2, true); }), Decision::kInvalid, "comparable",
         "item \"item-2\" has protected_passed in one arm only");
  reports_ = {};
  Json report = made_report({});
  protect(report, "base", 2, true);
  protect(report, "candidate", 2, false);
  reports_.push_back(parse_eval_report(report.dump(), "seed0"));
  EXPECT_EQ(words_of(judge(reports_, {}), "protected"), "one row is protected, and one row has no interval");
}

TEST_F(DoubtfulReportTest, NoReportWidensTheToleranceOfItsOwnClaim) {
  // 12 of 30 prompts gain: 30 detect .3617, and the difference is .4.
  const auto small = [](double threshold) {
    std::vector<EvalReport> reports;
    for (int64_t seed = 0; seed < 3; ++seed) {
      Json report = made_report(
          {.seed = seed, .num_items = 30, .candidate_passes = [seed](int i) { return i % 4 == 0 || i % 7 == seed; }});
      report["gates"] = Json::array({{{"id", "powered"}, {"threshold", threshold}}});
      reports.push_back(parse_eval_report(report.dump(), "seed" + std::to_string(seed)));
    }
    const Judgement judgement = judge(reports, {});
    for (const JudgedGate& judged : judgement.gates) {
      if (judged.gate.id == "powered") return judged.gate.state;
    }
    return GateState::kPass;
  };
  EXPECT_EQ(small(1.0), GateState::kFail);
  EXPECT_EQ(small(0.01), GateState::kFail);
}

TEST_F(DoubtfulReportTest, OverlapOfEntitiesAloneIsNotAll) {
  expect(after_all([](Json& report) {
           report["split"].erase("family_overlap");
           report["split"]["entity_overlap"] = Json::array();
         }),
         Decision::kNoGo, "no_contamination", "does not say");
}

TEST_F(DoubtfulReportTest, CopiesWithoutTextsCountOnce) {
  expect(after([](Json& report, int64_t) {
           report["rows"]["candidate"] = made_report({.seed = 1})["rows"]["candidate"];
           for (Json& row : report["rows"]["candidate"]) row.erase("completion");
           test::restate(report);
         }),
         Decision::kNoGo, "enough_seeds", "1 of 3 seeds");
}

TEST_F(DoubtfulReportTest, TaskOfNoKindIsAnError) {
  for (const char* task : {"Code", "", "coding"}) {
    Json report = made_report({});
    report["task"] = task;
    try {
      parse_eval_report(report.dump(), "here");
      FAIL() << task;
    } catch (const DataError& error) {
      EXPECT_EQ(error.id(), "data.unknown_task");
    }
  }
}

TEST_F(DoubtfulReportTest, GraderOfAnotherTaskIsInvalid) {
  const auto pin = [](const Json& grader) { return [grader](Json& report) { report["pin"]["grader"] = grader; }; };
  expect(after_all(pin("code 4"), "math"), Decision::kInvalid, "comparable",
         "grader: the task is \"math\", and the pin grader is \"code 4\", of the task \"code\"");
  for (const char* grader : {"code 4", "custom: bonus.py", "4", "coder 4", "math 4a"}) {
    EXPECT_THAT(after_all(pin(grader)).blocking(), IsEmpty()) << grader;
  }
  // One of three renamed: its own pin names it.
  const Judgement renamed = after([](Json& report, int64_t seed) {
    report["pin"]["grader"] = "code 4";
    if (seed == 1) report["task"] = "math";
  });
  EXPECT_EQ(renamed.decision, Decision::kInvalid);
  EXPECT_THAT(words_of(renamed, "comparable"), HasSubstr("seed1: grader: the task is \"math\""));
}

TEST_F(DoubtfulReportTest, TasksHaveGradersOfTheirOwn) {
  std::vector<EvalReport> reports;
  for (const char* task : {"code", "math"}) {
    for (int64_t seed = 0; seed < 3; ++seed) {
      Json report = made_report({.task = task, .seed = seed});
      report["pin"]["grader"] = std::string(task) + " 4";
      reports.push_back(parse_eval_report(report.dump(), task + std::to_string(seed)));
    }
  }
  EXPECT_THAT(judge(reports, {}).blocking(), IsEmpty());
}

/// One set of items under two tasks may be a renamed report.
TEST_F(DoubtfulReportTest, TwoHeadlineTasksOnTheSameItemsAreNoted) {
  const Judgement judgement = after([](Json& report, int64_t seed) {
    if (seed == 1) report["task"] = "math";
  });
  EXPECT_THAT(judgement.notes, testing::Contains(HasSubstr("code: its items are those of math")));
  EXPECT_THAT(after_all([](Json&) {}).notes, IsEmpty());
}

TEST_F(DoubtfulReportTest, TokensThatNoDecodingGivesAreErrorsOrInvalid) {
  const auto set_tokens = [](Json& report, const Json& tokens) {
    for (Json& row : report["rows"]["candidate"]) row["tokens"] = tokens;
  };
  for (const auto& [tokens, id] : {std::pair<Json, std::string>(-3, "data.out_of_range"),
                                   {1.5, "data.json_type"},
                                   {"7", "data.json_type"},
                                   {INT64_MIN, "data.out_of_range"}}) {
    Json report = made_report({});
    set_tokens(report, tokens);
    try {
      parse_eval_report(report.dump(), "here");
      FAIL() << tokens;
    } catch (const DataError& error) {
      EXPECT_EQ(error.id(), id) << tokens;
      EXPECT_EQ(error.where(), "here, rows.candidate[0]");
      EXPECT_FALSE(error.next_step().empty());
    }
  }
  expect(after_all([&](Json& report) { set_tokens(report, 129); }), Decision::kInvalid, "comparable",
         "rows.candidate[0] has 129 tokens, and the pin max_new_tokens is 128 (80 rows of this arm are at fault)");
  expect(after_last([&](Json& report) { report["rows"]["base"][9]["tokens"] = 0; }), Decision::kInvalid, "comparable",
         "seed2: rows.base[9] has 0 tokens");
  EXPECT_THAT(after_all([&](Json& report) { set_tokens(report, 128); }).blocking(), IsEmpty());
  EXPECT_THAT(after_all([](Json& report) {
                for (Json& row : report["rows"]["candidate"]) row.erase("tokens");
              }).blocking(),
              IsEmpty());
}

TEST_F(DoubtfulReportTest, CutBelowTheLimitContradictsItselfWhereWeDecoded) {
  const auto cut = [](Json& report) { report["rows"]["base"][1]["finish_reason"] = "length"; };
  expect(after_all(cut), Decision::kInvalid, "comparable",
         "rows.base[1] says finish_reason: length after 21 tokens, and the pin max_new_tokens is 128");
  // A server counts its own tokens and may have a smaller limit.
  EXPECT_THAT(after_all([&](Json& report) {
                report["pin"]["rollout_mode"] = "served";
                for (Json& row : report["rows"]["candidate"]) row["tokens"] = 0;
                cut(report);
              }).blocking(),
              IsEmpty());
}

TEST_F(DoubtfulReportTest, NothingWrittenPassesNothing) {
  const auto blank = [](Json& report) {
    for (Json& row : report["rows"]["candidate"]) row["completion"] = " \n";
  };
  expect(after_last(blank), Decision::kInvalid, "comparable", "says passed: true, and its completion is empty");
  EXPECT_EQ(words_of(after_last([](Json& report) {
                       for (Json& row : report["rows"]["candidate"]) {
                         if (row["passed"] == false) row["completion"] = "";
                       }
                     }),
                     "comparable"),
            "all pins are recorded and agree");
}

TEST_F(DoubtfulReportTest, SplitSaysWhatRowsAndPinsSay) {
  expect(after_all([](Json& report) { report["split"]["n"] = 7; }), Decision::kInvalid, "comparable",
         "split.n 7 is stated, and the base has 80 rows");
  expect(after_all([](Json& report) { report["split"]["hash"] = "zz"; }), Decision::kInvalid, "comparable",
         "split.hash: \"zz\" in the split and \"split-code\" in the pin split_hash");
  EXPECT_THAT(after_all([](Json& report) {
                report["split"].erase("n");
                report["split"].erase("hash");
              }).blocking(),
              IsEmpty());
}

TEST_F(DoubtfulReportTest, NegativeSeedIsAnError) {
  Json report = made_report({});
  report["split"]["seed"] = -21;
  try {
    parse_eval_report(report.dump(), "here");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.id(), "data.out_of_range");
    EXPECT_EQ(error.where(), "here, split");
    EXPECT_THAT(error.message(), HasSubstr("\"seed\" is -21"));
  }
}

TEST_F(DoubtfulReportTest, OneCandidateUnderThreeSeedsIsOneSeed) {
  // An adapter is RUN@step, and a run has one seed; its rows may differ all the same.
  const Judgement judgement = after_all([](Json& report) { report["adapter"] = "out/run@90"; });
  expect(judgement, Decision::kNoGo, "enough_seeds",
         "seed 1 names the candidate of seed 0, out/run@90; seed 2 names the candidate of seed 0, out/run@90: they "
         "count once");
  for (const JudgedGate& judged : judgement.gates) {
    if (judged.gate.id == "enough_seeds") {
      EXPECT_EQ(judged.gate.value, 1);
    }
  }
  // A served model answers differently each time, and was trained once.
  expect(after_all([](Json& report) {
           report["adapter"] = "local:some-model@http://localhost:1";
           report["pin"]["adapter_kind"] = "none";
           report["pin"]["rollout_mode"] = "served";
         }),
         Decision::kNoGo, "enough_seeds", "they count once");
  // Without names only the rows can tell.
  EXPECT_THAT(after_all([](Json& report) { report.erase("adapter"); }).blocking(), IsEmpty());
}

TEST_F(DoubtfulReportTest, WeightsDecideWhichSeedsAreCandidatesOfTheirOwn) {
  // One name over other weights (a folder that was trained anew), and the same weights under three names.
  int64_t count = 0;
  const auto hashed = [&](bool same) {
    return after_all([&](Json& report) {
      report["adapter"] = same ? "out/run@" + std::to_string(count) : std::string("out/run@90");
      report["candidate_hash"] = std::string(63, 'a') + (same ? "0" : std::to_string(count));
      ++count;
    });
  };
  EXPECT_THAT(hashed(false).blocking(), IsEmpty());
  expect(hashed(true), Decision::kNoGo, "enough_seeds", "seed 1 has the candidate's weights of seed 0");
}

TEST_F(DoubtfulReportTest, ArmThatStatesNoFiguresIsNoted) {
  const Judgement judgement = after_last([](Json& report) { report["candidate"] = Json::object(); });
  EXPECT_EQ(judgement.decision, Decision::kGo);
  EXPECT_THAT(judgement.notes,
              ElementsAre("code: seed2 does not state candidate.n, candidate.pass_at_1: nothing holds its rows to what "
                          "was measured"));
}

TEST_F(DoubtfulReportTest, UncommittedChangesOfTheProgramAreNotedOnce) {
  const Judgement judgement = after_all([](Json& report) { report["pin"]["dirty"] = true; });
  EXPECT_THAT(judgement.notes, ElementsAre(HasSubstr("the plumbline that measured this was built from a source tree")));
}

class ItemQuestionsTest : public testing::Test {
 protected:
  std::string error_of(const std::string& base, const std::string& candidate) {
    const std::string first = folder_.write("a.jsonl", base), second = folder_.write("b.jsonl", candidate);
    try {
      pair_item_files(first, second, false);
    } catch (const DataError& error) {
      return error.id() + ": " + error.message();
    }
    return "";
  }
  static std::string sample(const std::string& prompt, const std::string& metric) {
    std::string lines;
    for (int i = 0; i < 2; ++i) {
      lines += Json{{"doc_id", i},
                    {"resps", Json::array()},
                    {"metrics", {metric}},
                    {"prompt_hash", prompt},
                    {"filter", "none"},
                    {"doc_hash", "0123456789"},
                    {metric, i}}
                   .dump() +
               "\n";
    }
    return lines;
  }
  test::TemporaryFolder folder_;
};

TEST_F(ItemQuestionsTest, OneItemIsOneQuestionScoredOneWay) {
  EXPECT_EQ(error_of(sample("p", "acc"), sample("p", "acc")), "");
  EXPECT_THAT(error_of(sample("p", "acc"), sample("q", "acc")), HasSubstr("data.items_differ"));
  EXPECT_THAT(error_of(sample("p", "acc"), sample("p", "acc_norm")), HasSubstr("the metric \"acc\" and \"acc_norm\""));
  EXPECT_THAT(error_of("{\"id\": 1, \"score\": 1, \"cluster\": \"a\"}\n", "{\"id\": 1, \"score\": 0}\n"),
              HasSubstr("\"a\" and \"1\""));
}

}  // namespace
}  // namespace plumbline
