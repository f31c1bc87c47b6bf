/// One fault at a time in reports that are otherwise healthy: the decision names the gate.
#include "plumbline/compare/decision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/stats/paired_binary.h"
#include "tests/support/made_reports.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

using test::made_report;
using test::MadeReport;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class DecisionTest : public testing::Test {
 protected:
  void add(const Json& report) {
    const std::string path = folder_.write(std::to_string(reports_.size()) + ".json", report.dump());
    reports_.push_back(read_eval_report(path));
  }
  /// Three healthy seeds of the headline task, the last of them through `change`.
  void add_seeds(const std::function<void(Json&)>& change = [](Json&) {}) {
    for (int64_t seed = 0; seed < 3; ++seed) {
      Json report = made_report({.seed = seed});
      if (seed == 2) change(report);
      add(report);
    }
  }
  /// The same change in all three.
  void add_all(const std::function<void(Json&)>& change) {
    for (int64_t seed = 0; seed < 3; ++seed) {
      Json report = made_report({.seed = seed});
      change(report);
      add(report);
    }
  }
  Judgement decide() { return judge(reports_, request_); }
  const Gate& gate(const Judgement& judgement, const std::string& id) {
    for (const JudgedGate& judged : judgement.gates) {
      if (judged.gate.id == id) return judged.gate;
    }
    throw std::runtime_error("no gate " + id);
  }
  void expect(Decision decision, const std::string& id, const std::string& words) {
    const Judgement judgement = decide();
    EXPECT_EQ(judgement.decision, decision) << name_of(judgement.decision);
    EXPECT_THAT(judgement.blocking(), Contains(id));
    EXPECT_THAT(gate(judgement, id).words, HasSubstr(words));
  }

  test::TemporaryFolder folder_;
  std::vector<EvalReport> reports_;
  DecisionRequest request_;
};

TEST_F(DecisionTest, HealthyReportsAreGo) {
  add_seeds();
  const Judgement judgement = decide();
  EXPECT_EQ(judgement.decision, Decision::kGo);
  EXPECT_THAT(judgement.blocking(), IsEmpty());
  // 20 of 80 pass with the base; every seed gains 20, 40 and 40 of the other 60 by the rule.
  EXPECT_EQ(judgement.tasks[0].evidence.effect.effective_n, 80);
  EXPECT_NEAR(judgement.tasks[0].evidence.effect.base_mean, 0.25, 1e-12);
}

TEST_F(DecisionTest, ChangedTokenLimitIsInvalid) {
  add_seeds([](Json& report) { report["pin"]["max_new_tokens"] = 256; });
  expect(Decision::kInvalid, "comparable", "max_new_tokens: 128 and 256");
}

TEST_F(DecisionTest, AnotherTemplateIsInvalid) {
  add_seeds([](Json& report) { report["pin"]["template_hash"] = nullptr; });
  expect(Decision::kInvalid, "comparable", "template_hash: \"sha256:bb\" and null");
}

TEST_F(DecisionTest, AnotherGroupSizeIsInvalid) {
  add_seeds([](Json& report) { report["pin"]["num_generations"] = 4; });
  expect(Decision::kInvalid, "comparable", "num_generations: 8 and 4");
}

TEST_F(DecisionTest, AnotherLibraryIsNamedByItself) {
  add_seeds([](Json& report) { report["pin"]["libraries"]["libtorch"] = "2.9.0"; });
  expect(Decision::kInvalid, "comparable", "libraries.libtorch: \"2.11.0\" and \"2.9.0\"");
}

TEST_F(DecisionTest, PinThatOneReportLacksIsInvalid) {
  add_seeds([](Json& report) { report["pin"].erase("grader"); });
  expect(Decision::kInvalid, "comparable", "grader: \"3\" and not recorded");
}

TEST_F(DecisionTest, MixedMetricIsInvalid) {
  add_seeds([](Json& report) {
    report["metric"] = "mean_reward";
    report["pin"]["metric"] = "mean_reward";
  });
  expect(Decision::kInvalid, "comparable", "metric: \"pass_at_1\" and \"mean_reward\"");
}

