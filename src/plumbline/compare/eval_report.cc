#include "plumbline/compare/eval_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/sha256.h"
#include "plumbline/compare/foreign_input.h"
#include "plumbline/compare/original_report.h"
#include "plumbline/compare/typed_json.h"
#include "plumbline/record/task_names.h"

namespace plumbline {
namespace {

/// Of the rows, by the keys that a summary may state: an arm's figures follow from its rows or are no figures.
constexpr std::array kCounted = {"n", "reward_hack_count", "truncated", "no_code", "distinct_prompts"};

bool is_code_task(const std::string& task) {
  return task == "code" || task == "invention";
}

/// Outcomes in which the verifier had something to check. A row without one shows nothing.
bool is_engaged(const std::string& task, const EvalRow& row, const std::string& outcome) {
  if (task == "step") return row.vsc.value_or(0) > 0;
  if (outcome.empty()) return false;
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

/// "length" and "stop" are known; of any other reason nobody can say here whether the answer was cut.
std::optional<bool> truncation_of(const TypedObject& in) {
  const std::string reason = in.optional_text("finish_reason").value_or("");
  if (reason == "length") return true;
  return reason == "stop" ? std::optional(false) : std::nullopt;
}

/// Integers that count something or name a seed.
int64_t not_negative(const TypedObject& in, const std::string& key) {
  const int64_t value = in.integer(key);
  if (value >= 0) return value;
  throw DataError("data.out_of_range", fmt::format("\"{}\" is {}, below 0", key, value), in.where(),
                  "give the report as eval wrote it, or evaluate again");
}

/// What all rows of a report share, and what they are held against.
struct RowRules {
  std::string task, metric;
  std::optional<int64_t> max_new_tokens;  ///< pin; unset: not recorded
  bool is_in_process = false;             ///< decoded by us: at least one token, and cut at the limit or not at all
};

RowRules rules_of(const EvalReport& report) {
  RowRules rules{report.task, report.metric, std::nullopt, report.pins.find("rollout_mode") == "\"in_process\""};
  const std::optional<std::string> limit = report.pins.find("max_new_tokens");
  if (limit && *limit != "null") rules.max_new_tokens = parse_json(*limit, "a pin").get<int64_t>();
  return rules;
}

/// A grader that reads text finds nothing right in no text; one of the user's own may.
bool needs_text(const std::string& task) {
  return is_code_task(task) || task == "math" || task == "physics" || task == "step";
}

/// Why no decoding under the report's pins gives such a row; empty when one can.
std::string decoding_fault(const TypedObject& in, const RowRules& rules) {
  if (!in.has("tokens")) return "";
  const int64_t tokens = not_negative(in, "tokens");
  if (rules.max_new_tokens && tokens > *rules.max_new_tokens) {
    return fmt::format("has {} tokens, and the pin max_new_tokens is {}", tokens, *rules.max_new_tokens);
  }
  if (!rules.is_in_process) return "";  // a server counts as it likes, and may have a limit of its own
  if (tokens == 0) return "has 0 tokens, and a decoding in process makes at least one";
  const bool is_cut = in.optional_text("finish_reason").value_or("") == "length";
  if (is_cut && rules.max_new_tokens && tokens < *rules.max_new_tokens) {
    return fmt::format("says finish_reason: length after {} tokens, and the pin max_new_tokens is {}", tokens,
                       *rules.max_new_tokens);
  }
  return "";
}

/// What a row says against itself, or why it is no grade; empty when nothing.
std::string row_fault(const TypedObject& in, const RowRules& rules, bool passed, const std::string& outcome) {
  if (outcome == "infra") return "was never graded (infra)";
  if (!outcome.empty() && passed != (outcome == "pass")) {
    return fmt::format("says passed: {} and outcome: {}", passed, outcome);
  }
  if (passed && in.has("verdict") && in.text("verdict") != "accepted") {
    return fmt::format("says passed: {} and verdict: {}", passed, in.text("verdict"));
  }
  const std::optional<std::string> text = in.optional_text("completion");
  const bool is_blank = text && text->find_first_not_of(" \t\r\n") == std::string::npos;
  if (passed && is_blank && needs_text(rules.task)) return "says passed: true, and its completion is empty";
  return decoding_fault(in, rules);
}

EvalRow read_row(const TypedObject& in, const RowRules& rules) {
  EvalRow row;
  row.id = in.id("problem_id");
  row.family = in.optional_text("family").value_or("");
  row.prompt_hash = in.optional_text("prompt_hash").value_or("");
  row.completion = in.optional_text("completion");
  row.truncated = truncation_of(in);
  const bool passed = in.boolean("passed");
  row.reward = in.optional_real("reward");
  row.vsc = in.optional_real("vsc");
  row.score = score_of(in, rules.metric, passed);
  row.hacked = in.optional_boolean("hacked");
  row.hack_paid = row.hacked.value_or(false) && (passed || row.reward.value_or(0) > 0);
  const std::string outcome = in.optional_text("outcome").value_or("");
  row.no_code = outcome == "no_code";
  row.unparsed = outcome == "unparsed" || outcome == "undecided";
  row.engaged = is_engaged(rules.task, row, outcome);
  row.protected_passed = in.optional_boolean("protected_passed");
  return row;
}

/// Of one arm's rows: the first one with a fault, and how many have one. A thousand rows need no thousand lines.
class RowFaults {
 public:
  void add(const std::string& place, const std::string& fault) {
    if (fault.empty()) return;
    if (++num_ == 1) first_ = place + " " + fault;
  }
  void report_to(std::vector<std::string>& faults) const {
    if (num_ == 0) return;
    faults.push_back(num_ == 1 ? first_ : fmt::format("{} ({} rows of this arm are at fault)", first_, num_));
  }

 private:
  size_t num_ = 0;
  std::string first_;
};

EvalArm read_arm(const TypedObject& in, const std::string& name, EvalReport& report) {
  EvalArm arm;
  const TypedObject summary = in.object(name);
  std::vector<std::string> keys = {report.metric, "mean_reward", "vsc"};
  keys.insert(keys.end(), kCounted.begin(), kCounted.end());
  for (const std::string& key : keys) {
    if (const auto figure = summary.optional_real(key)) arm.stated[key] = *figure;
  }
  const TypedObject rows = in.object("rows");
  const Json& array = rows.array(name);
  const RowRules rules = rules_of(report);
  RowFaults faults;
  for (size_t i = 0; i < array.size(); ++i) {
    const std::string place = fmt::format("rows.{}[{}]", name, i);
    const TypedObject row(array[i], in.where() + ", " + place);
    arm.rows.push_back(read_row(row, rules));
    faults.add(place, row_fault(row, rules, row.boolean("passed"), row.optional_text("outcome").value_or("")));
  }
  faults.report_to(report.faults);
  return arm;
}

/// What the split says of itself beside the rows and the pins that say it too.
void check_split(const TypedObject& split, EvalReport& report) {
  const std::optional<int64_t> num_items = split.optional_integer("n");
  if (num_items && *num_items != static_cast<int64_t>(report.base.rows.size())) {
    report.faults.push_back(
        fmt::format("split.n {} is stated, and the base has {} rows", *num_items, report.base.rows.size()));
  }
  const std::optional<std::string> hash = split.optional_text("hash"), pin = report.pins.find("split_hash");
  if (hash && pin && *pin != "null" && *pin != to_json_line(Json(*hash))) {
    report.faults.push_back(
        fmt::format("split.hash: {} in the split and {} in the pin split_hash", to_json_line(Json(*hash)), *pin));
  }
}

/// "code 4" is version 4 of the grader of code, and grades no other task.
void check_grader(EvalReport& report) {
  const std::optional<std::string> task = task_of_grader(report.pins);
  if (!task || *task == report.task) return;
  report.faults.push_back(fmt::format("grader: the task is \"{}\", and the pin grader is {}, of the task \"{}\"",
                                      report.task, *report.pins.find("grader"), *task));
}

/// Rows without what pairing or counting them needs.
void note_unrecorded_rows(EvalReport& report) {
  size_t num_prompts = 0, num_rows = 0;
  for (const EvalArm* arm : {&report.base, &report.candidate}) {
    for (const EvalRow& row : arm->rows) {
      ++num_rows;
      num_prompts += row.prompt_hash.empty();
    }
  }
  if (num_prompts > 0) report.unrecorded.push_back(fmt::format("prompt_hash of {} of {} rows", num_prompts, num_rows));
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
  if (std::find(kTaskNames.begin(), kTaskNames.end(), report.task) == kTaskNames.end()) {
    throw DataError("data.unknown_task", fmt::format("there is no task \"{}\"", report.task), in.where(),
                    fmt::format("tasks: {}", fmt::join(kTaskNames, ", ")));
  }
  report.metric = in.text("metric");
  report.model = in.optional_text("model").value_or("");
  report.adapter = in.optional_text("adapter").value_or("");
  report.candidate_hash = in.optional_text("candidate_hash");
  report.pins = read_pins(in.object("pin").json(), in.place("pin"));
  report.unrecorded = unrecorded_pins(report.pins);
  const TypedObject split = in.object("split");
  report.seed = not_negative(split, "seed");
  std::vector<std::string> overlap;
  for (const char* key : {"family_overlap", "entity_overlap", "prompt_overlap"}) {
    if (!split.has(key)) continue;
    for (std::string& name : texts(split.array(key), split.place(key))) overlap.push_back(std::move(name));
  }
  // Families are what every task has; a report that names entities or prompts only has not looked.
  if (split.has("family_overlap") || !overlap.empty()) report.overlap = std::move(overlap);
  if (!in.has("rows"))
    throw DataError("data.no_rows", "the report has no rows, and means cannot be paired", in.where(), kRowsNeeded);
  report.base = read_arm(in, "base", report);
  report.candidate = read_arm(in, "candidate", report);
  check_split(split, report);
  check_grader(report);
  note_unrecorded_rows(report);
  if (in.has("gates")) {
    for (const Json& gate : in.array("gates")) {
      const TypedObject typed(gate, in.place("gates"));
      if (typed.text("id") == "powered") report.tolerance = typed.optional_real("threshold");
    }
  }
  if (in.has("preregistration")) {
    const TypedObject plan = in.object("preregistration");
    report.preregistration = {plan.text("sha256"), plan.optional_text("commit")};
  }
  if (const auto fault = pin_fault(report.pins)) report.faults.push_back(*fault);
  return report;
}

/// Both arms hold the same items, each once; the candidate's rows are put in the base's order.
void pair_arms(EvalReport& report) {
  std::unordered_map<std::string, size_t> places;
  for (size_t i = 0; i < report.candidate.rows.size(); ++i) {
    if (!places.emplace(report.candidate.rows[i].id, i).second) {
      throw DataError("data.duplicate_id",
                      fmt::format("the candidate has item \"{}\" twice", report.candidate.rows[i].id), report.path,
                      "keep one row an item in each arm, as eval writes them");
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

/// The mean over all rows; unset when a row does not have it.
std::optional<double> mean_of(const std::vector<EvalRow>& rows, std::optional<double> EvalRow::*figure) {
  double sum = 0;
  for (const EvalRow& row : rows) {
    if (!(row.*figure)) return std::nullopt;
    sum += *(row.*figure);
  }
  return sum / static_cast<double>(rows.size());
}

/// What the rows give for the keys that a summary may state; what they do not say is not there.
std::map<std::string, double> figures_of(const EvalArm& arm, const std::string& metric) {
  std::map<std::string, double> figures;
  const auto n = static_cast<double>(arm.rows.size());
  double score = 0, num_hacked = 0, num_truncated = 0, num_no_code = 0;
  std::set<std::string> prompts;
  bool all_hacked = true, all_truncated = true, all_prompts = true;
  for (const EvalRow& row : arm.rows) {
    score += row.score;
    num_hacked += row.hacked.value_or(false);
    num_truncated += row.truncated.value_or(false);
    num_no_code += row.no_code;
    prompts.insert(row.prompt_hash);
    all_hacked = all_hacked && row.hacked;
    all_truncated = all_truncated && row.truncated;
    all_prompts = all_prompts && !row.prompt_hash.empty();
  }
  if (const auto reward = mean_of(arm.rows, &EvalRow::reward)) figures["mean_reward"] = *reward;
  if (const auto vsc = mean_of(arm.rows, &EvalRow::vsc)) figures["vsc"] = *vsc;
  figures[metric] = score / n;
  figures["n"] = n;
  figures["no_code"] = num_no_code;
  if (all_hacked) figures["reward_hack_count"] = num_hacked;
  if (all_truncated) figures["truncated"] = num_truncated;
  if (all_prompts) figures["distinct_prompts"] = static_cast<double>(prompts.size());
  return figures;
}

void check_stated(const std::string& name, const EvalArm& arm, EvalReport& report) {
  const std::map<std::string, double> figures = figures_of(arm, report.metric);
  for (const auto& [key, stated] : arm.stated) {
    const auto found = figures.find(key);
    // Reports round means, and rewards of rows, to four decimals.
    if (found == figures.end() || std::abs(found->second - stated) <= 1e-4 + 1e-9) continue;
    report.faults.push_back(
        fmt::format("{}.{} {:.6g} is stated, and the rows give {:.6g}", name, key, stated, found->second));
  }
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
  const std::optional<std::string> decode = report.pins.find("decode");
  if (decode && *decode != "\"greedy\"") {
    report.faults.push_back(fmt::format("decode: {}, and a headline is greedy", *decode));
  }
  const std::optional<std::string> metric = report.pins.find("metric");
  if (metric && *metric != to_json_line(Json(report.metric))) {
    report.faults.push_back(fmt::format("metric: \"{}\" in the report and {} in its pins", report.metric, *metric));
  }
}

/// Both arms saw the same prompts, and the same rows of both are protected.
void check_pairs(EvalReport& report) {
  for (size_t i = 0; i < report.base.rows.size(); ++i) {
    const EvalRow &base = report.base.rows[i], &candidate = report.candidate.rows[i];
    if (base.protected_passed.has_value() != candidate.protected_passed.has_value()) {
      report.faults.push_back(fmt::format("item \"{}\" has protected_passed in one arm only", base.id));
      break;
    }
  }
  for (size_t i = 0; i < report.base.rows.size(); ++i) {
    if (report.base.rows[i].prompt_hash == report.candidate.rows[i].prompt_hash) continue;
    report.faults.push_back(fmt::format("item \"{}\" was rendered differently for the two arms: prompt_hash {} and {}",
                                        report.base.rows[i].id, report.base.rows[i].prompt_hash,
                                        report.candidate.rows[i].prompt_hash));
    return;
  }
}

Json parse_document(const std::string& text, const std::string& path) {
  try {
    return parse_json(text, path);
  } catch (const DataError&) {
    refuse_known_text(text, path);
    throw;
  }
}

}  // namespace

bool is_headline_metric(const std::string& task, const std::string& metric) {
  if (metric == "mean_reward") return false;
  if (task == "custom" || metric == "pass_at_1") return true;
  return (task == "provenance" || task == "concept") && metric == "fully_correct";
}

std::string headline_metric(const std::string& task) {
  return task == "provenance" || task == "concept" ? "fully_correct" : "pass_at_1";
}

EvalReport read_eval_report(const std::string& path) {
  require_report_path(path);
  return parse_eval_report(read_file(path), path);
}

EvalReport parse_eval_report(const std::string& text, const std::string& path) {
  const Json document = parse_document(text, path);
  const TypedObject in(document, path);
  EvalReport report;
  if (in.has("schema") && in.text("schema") == "eval.v1") {
    report = read_plumbline_report(in);
  } else if (is_original_report(in)) {
    report = read_original_report(in);
  } else {
    refuse_document(document, path);
  }
  report.path = path;
  report.sha256 = sha256_hex(text);
  if (report.base.rows.empty())
    throw DataError("data.no_rows", "the report has no rows, and means cannot be paired", path, kRowsNeeded);
  pair_arms(report);
  check_stated("base", report.base, report);
  check_stated("candidate", report.candidate, report);
  check_pairs(report);
  check_headline(report);
  return report;
}

}  // namespace plumbline
