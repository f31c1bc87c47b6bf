/// lm-evaluation-harness (0.4.x): results_*.json and samples_*.jsonl.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumbline/doctor/hash.h"
#include "plumbline/doctor/readers/collector.h"
#include "plumbline/doctor/readers/completion_text.h"

namespace plumbline::doctor {
namespace {

std::string model_argument(const std::string& arguments, const std::string& name) {
  for (size_t at = arguments.find(name + "="); at != std::string::npos; at = arguments.find(name + "=", at + 1)) {
    if (at > 0 && arguments[at - 1] != ',') continue;
    const size_t begin = at + name.size() + 1;
    return arguments.substr(begin, std::min(arguments.find(',', begin), arguments.size()) - begin);
  }
  return "";
}

/// model_args is a string, or in later versions an object.
std::string argument_of(const Json& tree, const std::string& name) {
  const Json* arguments = value_at(tree, "config.model_args");
  if (arguments && arguments->is_object()) return text_at(*arguments, name);
  return model_argument(text_at(tree, "config.model_args"), name);
}

std::optional<double> temperature_of(const Json& task, const Json& tree) {
  for (const Json* options : {value_at(tree, "config.gen_kwargs"), value_at(task, "generation_kwargs")}) {
    if (!options || !options->is_object()) continue;
    const std::optional<bool> sampled = flag_at(*options, "do_sample");
    const std::optional<double> temperature = number_at(*options, "temperature");
    if (sampled == false || temperature == 0.0) return 0.0;
    if (sampled == true) return temperature.value_or(1.0);
  }
  return {};
}

/// A figure of one item that is 0 or 1, so that its mean lies on the grid of 1/n.
bool is_binary_metric(const std::string& metric) {
  return metric == "exact_match" || metric == "acc" || metric == "acc_norm" || metric == "pass@1";
}

bool is_averaged(const Json& config, const std::string& metric) {
  const Json* list = value_at(config, "metric_list");
  if (!list || !list->is_array()) return false;
  return std::any_of(list->begin(), list->end(), [&](const Json& item) {
    const std::string aggregation = text_at(item, "aggregation");
    return text_at(item, "metric") == metric && (aggregation.empty() || aggregation == "mean");
  });
}

void read_figures(const Json& results, const Json& config, Evaluation& report) {
  std::set<std::string> metrics;
  for (const auto& [key, value] : results.items()) {
    const std::string metric = key.substr(0, key.find(','));
    if (key.find("stderr") != std::string::npos || metric == "alias" || !number_at(results, key)) continue;
    metrics.insert(metric);
    const bool on_grid = is_binary_metric(metric) && is_averaged(config, metric) && report.samples_per_item == 1;
    StatedMean mean;
    mean.name = key;
    mean.value = *number_at(results, key);
    mean.decimals = decimals_of(value);
    if (on_grid) mean.possible = {0, 1};
    mean.num_items = report.candidate.n.value_or(0);
    report.candidate.means.push_back(mean);
    if (is_binary_metric(metric) && !report.candidate.pass_rate) report.candidate.pass_rate = mean.value;
  }
  for (const std::string& metric : metrics) report.metric += (report.metric.empty() ? "" : ", ") + metric;
}

void read_pins(const Json& tree, const Json& config, const std::string& task, Evaluation& report) {
  const auto pin = [&](const char* name, const std::string& value) {
    if (!value.empty()) report.pins[name] = value;
  };
  const Json* shots = value_at(tree, "n-shot");
  pin("num_fewshot", shots && shots->contains(task) ? text_at(*shots, task) : text_at(config, "num_fewshot"));
  pin("task_version", text_at(config, "metadata.version"));
  pin("lm_eval_version", text_at(tree, "lm_eval_version"));
  pin("fewshot_as_multiturn", text_at(tree, "fewshot_as_multiturn"));
  pin("num_items", report.candidate.n ? std::to_string(*report.candidate.n) : "");
  pin("doc_to_text", text_at(config, "doc_to_text"));
  const Json* system = value_at(tree, "system_instruction");
  if (system) report.pins["system_instruction"] = system->is_null() ? "none" : text_at(tree, "system_instruction");
  if (const Json* chat = value_at(tree, "chat_template")) {
    report.wrapped = known(!chat->is_null());
    report.pins["template_wrap"] = chat->is_null() ? "false" : "true";
  }
  if (report.temperature) report.pins["temperature"] = text_at(Json(*report.temperature), "");
  for (const Json* options : {value_at(tree, "config.gen_kwargs"), value_at(config, "generation_kwargs")}) {
    if (!options || !options->is_object() || report.max_new_tokens) continue;
    report.max_new_tokens = count_at(*options, "max_gen_toks");
    if (!report.max_new_tokens) report.max_new_tokens = count_at(*options, "max_new_tokens");
  }
  if (report.max_new_tokens) report.pins["max_new_tokens"] = std::to_string(*report.max_new_tokens);
}

}  // namespace

void read_lm_eval_results(const Document& document, Collector& out) {
  const Json& tree = document.tree();
  const Json& results = *value_at(tree, "results");
  const Json* configs = value_at(tree, "configs");
  const Json* counts = value_at(tree, "n-samples");
  const std::string name = std::filesystem::path(document.path).filename().string();
  for (const auto& [task, figures] : results.items()) {
    if (!figures.is_object()) continue;
    const bool has_config = configs && configs->is_object() && configs->contains(task);
    if (configs && !has_config) continue;  // a group: its figures are means of its tasks
    const Json config = has_config ? (*configs)[task] : Json::object();
    LmEvalPart part;
    part.folder = std::filesystem::path(document.path).parent_path().string();
    part.task = task;
    part.date = name.starts_with("results_") ? name.substr(8, name.size() - std::min<size_t>(name.size(), 8 + 5)) : "";
    Evaluation& report = part.evaluation;
    report.where = results.size() > 1 ? document.path + ": " + task : document.path;
    report.format = "lm-eval";
    report.task = task;
    report.model = argument_of(tree, "pretrained");
    if (report.model.empty()) report.model = text_at(tree, "model_name");
    report.adapter = argument_of(tree, "peft");
    if (report.adapter.empty()) report.adapter = argument_of(tree, "lora_local_path");
    report.is_candidate_base = report.adapter.empty();
    report.candidate.name = report.adapter.empty() ? report.model : report.adapter;
    if (counts && counts->is_object() && counts->contains(task))
      report.candidate.n = count_at((*counts)[task], "effective");
    report.samples_per_item = count_at(config, "repeats").value_or(1);
    report.temperature = temperature_of(config, tree);
    read_pins(tree, config, task, report);
    read_figures(figures, config, report);
    out.lm_results.push_back(std::move(part));
  }
}

}  // namespace plumbline::doctor