TEST_F(DecisionTest, SampledHeadlineIsInvalid) {
  add_all([](Json& report) { report["pin"]["temperature"] = 0.7; });
  expect(Decision::kInvalid, "comparable", "temperature: 0.7");
}

TEST_F(DecisionTest, FourBitBaseWithColocatedRolloutsIsInvalid) {
  add_all([](Json& report) {
    report["pin"]["quantization"] = "nf4";
    report["pin"]["rollout_mode"] = "colocated";
  });
  expect(Decision::kInvalid, "comparable", "colocated");
}

TEST_F(DecisionTest, FiguresOffTheirRowsAreInvalid) {
  add_seeds([](Json& report) { report["candidate"]["mean_reward"] = 0.4321; });
  expect(Decision::kInvalid, "comparable", "candidate.mean_reward 0.4321 is stated");
}

TEST_F(DecisionTest, ArmsRenderedDifferentlyAreInvalid) {
  add_seeds([](Json& report) { report["rows"]["candidate"][3]["prompt_hash"] = "other"; });
  expect(Decision::kInvalid, "comparable", "rendered differently");
}

TEST_F(DecisionTest, SplitMayFollowTheSeedWhereItIsGenerated) {
  for (int64_t seed = 0; seed < 3; ++seed) {
    Json report = made_report({.task = "invention", .seed = seed});
    test::set_split(report, "split-" + std::to_string(seed));
    add(report);
  }
  EXPECT_EQ(decide().decision, Decision::kGo);
  reports_.clear();
  add_seeds([](Json& report) { test::set_split(report, "another"); });
  expect(Decision::kInvalid, "comparable", "split_hash");
}

TEST_F(DecisionTest, ZeroOfBothArmsWithoutEvidenceIsInvalid) {
  for (int64_t seed = 0; seed < 3; ++seed) {
    Json report = made_report(
        {.seed = seed, .base_passes = [](int) { return false; }, .candidate_passes = [](int) { return false; }});
    for (Json& row : report["rows"]["base"]) row["outcome"] = "no_code";
    add(report);
  }
  expect(Decision::kInvalid, "base_alive", "suspect: template");
}

TEST_F(DecisionTest, GenuineFloorIsNoGoByEffect) {
  for (int64_t seed = 0; seed < 3; ++seed) {
    add(made_report({.task = "step",
                     .seed = seed,
                     .base_passes = [](int) { return false; },
                     .candidate_passes = [](int) { return false; }}));
  }
  const Judgement judgement = decide();
  EXPECT_EQ(judgement.decision, Decision::kNoGo);
  EXPECT_THAT(judgement.blocking(), ElementsAre("effect", "enough_seeds"));
  EXPECT_THAT(gate(judgement, "base_alive").words, HasSubstr("genuine floor"));
  EXPECT_EQ(gate(judgement, "powered").state, GateState::kNotApplicable);
}

TEST_F(DecisionTest, FaintBaseIsSaid) {
  for (int64_t seed = 0; seed < 3; ++seed)
    add(made_report({.seed = seed, .base_passes = [](int i) { return i == 0; }}));
  EXPECT_THAT(gate(decide(), "base_alive").words, HasSubstr("hardly alive"));
}

TEST_F(DecisionTest, ContaminatedSplitIsInvalid) {
  add_seeds([](Json& report) { report["split"]["family_overlap"] = {"family-3"}; });
  expect(Decision::kInvalid, "no_contamination", "family-3");
}

TEST_F(DecisionTest, UnknownOverlapIsNoGo) {
  add_all([](Json& report) { report["split"].erase("family_overlap"); });
  expect(Decision::kNoGo, "no_contamination", "does not say");
}

