/// Reports in, one decision out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plumbline/compare/gates.h"

namespace plumbline {

enum class Decision { kGo, kNoGo, kInvalid };
/// "GO", "NO-GO", "INVALID".
std::string_view name_of(Decision decision);

enum class TaskRole { kHeadline, kProtected, kOld };
std::string_view name_of(TaskRole role);

struct JudgedTask {
  TaskRole role = TaskRole::kHeadline;
  TaskEvidence evidence;
};

struct DecisionRequest {
  Plan plan;
  bool must_be_preregistered = false;
};

/// A gate and the task that it is about; empty for all.
struct JudgedGate {
  std::string task;
  Gate gate;
  /// "effect (code)"; "comparable".
  std::string title() const { return task.empty() ? gate.id : gate.id + " (" + task + ")"; }
};

struct Judgement {
  std::vector<JudgedTask> tasks;  ///< headline tasks first; borrows the reports
  std::vector<JudgedGate> gates;
  std::vector<std::string> notes;  ///< what a reader must know beside the gates
  Decision decision = Decision::kInvalid;
  /// The gates that stand in the way: those that fail, then those that are undecided. Of an INVALID comparison only
  /// those that make it so.
  std::vector<const JudgedGate*> blocking_gates() const;
  /// Their ids, each once.
  std::vector<std::string> blocking() const;
};

/// Any INVALID gate that fails makes it INVALID; any other gate that fails or is undecided makes it NO-GO. Throws
/// DataError(data.no_reports), DataError(data.duplicate_report) when a task has a seed twice,
/// ConfigError(config.no_task) when a planned task is in no report, and what gather_evidence throws. `reports` must
/// outlive the result.
Judgement judge(const std::vector<EvalReport>& reports, const DecisionRequest& request);

}  // namespace plumbline
