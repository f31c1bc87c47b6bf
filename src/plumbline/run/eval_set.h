/// The items of one task that an evaluation asks for, and what they share with training.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumbline/compare/eval_report_writer.h"
#include "plumbline/eval/item_runner.h"
#include "plumbline/preset/options.h"
#include "plumbline/record/problem.h"

namespace plumbline {

/// Items of one task. Move-only: `list` points into `problems`.
struct EvalSet {
  std::string task;
  std::vector<Problem> problems;
  ItemList list;
  std::string generator;  ///< of the sealed files, joined; empty when none is sealed
  std::string hash;       ///< SHA-256 over ids, prompts and what decides a grade, of the items in `list`

  EvalSet() = default;
  EvalSet(EvalSet&&) = default;
  EvalSet& operator=(EvalSet&&) = default;
};

/// The eval split of every task of eval.tasks, hints applied, seals checked, the first eval.limit of each; not rendered
/// yet. Throws what the reader throws; ConfigError(config.no_problems) for a task without problems.
std::vector<EvalSet> read_eval_sets(const Preset& preset);

/// Renders the items; those that do not fit are left out and counted. Throws ConfigError(config.no_problems) when fewer
/// than two are left: a single item shows nothing.
void render_eval_set(const ModelText& text, const RolloutOptions& rollout, EvalSet& set);

/// What is in training too.
struct Overlap {
  std::vector<std::string> families, prompts;  ///< names; ids of the eval items
  bool empty() const { return families.empty() && prompts.empty(); }
};

/// Families and prompts of the items that also occur among the problems that `training` trains on (data.problems,
/// data.split, data.limit). Prompts are compared with the hints of each,
/// spaces and line ends aside. Throws what the reader throws.
Overlap overlap_with_training(const EvalSet& set, const Preset& training);

ReportSplit report_split(const EvalSet& set, const Overlap& overlap, uint64_t seed);

}  // namespace plumbline
