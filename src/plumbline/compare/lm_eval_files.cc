#include "plumbline/compare/lm_eval_files.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "plumbline/base/build_info.h"
#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/sha256.h"
#include "plumbline/compare/eval_report.h"

namespace plumbline {
namespace {

constexpr const char* kFilter = "none";

std::string metric_of(const std::string& task) {
  const std::string metric = headline_metric(task);
  return metric == "pass_at_1" ? "pass@1" : metric;
}

double score_of(const LmEvalItem& item) {
  return item.row->at("passed").get<bool>() ? 1 : 0;
}

Json messages_json(const Problem& problem) {
  Json messages = Json::array();
  for (const Message& message : problem.prompt) {
    messages.push_back({{"role", message.role}, {"content", message.content}});
  }
  return messages;
}

Json sample_json(const LmEvalArm& arm, const LmEvalItem& item, size_t index) {
  const Problem& problem = *item.problem;
  const Json doc = {{"id", item.row->at("problem_id")}, {"task", problem.task}, {"prompt", messages_json(problem)}};
  const std::string& completion = item.row->at("completion").get_ref<const std::string&>();
  const Json options = {{"until", Json::array()}, {"max_gen_toks", arm.max_new_tokens}, {"do_sample", false}};
  return {{"doc_id", index},
          {"doc", doc},
          {"target", problem.reference},
          {"arguments", {{"gen_args_0", {{"arg_0", item.prompt}, {"arg_1", options}}}}},
          {"resps", Json::array({Json::array({completion})})},
          {"filtered_resps", Json::array({completion})},
          {"filter", kFilter},
          {"metrics", Json::array({metric_of(arm.task)})},
          {"doc_hash", sha256_hex(doc.dump())},
          {"prompt_hash", sha256_hex(item.prompt)},
          {"target_hash", sha256_hex(problem.reference)},
          {metric_of(arm.task), score_of(item)}};
}

Json figures_json(const LmEvalArm& arm) {
  const auto n = static_cast<double>(arm.items.size());
  double sum = 0;
  for (const LmEvalItem& item : arm.items) sum += score_of(item);
  const double mean = sum / n;
  const Json error = n > 1 ? Json(std::sqrt(mean * (1 - mean) / (n - 1))) : Json("N/A");
  const std::string metric = metric_of(arm.task);
  return {{"alias", arm.task}, {metric + "," + kFilter, mean}, {metric + "_stderr," + kFilter, error}};
}

Json results_json(const LmEvalArm& arm) {
  const std::string& task = arm.task;
  const std::string metric = metric_of(task);
  const Json config = {
      {"task", task},
      {"output_type", "generate_until"},
      {"num_fewshot", 0},
      {"repeats", 1},
      {"metric_list", Json::array({{{"metric", metric}, {"aggregation", "mean"}, {"higher_is_better", true}}})},
      {"generation_kwargs", {{"until", Json::array()}, {"max_gen_toks", arm.max_new_tokens}, {"do_sample", false}}},
      {"metadata", {{"version", 1.0}}}};
  Json arguments = {{"pretrained", arm.model}};
  if (!arm.adapter.empty()) arguments["peft"] = arm.adapter;
  Json results;
  results["results"][task] = figures_json(arm);
  results["group_subtasks"][task] = Json::array();
  results["configs"][task] = config;
  results["versions"][task] = 1.0;
  results["n-shot"][task] = 0;
  results["higher_is_better"][task][metric] = true;
  results["n-samples"][task] = {{"original", arm.num_problems}, {"effective", arm.items.size()}};
  results["config"] = {{"model", "plumbline"}, {"model_args", arguments}, {"limit", nullptr}, {"gen_kwargs", nullptr}};
  results["git_hash"] = build_info().commit;
  results["model_source"] = "plumbline";
  results["model_name"] = arm.model;
  results["system_instruction"] = nullptr;
  results["fewshot_as_multiturn"] = false;
  results["chat_template"] = arm.template_hash.empty() ? Json(nullptr) : Json("SHA-256 " + arm.template_hash);
  results["chat_template_sha"] = arm.template_hash.empty() ? Json(nullptr) : Json(arm.template_hash);
  return results;
}

}  // namespace

void write_lm_eval_files(const std::string& folder, const LmEvalArm& arm) {
  make_output_folder(folder);
  write_file(fmt::format("{}/results_{}.json", folder, arm.date), results_json(arm).dump(2) + "\n");
  std::string lines;
  for (size_t i = 0; i < arm.items.size(); ++i) lines += to_json_line(sample_json(arm, arm.items[i], i)) + "\n";
  write_file(fmt::format("{}/samples_{}_{}.jsonl", folder, arm.task, arm.date), lines);
}

std::string lm_eval_metric(const Json& sample, const std::string& where) {
  const Json& metrics = require_member(sample, "metrics", where);
  if (!metrics.is_array() || metrics.size() != 1 || !metrics[0].is_string()) {
    throw DataError("data.several_metrics", "the sample does not have exactly one metric", where,
                    "keep one of its metrics in \"metrics\"");
  }
  return metrics[0].get<std::string>();
}

double lm_eval_score(const Json& sample, const std::string& where) {
  const Json& score = require_member(sample, lm_eval_metric(sample, where), where);
  if (score.is_boolean()) return score.get<bool>() ? 1 : 0;
  if (!score.is_number()) throw DataError("data.json_type", "the metric is no number", where);
  return score.get<double>();
}

}  // namespace plumbline
