/// Reports of the original RLVR harness: held-out evaluations (*.adapter-eval.json, *-eval.json), training reports
/// (rlvr.json), baselines and ladders.
#include <nlohmann/json.hpp>

#include "plumbline/doctor/readers/collector.h"

namespace plumbline::doctor {
namespace {

Known known_at(const Json& tree, const char* path) {
  const std::optional<bool> flag = flag_at(tree, path);
  return flag ? known(*flag) : Known::kUnknown;
}

Arm arm_of(const Json& tree, const std::string& prefix, const char* name, const std::string& task,
           std::deque<ItemRow>&& rows) {
  Arm arm;
  arm.name = name;
  arm.n = count_at(tree, prefix + "n");
  arm.pass_rate = number_at(tree, prefix + "passAt1");
  arm.mean_reward = number_at(tree, prefix + "meanReward");
  arm.vsc = number_at(tree, prefix + "verifiedStepCoverage");
  arm.num_hacked = count_at(tree, prefix + "rewardHackCount");
  arm.rows = std::move(rows);
  if (task == "provenance" || task == "concept") {  // "passed" of a row only says that nothing forbidden was asserted
    for (ItemRow& row : arm.rows) row.passed = known(row.reward >= 1);
  }
  const bool is_signed = task == "code";  // this harness pays +1 and -1
  add_mean(arm, tree, prefix + "passAt1", "pass_at_1", {0, 1});
  add_mean(arm, tree, prefix + "meanReward", "mean_reward",
           is_signed ? std::vector<double>{-1, 1} : possible_rewards(task));
  finish_means(arm);
  return arm;
}

std::string task_of(const Json& tree) {
  const std::string task = text_at(tree, "task");
  if (!task.empty()) return task;
  // The provenance evaluations of the harness name no task; their arms have its two rates.
  return number_at(tree, "base.trueFalsePositiveRate") ? "provenance" : "";
}

void add_overlap(const Json& tree, Evaluation& report) {
  for (const char* path : {"split.familyIntersection", "split.entityIntersection", "entityIntersection"}) {
    for (std::string& word : words_at(tree, path)) report.overlap.push_back(std::move(word));
  }
  report.contamination_free = known_at(tree, "checks.contaminationFree");
}

}  // namespace

void read_harness_report(const Document& document, Collector& out) {
  const Json& tree = document.tree();
  Evaluation report;
  report.where = document.path;
  report.format = "harness";
  report.task = task_of(tree);
  report.model = text_at(tree, "model");
  report.adapter = text_at(tree, "adapter");
  report.mode = text_at(tree, "mode");
  report.seed = count_at(tree, "split.seed");
  report.can_claim_agi = flag_at(tree, "canClaimAGI").value_or(false);
  report.proposer_answers_only = text_at(tree, "proposer") == "answer-only";
  if (report.model == "mock" && report.mode.empty()) report.mode = "mock";
  for (const auto& [path, pin] : {std::pair{"split.evalSealed", "split_hash"}, {"split.evalFrac", "eval_fraction"}}) {
    if (value_at(tree, path)) report.pins[pin] = text_at(tree, path);
  }
  add_overlap(tree, report);
  if (value_at(tree, "adapterScore") || value_at(tree, "base")) {
    report.base = arm_of(tree, "base.", "base", report.task, std::move(document.lists["rows.base"]));
    report.candidate =
        arm_of(tree, "adapterScore.", "candidate", report.task, std::move(document.lists["rows.adapter"]));
    report.delta = number_at(tree, "delta.passAt1");
    report.claims_improvement = known_at(tree, "passed");
    const bool pass_decides =
        value_at(tree, "checks.adapterImprovesPassAt1") || value_at(tree, "checks.adapterImprovesVerifiedCorrect");
    if (value_at(tree, "checks.adapterImprovesMeanReward")) {
      report.gated_on_mean_reward = known(!pass_decides && flag_at(tree, "passed").value_or(false));
    }
  } else {
    std::deque<ItemRow> rows;
    for (const char* list : {"perItem", "cases", "rows", ""}) {
      if (rows.empty()) rows = std::move(document.lists[list]);
    }
    report.candidate = arm_of(tree, "", report.model.c_str(), report.task, std::move(rows));
    report.is_candidate_base = report.adapter.empty();
  }
  out.evidence.evaluations.push_back(std::move(report));
}

void read_harness_training(const Document& document, Collector& out) {
  const Json& tree = document.tree();
  TrainingSetup setup;
  setup.where = document.path;
  setup.task = text_at(tree, "task");
  setup.model = text_at(tree, "model");
  setup.data_hash = text_at(tree, "trainSealed");
  setup.seed = count_at(tree, "config.seed");
  setup.group_size = count_at(tree, "config.num_generations");
  setup.target_modules = words_at(tree, "config.target_modules");
  setup.collapsed = known_at(tree, "collapse.collapsed");
  setup.first_std = number_at(tree, "collapse.meanGroupStd");
  setup.final_std = number_at(tree, "collapse.finalGroupStd");
  out.evidence.setups.push_back(std::move(setup));
}

void read_provenance(const Json& tree, TrainingSetup& setup) {
  setup.model = text_at(tree, "model");
  setup.data_hash = text_at(tree, "data_hash");
  if (!setup.seed) setup.seed = count_at(tree, "seed");
  setup.wrapped = known_at(tree, "template_wrap");
}

}  // namespace plumbline::doctor
