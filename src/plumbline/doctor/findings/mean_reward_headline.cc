/// A decision on the mean reward.
#include <algorithm>
#include <cmath>

#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

std::optional<double> difference(std::optional<double> before, std::optional<double> after) {
  if (!before || !after) return {};
  return *after - *before;
}

void add(const Evaluation& report, std::optional<double> reward_delta, std::optional<double> pass_delta,
         FindingSink& out) {
  Facts facts;
  if (reward_delta) facts.emplace_back("mean_reward_delta", *reward_delta);
  if (pass_delta) facts.emplace_back("pass_delta", *pass_delta);
  for (const Arm* arm : {report.base ? &*report.base : nullptr, &report.candidate}) {
    if (!arm) continue;
    const auto abstained = std::count_if(arm->rows.begin(), arm->rows.end(),
                                         [](const ItemRow& row) { return row.verdict == StepVerdict::kAbstained; });
    if (abstained > 0) facts.emplace_back(arm->name + "_abstained", static_cast<int64_t>(abstained));
  }
  facts.emplace_back("items", num_items(report.candidate));
  out.add(report.where, std::move(facts));
}

/// The report whose mean rewards, and not pass rates, are the decision's figures.
const Evaluation* source_of(const Decision& decision, const Evidence& evidence) {
  if (!decision.before || !decision.after) return nullptr;
  const auto is_near = [](std::optional<double> a, double b) { return a && std::fabs(*a - b) < 1e-9; };
  for (const Evaluation& report : evidence.evaluations) {
    if (!report.base) continue;
    const bool rewards =
        is_near(report.base->mean_reward, *decision.before) && is_near(report.candidate.mean_reward, *decision.after);
    const bool passes =
        is_near(report.base->pass_rate, *decision.before) && is_near(report.candidate.pass_rate, *decision.after);
    if (rewards && !passes) return &report;
  }
  return nullptr;
}

void check(const Evidence& evidence, FindingSink& out) {
  for (const Evaluation& report : evidence.evaluations) {
    const bool names_it = report.metric == "mean_reward" || report.metric == "meanReward";
    const auto effect = std::find_if(report.gates.begin(), report.gates.end(),
                                     [](const GateLine& gate) { return gate.id == "effect"; });
    if (!report.base) continue;
    const auto reward_delta = difference(mean_reward(*report.base), mean_reward(report.candidate));
    const auto pass_delta = difference(pass_rate(*report.base), pass_rate(report.candidate));
    const bool gate_is_reward = effect != report.gates.end() && effect->value && reward_delta && pass_delta &&
                                std::fabs(*effect->value - *reward_delta) < 6e-4 &&
                                std::fabs(*effect->value - *pass_delta) > 5e-3;
    if (!names_it && !gate_is_reward && report.gated_on_mean_reward != Known::kYes) continue;
    add(report, reward_delta, pass_delta, out);
  }
  for (const Decision& decision : evidence.decisions) {
    if (!is_claim(decision.verdict)) continue;
    const Evaluation* source = source_of(decision, evidence);
    const bool named = decision.metric == "meanReward" || decision.metric == "mean_reward";
    if (!named && !source) continue;
    Facts facts = {{"verdict", decision.verdict}};
    if (decision.before) facts.emplace_back("before", *decision.before);
    if (decision.after) facts.emplace_back("after", *decision.after);
    if (source) facts.emplace_back("equal_to_the_mean_rewards_of", source->where);
    out.add(decision.where, std::move(facts));
  }
}

}  // namespace

const FindingKind kMeanRewardHeadline = {
    "mean_reward_headline",
    Severity::kWarning,
    "The mean reward was gated on, or quoted as capability. It moves when a model abstains more or is rejected less, "
    "without one more item solved.",
    "Judge by the task's own metric (pass_at_1), and show the mean reward beside it.",
    {"overclaim"},
    check};

}  // namespace plumbline::doctor
