#include "plumbline/judge/panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plumbline/base/sha256.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/stats/exact_test.h"

namespace plumbline {
namespace {

constexpr int64_t kLeastItems = 20;  ///< of the same pairs, before one judge's zero is held against another's plenty
constexpr double kPlenty = 0.1;

bool is_pair(const std::string& mode) {
  return mode == "pair";
}

}  // namespace

int64_t JudgeCount::count(const std::string& outcome) const {
  const auto found = outcomes.find(outcome);
  return found == outcomes.end() ? 0 : found->second;
}

int64_t JudgeCount::num_verdicts() const {
  return count("supported") + count("not_supported") + count("base") + count("candidate") + count("tie");
}

std::optional<double> JudgeCount::rate() const {
  const int64_t won = count("supported") + count("candidate"), lost = count("not_supported") + count("base");
  if (won + lost == 0) return std::nullopt;
  return static_cast<double>(won) / static_cast<double>(won + lost);
}

std::optional<Interval> JudgeCount::interval() const {
  const int64_t won = count("supported") + count("candidate"), lost = count("not_supported") + count("base");
  if (won + lost == 0) return std::nullopt;
  return wilson_interval(won, won + lost);
}

std::optional<double> JudgeCount::p_value() const {
  const int64_t won = count("candidate"), lost = count("base");
  if (won + lost == 0) return std::nullopt;
  return binomial_test(won, won + lost);
}

bool PanelSummary::all_valid() const {
  return std::all_of(counts.begin(), counts.end(), [](const JudgeCount& count) { return count.valid; });
}

int64_t PanelSummary::num_missing_calls() const {
  int64_t num_missing = num_planned_calls;
  for (const JudgeCost& cost : costs) num_missing -= cost.num_calls;
  return std::max<int64_t>(0, num_missing);
}

Panel::Panel(std::string mode, std::vector<std::pair<std::string, std::string>> judges_and_families, double min_kappa)
    : mode_(std::move(mode)),
      judges_(std::move(judges_and_families)),
      min_kappa_(min_kappa),
      words_(is_pair(mode_) ? std::vector<std::string>{"base", "candidate", "tie"}
                            : std::vector<std::string>{"supported", "not_supported"}),
      votes_(judges_.size()) {
  for (const auto& [judge, family] : judges_) costs_.emplace_back().judge = judge;
}

JudgeCount& Panel::count_of(size_t judge, const std::string& arm) {
  auto found = std::find(arms_.begin(), arms_.end(), arm);
  if (found == arms_.end()) {
    arms_.push_back(arm);
    hashes_.emplace_back();
    counts_.emplace_back();
    for (const auto& [name, family] : judges_) {
      JudgeCount& count = counts_.back().emplace_back();
      count.judge = name;
      count.family = family;
      count.arm = arm;
    }
    found = std::prev(arms_.end());
  }
  return counts_[static_cast<size_t>(found - arms_.begin())][judge];
}

void Panel::take(int64_t item, size_t judge, const JudgeRow& row) {
  JudgeCount& count = count_of(judge, row.arm);
  const auto arm = static_cast<size_t>(std::find(arms_.begin(), arms_.end(), row.arm) - arms_.begin());
  const auto index = static_cast<size_t>(item);
  if (arm_of_item_.size() <= index) {
    arm_of_item_.resize(index + 1, -1);
    for (auto& votes : votes_) votes.resize(index + 1);
  }
  if (arm_of_item_[index] < 0) {
    hashes_[arm] = sha256_hex(fmt::format("{}\n{}\n{}", hashes_[arm], to_string(row.problem_id), row.sample));
  }
  arm_of_item_[index] = static_cast<int32_t>(arm);

  ++count.num_items;
  ++count.outcomes[row.outcome];
  if (row.is_verdict()) {
    const auto word = std::find(words_.begin(), words_.end(), row.outcome) - words_.begin();
    votes_[judge][index].word = static_cast<int8_t>(word);
    count.first_won += row.order == row.outcome + "_first";
  } else {
    ++count.kinds[row.kind];
    if (row.outcome != "abstained") count.last_error = row.reason;
    if (row.http_status >= 400) ++count.http_errors[row.http_status];
  }
  JudgeCost& cost = costs_[judge];
  ++cost.num_calls;
  cost.num_cached += row.cached;
  cost.num_attempts += row.num_attempts;
  if (row.outcome == "transport_error") return cost.cost.add_failure(row.usage, row.kind, row.http_status);
  if (row.usage.prompt_tokens && row.usage.completion_tokens) {
    cost.prompt_tokens += *row.usage.prompt_tokens;
    cost.completion_tokens += *row.usage.completion_tokens;
  } else {
    ++cost.num_without_usage;
  }
  cost.cost.add_reply(row.usage, row.cached);
}

PanelSummary Panel::finish(bool complete) {
  PanelSummary summary;
  summary.mode = mode_;
  summary.complete = complete;
  summary.num_items = static_cast<int64_t>(arm_of_item_.size());
  for (size_t arm = 0; arm < arms_.size(); ++arm) {
    for (JudgeCount& count : counts_[arm]) {
      count.items_hash = hashes_[arm].substr(0, 16);
      summary.counts.push_back(count);
    }
  }
  summary.costs = costs_;
  find_invalid(summary);
  drop_invalid_votes(summary);
  find_agreement(summary);
  find_majority(summary);
  decide_claim(summary);
  return summary;
}

void Panel::find_invalid(PanelSummary& summary) const {
  for (JudgeCount& count : summary.counts) {
    if (count.num_verdicts() == 0) {
      count.valid = false;
      count.why_invalid = fmt::format("no verdict in {} calls", count.num_items);
      for (const auto& [kind, number] : count.kinds) count.why_invalid += fmt::format(", {} {}", number, kind);
      if (!count.last_error.empty()) count.why_invalid += "; the last one: " + count.last_error;
      continue;
    }
    if (is_pair(mode_) || count.count("supported") > 0 || count.num_verdicts() < kLeastItems) continue;
    for (const JudgeCount& other : summary.counts) {
      if (other.arm != count.arm || other.num_verdicts() < kLeastItems) continue;
      if (other.interval()->low < kPlenty) continue;
      count.valid = false;
      count.why_invalid =
          fmt::format("it supports none of {} answers, and {} supports {} of {} of the same", count.num_verdicts(),
                      other.judge, other.count("supported"), other.num_verdicts());
    }
  }
}

void Panel::drop_invalid_votes(const PanelSummary& summary) {
  for (size_t item = 0; item < arm_of_item_.size(); ++item) {
    if (arm_of_item_[item] < 0) continue;
    const size_t first = static_cast<size_t>(arm_of_item_[item]) * judges_.size();
    for (size_t judge = 0; judge < judges_.size(); ++judge) {
      if (!summary.counts[first + judge].valid) votes_[judge][item].word = -1;
    }
  }
}

std::vector<int64_t> Panel::num_valid_judges(const PanelSummary& summary) const {
  std::vector<int64_t> counts(arms_.size());
  for (size_t i = 0; i < summary.counts.size(); ++i) counts[i / judges_.size()] += summary.counts[i].valid;
  return counts;
}

std::optional<bool> Panel::is_one_family(size_t a, size_t b) const {
  const std::string &first = judges_[a].second, &second = judges_[b].second;
  return first.empty() || second.empty() ? std::nullopt : std::optional(first == second);
}

void Panel::find_agreement(PanelSummary& summary) const {
  for (size_t a = 0; a < judges_.size(); ++a) {
    for (size_t b = a + 1; b < judges_.size(); ++b) {
      std::vector<std::string> ours, theirs;
      for (size_t item = 0; item < votes_[a].size(); ++item) {
        const int8_t first = votes_[a][item].word, second = votes_[b][item].word;
        if (first < 0 || second < 0) continue;
        ours.push_back(words_[static_cast<size_t>(first)]);
        theirs.push_back(words_[static_cast<size_t>(second)]);
      }
      if (ours.empty()) continue;
      summary.pairs.push_back({judges_[a].first, judges_[b].first, is_one_family(a, b), agreement_of(ours, theirs)});
    }
  }
}

void Panel::find_majority(PanelSummary& summary) const {
  const std::vector<int64_t> num_valid = num_valid_judges(summary);
  for (size_t item = 0; item < arm_of_item_.size(); ++item) {
    if (arm_of_item_[item] < 0 || num_valid[static_cast<size_t>(arm_of_item_[item])] < 2) continue;
    std::vector<int64_t> tally(words_.size());
    int64_t total = 0;
    for (const auto& votes : votes_) {
      if (votes[item].word < 0) continue;
      ++tally[static_cast<size_t>(votes[item].word)];
      ++total;
    }
    const auto most = std::max_element(tally.begin(), tally.end());
    const bool is_clear = 2 * *most > total;
    const std::string word = total == 0 ? "none"
                             : is_clear ? words_[static_cast<size_t>(most - tally.begin())]
                                        : "split";
    ++summary.majority[arms_[static_cast<size_t>(arm_of_item_[item])]][word];
    if (total > 0 && *most < total) summary.disagreements.push_back(static_cast<int64_t>(item));
  }
}

void Panel::decide_claim(PanelSummary& summary) const {
  if (!summary.complete) {
    summary.claim_reason = "the run is not complete";
  } else if (!summary.all_valid()) {
    summary.claim_reason = "a part of it is INVALID";
  } else {
    std::optional<double> best;
    bool two_families = false;
    for (size_t a = 0; a < judges_.size(); ++a) {
      for (size_t b = a + 1; b < judges_.size(); ++b) two_families |= is_one_family(a, b) == false;
    }
    std::string unknown;
    for (const auto& [judge, family] : judges_) {
      if (family.empty()) unknown += (unknown.empty() ? "" : ", ") + judge;
    }
    for (const JudgePair& pair : summary.pairs) {
      if (pair.same_family == false && pair.agreement.kappa) best = std::max(best.value_or(-1), *pair.agreement.kappa);
    }
    if (!two_families) {
      summary.claim_reason = "a claim needs judges of two known families";
      if (!unknown.empty())
        summary.claim_reason += "; who made this one is not known, so it counts for none: " + unknown;
    } else if (!best) {
      summary.claim_reason = "no two families gave verdicts that differ enough for a kappa";
    } else {
      summary.may_claim = *best >= min_kappa_;
      summary.claim_reason = fmt::format("the best kappa between two families is {:.3f}, {} {:.2f}", *best,
                                         summary.may_claim ? "at least" : "below", min_kappa_);
    }
  }
}

}  // namespace plumbline
