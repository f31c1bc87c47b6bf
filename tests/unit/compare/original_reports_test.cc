/// Real reports of the original harness: their pooled figures are reproduced, and the decision is the one that the
/// rules demand. Expected figures: Python over the same files, random.Random(0), 4000 means of n draws d[randrange(n)],
/// sorted, [100] and [3900]; d = candidate minus base by item, seeds in order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plumbline/compare/decision.h"
#include "plumbline/compare/judgement_json.h"
#include "plumbline/compare/judgement_page.h"
#include "plumbline/compare/judgement_text.h"
#include "tests/support/shared_files.h"

namespace plumbline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kReal = "cases/doctor/real/agi-proof/";

std::vector<EvalReport> read_real(const std::vector<std::string>& names) {
  std::vector<EvalReport> reports;
  for (const std::string& name : names) reports.push_back(read_eval_report(test::shared_path(kReal + name)));
  return reports;
}

std::vector<std::string> seeds_of(const std::string& before, const std::string& after) {
  return {before + "0" + after, before + "1" + after, before + "2" + after};
}

void expect_pooled(const Effect& effect, double delta, double low, double high) {
  EXPECT_NEAR(effect.delta, delta, 1e-12);
  EXPECT_NEAR(effect.published.low, low, 1e-12);
  EXPECT_NEAR(effect.published.high, high, 1e-12);
}

const Gate& gate_of(const Judgement& judgement, const std::string& id) {
  for (const JudgedGate& judged : judgement.gates) {
    if (judged.gate.id == id) return judged.gate;
  }
  throw std::runtime_error("no gate " + id);
}

TEST(OriginalReports, CodeGainIsTruncationOnThreePrompts) {
  PL_NEED_SHARED("cases/doctor/real");
  const auto reports = read_real(seeds_of("benchmark-results/code-integrity/seed", "/rlvr.code48-eval.json"));
  const Judgement judgement = judge(reports, {});
  const Effect& effect = judgement.tasks[0].evidence.effect;
  expect_pooled(effect, 0.6666666666666666, 0.5902777777777778, 0.7430555555555556);
  // Three prompts with means 0, 1, 1: standard error 1/3, radius at n = 3.
  EXPECT_NEAR(effect.confidence_sequence->low, -2.779403951939152, 1e-9);
  EXPECT_NEAR(effect.confidence_sequence->high, 4.112737285272485, 1e-9);
  EXPECT_EQ(effect.num_rows, 144);
  EXPECT_EQ(effect.effective_n, 3);
  EXPECT_EQ(judgement.decision, Decision::kNoGo);
  EXPECT_THAT(judgement.blocking(), ElementsAre("effect", "powered", "enough_seeds", "truncation_robust", "comparable",
                                                "reward_hack_zero"));  // the last two: not recorded
  EXPECT_THAT(gate_of(judgement, "truncation_robust").words, HasSubstr("+0.0000"));
  EXPECT_THAT(gate_of(judgement, "enough_seeds").words, HasSubstr("count once"));  // seeds 0 and 2 are copies
}

TEST(OriginalReports, StepFloorIsGenuineAndNoGoByEffect) {
  PL_NEED_SHARED("cases/doctor/real");
  const auto reports = read_real(seeds_of("benchmark-results/math-physics-step/seed", "/adapter-eval.json"));
  const Judgement judgement = judge(reports, {});
  expect_pooled(judgement.tasks[0].evidence.effect, 0, 0, 0);
  EXPECT_EQ(judgement.decision, Decision::kNoGo);
  EXPECT_THAT(judgement.blocking(), ElementsAre("effect", "enough_seeds", "comparable", "reward_hack_zero"));
  EXPECT_THAT(gate_of(judgement, "base_alive").words, HasSubstr("genuine floor"));
}