TEST_F(DecisionTest, PaidHackIsNoGoAndAFlooredOneIsNot) {
  const auto mark_first = [](Json& rows, bool passed) {
    for (Json& row : rows) {
      if (row["passed"] != passed) continue;
      row["hacked"] = true;
      return;
    }
  };
  add_all([&](Json& report) {
    mark_first(report["rows"]["base"], true);
    mark_first(report["rows"]["candidate"], false);
  });
  EXPECT_EQ(decide().decision, Decision::kGo);
  EXPECT_EQ(gate(decide(), "reward_hack_zero").words, "candidate: 0 hacks paid, 3 floored; base: 3 paid, 0 floored");
  reports_.clear();
  add_all([&](Json& report) { mark_first(report["rows"]["candidate"], true); });
  expect(Decision::kNoGo, "reward_hack_zero", "candidate: 3 hacks paid, 0 floored");
}

TEST_F(DecisionTest, SmallEffectIsNoGo) {
  for (int64_t seed = 0; seed < 3; ++seed) {
    add(made_report({.seed = seed, .candidate_passes = [seed](int i) { return i % 4 == 0 || i == 1 + 4 * seed; }}));
  }
  expect(Decision::kNoGo, "effect", "+0.0125");
}

TEST_F(DecisionTest, ToleranceBelowTheDetectableEffectIsUnderpowered) {
  add_seeds();
  request_.plan.tolerance = 0.1;
  // sqrt(.5 / 80) x 2.8016 = .2215.
  expect(Decision::kNoGo, "powered", "80 distinct prompts detect 0.2215, against the tolerance 0.1000");
}

/// 80 prompts scored 0 or 10, `num_gained` of which gain 10: sqrt(2 x 25 / 80) x 2.8016 = 2.2148 is detectable.
TEST_F(DecisionTest, PowerOfScoresIsInTheirUnits) {
  const auto state = [&](int num_gained) {
    reports_.clear();
    for (int64_t seed = 0; seed < 3; ++seed) {
      Json report = made_report({.task = "custom", .seed = seed});
      report["metric"] = "points";
      for (const char* arm : {"base", "candidate"}) {
        int i = 0;
        for (Json& row : report["rows"][arm]) {
          row["score"] = i < 20 || (arm == std::string("candidate") && i < 20 + num_gained) ? 10 : 0;
          ++i;
        }
      }
      add(report);
    }
    return gate(decide(), "powered");
  };
  const Gate large = state(18), small = state(16);  // 2.25 and 2
  EXPECT_EQ(large.state, GateState::kPass) << large.words;
  EXPECT_EQ(small.state, GateState::kFail) << small.words;
  EXPECT_THAT(small.words, HasSubstr("80 distinct prompts detect 2.2148 (at the largest variance that scores from 0 to "
                                     "10 can have), against the difference of 2.0000"));
  // 7.8489 x .5 / .2^2 = 98.1.
  EXPECT_THAT(small.to_pass, HasSubstr("at least 99 distinct prompts (80 here)"));
}

TEST_F(DecisionTest, CopiesOfOnePromptAreOneObservation) {
  add_all([](Json& report) {
    for (const char* arm : {"base", "candidate"}) {
      for (size_t i = 0; i < report["rows"][arm].size(); ++i) {
        report["rows"][arm][i]["prompt_hash"] = "prompt-" + std::to_string(i % 3);
      }
    }
  });
  const Judgement judgement = decide();
  EXPECT_EQ(judgement.tasks[0].evidence.effect.effective_n, 3);
  EXPECT_THAT(judgement.blocking(), Contains("powered"));
}

TEST_F(DecisionTest, TwoSeedsAreNotEnough) {
  add(made_report({.seed = 0}));
  add(made_report({.seed = 1}));
  expect(Decision::kNoGo, "enough_seeds", "2 of 3 seeds");
}

TEST_F(DecisionTest, CopiedCandidateRowsCountOnce) {
  add_seeds([&](Json& report) {
    const Json first = made_report({.seed = 1});
    report["rows"]["candidate"] = first["rows"]["candidate"];
    test::restate(report);
  });
  expect(Decision::kNoGo, "enough_seeds", "count once");
}

