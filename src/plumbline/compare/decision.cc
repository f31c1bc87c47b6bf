#include "plumbline/compare/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "plumbline/base/error.h"
#include "plumbline/compare/preregistration.h"
#include "plumbline/stats/multiplicity.h"

namespace plumbline {
namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

TaskRole role_of(const std::string& task, const Plan& plan) {
  if (has(plan.headline, task)) return TaskRole::kHeadline;
  if (has(plan.protected_tasks, task)) return TaskRole::kProtected;
  if (has(plan.old_tasks, task)) return TaskRole::kOld;
  if (plan.headline.empty()) return TaskRole::kHeadline;
  throw ConfigError("config.no_task", fmt::format("the plan says nothing about the task \"{}\"", task), plan.path,
                    "name it in [tasks], or leave its reports out");
}

/// By task, each seed once.
std::map<std::string, std::vector<const EvalReport*>> by_task(const std::vector<EvalReport>& reports) {
  std::map<std::string, std::vector<const EvalReport*>> groups;
  for (const EvalReport& report : reports) {
    for (const EvalReport* other : groups[report.task]) {
      if (other->sha256 == report.sha256) {
        throw DataError("data.duplicate_report", fmt::format("the same report stands twice, as {} too", other->path),
                        report.path, "a copy is no second seed");
      }
      if (other->seed == report.seed) {
        throw DataError("data.duplicate_report",
                        fmt::format("seed {} of task \"{}\" stands in {} too", report.seed, report.task, other->path),
                        report.path, "give one report a task and seed");
      }
    }
    groups[report.task].push_back(&report);
  }
  return groups;
}

std::vector<JudgedTask> gather_tasks(const std::vector<EvalReport>& reports, const Plan& plan) {
  std::vector<JudgedTask> tasks;
  for (const auto& [task, group] : by_task(reports)) tasks.push_back({role_of(task, plan), gather_evidence(group)});
  std::stable_sort(tasks.begin(), tasks.end(),
                   [](const JudgedTask& a, const JudgedTask& b) { return a.role < b.role; });
  for (const auto* planned : {&plan.headline, &plan.protected_tasks, &plan.old_tasks}) {
    for (const std::string& task : *planned) {
      const bool is_there = std::any_of(tasks.begin(), tasks.end(),
                                        [&](const JudgedTask& judged) { return judged.evidence.task == task; });
      if (!is_there)
        throw ConfigError("config.no_task", fmt::format("no report is of the planned task \"{}\"", task), plan.path,
                          "give its reports too, or a plan that does not name it");
    }
  }
  if (tasks.front().role != TaskRole::kHeadline) {
    throw ConfigError("config.no_task", "no report is of a headline task", plan.path,
                      "give reports of the task that the decision is about");
  }
  return tasks;
}

/// Holm's p of each headline task; empty for a single one.
std::vector<double> adjusted_p(const std::vector<JudgedTask>& tasks) {
  std::vector<double> p_values;
  for (const JudgedTask& task : tasks) {
    if (task.role == TaskRole::kHeadline) p_values.push_back(task.evidence.effect.p);
  }
  return p_values.size() > 1 ? holm_adjusted(p_values) : std::vector<double>();
}

void add_not_applicable(Judgement& judgement, const std::string& id, const std::string& words) {
  Gate gate;
  gate.id = id;
  gate.state = GateState::kNotApplicable;
  gate.words = words;
  judgement.gates.push_back({"", gate});
}

void add_protection(Judgement& judgement, const Plan& plan) {
  constexpr double kPointRule = -0.01;  // the original harness's, for comparison
  size_t num_protected = 0, num_old = 0;
  for (const JudgedTask& task : judgement.tasks) {
    const TaskEvidence& evidence = task.evidence;
    if (task.role == TaskRole::kHeadline && evidence.protected_axis) {
      ++num_protected;
      judgement.gates.push_back(
          {evidence.task, non_inferior_gate("protected", "the rows that the task protects", *evidence.protected_axis,
                                            plan.protected_margin, kPointRule)});
    }
    if (task.role == TaskRole::kHeadline && evidence.num_protected == 1) {
      ++num_protected;
      Gate gate;
      gate.id = "protected";
      gate.state = GateState::kUndecided;
      gate.words = "one row is protected, and one row has no interval";
      gate.to_pass = "evaluate at least two protected items of the task";
      judgement.gates.push_back({evidence.task, gate});
    }
    if (task.role == TaskRole::kProtected) {
      ++num_protected;
      judgement.gates.push_back({evidence.task, non_inferior_gate("protected", evidence.task, evidence.effect,
                                                                  plan.protected_margin, kPointRule)});
    }
    if (task.role == TaskRole::kOld) {
      ++num_old;
      judgement.gates.push_back({evidence.task, non_inferior_gate("retention", evidence.task, evidence.effect,
                                                                  plan.retention_margin, std::nullopt)});
    }
  }
  if (num_protected == 0) add_not_applicable(judgement, "protected", "no protected task was given");
  if (num_old == 0) add_not_applicable(judgement, "retention", "no old task was given");
}

void add_headline_gates(Judgement& judgement, const Plan& plan) {
  const std::vector<double> adjusted = adjusted_p(judgement.tasks);
  for (size_t i = 0; i < judgement.tasks.size() && judgement.tasks[i].role == TaskRole::kHeadline; ++i) {
    const TaskEvidence& evidence = judgement.tasks[i].evidence;
    const auto p = adjusted.empty() ? std::nullopt : std::optional(adjusted[i]);
    for (Gate& gate :
         std::vector<Gate>{reward_hack_gate(evidence), effect_gate(evidence, plan, p), powered_gate(evidence, plan),
                           enough_seeds_gate(evidence, plan), truncation_robust_gate(evidence, plan)}) {
      judgement.gates.push_back({evidence.task, std::move(gate)});
    }
  }
}

bool lacks_completions(const TaskEvidence& evidence) {
  for (const EvalReport* report : evidence.reports) {
    for (const EvalArm* arm : {&report->base, &report->candidate}) {
      if (std::any_of(arm->rows.begin(), arm->rows.end(), [](const EvalRow& row) { return !row.completion; }))
        return true;
    }
  }
  return false;
}

/// What an arm's summary does not state of what `eval` writes: nothing then holds its rows to what was measured.
std::string unstated_of(const EvalReport& report) {
  std::string unstated;
  for (const auto& [name, arm] : {std::pair("base", &report.base), {"candidate", &report.candidate}}) {
    for (const std::string& key : {std::string("n"), report.metric}) {
      if (!arm->stated.count(key)) unstated += fmt::format("{}{}.{}", unstated.empty() ? "" : ", ", name, key);
    }
  }
  return unstated;
}

/// Headline tasks on the same items: one set of rows under two names, or one measured twice.
bool have_same_items(const EvalReport& a, const EvalReport& b) {
  const auto items = [](const EvalReport& report) {
    std::set<std::string> marks;
    for (const EvalRow& row : report.base.rows) marks.insert(row.id + '\x1f' + row.prompt_hash);
    return marks;
  };
  return items(a) == items(b);
}

/// Planned seeds that were not reported: the reader of a decision must know that some are missing.
void note_missing_seeds(const Plan& plan, const TaskEvidence& evidence, std::set<std::string>& notes) {
  std::string missing;
  for (const int64_t seed : plan.seeds) {
    const bool is_there = std::any_of(evidence.reports.begin(), evidence.reports.end(),
                                      [&](const EvalReport* report) { return report->seed == seed; });
    if (!is_there) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", seed);
  }
  if (!missing.empty()) notes.insert(fmt::format("{}: planned seeds without a report: {}", evidence.task, missing));
}

void add_notes(Judgement& judgement, const Plan& plan) {
  std::set<std::string> notes;
  for (const JudgedTask& task : judgement.tasks) {
    const TaskEvidence& evidence = task.evidence;
    const EvalReport& first = *evidence.reports.front();
    const auto note = [&](const std::string& text) { notes.insert(evidence.task + ": " + text); };
    if (lacks_completions(evidence)) note("rows without completion text: nobody can check the grades");
    if (evidence.pairs.knowledge == PromptKnowledge::kCompletions) {
      note("not all prompts are recorded; items whose base completions are the same long text count as one prompt");
    } else if (evidence.pairs.knowledge == PromptKnowledge::kIds) {
      note("not all prompts are recorded; an id without one counts as a prompt");
    }
    if (first.source == ReportSource::kOriginalHarness) {
      note("a foreign report records few pins; what it does not record cannot be checked");
    }
    for (const EvalReport* report : evidence.reports) {
      if (report->source != ReportSource::kPlumbline) continue;
      if (const std::string unstated = unstated_of(*report); !unstated.empty()) {
        note(fmt::format("{} does not state {}: nothing holds its rows to what was measured", report->path, unstated));
      }
    }
    if (first.pins.find("dirty") == "true") {
      notes.insert(
          "the plumbline that measured this was built from a source tree with uncommitted changes: the pin commit does "
          "not name that program");
    }
    for (const JudgedTask& other : judgement.tasks) {
      const bool are_headlines = task.role == TaskRole::kHeadline && other.role == TaskRole::kHeadline;
      if (are_headlines && evidence.task < other.evidence.task &&
          have_same_items(first, *other.evidence.reports.front())) {
        note(fmt::format("its items are those of {}: two names of one measurement count as two headline tasks",
                         other.evidence.task));
      }
    }
    note_missing_seeds(plan, evidence, notes);
  }
  judgement.notes.assign(notes.begin(), notes.end());
}

Decision decide(const std::vector<JudgedGate>& gates) {
  Decision decision = Decision::kGo;
  for (const JudgedGate& judged : gates) {
    if (judged.gate.kind == GateClass::kInvalid && judged.gate.state == GateState::kFail) return Decision::kInvalid;
    if (judged.gate.blocks()) decision = Decision::kNoGo;
  }
  return decision;
}

}  // namespace

