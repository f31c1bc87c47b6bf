#include "plumbline/compare/judgement_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "plumbline/base/optional_json.h"

namespace plumbline {
namespace {

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

Json interval_json(const std::optional<Interval>& interval) {
  return interval ? Json::array({number(interval->low), number(interval->high)}) : Json();
}

Json seeds_json(const Effect& effect) {
  Json seeds = Json::array();
  for (const SeedEffect& seed : effect.seeds) {
    seeds.push_back(
        {{"seed", seed.seed}, {"n", seed.num_rows}, {"delta", seed.delta}, {"mcnemar_p", or_null(seed.mcnemar_p)}});
  }
  return seeds;
}

Json arm_json(const TaskEvidence& evidence, EvalArm EvalReport::*arm, double mean,
              const std::optional<Interval>& interval) {
  int64_t num_truncated = 0, num_unknown = 0, num_no_code = 0, num_unparsed = 0, num_hacked = 0, num_paid = 0,
          num_unsaid = 0;
  double rewards = 0;
  int64_t num_rewards = 0;
  for (const EvalReport* report : evidence.reports) {
    for (const EvalRow& row : (report->*arm).rows) {
      num_truncated += row.truncated.value_or(false);
      num_unknown += !row.truncated;
      num_no_code += row.no_code;
      num_unparsed += row.unparsed;
      num_hacked += row.hacked.value_or(false);
      num_unsaid += !row.hacked;
      num_paid += row.hack_paid;
      rewards += row.reward.value_or(0);
      num_rewards += row.reward.has_value();
    }
  }
  return {{evidence.metric, mean},
          {"wilson95", interval_json(interval)},
          {"mean_reward_advisory", num_rewards > 0 ? Json(rewards / static_cast<double>(num_rewards)) : Json()},
          {"truncated", num_unknown > 0 ? Json() : Json(num_truncated)},
          {"no_code", num_no_code},
          {"unparsed", num_unparsed},
          {"hacks", num_unsaid > 0 ? Json() : Json(num_hacked)},
          {"hacks_paid", num_unsaid > 0 ? Json() : Json(num_paid)}};
}

Json task_json(const JudgedTask& task, bool is_valid) {
  const TaskEvidence& evidence = task.evidence;
  Json reports = Json::array();
  for (const EvalReport* report : evidence.reports) {
    reports.push_back({{"path", report->path},
                       {"sha256", report->sha256},
                       {"seed", report->seed},
                       {"format", report->source == ReportSource::kPlumbline ? "eval.v1" : "original harness"},
                       {"model", report->model},
                       {"adapter", report->adapter}});
  }
  Json effect = effect_json(evidence.effect);
  Json json = {
      {"task", evidence.task},
      {"role", name_of(task.role)},
      {"metric", evidence.metric},
      {"reports", reports},
      {"pin", evidence.reports.front()->pins.to_json()},
      {"base", arm_json(evidence, &EvalReport::base, evidence.effect.base_mean, evidence.effect.base_interval)},
      {"candidate",
       arm_json(evidence, &EvalReport::candidate, evidence.effect.candidate_mean, evidence.effect.candidate_interval)},
      {"headline", is_valid ? effect : Json()}};
  if (!is_valid) json["not_a_result"] = std::move(effect);
  json["untruncated"] = is_valid && evidence.untruncated ? effect_json(*evidence.untruncated) : Json();
  json["truncated_rows"] = or_null(evidence.num_truncated);
  json["protected_axis"] = is_valid && evidence.protected_axis ? effect_json(*evidence.protected_axis) : Json();
  return json;
}

}  // namespace

Json effect_json(const Effect& effect) {
  Json over_seeds;
  if (effect.over_seeds) {
    over_seeds = {{"mean", effect.over_seeds->mean},
                  {"sd", effect.over_seeds->sd},
                  {"t", or_null(effect.over_seeds->t)},
                  {"p", or_null(effect.over_seeds->p)},
                  {"ci95", interval_json(effect.over_seeds->interval)}};
  }
  return {{"n", effect.num_rows},
          {"effective_n", effect.effective_n},
          {"base_mean", effect.base_mean},
          {"candidate_mean", effect.candidate_mean},
          {"base_wilson95", interval_json(effect.base_interval)},
          {"candidate_wilson95", interval_json(effect.candidate_interval)},
          {"delta", effect.delta},
          {"ci95", interval_json(effect.interval)},
          {"method", effect.method},
          {"design_effect", effect.design_effect},
          {"gained", effect.num_gained},
          {"lost", effect.num_lost},
          {"has_spread", effect.has_spread()},
          {"p", effect.p},
          {"exact_p", effect.exact_p},
          {"paired_bootstrap95", interval_json(effect.published)},
          {"paired_bootstrap95_by_item", interval_json(effect.published_by_item)},
          {"seeds", seeds_json(effect)},
          {"over_seeds", over_seeds},
          {"confidence_sequence95", interval_json(effect.confidence_sequence)},
          {"mde", or_null(effect.mde)},
          {"mde_at", variance_words(effect)},
          {"required_n", or_null(effect.required_n)}};
}

Json judgement_json(const Judgement& judgement, const DecisionRequest& request) {
  const bool is_valid = judgement.decision != Decision::kInvalid;
  Json gates = Json::array(), tasks = Json::array();
  for (const JudgedGate& judged : judgement.gates) {
    const Gate& gate = judged.gate;
    gates.push_back({{"id", gate.id},
                     {"task", judged.task.empty() ? Json() : Json(judged.task)},
                     {"class", gate.kind == GateClass::kInvalid ? "invalid" : "hard"},
                     {"state", name_of(gate.state)},
                     {"passed", gate.state == GateState::kPass},
                     {"value", or_null(gate.value)},
                     {"threshold", or_null(gate.threshold)},
                     {"words", gate.words},
                     {"to_pass", gate.to_pass.empty() ? Json() : Json(gate.to_pass)}});
  }
  for (const JudgedTask& task : judgement.tasks) tasks.push_back(task_json(task, is_valid));
  Json plan;
  if (!request.plan.path.empty()) plan = {{"path", request.plan.path}, {"sha256", request.plan.sha256}};
  return {{"schema", "compare.v1"},
          {"decision", name_of(judgement.decision)},
          {"blocking", judgement.blocking()},
          {"can_claim_agi", false},
          {"gates", gates},
          {"tasks", tasks},
          {"notes", judgement.notes},
          {"plan", plan}};
}

}  // namespace plumbline
