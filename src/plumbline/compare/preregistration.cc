#include "plumbline/compare/preregistration.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "plumbline/compare/git_history.h"

namespace plumbline {
namespace {

/// Unset when the report descends from the plan.
std::optional<std::string> fault_of(const EvalReport& report, const Plan& plan, const std::string& plan_commit,
                                    const GitHistory& history) {
  if (report.preregistration_sha256 && *report.preregistration_sha256 != plan.sha256) {
    return fmt::format("{} was run under another plan ({})", report.path, *report.preregistration_sha256);
  }
  const std::optional<std::string> pin = report.pins.find("commit");
  if (!pin) return fmt::format("{} records no commit", report.path);
  const Json commit = parse_json(*pin, report.path);
  if (!commit.is_string() || !history.is_ancestor(plan_commit, commit.get<std::string>())) {
    return fmt::format("commit {} of {} does not descend from the plan's", *pin, report.path);
  }
  return std::nullopt;
}

/// Unset when the planned seeds and tasks are the reported ones.
std::optional<std::string> deviation_of(const Plan& plan, std::span<const EvalReport> reports) {
  std::set<std::string> tasks;
  std::set<int64_t> seeds;
  for (const EvalReport& report : reports) {
    tasks.insert(report.task);
    seeds.insert(report.seed);
  }
  for (const auto* planned : {&plan.headline, &plan.protected_tasks, &plan.old_tasks}) {
    for (const std::string& task : *planned) {
      if (!tasks.count(task)) return fmt::format("the planned task \"{}\" is not reported", task);
    }
  }
  if (!plan.seeds.empty() && seeds != std::set<int64_t>(plan.seeds.begin(), plan.seeds.end())) {
    return "the reported seeds are not the planned ones";
  }
  return std::nullopt;
}

}  // namespace

Gate preregistered_gate(const Plan& plan, std::span<const EvalReport> reports) {
  Gate gate;
  gate.id = "preregistered";
  gate.state = GateState::kFail;
  if (plan.path.empty()) {
    gate.words = "no plan was given";
    return gate;
  }
  const std::filesystem::path path = std::filesystem::absolute(plan.path);
  const GitHistory history(path.parent_path().string());
  const std::string name = path.filename().string();
  const std::optional<std::string> commit = history.last_change(name);
  if (!commit) {
    gate.words = fmt::format("{} is not committed", plan.path);
    return gate;
  }
  if (history.is_modified(name)) {
    gate.words = fmt::format("{} was changed since commit {}", plan.path, commit->substr(0, 12));
    return gate;
  }
  for (const EvalReport& report : reports) {
    if (const auto fault = fault_of(report, plan, *commit, history)) {
      gate.words = *fault;
      return gate;
    }
  }
  if (const auto deviation = deviation_of(plan, reports)) {
    gate.words = *deviation;
    return gate;
  }
  gate.state = GateState::kPass;
  gate.words = fmt::format("{} (sha256 {}) is unchanged since commit {}, from which every report descends", plan.path,
                           plan.sha256.substr(0, 12), commit->substr(0, 12));
  return gate;
}

}  // namespace plumbline
