#include "plumbline/compare/original_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/compare/foreign_input.h"

namespace plumbline {
namespace {

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

/// Code fences come in pairs; that harness kept no finish reason.
bool has_open_fence(const std::string& completion) {
  size_t num_fences = 0;
  for (size_t at = completion.find("```"); at != std::string::npos; at = completion.find("```", at + 3)) ++num_fences;
  return num_fences % 2 == 1;
}

std::string id_key(const TypedObject& row) {
  for (const char* key : {"problem_id", "task_id", "case_id"}) {
    if (row.has(key)) return key;
  }
  return "problem_id";  // missing, which its reader then says
}

EvalRow read_row(const TypedObject& in, const std::string& task) {
  EvalRow row;
  row.id = in.id(id_key(in));
  row.family = in.optional_text("family").value_or("");
  row.completion = in.optional_text("completion");
  const TypedObject detail = in.object("detail");
  row.reward = in.real("reward");
  const std::string reason = detail.optional_text("reason").value_or("");
  row.unparsed = contains(reason, "unparse");
  if (task == "step") {
    row.score = detail.text("verdict") == "accepted";
    row.vsc = detail.real("vsc");
    row.engaged = *row.vsc > 0;
  } else {
    row.score = *row.reward >= 1;
    const bool is_code = task == "code" || task == "invention";
    row.no_code = is_code && row.completion && !contains(*row.completion, "```");
    row.engaged = is_code ? detail.optional_boolean("executed").value_or(false) && !contains(reason, "SyntaxError")
                          : !row.unparsed;
    if (is_code && row.completion) row.truncated = has_open_fence(*row.completion);
  }
  row.hacked = in.optional_boolean("cheated");
  row.hack_paid = row.hacked.value_or(false) && *row.reward > 0;
  if (in.optional_text("label") == "true") row.protected_passed = *row.reward > 0;
  return row;
}

EvalArm read_arm(const TypedObject& report, const char* summary_name, const char* rows_name, const std::string& task) {
  EvalArm arm;
  const TypedObject summary = report.object(summary_name);
  for (const auto& [theirs, ours] :
       {std::pair("passAt1", "pass_at_1"), {"meanReward", "mean_reward"}, {"verifiedStepCoverage", "vsc"}}) {
    if (const auto figure = summary.optional_real(theirs)) arm.stated[ours] = *figure;
  }
  const Json& array = report.object("rows").array(rows_name);
  for (size_t i = 0; i < array.size(); ++i) {
    arm.rows.push_back(read_row({array[i], fmt::format("{}, rows.{}[{}]", report.where(), rows_name, i)}, task));
  }
  return arm;
}

}  // namespace

bool is_original_report(const TypedObject& document) {
  return document.has("benchmark") && document.json().at("benchmark") == "rlvr-adapter-heldout";
}

EvalReport read_original_report(const TypedObject& in) {
  EvalReport report;
  report.source = ReportSource::kOriginalHarness;
  report.task = in.optional_text("task").value_or("provenance");  // its first task, named by nothing
  report.metric = "pass_at_1";
  report.model = in.text("model");
  report.adapter = in.optional_text("adapter").value_or("");
  const TypedObject split = in.object("split");
  report.seed = split.integer("seed");
  report.unrecorded = unrecorded_pins(report.pins);
  report.pins.set("model", report.model);
  report.pins.set("metric", report.metric);
  if (const auto domain = in.optional_text("stepDomain")) report.pins.set("step_domain", *domain);
  if (const auto share = split.optional_real("evalFrac")) report.pins.set("eval_share", *share);
  if (const auto seal = split.optional_text("evalSealed")) report.pins.set("split_hash", *seal);
  for (const char* key : {"familyIntersection", "entityIntersection"}) {
    if (!split.has(key)) continue;
    if (!report.overlap) report.overlap.emplace();
    for (const Json& name : split.array(key))
      report.overlap->push_back(name.is_string() ? name.get<std::string>() : name.dump());
  }
  if (!in.has("rows"))
    throw DataError("data.no_rows", "the report has no rows, and means cannot be paired", in.where(), kRowsNeeded);
  report.base = read_arm(in, "base", "base", report.task);
  report.candidate = read_arm(in, "adapterScore", "adapter", report.task);
  if (const std::string mode = in.optional_text("mode").value_or("real"); mode != "real") {
    report.faults.push_back(fmt::format("mode is \"{}\": a mock is no measurement", mode));
  }
  return report;
}

}  // namespace plumbline
