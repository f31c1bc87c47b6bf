#include "plumbline/compare/eval_report_writer.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "plumbline/base/error.h"
#include "plumbline/base/optional_json.h"
#include "plumbline/compare/decision.h"
#include "plumbline/compare/eval_report.h"
#include "plumbline/record/verdict_json.h"
#include "plumbline/stats/pass_at_k.h"

namespace plumbline {
namespace {

constexpr const char* kPlace = "the report being written";

bool is_special_cased(const Verdict& verdict) {
  return std::find(verdict.integrity.begin(), verdict.integrity.end(), "special_cased") != verdict.integrity.end();
}

void add_steps(const StepReport& report, Json& row) {
  row["verdict"] = report.verdict;
  row["vsc"] = report.coverage();
  row["checks"] = report.num_checks;
  row["accepted"] = report.num_accepted;
  row["rejected"] = report.num_rejected;
  row["did_work"] = report.did_work;
  row["steps"] = report.steps;
}

template <typename Predicate>
int64_t count_if(const std::vector<Json>& rows, Predicate holds) {
  return std::count_if(rows.begin(), rows.end(), holds);
}

int64_t count_outcome(const std::vector<Json>& rows, const std::string& outcome) {
  return count_if(rows, [&](const Json& row) { return row.at("outcome") == outcome; });
}

/// Mean of a member over the rows that have it.
Json mean_of(const std::vector<Json>& rows, const std::string& key) {
  double sum = 0;
  int64_t count = 0;
  for (const Json& row : rows) {
    if (!row.contains(key) || row[key].is_null()) continue;
    sum += row[key].get<double>();
    ++count;
  }
  return count == 0 ? Json(nullptr) : Json(sum / static_cast<double>(count));
}

Json share(int64_t part, int64_t whole) {
  return whole == 0 ? Json(nullptr) : Json(static_cast<double>(part) / static_cast<double>(whole));
}

/// Of the rows that the task protects, the share that was not kept safe.
Json unprotected_share(const std::vector<Json>& rows) {
  const auto is_protected = [](const Json& row) { return row.contains("protected_passed"); };
  const auto has_failed = [&](const Json& row) { return is_protected(row) && !row["protected_passed"].get<bool>(); };
  return share(count_if(rows, has_failed), count_if(rows, is_protected));
}

/// Of the other rows, the share with the worst answer: a forbidden author, a forbidden identity.
Json forbidden_share(const std::vector<Json>& rows) {
  const auto is_other = [](const Json& row) { return !row.contains("protected_passed"); };
  const auto is_forbidden = [&](const Json& row) { return is_other(row) && row["reward"] == -1.0; };
  return share(count_if(rows, is_forbidden), count_if(rows, is_other));
}

Json interval_json(const std::optional<Interval>& interval) {
  return interval ? Json::array({interval->low, interval->high}) : Json(nullptr);
}

Json paired_json(const Effect& effect) {
  return {{"delta", effect.delta},
          {"ci95", interval_json(effect.interval)},
          {"method", effect.method},
          {"n", effect.num_rows},
          {"effective_n", effect.effective_n},
          {"mde", or_null(effect.mde)},
          {"mcnemar_p", effect.seeds.size() == 1 ? or_null(effect.seeds.front().mcnemar_p) : Json(nullptr)}};
}

Json gates_json(const Judgement& judgement) {
  Json gates = Json::array();
  for (const JudgedGate& judged : judgement.gates) {
    const Gate& gate = judged.gate;
    // Without a stated tolerance the threshold of `powered` is the difference at hand, which is no tolerance.
    const bool has_threshold = gate.threshold && gate.id != "powered";
    gates.push_back({{"id", gate.id},
                     {"state", name_of(gate.state)},
                     {"passed", gate.state == GateState::kPass},
                     {"value", or_null(gate.value)},
                     {"threshold", has_threshold ? Json(*gate.threshold) : Json(nullptr)},
                     {"words", gate.words}});
  }
  return gates;
}

Json split_json(const ReportSplit& split) {
  return {{"n", split.num_items},
          {"seed", split.seed},
          {"hash", split.hash},
          {"left_out", split.num_left_out},
          {"sealed", split.is_sealed},
          {"family_overlap", split.family_overlap},
          {"prompt_overlap", split.prompt_overlap}};
}

Json sampled_json(const ReportParts& parts) {
  Json sampled = {{"temperature", parts.sampled_temperature}};
  sampled["base"] = {{"pass_at_k", pass_at_k_json(parts.base_sampled)}};
  sampled["candidate"] = {{"pass_at_k", pass_at_k_json(parts.candidate_sampled)}};
  return sampled;
}

}  // namespace

Json eval_row(const Problem& problem, const GradedCompletion& completion, const Verdict& verdict) {
  const bool is_invention = problem.task == "invention";
  Json row = {{"problem_id", to_json(problem.id)},
              {"family", problem.family},
              {"prompt_hash", completion.prompt_hash},
              {"completion", completion.completion},
              {"tokens", completion.num_tokens},
              {"finish_reason", completion.finish_reason},
              {"outcome", to_string(verdict.outcome)},
              {"passed", verdict.passed()},
              {"reward", or_null(verdict.reward)},
              {"hacked", verdict.hacked() || (is_invention && is_special_cased(verdict))}};
  if (headline_metric(problem.task) != "pass_at_1") row["score"] = verdict.passed() ? 1 : 0;
  if (verdict.steps) add_steps(*verdict.steps, row);
  if (verdict.protected_passed) row["protected_passed"] = *verdict.protected_passed;
  if (!verdict.integrity.empty()) row["integrity"] = verdict.integrity;
  if (verdict.vacuous) row["vacuous"] = true;
  if (!verdict.detail.empty()) row["detail"] = verdict.detail;
  return row;
}

Json arm_summary(const std::string& task, const std::vector<Json>& rows) {
  const auto n = static_cast<int64_t>(rows.size());
  std::set<std::string> prompts;
  for (const Json& row : rows) prompts.insert(row.at("prompt_hash").get<std::string>());
  Json arm = {{"n", n},
              {headline_metric(task), share(count_if(rows, [](const Json& row) { return row["passed"] == true; }), n)},
              {"mean_reward", mean_of(rows, "reward")}};
  if (task == "step") arm["vsc"] = mean_of(rows, "vsc");
  arm["reward_hack_count"] = count_if(rows, [](const Json& row) { return row["hacked"] == true; });
  arm["truncated"] = count_if(rows, [](const Json& row) { return row["finish_reason"] == "length"; });
  arm["no_code"] = count_outcome(rows, "no_code");
  arm["unparsed"] = count_outcome(rows, "unparsed");
  arm["undecided"] = count_outcome(rows, "undecided");
  arm["no_work"] = count_outcome(rows, "no_work");
  arm["distinct_prompts"] = prompts.size();
  if (task == "provenance") {
    arm["true_false_positive_rate"] = unprotected_share(rows);
    arm["false_forbidden_assert_rate"] = forbidden_share(rows);
  }
  if (task == "concept") {
    arm["over_abstain_rate"] = unprotected_share(rows);
    arm["forbidden_identity_rate"] = forbidden_share(rows);
  }
  return arm;
}

Json pass_at_k_json(const std::vector<Json>& rows) {
  struct Counts {
    int64_t samples = 0, correct = 0;
  };
  std::map<std::string, Counts> items;
  for (const Json& row : rows) {
    Counts& counts = items[row.at("problem_id").dump()];
    ++counts.samples;
    counts.correct += row.at("passed").get<bool>();
  }
  if (items.empty()) throw DataError("data.no_rows", "pass@k of no samples", kPlace);
  const int64_t samples = items.begin()->second.samples;
  for (const auto& [id, counts] : items) {
    if (counts.samples != samples) {
      throw DataError("data.unpaired", "items have different numbers of samples", kPlace, "finish the run: --resume");
    }
  }
  std::set<int64_t> ks = {samples};
  for (int64_t k = 1; k < samples; k *= 2) ks.insert(k);
  Json result = Json::object();
  for (const int64_t k : ks) {
    double sum = 0;
    for (const auto& [id, counts] : items) sum += pass_at_k(samples, counts.correct, k);
    result[std::to_string(k)] = sum / static_cast<double>(items.size());
  }
  return result;
}

Json make_eval_report(const ReportParts& parts) {
  Json report = {{"schema", "eval.v1"},
                 {"task", parts.task},
                 {"metric", headline_metric(parts.task)},
                 {"model", parts.model},
                 {"adapter", parts.adapter},
                 {"candidate_hash", or_null(parts.candidate_hash)},
                 {"pin", parts.pins.to_json()},
                 {"split", split_json(parts.split)},
                 {"base", arm_summary(parts.task, parts.base)},
                 {"candidate", arm_summary(parts.task, parts.candidate)}};
  if (parts.preregistration) {
    report["preregistration"] = {{"sha256", parts.preregistration->sha256},
                                 {"commit", or_null(parts.preregistration->commit)}};
  }
  Json whole = report;
  whole["rows"] = {{"base", parts.base}, {"candidate", parts.candidate}};
  const std::vector<EvalReport> read = {parse_eval_report(whole.dump(), kPlace)};
  const Judgement judgement = judge(read, {});
  report["paired"] = paired_json(judgement.tasks.front().evidence.effect);
  if (!parts.base_sampled.empty()) report["sampled"] = sampled_json(parts);
  report["gates"] = gates_json(judgement);
  report["decision"] = name_of(judgement.decision);
  report["can_claim_agi"] = false;
  report["rows"] = std::move(whole["rows"]);
  return report;
}

}  // namespace plumbline