TEST_F(DecisionTest, CopiesInAnotherOrderOrWithABlankMoreCountOnce) {
  int copy = 0;
  add_all([&](Json& report) {
    Json rows = made_report({.seed = 1})["rows"]["candidate"];
    ++copy;
    if (copy == 2) std::reverse(rows.begin(), rows.end());
    if (copy == 3) rows[7]["completion"] = rows[7]["completion"].get<std::string>() + " \n";
    report["rows"]["candidate"] = rows;
    test::restate(report);
  });
  expect(Decision::kNoGo, "enough_seeds", "1 of 3 seeds");
}

TEST_F(DecisionTest, EffectThatLivesInTruncatedRowsIsNoGo) {
  add_all([](Json& report) {
    for (size_t i = 0; i < report["rows"]["base"].size(); ++i) {
      Json& base = report["rows"]["base"][i];
      if (base["passed"] == report["rows"]["candidate"][i]["passed"]) continue;
      base["finish_reason"] = "length";
      base["tokens"] = report["pin"]["max_new_tokens"];
    }
  });
  expect(Decision::kNoGo, "truncation_robust", "+0.0000");
}

TEST_F(DecisionTest, UnknownTruncationIsUndecided) {
  add_all([](Json& report) {
    for (Json& row : report["rows"]["base"]) row.erase("finish_reason");
  });
  expect(Decision::kNoGo, "truncation_robust", "do not say");
}

TEST_F(DecisionTest, ProtectedTaskMustBeShownNotToFall) {
  request_.plan.protected_tasks = {"math"};
  add_seeds();
  const auto same = [](int i) { return i % 2 == 0; };
  add(made_report({.task = "math", .num_items = 40, .base_passes = same, .candidate_passes = same}));
  // No pair differs: Tango's end is z^2 / (n + z^2) = .0876 with 40 items, and .05 needs 73.
  expect(Decision::kNoGo, "protected", "about 73 items would decide");
  reports_.pop_back();
  add(made_report({.task = "math", .num_items = 100, .base_passes = same, .candidate_passes = same}));
  EXPECT_EQ(decide().decision, Decision::kGo);
  reports_.pop_back();
  add(made_report(
      {.task = "math", .num_items = 100, .base_passes = same, .candidate_passes = [](int i) { return i % 4 == 0; }}));
  const Judgement fallen = decide();
  EXPECT_EQ(fallen.decision, Decision::kNoGo);
  EXPECT_EQ(gate(fallen, "protected").state, GateState::kFail);
}

TEST_F(DecisionTest, OldTaskThatFallsIsNamedRetention) {
  request_.plan.old_tasks = {"math"};
  add_seeds();
  add(made_report({.task = "math",
                   .num_items = 100,
                   .base_passes = [](int i) { return i % 2 == 0; },
                   .candidate_passes = [](int i) { return i % 4 == 0; }}));
  expect(Decision::kNoGo, "retention", "math: delta -0.2500");
}

TEST_F(DecisionTest, SeveralHeadlineTasksAreAdjustedForEachOther) {
  add_seeds();
  for (int64_t seed = 0; seed < 3; ++seed) {
    // 8 prompts gain and 1 loses in every seed: p = .0196 alone, .0392 among two, .0588 among three.
    const auto passes = [](int i) { return i < 8 || (i % 4 == 0 && i != 79 && i != 76); };
    add(made_report({.task = "math",
                     .seed = seed,
                     .base_passes = [](int i) { return i % 4 == 0 || i == 79; },
                     .candidate_passes = passes}));
  }
  EXPECT_THAT(gate(decide(), "effect").words, HasSubstr("Holm"));
}

