#include "plumbline/doctor/figures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace plumbline::doctor {
namespace {

uint64_t key_of(const ItemRow& row) {
  return row.item ^ (static_cast<uint64_t>(row.sample + 2) * 0x9E3779B97F4A7C15ull);
}

template <typename Value>
std::optional<double> mean_over(const Arm& arm, Value value, bool needs_all) {
  double sum = 0;
  int64_t count = 0;
  for (const ItemRow& row : arm.rows) {
    const double one = value(row);
    if (!std::isnan(one)) {
      sum += one;
      ++count;
    } else if (needs_all) {
      return {};
    }
  }
  if (count == 0) return {};
  return sum / static_cast<double>(count);
}

}  // namespace

int64_t num_items(const Arm& arm) {
  return arm.n.value_or(static_cast<int64_t>(arm.rows.size()));
}

std::optional<double> pass_rate(const Arm& arm) {
  if (arm.pass_rate) return arm.pass_rate;
  return mean_over(
      arm,
      [](const ItemRow& row) { return row.passed == Known::kUnknown ? NAN
                                      : row.passed == Known::kYes   ? 1.0
                                                                    : 0.0; },
      true);
}

std::optional<double> mean_reward(const Arm& arm) {
  if (arm.mean_reward) return arm.mean_reward;
  return mean_over(
      arm, [](const ItemRow& row) { return double{row.reward}; }, false);
}

std::optional<double> mean_vsc(const Arm& arm) {
  if (arm.vsc) return arm.vsc;
  return mean_over(
      arm, [](const ItemRow& row) { return double{row.vsc}; }, false);
}

bool is_cut(const ItemRow& row) {
  return row.cut == Known::kYes || (row.cut == Known::kUnknown && row.fence == Fence::kOpen);
}

FailureCounts count_failures(const Arm& arm) {
  FailureCounts counts;
  for (const ItemRow& row : arm.rows) {
    const bool has_fence_info = row.fence != Fence::kNoText;
    counts.with_text += has_fence_info;
    counts.prose += row.fence == Fence::kNone && !row.looks_like_code;
    if (row.passed == Known::kUnknown) continue;
    const bool unfenced = has_fence_info && row.fence != Fence::kClosed;
    const bool passed = row.passed == Known::kYes;
    ++(passed ? counts.passes : counts.failures);
    if (is_cut(row)) ++(passed ? counts.passes_cut : counts.failures_cut);
    if (unfenced) ++(passed ? counts.passes_unfenced : counts.failures_unfenced);
    counts.failures_ran += !passed && row.ran == Known::kYes;
  }
  return counts;
}

bool verifier_engaged(const Arm& arm) {
  if (mean_vsc(arm).value_or(0) > 0) return true;
  const FailureCounts counts = count_failures(arm);
  return counts.failures_ran > 0 && 2 * counts.failures_ran >= counts.failures;
}

bool is_code_task(const Evaluation& report) {
  if (report.task == "code" || report.task == "invention") return true;
  for (const char* word : {"humaneval", "mbpp", "livecode", "bigcode", "apps", "code"}) {
    if (report.task.find(word) != std::string::npos) return true;
  }
  if (!report.task.empty()) return false;
  int64_t fenced = 0, total = 0;
  for (const Arm* arm : {report.base ? &*report.base : nullptr, &report.candidate}) {
    if (!arm) continue;
    for (const ItemRow& row : arm->rows) fenced += row.fence == Fence::kOpen || row.fence == Fence::kClosed;
    total += static_cast<int64_t>(arm->rows.size());
  }
  return total > 0 && 5 * fenced >= total;
}

RowPairs paired_rows(const Comparison& comparison) {
  std::unordered_map<uint64_t, const ItemRow*> by_key;
  for (const ItemRow& row : comparison.base->rows) {
    if (row.item) by_key.emplace(key_of(row), &row);
  }
  RowPairs pairs;
  for (const ItemRow& row : comparison.candidate->rows) {
    const auto found = row.item ? by_key.find(key_of(row)) : by_key.end();
    if (found != by_key.end()) pairs.emplace_back(found->second, &row);
  }
  return pairs;
}

std::optional<double> paired_delta(const RowPairs& pairs) {
  int64_t sum = 0, count = 0;
  for (const auto& [base, candidate] : pairs) {
    if (base->passed == Known::kUnknown || candidate->passed == Known::kUnknown) continue;
    sum += (candidate->passed == Known::kYes) - (base->passed == Known::kYes);
    ++count;
  }
  if (count == 0) return {};
  return static_cast<double>(sum) / static_cast<double>(count);
}

std::optional<double> shown_delta(const Comparison& comparison) {
  if (const auto delta = paired_delta(paired_rows(comparison))) return delta;
  const auto base = pass_rate(*comparison.base), candidate = pass_rate(*comparison.candidate);
  if (base && candidate) return *candidate - *base;
  return comparison.report().delta;
}

