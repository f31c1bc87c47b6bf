#include "plumbline/compare/preregistration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "plumbline/base/sha256.h"
#include "plumbline/compare/git_history.h"

namespace plumbline {
namespace {

/// What stands in the way, and what to do about it.
struct Fault {
  std::string words, to_pass;
};

/// How evaluations come under a plan.
std::string commit_first(const Plan& plan) {
  return fmt::format("git add {0} && git commit, before the evaluation, then plumbline eval --plan {0}", plan.path);
}

std::string joined(const std::set<int64_t>& seeds) {
  return fmt::format("{}", fmt::join(seeds, ", "));
}

/// Unset when the report descends from the plan.
std::optional<Fault> fault_of(const EvalReport& report, const Plan& plan, const std::string& plan_commit,
                              const GitHistory& history) {
  const auto fault = [&](const std::string& words) {
    return Fault{words, "evaluate again under the committed plan: plumbline eval --plan " + plan.path};
  };
  if (report.preregistration) {
    if (report.preregistration->sha256 != plan.sha256) {
      return Fault{fmt::format("{} was run under another plan ({}), and this one is {}", report.path,
                               report.preregistration->sha256, plan.sha256),
                   "give --plan the plan that the evaluation began under (plan.toml in its folder is a copy), or "
                   "evaluate again under this one"};
    }
    if (!report.preregistration->commit) {
      return fault(fmt::format("{} was begun under a plan that was not committed then", report.path));
    }
    if (history.is_ancestor(plan_commit, *report.preregistration->commit)) return std::nullopt;
    return fault(
        fmt::format("{} was begun at commit {} of the plan's repository, which does not descend from the "
                    "plan's commit {}",
                    report.path, *report.preregistration->commit, plan_commit.substr(0, 12)));
  }
  const std::optional<std::string> pin = report.pins.find("commit");
  if (!pin) return fault(fmt::format("{} records no commit and no plan", report.path));
  const Json commit = parse_json(*pin, report.path);
  if (!commit.is_string() || !history.is_ancestor(plan_commit, commit.get<std::string>())) {
    return fault(fmt::format(
        "{} records no plan, and the commit of plumbline itself that made it, {}, does not descend from the plan's {}",
        report.path, *pin, plan_commit.substr(0, 12)));
  }
  if (report.pins.find("dirty") != "false") {
    return fault(
        fmt::format("{} records no plan, and plumbline itself was built with uncommitted changes", report.path));
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
std::optional<Fault> deviation_of(const Plan& plan, std::span<const EvalReport> reports) {
  std::set<std::string> tasks;
  std::set<int64_t> seeds;
  for (const EvalReport& report : reports) {
    tasks.insert(report.task);
    seeds.insert(report.seed);
  }
  for (const auto* planned : {&plan.headline, &plan.protected_tasks, &plan.old_tasks}) {
    for (const std::string& task : *planned) {
      if (!tasks.count(task)) {
        return Fault{fmt::format("the planned task \"{}\" is not reported", task), "give its reports too"};
      }
    }
  }
  const std::set<int64_t> planned(plan.seeds.begin(), plan.seeds.end());
  if (!planned.empty() && seeds != planned) {
    return Fault{fmt::format("the reported seeds are not the planned ones: planned {}; reported {}", joined(planned),
                             joined(seeds)),
                 "give the reports of all planned seeds and of no other"};
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
  const auto fail = [&](const Fault& fault) {
    gate.words = fault.words;
    gate.to_pass = fault.to_pass;
    return gate;
  };
  if (plan.path.empty()) return fail({"no plan was given", "give --plan the committed plan of the evaluation"});
  const PlanFile file = plan_file(plan);
  const std::optional<std::string> commit = file.history.last_change(file.name);
  if (!commit) return fail({fmt::format("{} is not committed", plan.path), commit_first(plan)});
  if (!is_committed(plan, file)) {
    return fail({fmt::format("{} was changed since commit {}", plan.path, commit->substr(0, 12)),
                 "take the change back, or " + commit_first(plan)});
  }
  for (const EvalReport& report : reports) {
    if (const auto fault = fault_of(report, plan, *commit, file.history)) return fail(*fault);
  }
  if (const auto deviation = deviation_of(plan, reports)) return fail(*deviation);
  gate.state = GateState::kPass;
  gate.words = fmt::format("{} (sha256 {}) is unchanged since commit {}, from which every report descends", plan.path,
                           plan.sha256.substr(0, 12), commit->substr(0, 12));
  return gate;
}

}  // namespace plumbline
