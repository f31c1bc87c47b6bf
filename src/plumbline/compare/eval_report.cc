#include "plumbline/compare/eval_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/sha256.h"
#include "plumbline/compare/original_report.h"
#include "plumbline/compare/typed_json.h"

namespace plumbline {
namespace {

bool is_code_task(const std::string& task) {
  return task == "code" || task == "invention";
}

/// Outcomes in which the verifier had something to check.
bool is_engaged(const std::string& task, const EvalRow& row, const std::string& outcome) {
  if (task == "step") return row.vsc.value_or(0) > 0;
  if (is_code_task(task)) return !row.no_code && outcome != "syntax_error" && outcome != "infra";
  return !row.unparsed && outcome != "infra";
}

/// A step row with one expression, or the same one repeated, passed without work.
bool did_no_work(const TypedObject& in) {
  if (!in.has("steps")) return false;
  std::set<std::string> steps;
  for (const Json& step : in.array("steps")) steps.insert(step.dump());
  return steps.size() < 2;
}

double score_of(const TypedObject& in, const std::string& metric, bool passed) {
  if (metric == "pass_at_1") return passed && !did_no_work(in);
  if (metric == "mean_reward") return in.real("reward");
  return in.real(metric == "vsc" ? "vsc" : "score");
}

EvalRow read_row(const TypedObject& in, const std::string& task, const std::string& metric) {
  EvalRow row;
  row.id = in.id("problem_id");
  row.family = in.optional_text("family").value_or("");
  row.prompt_hash = in.optional_text("prompt_hash").value_or("");
  row.completion = in.optional_text("completion");
  if (const auto finish = in.optional_text("finish_reason")) row.truncated = *finish == "length";
  const bool passed = in.boolean("passed");
  row.reward = in.optional_real("reward");
  row.vsc = in.optional_real("vsc");
  row.score = score_of(in, metric, passed);
  row.hacked = in.optional_boolean("hacked").value_or(false);
  row.hack_paid = row.hacked && (passed || row.reward.value_or(0) > 0);
  const std::string outcome = in.optional_text("outcome").value_or("");
  row.no_code = outcome == "no_code";
  row.unparsed = outcome == "unparsed" || outcome == "undecided";
  row.engaged = is_engaged(task, row, outcome);
  row.protected_passed = in.optional_boolean("protected_passed");
  return row;
}

EvalArm read_arm(const TypedObject& report, const std::string& name, const std::string& task,
                 const std::string& metric) {
  EvalArm arm;
  const TypedObject summary = report.object(name);
  arm.stated_score = summary.optional_real(metric);
  arm.mean_reward = summary.optional_real("mean_reward");
  arm.vsc = summary.optional_real("vsc");
  const TypedObject rows = report.object("rows");
  const Json& array = rows.array(name);
  for (size_t i = 0; i < array.size(); ++i) {
    arm.rows.push_back(read_row({array[i], fmt::format("{}, rows.{}[{}]", report.where(), name, i)}, task, metric));
  }
  return arm;
}

std::vector<std::string> texts(const Json& array, const std::string& where) {
  std::vector<std::string> values;
  for (const Json& value : array) {
    if (!value.is_string()) throw DataError("data.json_type", "expected a list of strings", where);
    values.push_back(value.get<std::string>());
  }
  return values;
}

EvalReport read_plumbline_report(const TypedObject& in) {
  EvalReport report;
  report.task = in.text("task");
  report.metric = in.text("metric");
  report.model = in.optional_text("model").value_or("");
  report.adapter = in.optional_text("adapter").value_or("");
  report.pins = read_pins(require_member(in.json(), "pin", in.where()), in.place("pin"));
  const TypedObject split = in.object("split");
  report.seed = split.integer("seed");
  for (const char* key : {"family_overlap", "entity_overlap", "prompt_overlap"}) {
    if (!split.has(key)) continue;
    if (!report.overlap) report.overlap.emplace();
    for (std::string& name : texts(split.array(key), split.place(key))) report.overlap->push_back(std::move(name));
  }
  if (!in.has("rows"))
    throw DataError("data.no_rows", "the report has no rows, and means cannot be paired", in.where());
  report.base = read_arm(in, "base", report.task, report.metric);
  report.candidate = read_arm(in, "candidate", report.task, report.metric);
  if (in.has("gates")) {
    for (const Json& gate : in.array("gates")) {
      const TypedObject typed(gate, in.place("gates"));
      if (typed.text("id") == "powered") report.tolerance = typed.optional_real("threshold");
    }
  }
  if (in.has("preregistration")) report.preregistration_sha256 = in.object("preregistration").text("sha256");
  if (const auto fault = pin_fault(report.pins)) report.faults.push_back(*fault);
  return report;
}

/// Both arms hold the same items, each once; the candidate's rows are put in the base's order.
void pair_arms(EvalReport& report) {
  std::unordered_map<std::string, size_t> places;
  for (size_t i = 0; i < report.candidate.rows.size(); ++i) {
    if (!places.emplace(report.candidate.rows[i].id, i).second) {
      throw DataError("data.duplicate_id",
                      fmt::format("the candidate has item \"{}\" twice", report.candidate.rows[i].id), report.path);
    }
  }
  std::vector<EvalRow> ordered;
  for (const EvalRow& row : report.base.rows) {
    const auto found = places.find(row.id);
    if (found == places.end()) {
      throw DataError("data.unpaired",
                      fmt::format("item \"{}\" of the base is not in the candidate's rows, or stands twice", row.id),
                      report.path, "both arms must see the same items");
    }
    ordered.push_back(std::move(report.candidate.rows[found->second]));
    places.erase(found);
  }
  if (!places.empty()) {
    throw DataError("data.unpaired",
                    fmt::format("item \"{}\" of the candidate is not in the base's rows", places.begin()->first),
                    report.path, "both arms must see the same items");
  }
  report.candidate.rows = std::move(ordered);
}

void check_mean(const std::string& what, const std::optional<double>& stated, double mean, EvalReport& report) {
  // Reports round means, and rewards of rows, to four decimals.
  if (stated && std::abs(mean - *stated) > 1e-4 + 1e-9) {
    report.faults.push_back(fmt::format("{} {:.4f} is stated, and the rows give {:.4f}", what, *stated, mean));
  }
}

void check_stated(const std::string& name, const EvalArm& arm, EvalReport& report) {
  double score = 0, reward = 0;
  size_t num_rewards = 0;
  for (const EvalRow& row : arm.rows) {
    score += row.score;
    reward += row.reward.value_or(0);
    num_rewards += row.reward.has_value();
  }
  const double num_rows = static_cast<double>(arm.rows.size());
  check_mean(name + "." + report.metric, arm.stated_score, score / num_rows, report);
  if (num_rewards == arm.rows.size()) check_mean(name + ".mean_reward", arm.mean_reward, reward / num_rows, report);
}

/// What a headline may be.
void check_headline(EvalReport& report) {
  if (!is_headline_metric(report.task, report.metric)) {
    report.faults.push_back(fmt::format("metric: {} is no headline of {}", report.metric, report.task));
  }
  const std::optional<std::string> temperature = report.pins.find("temperature");
  if (temperature && *temperature != "0") {
    report.faults.push_back(fmt::format("temperature: {}, and a headline is greedy", *temperature));
  }
}

void check_prompts(EvalReport& report) {
  for (size_t i = 0; i < report.base.rows.size(); ++i) {
    if (report.base.rows[i].prompt_hash == report.candidate.rows[i].prompt_hash) continue;
    report.faults.push_back(fmt::format("item \"{}\" was rendered differently for the two arms: prompt_hash {} and {}",
                                        report.base.rows[i].id, report.base.rows[i].prompt_hash,
                                        report.candidate.rows[i].prompt_hash));
    return;
  }
}

}  // namespace

bool is_headline_metric(const std::string& task, const std::string& metric) {
  if (metric == "mean_reward") return false;
  const bool has_own = task == "provenance" || task == "concept" || task == "custom";
  return has_own || metric == "pass_at_1";
}

std::string headline_metric(const std::string& task) {
  return task == "provenance" || task == "concept" ? "fully_correct" : "pass_at_1";
}

EvalReport read_eval_report(const std::string& path) {
  return parse_eval_report(read_file(path), path);
}

EvalReport parse_eval_report(const std::string& text, const std::string& path) {
  const Json document = parse_json(text, path);
  const TypedObject in(document, path);
  EvalReport report;
  if (in.has("schema") && in.text("schema") == "eval.v1") {
    report = read_plumbline_report(in);
  } else if (is_original_report(in)) {
    report = read_original_report(in);
  } else {
    throw DataError("data.unknown_report", "neither an eval.v1 report nor an evaluation of the original harness", path,
                    "docs/reference/compare.md has both formats");
  }
  report.path = path;
  report.sha256 = sha256_hex(text);
  if (report.base.rows.empty())
    throw DataError("data.no_rows", "the report has no rows, and means cannot be paired", path);
  pair_arms(report);
  check_stated("base", report.base, report);
  check_stated("candidate", report.candidate, report);
  check_prompts(report);
  check_headline(report);
  return report;
}

}  // namespace plumbline