TEST(OriginalReports, MathSeedsHaveDifferentSplits) {
  PL_NEED_SHARED("cases/doctor/real");
  const auto reports = read_real(seeds_of("self-extension/math-rlvr-3seed/seed", ".adapter-eval.json"));
  const Judgement judgement = judge(reports, {});
  expect_pooled(judgement.tasks[0].evidence.effect, 0.08333333333333333, 0, 0.20833333333333334);
  EXPECT_EQ(judgement.decision, Decision::kInvalid);
  EXPECT_THAT(judgement.blocking(), ElementsAre("comparable"));
  EXPECT_THAT(gate_of(judgement, "comparable").words,
              HasSubstr("split_hash: \"9df78432084015de\" and \"a7c5a47449bc4d52\""));
  // No effect is a headline then, in no output.
  const Json json = judgement_json(judgement, {});
  EXPECT_TRUE(json["tasks"][0]["headline"].is_null());
  EXPECT_EQ(json["can_claim_agi"], false);
  EXPECT_THAT(judgement_text(judgement), Not(HasSubstr("paired bootstrap")));
  EXPECT_THAT(judgement_html(judgement, {}), Not(HasSubstr("paired bootstrap")));
}

TEST(OriginalReports, ProvenancePromotedOnMeanRewardIsNoGo) {
  PL_NEED_SHARED("cases/doctor/real");
  const auto reports = read_real({"benchmark-results/runpod-rlvr/mr9sr03clgpk5g.rlvr.adapter-eval.json"});
  const Judgement judgement = judge(reports, {});
  expect_pooled(judgement.tasks[0].evidence.effect, 0.02127659574468085, 0, 0.05319148936170213);
  EXPECT_EQ(judgement.decision, Decision::kNoGo);
  EXPECT_THAT(judgement.blocking(),
              ElementsAre("effect", "enough_seeds", "comparable", "reward_hack_zero", "protected"));
  EXPECT_EQ(gate_of(judgement, "protected").state, GateState::kUndecided);
}

/// Authored reports beside them: one fault each, or none.
TEST(AuthoredReports, AreDecidedByTheirOneFault) {
  PL_NEED_SHARED("cases/doctor");
  const auto decide = [](const std::vector<std::string>& files) {
    std::vector<EvalReport> reports;
    for (const std::string& file : files)
      reports.push_back(read_eval_report(test::shared_path("cases/doctor/" + file)));
    const Judgement judgement = judge(reports, {});
    std::string text(name_of(judgement.decision));
    for (const std::string& id : judgement.blocking()) text += " " + id;
    return text;
  };
  const auto seeds = [](const std::string& folder) { return seeds_of(folder + "/seed", ".eval.json"); };
  for (const char* folder : {"ok-low-but-alive", "ok-base-hack-floored", "ok-small-set-large-effect",
                             "ok-odd-n-signed-rewards", "ok-bom-and-crlf", "ok-tiny-set-equal-metrics",
                             "ok-greedy-headline-sampled-pass-at-k", "ok-base-model-raw-prompts"}) {
    EXPECT_EQ(decide(seeds(folder)), "GO") << folder;
  }
  EXPECT_EQ(decide({"chat-model-raw-prompts-zero/rlvr.code-eval.json"}), "INVALID base_alive");
  EXPECT_EQ(decide({"families-shared/rlvr.code-eval.json"}), "INVALID no_contamination");
  EXPECT_EQ(decide({"code-mean-off-the-grid/rlvr.code-eval.json"}), "INVALID comparable");
  EXPECT_EQ(decide(seeds("token-limit-differs")), "INVALID comparable");
  EXPECT_EQ(decide(seeds("sweep-vsc-against-pass")), "INVALID comparable");
  EXPECT_EQ(decide(seeds("hot-headline")), "INVALID comparable");
  EXPECT_EQ(decide({"answer-only-steps/seed0.eval.json"}), "INVALID comparable");
  EXPECT_EQ(decide(seeds("truncated-base-failures")), "NO-GO truncation_robust");
  EXPECT_EQ(decide(seeds("second-seed-is-a-copy")), "NO-GO enough_seeds");
  EXPECT_EQ(decide(seeds("paid-hacks")), "NO-GO reward_hack_zero");
  EXPECT_EQ(decide(seeds("small-effect-small-set")), "NO-GO effect powered");
}

}  // namespace
}  // namespace plumbline