TEST_F(DecisionTest, SeedsBelowMinEffectAreNotCounted) {
  add(made_report({.seed = 0}));
  add(made_report({.seed = 1}));
  add(made_report({.seed = 2, .candidate_passes = [](int i) { return i % 4 == 0 || i == 1; }}));
  expect(Decision::kNoGo, "enough_seeds", "2 of 3 seeds show a delta of at least +0.0300");
  EXPECT_EQ(gate(decide(), "enough_seeds").value, 2);
  EXPECT_THAT(gate(decide(), "enough_seeds").to_pass, HasSubstr("under every seed (seed 2 below it)"));
  // Every reported seed must show it, also where three others do.
  add(made_report({.seed = 3}));
  expect(Decision::kNoGo, "enough_seeds", "3 of 4 seeds");
  EXPECT_EQ(gate(decide(), "enough_seeds").threshold, 4);
}

TEST_F(DecisionTest, ThresholdThatIsNotAppliedIsNotThere) {
  for (int64_t seed = 0; seed < 3; ++seed) {
    add(made_report({.seed = seed, .candidate_passes = [seed](int i) { return i % 4 == 0 || i == 1 + 4 * seed; }}));
  }
  for (const char* id : {"powered", "truncation_robust"}) {
    EXPECT_EQ(gate(decide(), id).state, GateState::kNotApplicable);
    EXPECT_EQ(gate(decide(), id).threshold, std::nullopt) << id;
  }
  request_.plan.tolerance = 0.1;
  EXPECT_EQ(gate(decide(), "powered").threshold, 0.1);
}

TEST_F(DecisionTest, PlannedSeedsWithoutAReportAreNoted) {
  request_.plan.seeds = {0, 1, 2, 7, 9};
  add_seeds();
  EXPECT_THAT(decide().notes, ElementsAre("code: planned seeds without a report: 7, 9"));
  request_.plan.seeds = {0, 1, 2};
  EXPECT_THAT(decide().notes, IsEmpty());
}

/// What the engineer is told to do. The figures are those of the formulas in docs/method/statistics.md.
class ToPassTest : public DecisionTest {
 protected:
  std::string to_pass(const std::string& id) { return gate(decide(), id).to_pass; }
  std::string words(const std::string& id) { return gate(decide(), id).words; }
  /// One seed of `num_items`, of which the base passes every other; `gained` more and `lost` fewer with the candidate.
  void add_one(int num_items, int gained, int lost) {
    reports_.clear();
    add(made_report({.num_items = num_items,
                     .base_passes = [](int i) { return i % 2 == 0; },
                     .candidate_passes =
                         [=](int i) {
                           const int turn = i / 2;
                           return i % 2 == 0 ? turn >= lost : turn < gained;
                         }}));
  }
};

TEST_F(ToPassTest, EveryGateThatBlocksSaysWhatToDoAndNoOther) {
  add_one(48, 3, 2);
  request_.plan.tolerance = 0.1;
  request_.must_be_preregistered = true;
  const Judgement judgement = decide();
  EXPECT_THAT(judgement.blocking(), ElementsAre("effect", "powered", "enough_seeds", "preregistered"));
  for (const JudgedGate& judged : judgement.gates) {
    EXPECT_EQ(judged.gate.blocks(), !judged.gate.to_pass.empty()) << judged.gate.id;
  }
}

TEST_F(ToPassTest, EffectTellsTooFewItemsFromNoGain) {
  // +2 of 48 = +.0417; b = 3, c = 1: Tango's interval holds 0.
  add_one(48, 3, 1);
  EXPECT_THAT(words("effect"), HasSubstr("large enough, but 48 prompts are too few to tell it from 0"));
  EXPECT_THAT(to_pass("effect"), HasSubstr("about 185 distinct prompts would show this delta"));
  add_one(48, 1, 2);
  EXPECT_THAT(words("effect"), HasSubstr("may well be worse or unchanged, and 48 prompts are too few to rule out"));
  EXPECT_THAT(to_pass("effect"), HasSubstr("the delta is -0.0208 and min_effect 0.0300: a better candidate, or more "
                                           "items if its true gain is larger"));
  add_one(16, 0, 0);  // nothing differs, and 16 prompts say little
  EXPECT_THAT(words("effect"), HasSubstr("may well be worse or unchanged, and 16 prompts are too few"));
  EXPECT_THAT(to_pass("effect"), HasSubstr("more items if its true gain is larger than measured"));
  add_one(48, 0, 20);
  EXPECT_THAT(words("effect"), HasSubstr("the candidate is worse"));
  EXPECT_THAT(to_pass("effect"), HasSubstr("a better candidate; more items cannot help"));
  add_one(4000, 4, 2);
  EXPECT_THAT(words("effect"), HasSubstr("a gain of 0.0300 is ruled out"));
  EXPECT_THAT(to_pass("effect"), HasSubstr("more items cannot help"));
  add_one(48, 3, 2);  // +.0208
  EXPECT_THAT(words("effect"), HasSubstr("48 prompts are too few to tell it from 0 or from +0.0300"));
  add_one(4, 2, 0);
  EXPECT_EQ(words("effect").find("worse"), std::string::npos);
}