namespace {

/// Sorts; vectors, since sets of a million hashes would cost five times their size.
int64_t count_distinct(std::vector<uint64_t>& values) {
  std::sort(values.begin(), values.end());
  return std::unique(values.begin(), values.end()) - values.begin();
}

/// Rows that stand for an item of their own: of several numbered samples of an item the first.
std::vector<const ItemRow*> item_rows(const Arm& arm) {
  const bool numbered =
      std::any_of(arm.rows.begin(), arm.rows.end(), [](const ItemRow& row) { return row.sample > 0; });
  std::vector<const ItemRow*> rows;
  std::unordered_set<uint64_t> seen;
  for (const ItemRow& row : arm.rows) {
    if (!numbered || row.item == 0 || row.sample < 0 || seen.insert(row.item).second) rows.push_back(&row);
  }
  return rows;
}

/// Long answers that are equal in both arms for the same items: greedy decoding of one prompt. Unset where answers are
/// short or missing.
std::optional<int64_t> distinct_answers(const Arm& arm, const Arm& other) {
  if (other.rows.size() != arm.rows.size()) return {};
  std::unordered_map<uint64_t, uint64_t> base_answer;
  for (const ItemRow& row : other.rows) base_answer[key_of(row)] = row.completion;
  std::vector<uint64_t> answers;
  for (const ItemRow& row : arm.rows) {
    const auto found = base_answer.find(key_of(row));
    if (row.num_bytes < 80 || found == base_answer.end() || found->second == 0) return {};
    answers.push_back(row.completion ^ found->second * 0x9E3779B97F4A7C15ull);
  }
  return count_distinct(answers);
}

/// Empty when a row lacks the value.
template <typename Value>
std::vector<uint64_t> values_of(const std::vector<const ItemRow*>& rows, Value value) {
  std::vector<uint64_t> values;
  values.reserve(rows.size());
  for (const ItemRow* row : rows) {
    values.push_back(value(*row));
    if (values.back() == 0) return {};
  }
  return values;
}

}  // namespace

EffectiveN effective_n(const Arm& arm, const Arm* other) {
  EffectiveN result;
  const std::vector<const ItemRow*> rows = item_rows(arm);
  result.num_rows = static_cast<int64_t>(rows.size());
  if (rows.empty()) return result;
  std::vector<uint64_t> prompts = values_of(rows, [](const ItemRow& row) { return row.prompt_text; });
  result.by = "prompts";
  if (prompts.empty()) {
    prompts = values_of(rows, [](const ItemRow& row) { return row.prompt_hash; });
    result.by = "prompt hashes";
  }
  std::vector<uint64_t> ids = values_of(rows, [](const ItemRow& row) { return row.item; });
  const int64_t num_ids = count_distinct(ids);
  if (!prompts.empty()) {
    result.num_distinct = count_distinct(prompts);
    // Samples without a number: one prompt, one id, texts that differ.
    if (num_ids > 0 && num_ids < result.num_rows && result.num_distinct == num_ids) {
      std::vector<uint64_t> answers = values_of(rows, [](const ItemRow& row) { return row.item ^ row.completion * 3; });
      if (count_distinct(answers) > result.num_distinct) result.num_rows = result.num_distinct;
    }
    return result;
  }
  const std::optional<int64_t> answers = other && num_ids > 0 ? distinct_answers(arm, *other) : std::nullopt;
  result.by = answers ? "completions" : num_ids > 0 ? "ids" : "";
  result.num_distinct = answers.value_or(num_ids);
  return result;
}

double window_mean(const std::vector<std::pair<double, double>>& points, size_t begin, size_t end) {
  double sum = 0;
  for (size_t i = begin; i < end; ++i) sum += points[i].second;
  return sum / static_cast<double>(end - begin);
}

double window_median(const std::vector<std::pair<double, double>>& points, size_t begin, size_t end) {
  std::vector<double> values;
  for (size_t i = begin; i < end; ++i) values.push_back(points[i].second);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

std::vector<std::vector<const Evaluation*>> sweeps(const Evidence& evidence) {
  std::map<std::string, std::vector<const Evaluation*>> groups;
  for (const Evaluation& report : evidence.evaluations) {
    if (!report.base && report.format != "rows") continue;
    groups[report.format + "|" + report.task + "|" + report.model].push_back(&report);
  }
  std::vector<std::vector<const Evaluation*>> result;
  for (auto& [key, group] : groups) {
    if (group.size() > 1) result.push_back(std::move(group));
  }
  return result;
}

bool is_claim(const std::string& decision) {
  return decision == "GO" || decision == "promote" || decision == "promoted" || decision == "replicated";
}

}  // namespace plumbline::doctor
