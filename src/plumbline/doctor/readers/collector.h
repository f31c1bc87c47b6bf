/// Where readers put what they learn, before files are put together.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plumbline/doctor/evidence.h"
#include "plumbline/doctor/readers/item_row.h"
#include "plumbline/doctor/readers/json_head.h"

namespace plumbline::doctor {

/// One task of an lm-evaluation-harness results file, or one samples file.
struct LmEvalPart {
  std::string folder, task, date;  ///< as in the file's name; the task of samples has the date at its end
  Evaluation evaluation;
  std::map<std::string, std::pair<double, int64_t>> row_sums;  ///< "metric,filter" -> sum and number of its rows
};

struct Collector {
  Evidence evidence;
  FieldMap map;
  std::vector<LmEvalPart> lm_results, lm_samples;

  void not_checked(const std::string& where, const std::string& what, const std::string& reason) {
    evidence.not_checked.push_back({where, what, reason});
  }
};

/// Readers of one document each: `tree` is the document without its rows, `arms` the rows of its lists by their path.
using RowLists = std::map<std::string, std::deque<ItemRow>>;
struct Document {
  std::string path;
  const JsonHead& head;
  RowLists& lists;
  const Json& tree() const { return *head.tree; }
};
void read_eval_report(const Document& document, Collector& out);
void read_harness_report(const Document& document, Collector& out);
void read_harness_training(const Document& document, Collector& out);
void read_lm_eval_results(const Document& document, Collector& out);
void read_inspect_log(const Document& document, Collector& out);
void read_judge_report(const Document& document, Collector& out);
/// settings.json of a judge or teacher: a run without a summary beside it was ended in the middle.
void read_judge_settings(const Document& document, Collector& out);
void read_decision(const Document& document, Collector& out);
void read_certificate(const Document& document, Collector& out);
/// provenance.json of a run folder.
void read_provenance(const Json& tree, TrainingSetup& setup);

/// Puts single arms of one task side by side and lm-eval's samples to their results. Call once, at the end.
void put_together(Collector& collector);

/// Adds the mean of stated figure `path` to the arm; `possible` are the values of one item, empty when not known.
void add_mean(Arm& arm, const Json& tree, const std::string& path, const std::string& name,
              std::vector<double> possible);
/// Means of the arm's own rows beside those stated, where every row has the figure.
void finish_means(Arm& arm);

/// Rewards of one item where the task fixes them (evaluation.md section 1). Code has environments with scales of their
/// own.
std::vector<double> possible_rewards(const std::string& task);

}  // namespace plumbline::doctor
