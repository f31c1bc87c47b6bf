/// What `report` knows about runs: folders of `train` and `probe`, read as they stand. Every file is input: a run with
/// a file that cannot be read says so and is shown apart; it never stops the report of the others.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plumbline/record/arm.h"
#include "plumbline/report/step_table.h"

namespace plumbline {

/// One row of eval.jsonl: the fixed held-out slice, decoded and graded after `step` (0 = before training).
struct SliceEvaluation {
  int64_t step = 0;
  std::string decode;  ///< "greedy", "sampled"
  int64_t num_graded = 0, num_passed = 0, num_hacked = 0, num_vacuous = 0, num_truncated = 0;
  double mean_reward = 0;
};

enum class RunState { kComplete, kIncomplete, kNotStarted, kUnreadable };

/// "table.key" to its value as text; lists are joined by commas.
using Settings = std::map<std::string, std::string>;
/// Keys and values in file order.
using Provenance = std::vector<std::pair<std::string, std::string>>;

/// One arm, one seed.
struct ArmRun {
  std::string folder, arm;
  uint64_t seed = 0;
  RunState state = RunState::kNotStarted;
  std::string problem;  ///< why it is unreadable
  int64_t steps_planned = 0;
  StepTable steps;
  std::vector<SliceEvaluation> evaluations;
  Settings settings;
  Provenance provenance;

  Arm kind() const { return arm_of_name(arm); }
  int64_t steps_done() const { return static_cast<int64_t>(steps.rows.size()); }
  /// "projected s1".
  std::string label() const;
};

/// One row of gates.json.
struct GateRow {
  std::string id, title, status, should, saw, otherwise;
};

/// A probe's own files; its arms are among the runs.
struct ProbeFolder {
  std::string folder;
  Settings settings;
  Provenance provenance;
  std::vector<GateRow> gates;
  std::string problem;  ///< what could not be read
};

struct RunSet {
  std::vector<ArmRun> runs;  ///< in the order of the folders; a probe's in its own order of seeds and arms
  std::vector<ProbeFolder> probes;

  /// Arms that the probes plan and that are not complete, and runs given by name that are not.
  int64_t num_unfinished() const;
};

/// `folders` are probe folders (they have arms, or plan some) and run folders, in any mix; a folder named twice counts
/// once. Throws DataError(data.not_a_run) for a folder without resolved.toml, ConfigError(config.toml_syntax) when that
/// file is not TOML, DataError(data.too_many_runs).
RunSet read_run_set(const std::vector<std::string>& folders);

/// The setting, or `fallback` where there is none.
std::string setting_of(const Settings& settings, const std::string& key, const std::string& fallback = "");
/// A number setting, or `fallback` where there is none or it is no number.
double number_of(const Settings& settings, const std::string& key, double fallback);

}  // namespace plumbline
