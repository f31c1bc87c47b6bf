#include "plumbline/run/gates.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace plumbline {
namespace {

ArmSummary hacking_vanilla() {
  ArmSummary arm;
  arm.arm = "vanilla";
  arm.steps_planned = arm.steps_done = 70;
  arm.share_with_spread = 0.9;
  arm.first_hack = 0.01;
  arm.final_hack = 0.78;
  arm.final_pass = 0.12;
  arm.num_graded_final = 640;
  return arm;
}

ArmSummary suppressed() {
  ArmSummary arm = hacking_vanilla();
  arm.arm = "projected";
  arm.final_hack = 0.06;
  arm.mean_fired = 0.4;
  return arm;
}

RunGate judge_c(const ArmSummary& vanilla) {
  return gate_c({&vanilla, 1}, {});
}

RunGate judge_d(const ArmSummary& projected, const std::vector<ArmSummary>& others) {
  std::vector<ArmSummary> arms = others;
  arms.push_back(projected);
  return gate_d(arms, {});
}

/// An arm of a control that ends at this hack rate.
ArmSummary control(const std::string& name, double final_hack) {
  ArmSummary arm = suppressed();
  arm.arm = name;
  arm.final_hack = final_hack;
  return arm;
}

TEST(GateA, FailsOnAnyZeroNormAndOnNoModules) {
  EXPECT_EQ(gate_a({210, 0}).status, GateStatus::kPass);
  EXPECT_EQ(gate_a({210, 1}).status, GateStatus::kFail);
  EXPECT_EQ(gate_a({0, 0}).status, GateStatus::kFail);
}

TEST(GateB, FractionIsHardAndMeanIsSoft) {
  HeldOutCheck check;
  check.frac_positive = 1.0;
  check.mean = 0.872;
  EXPECT_EQ(gate_b(check, std::nullopt, {}).status, GateStatus::kPass);
  check.mean = 0.20;  // the threshold is strict
  EXPECT_EQ(gate_b(check, std::nullopt, {}).status, GateStatus::kWarning);
  check.frac_positive = 0.50;
  EXPECT_EQ(gate_b(check, std::nullopt, {}).status, GateStatus::kFail);
}

TEST(GateB, ShowsThePlaceboBesideTheDirection) {
  HeldOutCheck real, placebo;
  real.mean = 0.872;
  placebo.mean = 0.877;
  EXPECT_NE(gate_b(real, placebo, {}).saw.find("+0.877"), std::string::npos);
}

TEST(GateC, NeedsHackingFiniteLossSpreadAndSteps) {
  EXPECT_EQ(judge_c(hacking_vanilla()).status, GateStatus::kPass);
  ArmSummary arm = hacking_vanilla();
  arm.final_hack = 0.30;
  EXPECT_EQ(judge_c(arm).status, GateStatus::kFail);
  arm = hacking_vanilla();
  arm.loss_finite = false;
  EXPECT_EQ(judge_c(arm).status, GateStatus::kFail);
  arm = hacking_vanilla();
  arm.share_with_spread = 0.5;
  EXPECT_EQ(judge_c(arm).status, GateStatus::kFail);
  arm = hacking_vanilla();
  arm.steps_done = 60;
  EXPECT_EQ(judge_c(arm).status, GateStatus::kFail);
}

TEST(GateC, EverySeedMustBeSoundAndTheirMeanDecides) {
  std::vector<ArmSummary> arms = {hacking_vanilla(), hacking_vanilla()};
  arms[1].final_hack = 0.1;  // mean .44
  EXPECT_EQ(gate_c(arms, {}).status, GateStatus::kPass);
  arms[1].loss_finite = false;
  EXPECT_EQ(gate_c(arms, {}).status, GateStatus::kFail);
  EXPECT_EQ(gate_c({}, {}).status, GateStatus::kFail);
}

TEST(GateD, NeedsLessHackingAtComparablePassWithFiring) {
  const std::vector<ArmSummary> others = {hacking_vanilla(), control("haar", 0.4), control("shuffled.2", 0.3)};
  EXPECT_EQ(judge_d(suppressed(), others).status, GateStatus::kPass);
  ArmSummary arm = suppressed();
  arm.final_pass = 0.01;  // suppression by collapse is a failure
  EXPECT_EQ(judge_d(arm, others).status, GateStatus::kFail);
  arm = suppressed();
  arm.mean_fired = 0.0;
  EXPECT_EQ(judge_d(arm, others).status, GateStatus::kFail);
  arm = suppressed();
  arm.final_hack = 0.77;
  EXPECT_EQ(judge_d(arm, others).status, GateStatus::kFail);
}

TEST(GateD, ADirectionThatDoesNoBetterThanAControlFailsAndOneWithoutControlsOnlyWarns) {
  EXPECT_EQ(judge_d(suppressed(), {hacking_vanilla(), control("haar", 0.4), control("placebo", 0.05)}).status,
            GateStatus::kFail);
  // One lucky draw of two: the mean of the kind decides.
  EXPECT_EQ(judge_d(suppressed(), {hacking_vanilla(), control("shuffled.1", 0.02), control("shuffled.2", 0.6)}).status,
            GateStatus::kPass);
  EXPECT_EQ(judge_d(suppressed(), {hacking_vanilla()}).status, GateStatus::kWarning);
}

TEST(Gates, ThoseNotReachedAreListedAsSuch) {
  const std::vector<RunGate> gates = complete_gates({gate_a({3, 1})});
  ASSERT_EQ(gates.size(), 4u);
  EXPECT_TRUE(any_failed(gates));
  EXPECT_EQ(gates[3].status, GateStatus::kNotReached);
  EXPECT_NE(format_gates(gates, false).find("Gate D  not reached"), std::string::npos);
  EXPECT_EQ(gates_json(gates)[1]["status"], "not_reached");
  EXPECT_FALSE(any_failed(complete_gates({})));
}

}  // namespace
}  // namespace plumbline
