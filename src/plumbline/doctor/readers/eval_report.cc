/// eval.v1: our own evaluation report (docs/reference/formats.md).
#include <nlohmann/json.hpp>

#include "plumbline/doctor/readers/collector.h"

namespace plumbline::doctor {
namespace {

Known known_at(const Json& tree, const char* path) {
  const std::optional<bool> flag = flag_at(tree, path);
  return flag ? known(*flag) : Known::kUnknown;
}

Arm arm_of(const Json& tree, const char* name, const std::string& task, std::deque<ItemRow>&& rows) {
  Arm arm;
  arm.name = name;
  const std::string prefix = std::string(name) + ".";
  arm.n = count_at(tree, prefix + "n");
  arm.pass_rate = number_at(tree, prefix + "pass_at_1");
  arm.mean_reward = number_at(tree, prefix + "mean_reward");
  arm.vsc = number_at(tree, prefix + "vsc");
  arm.num_hacked = count_at(tree, prefix + "reward_hack_count");
  arm.num_cut = count_at(tree, prefix + "truncated");
  arm.num_no_code = count_at(tree, prefix + "no_code");
  arm.rows = std::move(rows);
  add_mean(arm, tree, prefix + "pass_at_1", "pass_at_1", {0, 1});
  add_mean(arm, tree, prefix + "mean_reward", "mean_reward", possible_rewards(task));
  add_mean(arm, tree, prefix + "vsc", "vsc", {});
  finish_means(arm);
  return arm;
}

std::vector<GateLine> gates_of(const Json& tree) {
  std::vector<GateLine> gates;
  const Json* list = value_at(tree, "gates");
  if (!list || !list->is_array()) return gates;
  for (const Json& gate : *list) {
    gates.push_back(
        {text_at(gate, "id"), known_at(gate, "passed"), number_at(gate, "value"), number_at(gate, "threshold")});
  }
  return gates;
}

}  // namespace

void read_eval_report(const Document& document, Collector& out) {
  const Json& tree = document.tree();
  Evaluation report;
  report.where = document.path;
  report.format = "eval.v1";
  report.task = text_at(tree, "task");
  report.metric = text_at(tree, "metric");
  report.model = text_at(tree, "model");
  report.adapter = text_at(tree, "adapter");
  report.candidate_hash = text_at(tree, "candidate_hash");
  report.seed = count_at(tree, "split.seed");
  if (const Json* pins = value_at(tree, "pin"); pins && pins->is_object()) {
    for (const auto& [key, value] : pins->items()) report.pins[key] = text_at(*pins, key);
  }
  report.has_template = known_at(tree, "pin.model_has_chat_template");
  report.wrapped = known_at(tree, "pin.template_wrap");
  report.temperature = number_at(tree, "pin.temperature");
  if (const std::string decode = text_at(tree, "pin.decode"); decode == "greedy") report.temperature = 0;
  report.max_new_tokens = count_at(tree, "pin.max_new_tokens");
  for (const char* key : {"split.family_overlap", "split.entity_overlap", "split.prompt_overlap"}) {
    for (std::string& name : words_at(tree, key)) report.overlap.push_back(std::move(name));
  }
  report.gates = gates_of(tree);
  report.decision = text_at(tree, "decision");
  report.delta = number_at(tree, "paired.delta");
  report.stated_mde = number_at(tree, "paired.mde");
  report.can_claim_agi = flag_at(tree, "can_claim_agi").value_or(false);
  report.claims_improvement = report.decision.empty() ? Known::kUnknown : known(report.decision == "GO");
  for (const GateLine& gate : report.gates) {
    if (gate.id == "powered" && gate.threshold) report.tolerance = gate.threshold;
  }
  report.base = arm_of(tree, "base", report.task, std::move(document.lists["rows.base"]));
  report.candidate = arm_of(tree, "candidate", report.task, std::move(document.lists["rows.candidate"]));
  out.evidence.evaluations.push_back(std::move(report));
}

}  // namespace plumbline::doctor