std::string_view name_of(Decision decision) {
  return decision == Decision::kGo ? "GO" : decision == Decision::kNoGo ? "NO-GO" : "INVALID";
}

std::string_view name_of(TaskRole role) {
  return role == TaskRole::kHeadline ? "headline" : role == TaskRole::kProtected ? "protected" : "old";
}

std::vector<std::string> Judgement::blocking() const {
  std::vector<std::string> ids;
  for (const JudgedGate* judged : blocking_gates()) {
    if (!has(ids, judged->gate.id)) ids.push_back(judged->gate.id);
  }
  return ids;
}

std::vector<const JudgedGate*> Judgement::blocking_gates() const {
  std::vector<const JudgedGate*> blocking;
  for (const GateState state : {GateState::kFail, GateState::kUndecided}) {
    for (const JudgedGate& judged : gates) {
      const bool counts = decision != Decision::kInvalid ||
                          (judged.gate.kind == GateClass::kInvalid && judged.gate.state == GateState::kFail);
      if (judged.gate.state == state && counts) blocking.push_back(&judged);
    }
  }
  return blocking;
}

Judgement judge(const std::vector<EvalReport>& reports, const DecisionRequest& request) {
  if (reports.empty()) throw DataError("data.no_reports", "there is no report to compare");
  Judgement judgement;
  judgement.tasks = gather_tasks(reports, request.plan);
  std::vector<const TaskEvidence*> all;
  for (const JudgedTask& task : judgement.tasks) all.push_back(&task.evidence);
  judgement.gates.push_back({"", comparable_gate(all)});
  for (const JudgedTask& task : judgement.tasks) {
    judgement.gates.push_back({task.evidence.task, base_alive_gate(task.evidence)});
  }
  judgement.gates.push_back({"", no_contamination_gate(all)});
  add_headline_gates(judgement, request.plan);
  add_protection(judgement, request.plan);
  if (request.must_be_preregistered) {
    judgement.gates.push_back({"", preregistered_gate(request.plan, reports)});
  }
  add_notes(judgement, request.plan);
  judgement.decision = decide(judgement.gates);
  return judgement;
}

}  // namespace plumbline
