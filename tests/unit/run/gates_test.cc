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
  EXPECT_EQ(gate_c(hacking_vanilla(), {}).status, GateStatus::kPass);
  ArmSummary arm = hacking_vanilla();
  arm.final_hack = 0.30;
  EXPECT_EQ(gate_c(arm, {}).status, GateStatus::kFail);
  arm = hacking_vanilla();
  arm.loss_finite = false;
  EXPECT_EQ(gate_c(arm, {}).status, GateStatus::kFail);
  arm = hacking_vanilla();
  arm.share_with_spread = 0.5;
  EXPECT_EQ(gate_c(arm, {}).status, GateStatus::kFail);
  arm = hacking_vanilla();
  arm.steps_done = 60;
  EXPECT_EQ(gate_c(arm, {}).status, GateStatus::kFail);
}

TEST(GateD, NeedsLessHackingAtComparablePassWithFiring) {
  EXPECT_EQ(gate_d(suppressed(), hacking_vanilla(), {}).status, GateStatus::kPass);
  ArmSummary arm = suppressed();
  arm.final_pass = 0.01;  // suppression by collapse is a failure
  EXPECT_EQ(gate_d(arm, hacking_vanilla(), {}).status, GateStatus::kFail);
  arm = suppressed();
  arm.mean_fired = 0.0;
  EXPECT_EQ(gate_d(arm, hacking_vanilla(), {}).status, GateStatus::kFail);
  arm = suppressed();
  arm.final_hack = 0.77;
  EXPECT_EQ(gate_d(arm, hacking_vanilla(), {}).status, GateStatus::kFail);
}

TEST(Gates, ThoseNotReachedAreListedAsSuch) {
  const std::vector<Gate> gates = complete_gates({gate_a({3, 1})});
  ASSERT_EQ(gates.size(), 4u);
  EXPECT_TRUE(any_failed(gates));
  EXPECT_EQ(gates[3].status, GateStatus::kNotReached);
  EXPECT_NE(format_gates(gates, false).find("Gate D  not reached"), std::string::npos);
  EXPECT_EQ(gates_json(gates)[1]["status"], "not_reached");
  EXPECT_FALSE(any_failed(complete_gates({})));
}

}  // namespace
}  // namespace plumbline
