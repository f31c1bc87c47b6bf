#include "plumbline/record/verdict_json.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/optional_json.h"
#include "plumbline/record/jsonl.h"

namespace plumbline {
namespace {

[[noreturn]] void fail_type(const std::string& key, const std::string& where) {
  throw DataError("data.json_type", fmt::format("\"{}\" has another type than verdict.v1 gives it", key), where);
}

template <typename T>
T typed(const Json& object, const char* key, const std::string& where) {
  const Json& value = require_member(object, key, where);
  const bool fits = std::is_same_v<T, bool>          ? value.is_boolean()
                    : std::is_same_v<T, std::string> ? value.is_string()
                    : std::is_same_v<T, int64_t>     ? value.is_number_integer()
                                                     : value.is_number();
  if (!fits) fail_type(key, where);
  return value.get<T>();
}

template <typename T>
std::optional<T> typed_or_null(const Json& object, const char* key, const std::string& where) {
  if (require_member(object, key, where).is_null()) return std::nullopt;
  return typed<T>(object, key, where);
}

TesterReport parse_tester(const Json& value, const std::string& where) {
  return {typed<bool>(value, "defined", where), typed_or_null<bool>(value, "passes_on_stub", where),
          typed_or_null<bool>(value, "fails_on_reference", where), typed_or_null<bool>(value, "passes_on_self", where)};
}

std::vector<std::string> typed_texts(const Json& object, const char* key, const std::string& where) {
  const Json& array = require_member(object, key, where);
  if (!array.is_array()) fail_type(key, where);
  std::vector<std::string> texts;
  for (const Json& text : array) {
    if (!text.is_string()) fail_type(key, where);
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

Json to_json(const StepReport& report) {
  return {{"verdict", report.verdict},
          {"vsc", report.coverage()},
          {"checks", report.num_checks},
          {"accepted", report.num_accepted},
          {"rejected", report.num_rejected},
          {"did_work", report.did_work},
          {"steps", report.steps}};
}

StepReport parse_steps(const Json& row, const std::string& where) {
  StepReport report;
  report.verdict = typed<std::string>(row, "verdict", where);
  report.num_checks = typed<int64_t>(row, "checks", where);
  report.num_accepted = typed<int64_t>(row, "accepted", where);
  report.num_rejected = typed<int64_t>(row, "rejected", where);
  report.did_work = typed<bool>(row, "did_work", where);
  report.steps = typed_texts(row, "steps", where);
  return report;
}

}  // namespace

Json to_json(const ProblemId& id) {
  if (!id.is_number) return id.text;
  const Json number = Json::parse(id.text, nullptr, false);
  return number.is_number_integer() ? number : Json(id.text);
}

ProblemId id_from_json(const Json& value, const std::string& where) {
  if (value.is_string()) return {value.get<std::string>(), false};
  if (value.is_number_integer()) return {value.dump(), true};
  throw DataError("data.json_type", "an id must be a string or an integer of at most 64 bits", where);
}

Json to_json(const Verdict& verdict) {
  const TesterReport& tester = verdict.tester;
  Json row = {{"problem_id", to_json(verdict.problem_id)},
              {"sample", verdict.sample},
              {"outcome", to_string(verdict.outcome)},
              {"tests", {{"passed", verdict.tests_passed}, {"total", verdict.tests_total}}},
              {"compiles", verdict.compiles},
              {"hinted_pass", or_null(verdict.hinted_pass)},
              {"tester",
               {{"defined", tester.defined},
                {"passes_on_stub", or_null(tester.passes_on_stub)},
                {"fails_on_reference", or_null(tester.fails_on_reference)},
                {"passes_on_self", or_null(tester.passes_on_self)}}},
              {"label", to_string(verdict.label)},
              {"hacked", verdict.hacked()},
              {"vacuous", verdict.vacuous},
              {"reward", verdict.is_infra() ? Json(nullptr) : or_null(verdict.reward)},
              {"integrity", verdict.integrity},
              {"cpu_ms", verdict.cpu_ms},
              {"wall_ms", verdict.wall_ms},
              {"isolation", verdict.isolation},
              {"method", verdict.method}};
  if (verdict.fresh) row["fresh"] = {{"passed", verdict.fresh->passed}, {"total", verdict.fresh->total}};
  if (!verdict.rewards.empty()) {
    Json rewards = Json::object();
    for (const NamedReward& reward : verdict.rewards) rewards[reward.name] = or_null(reward.value);
    row["rewards"] = std::move(rewards);
  }
  if (verdict.steps) row["steps"] = to_json(*verdict.steps);
  if (verdict.protected_passed) row["protected_passed"] = *verdict.protected_passed;
  if (!verdict.detail.empty()) row["detail"] = verdict.detail;
  return row;
}

std::string to_json_line(const Verdict& verdict) {
  return to_json_line(to_json(verdict));
}

Verdict parse_verdict(const Json& row, const std::string& where) {
  Verdict verdict;
  verdict.problem_id = id_from_json(require_member(row, "problem_id", where), where);
  verdict.sample = typed<int64_t>(row, "sample", where);
  const auto outcome = outcome_from_string(typed<std::string>(row, "outcome", where));
  const auto label = label_from_string(typed<std::string>(row, "label", where));
  if (!outcome || !label) throw DataError("data.verdict", "an outcome or a label that verdict.v1 does not have", where);
  verdict.outcome = *outcome;
  verdict.label = *label;
  const Json& tests = require_member(row, "tests", where);
  verdict.tests_passed = typed<int64_t>(tests, "passed", where);
  verdict.tests_total = typed<int64_t>(tests, "total", where);
  verdict.compiles = typed<bool>(row, "compiles", where);
  verdict.hinted_pass = typed_or_null<bool>(row, "hinted_pass", where);
  verdict.tester = parse_tester(require_member(row, "tester", where), where);
  verdict.vacuous = typed<bool>(row, "vacuous", where);
  verdict.reward = typed_or_null<double>(row, "reward", where);
  if (verdict.is_infra() && verdict.reward) throw DataError("data.verdict", "an infra verdict has no reward", where);
  verdict.integrity = typed_texts(row, "integrity", where);
  verdict.cpu_ms = typed<double>(row, "cpu_ms", where);
  verdict.wall_ms = typed<double>(row, "wall_ms", where);
  verdict.isolation = typed<std::string>(row, "isolation", where);
  if (row.contains("fresh")) {
    verdict.fresh =
        FreshReport{typed<int64_t>(row["fresh"], "passed", where), typed<int64_t>(row["fresh"], "total", where)};
  }
  if (row.contains("rewards")) {
    const Json& rewards = row.at("rewards");
    if (!rewards.is_object()) fail_type("rewards", where);
    for (const auto& [name, value] : rewards.items()) {
      verdict.rewards.push_back({name, typed_or_null<double>(rewards, name.c_str(), where)});
    }
  }
  if (row.contains("steps")) verdict.steps = parse_steps(row["steps"], where);
  if (row.contains("protected_passed")) verdict.protected_passed = typed<bool>(row, "protected_passed", where);
  if (row.contains("method")) verdict.method = typed<std::string>(row, "method", where);
  if (row.contains("detail")) verdict.detail = typed<std::string>(row, "detail", where);
  return verdict;
}

std::vector<Verdict> read_verdicts(const std::string& path) {
  std::vector<Verdict> verdicts;
  if (!std::filesystem::exists(path)) return verdicts;
  for (JsonlReader lines(path); lines.next() && lines.line_ended();) {
    verdicts.push_back(parse_verdict(lines.parse(), lines.where()));
  }
  return verdicts;
}

}  // namespace plumbline
