/// inspect_ai logs in their JSON form (version 2). The packed .eval form is a zip archive that doctor does not open.
#include <nlohmann/json.hpp>

#include "plumbline/doctor/readers/collector.h"
#include "plumbline/doctor/readers/completion_text.h"

namespace plumbline::doctor {

void read_inspect_log(const Document& document, Collector& out) {
  const Json& tree = document.tree();
  Evaluation report;
  report.where = document.path;
  report.format = "inspect";
  report.task = text_at(tree, "eval.task");
  report.model = text_at(tree, "eval.model");
  report.samples_per_item = count_at(tree, "eval.config.epochs").value_or(1);
  report.temperature = number_at(tree, "plan.config.temperature");
  if (!report.temperature) report.temperature = number_at(tree, "eval.model_generate_config.temperature");
  report.max_new_tokens = count_at(tree, "plan.config.max_tokens");
  for (const char* path : {"eval.task_version", "eval.dataset.name", "eval.dataset.samples", "eval.config.limit",
                           "eval.config.epochs", "eval.packages.inspect_ai", "plan.config.max_tokens"}) {
    const Json* value = value_at(tree, path);
    if (value && !value->is_null()) report.pins[path] = text_at(tree, path);
  }
  report.candidate.name = report.model;
  report.candidate.n = count_at(tree, "results.completed_samples");
  report.candidate.rows = std::move(document.lists["samples"]);
  const Json* scores = value_at(tree, "results.scores");
  if (scores && scores->is_array() && !scores->empty()) {
    const Json& first = (*scores)[0];
    report.metric = text_at(first, "name");
    const bool one_each = report.samples_per_item == 1;
    if (number_at(first, "metrics.accuracy.value")) {
      report.candidate.pass_rate = number_at(first, "metrics.accuracy.value");
      // "P" (partly right) counts one half.
      add_mean(report.candidate, first, "metrics.accuracy.value", "accuracy",
               one_each ? std::vector<double>{0, 0.5, 1} : std::vector<double>{});
    }
  }
  const std::string status = text_at(tree, "status");
  if (!status.empty() && status != "success") {
    out.not_checked(document.path, "figures", "the evaluation's status is " + status + ": it did not end");
  }
  out.evidence.evaluations.push_back(std::move(report));
}

}  // namespace plumbline::doctor
