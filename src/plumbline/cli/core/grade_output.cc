#include "plumbline/cli/core/grade_output.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "plumbline/base/interrupt.h"
#include "plumbline/record/verdict_json.h"

namespace plumbline {
namespace {

constexpr size_t kAheadPerPlace = 16;  // completions read but not yet written, per request that keeps the grader busy

}  // namespace

void RewardStatistics::add(const std::optional<double>& value) {
  if (!value) {
    ++num_not_applicable;
    return;
  }
  ++num_values;
  const double distance = *value - mean;
  mean += distance / static_cast<double>(num_values);
  sum_of_squares += distance * (*value - mean);
}

std::string RewardStatistics::text() const {
  std::string out = "reward " + name + ": ";
  if (num_values == 0) {
    out += "no value";
  } else {
    out += fmt::format("mean {:.4g}", mean);
    if (num_values > 1) {
      out += fmt::format(", std {:.4g}", std::sqrt(sum_of_squares / static_cast<double>(num_values - 1)));
    }
  }
  return out + fmt::format(", not applicable {}", num_not_applicable);
}

void GradeSummary::add(const Verdict& verdict) {
  ++outcomes[verdict.outcome];
  if (!verdict.is_infra()) ++labels[verdict.label];
  ++num_written;
  num_hacked += verdict.hacked();
  if (rewards.empty()) {
    for (const NamedReward& reward : verdict.rewards) rewards.push_back({.name = reward.name});
  }
  for (size_t i = 0; i < verdict.rewards.size(); ++i) rewards[i].add(verdict.rewards[i].value);
}

std::vector<std::string> GradeSummary::lines() const {
  std::string text = fmt::format("graded {}", num_written);
  for (const auto& [outcome, count] : outcomes) text += fmt::format(", {} {}", count, to_string(outcome));
  if (!labels.empty()) text += "; labels:";
  for (const auto& [label, count] : labels) text += fmt::format(" {} {}", count, to_string(label));
  if (num_skipped > 0) text += fmt::format("; {} were there already", num_skipped);
  std::vector<std::string> all = {text};
  for (const RewardStatistics& reward : rewards) all.push_back(reward.text());
  return all;
}

GradeOutput::GradeOutput(JsonlWriter& rows, Progress& progress, Verifier& verifier, AnswerOrder order,
                         bool keep_infra_out)
    : rows_(rows),
      progress_(progress),
      verifier_(verifier),
      order_(order),
      keep_infra_out_(keep_infra_out),
      most_outstanding_(static_cast<int64_t>(kAheadPerPlace * verifier.capacity())) {}

GradeOutput::~GradeOutput() {
  wait_for_answers();
}

bool GradeOutput::grade(const Problem& problem, Completion completion) {
  GradeRequest request{
      .problem = &problem, .sample = completion.sample, .completion = std::move(completion.completion)};
  request.token_ids = std::move(completion.token_ids);
  request.abandoned = &abandoned_;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return num_asked_ - next_ < most_outstanding_ || error_; });
    if (error_) return false;
    request.index = num_asked_++;
  }
  const int64_t number = request.index;
  verifier_.submit(std::move(request), [this, number, id = std::move(completion.request_id)](GradeAnswer answer) {
    take(number, {std::move(answer), id});
  });
  return true;
}

bool GradeOutput::has_failed() {
  const std::lock_guard lock(mutex_);
  return error_ != nullptr;
}

GradeSummary GradeOutput::finish() {
  wait_for_answers();
  if (error_) std::rethrow_exception(error_);
  return summary_;
}

void GradeOutput::wait_for_answers() {
  verifier_.flush();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return num_answered_ == num_asked_; });
}

void GradeOutput::take(int64_t number, Slot slot) {
  const std::lock_guard lock(mutex_);
  if (order_ == AnswerOrder::kAsTheyCome) {
    write(slot);
    ++next_;
  } else {
    waiting_.emplace(number, std::move(slot));
    for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_; ++next_) {
      write(first->second);
      first = waiting_.erase(first);
    }
  }
  ++num_answered_;
  changed_.notify_all();  // under the lock: afterwards this may be gone
}

void GradeOutput::write(const Slot& slot) {
  if (error_) return;
  if (slot.answer.error) return fail(slot.answer.error);
  const Verdict& verdict = slot.answer.verdict;
  if (verdict.is_infra() && interrupt_requested()) return;  // not graded at all
  try {
    if (verdict.is_infra()) ++summary_.num_infra;
    if (!(verdict.is_infra() && keep_infra_out_)) {
      Json row = to_json(verdict);
      if (slot.request_id) row["request_id"] = to_json(*slot.request_id);
      rows_.write(to_json_line(row));
      summary_.add(verdict);
    }
    progress_.advance(1, fmt::format("{} hacks", summary_.num_hacked));
  } catch (...) {
    fail(std::current_exception());
  }
}

void GradeOutput::fail(std::exception_ptr error) {
  error_ = std::move(error);
  abandoned_ = true;
}

}  // namespace plumbline