/// Tango's interval of the same rates on that many prompts excludes 0, and on a tenth fewer it does not.
TEST_F(ToPassTest, NumberOfPromptsIsWhereTheIntervalLeavesZero) {
  add_one(48, 3, 1);
  const double prompts = 185;
  EXPECT_GT(tango_interval(prompts / 48, prompts * 3 / 48, prompts).low, 0);
  EXPECT_LT(tango_interval(0.9 * prompts / 48, 0.9 * prompts * 3 / 48, 0.9 * prompts).low, 0);
}

TEST_F(ToPassTest, SeedsAndPowerNameTheirNumbers) {
  add(made_report({.seed = 0}));
  EXPECT_THAT(to_pass("enough_seeds"),
              AllOf(HasSubstr("evaluations of runs of 2 more seeds"), HasSubstr("or min_seeds = 1 in a plan committed "
                                                                                "before the evaluation")));
  request_.plan.tolerance = 0.1;
  // (2.8016 / .1)^2 / 2 = 392.4 prompts; sqrt(.5 / 80) x 2.8016 = .22149.
  EXPECT_THAT(to_pass("powered"),
              HasSubstr("at least 393 distinct prompts (80 here), or a tolerance of at least 0.2215"));
  reports_.clear();
  Json checkpoint = made_report({.seed = 0});
  checkpoint["pin"]["adapter_kind"] = "none";
  add(checkpoint);
  EXPECT_THAT(to_pass("enough_seeds"), HasSubstr("min_seeds = 1 in a plan"));
  EXPECT_THAT(to_pass("enough_seeds"), HasSubstr("a checkpoint or a served model is one seed"));
  EXPECT_EQ(to_pass("enough_seeds").find("more seed"), std::string::npos);
}

TEST_F(ToPassTest, ProtectedTaskNamesItsItems) {
  request_.plan.protected_tasks = {"math"};
  add_seeds();
  const auto same = [](int i) { return i % 2 == 0; };
  add(made_report({.task = "math", .num_items = 40, .base_passes = same, .candidate_passes = same}));
  EXPECT_THAT(to_pass("protected"), HasSubstr("about 73 items, if the rates stay (40 here)"));
  reports_.pop_back();
  add(made_report(
      {.task = "math", .num_items = 100, .base_passes = same, .candidate_passes = [](int i) { return i % 4 == 0; }}));
  EXPECT_THAT(to_pass("protected"), HasSubstr("a candidate that keeps it"));
}

TEST_F(DecisionTest, SameReportOrSeedTwiceIsAnError) {
  add(made_report({.seed = 0}));
  add(made_report({.seed = 0}));
  EXPECT_THROW(decide(), DataError);
  reports_.pop_back();
  Json other = made_report({.seed = 0});
  other["adapter"] = "another";
  add(other);
  EXPECT_THROW(decide(), DataError);
  reports_.clear();
  EXPECT_THROW(decide(), DataError);
}

TEST_F(DecisionTest, PlannedTaskWithoutAReportIsAnError) {
  add_seeds();
  request_.plan.protected_tasks = {"concept"};
  EXPECT_THROW(decide(), ConfigError);
}

}  // namespace
}  // namespace plumbline
