#include "plumbline/compare/preregistration.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "plumbline/base/sha256.h"
#include "plumbline/compare/git_history.h"

namespace plumbline {
namespace {

/// Unset when the report descends from the plan.
std::optional<std::string> fault_of(const EvalReport& report, const Plan& plan, const std::string& plan_commit,
                                    const GitHistory& history) {
  if (report.preregistration) {
    if (report.preregistration->sha256 != plan.sha256) {
      return fmt::format("{} was run under another plan ({})", report.path, report.preregistration->sha256);
    }
    if (!report.preregistration->commit) {
      return fmt::format("{} was begun under a plan that was not committed then", report.path);
    }
    if (history.is_ancestor(plan_commit, *report.preregistration->commit)) return std::nullopt;
    return fmt::format("{} was begun at commit {}, which does not descend from the plan's", report.path,
                       *report.preregistration->commit);
  }
  const std::optional<std::string> pin = report.pins.find("commit");
  if (!pin) return fmt::format("{} records no commit", report.path);
  const Json commit = parse_json(*pin, report.path);
  if (!commit.is_string() || !history.is_ancestor(plan_commit, commit.get<std::string>())) {
    return fmt::format("commit {} of {} does not descend from the plan's", *pin, report.path);
  }
  if (report.pins.find("dirty") != "false") {
    return fmt::format("{} records no plan, and its program had uncommitted changes", report.path);
  }
  return std::nullopt;
}

struct PlanFile {
  GitHistory history;
  std::string name;
};

PlanFile plan_file(const Plan& plan) {
  const std::filesystem::path path = std::filesystem::absolute(plan.path);
  return {GitHistory(path.parent_path().string()), path.filename().string()};
}

/// git may be told to overlook changes of a file, so the bytes themselves are compared.
bool is_committed(const Plan& plan, const PlanFile& file) {
  const std::optional<std::string> bytes = file.history.committed(file.name);
  return bytes && sha256_hex(*bytes) == plan.sha256;
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

Preregistration record_plan(const Plan& plan) {
  const PlanFile file = plan_file(plan);
  return {plan.sha256, is_committed(plan, file) ? file.history.head() : std::nullopt};
}

Gate preregistered_gate(const Plan& plan, std::span<const EvalReport> reports) {
  Gate gate;
  gate.id = "preregistered";
  gate.state = GateState::kFail;
  if (plan.path.empty()) {
    gate.words = "no plan was given";
    return gate;
  }
  const PlanFile file = plan_file(plan);
  const std::optional<std::string> commit = file.history.last_change(file.name);
  if (!commit) {
    gate.words = fmt::format("{} is not committed", plan.path);
    return gate;
  }
  if (!is_committed(plan, file)) {
    gate.words = fmt::format("{} was changed since commit {}", plan.path, commit->substr(0, 12));
    return gate;
  }
  for (const EvalReport& report : reports) {
    if (const auto fault = fault_of(report, plan, *commit, file.history)) {
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
