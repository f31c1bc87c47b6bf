/// What a run of judges comes to: rates over real verdicts only, agreement, and whether a claim may rest on it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plumbline/base/json.h"
#include "plumbline/judge/cost_sum.h"
#include "plumbline/judge/judge_row.h"
#include "plumbline/stats/agreement.h"
#include "plumbline/stats/interval.h"

namespace plumbline {

/// One judge on one arm (support), or on the pairs (pair; `arm` is empty).
struct JudgeCount {
  std::string judge, family, arm, items_hash;
  int64_t num_items = 0;
  std::map<std::string, int64_t> outcomes;  ///< by the row's word
  std::map<std::string, int64_t> kinds;     ///< of what is no verdict
  std::map<int, int64_t> http_errors;       ///< statuses from 400 on
  std::string last_error;                   ///< what came with the last failure; the provider's own sentence
  int64_t first_won = 0;                    ///< pair: verdicts for the answer that stood first

  int64_t count(const std::string& outcome) const;
  /// Verdicts that say something: abstentions are none.
  int64_t num_verdicts() const;
  /// supported / verdicts, or candidate / (base + candidate); unset without any.
  std::optional<double> rate() const;
  std::optional<Interval> interval() const;  ///< Wilson, of rate()
  std::optional<double> p_value() const;     ///< pair: exact binomial test of candidate against base
  bool valid = true;
  std::string why_invalid;
};

/// What a judge cost, over all arms.
struct JudgeCost {
  std::string judge;
  int64_t num_calls = 0, num_cached = 0, num_attempts = 0, num_without_usage = 0;
  int64_t prompt_tokens = 0, completion_tokens = 0;
  CostSum cost;
};

struct JudgePair {
  std::string first, second;
  std::optional<bool> same_family;  ///< unset: one of the makers is not known
  Agreement agreement;
};

struct PanelSummary {
  std::string mode;
  bool complete = false;
  int64_t num_items = 0;
  int64_t num_planned_calls = 0;  ///< judges times items; 0 = not said
  std::vector<JudgeCount> counts;
  std::vector<JudgeCost> costs;
  std::vector<JudgePair> pairs;  ///< that share a verdict on an item
  /// Of arms with two valid judges or more: arm -> word or "split" or "none". Agreement, majority and disagreements are
  /// made of verdicts of valid results alone.
  std::map<std::string, std::map<std::string, int64_t>> majority;
  std::vector<int64_t> disagreements;  ///< items on which verdicts differ, by their number
  bool may_claim = false;
  std::string claim_reason;

  bool all_valid() const;
  /// Planned calls without a row: what a run that was stopped has left.
  int64_t num_missing_calls() const;
};

/// Takes rows item by item, all judges of one item behind each other, and holds one byte a judge and item.
class Panel {
 public:
  Panel(std::string mode, std::vector<std::pair<std::string, std::string>> judges_and_families, double min_kappa);

  /// `item` numbers items from 0, upwards. `judge` is an index. A row that is not there yet is simply not taken.
  void take(int64_t item, size_t judge, const JudgeRow& row);
  PanelSummary finish(bool complete);

 private:
  struct Vote {
    int8_t word = -1;  ///< index into words_; -1 = no verdict
  };
  JudgeCount& count_of(size_t judge, const std::string& arm);
  void find_invalid(PanelSummary& summary) const;
  void drop_invalid_votes(const PanelSummary& summary);
  void find_agreement(PanelSummary& summary) const;
  std::optional<bool> is_one_family(size_t a, size_t b) const;
  void find_majority(PanelSummary& summary) const;
  /// By arm: judges whose result on it is valid.
  std::vector<int64_t> num_valid_judges(const PanelSummary& summary) const;
  void decide_claim(PanelSummary& summary) const;

  const std::string mode_;
  const std::vector<std::pair<std::string, std::string>> judges_;
  const double min_kappa_;
  std::vector<std::string> arms_;                ///< in the order of their appearance
  std::vector<std::vector<JudgeCount>> counts_;  ///< [arm][judge]
  std::vector<std::string> hashes_;              ///< running hash of an arm's items, by arm
  std::vector<JudgeCost> costs_;
  std::vector<std::string> words_;
  std::vector<std::vector<Vote>> votes_;  ///< [judge][item]
  std::vector<int32_t> arm_of_item_;
};

/// summary.json.
Json to_json(const PanelSummary& summary);
/// For the terminal; lines escaped.
std::string to_text(const PanelSummary& summary);

}  // namespace plumbline
