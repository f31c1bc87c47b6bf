#include "plumbline/doctor/follow/follower.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "plumbline/base/error.h"
#include "plumbline/record/problem_reader.h"

namespace plumbline::doctor {
namespace {

constexpr size_t kRemembered = 64;  ///< examples that wait for an onset

std::string last_user_message(const Problem& problem) {
  for (auto message = problem.prompt.rbegin(); message != problem.prompt.rend(); ++message) {
    if (message->role == "user") return message->content;
  }
  return problem.prompt.empty() ? "" : problem.prompt.back().content;
}

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

}  // namespace

ProblemFinder::ProblemFinder(const std::vector<Problem>& problems) {
  for (const Problem& problem : problems) {
    by_id_.emplace(problem.id.text, &problem);
    if (std::string text = trimmed(last_user_message(problem)); !text.empty()) by_text_.emplace_back(text, &problem);
  }
  // A short prompt may stand inside a longer one.
  std::stable_sort(by_text_.begin(), by_text_.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
}

const Problem* ProblemFinder::find(const RolloutRow& row) {
  if (!row.id.empty()) {
    const auto found = by_id_.find(row.id);
    if (found != by_id_.end()) return found->second;
  }
  if (row.prompt.empty()) return nullptr;
  const auto known = known_.find(row.prompt);
  if (known != known_.end()) return known->second;
  const auto found = std::find_if(by_text_.begin(), by_text_.end(), [&](const auto& candidate) {
    return row.prompt.find(candidate.first) != std::string::npos;
  });
  const Problem* problem = found == by_text_.end() ? nullptr : found->second;
  known_.emplace(row.prompt, problem);
  return problem;
}

void Follower::take(RolloutRow row, int64_t file_number) {
  const int64_t step = row.step.value_or(file_number);
  if (open_step_ && step != *open_step_) finish_step();
  stride_ = std::max(stride_, step - last_step_.value_or(step));
  open_step_ = last_step_ = step;
  row.step = step;
  const Problem* problem = finder_.find(row);
  if (problem) {
    ++num_matched_;
    num_with_reward_ += row.reward.has_value();
    open_.emplace_back(problem, std::move(row));
    return;
  }
  ++num_open_unmatched_;
  if (++num_unmatched_ < kPatience || num_matched_ > 0) return;
  throw DataError("data.unknown_problem", fmt::format("none of the first {} rows belongs to a problem", kPatience),
                  "--problems",
                  "give the problems that the run trains on; rows name them by problem_id or by the prompt");
}

void Follower::require_no_gap(FileBreak after, std::optional<int64_t> step, const std::string& where) const {
  if (after == FileBreak::kNone || !last_step_) return;
  const bool is_replaced = after == FileBreak::kReplaced;
  const std::string what = is_replaced ? "another file took its place" : "the file was rewritten while it was followed";
  const char* next_step =
      "let the trainer append, or write a file a step into a folder; what is there now is graded "
      "with --once";
  if (!step) {
    if (is_replaced) return;
    throw DataError("data.followed_gap", what + ", and without steps nobody can tell what is missing", where,
                    next_step);
  }
  if (*step > *last_step_ + stride_ || (*step < *last_step_ && !is_replaced)) {
    throw DataError("data.followed_gap",
                    fmt::format("{}: it goes on with step {} after step {}, and what stood between cannot be read",
                                what, *step, *last_step_),
                    where, next_step);
  }
}

void Follower::finish_step(bool is_partial) {
  if (!open_step_) return;
  FollowedStep step;
  step.is_partial = is_partial;
  step.step = *open_step_;
  step.num_rows = static_cast<int64_t>(open_.size()) + num_open_unmatched_;
  step.num_unmatched = num_open_unmatched_;
  std::vector<GradeRequest> requests;
  for (const auto& [problem, row] : open_) requests.push_back({.problem = problem, .completion = row.completion});
  std::vector<Verdict> verdicts = verifier_.grade(requests);
  std::vector<Graded> graded;
  for (size_t i = 0; i < open_.size(); ++i) {
    step.num_infra += verdicts[i].is_infra();
    if (!verdicts[i].is_infra()) graded.push_back({open_[i].first, std::move(open_[i].second), std::move(verdicts[i])});
  }
  open_.clear();
  open_step_.reset();
  num_open_unmatched_ = 0;
  note_right_rewards(graded);
  tell(step, graded);
}

void Follower::note_right_rewards(const std::vector<Graded>& step) {
  for (const Graded& graded : step) {
    if (graded.verdict.passed() && graded.row.reward) right_rewards_.push_back(*graded.row.reward);
  }
  std::sort(right_rewards_.begin(), right_rewards_.end());
}

bool Follower::is_paid_wrong(const Graded& graded) const {
  if (graded.verdict.passed()) return false;
  if (!graded.row.reward || right_rewards_.empty()) return graded.verdict.hacked();
  return *graded.row.reward >= right_rewards_[right_rewards_.size() / 2] - 1e-9;
}

void Follower::tell(const FollowedStep& counted, const std::vector<Graded>& rows) {
  FollowedStep step = counted;
  std::vector<const Problem*> order;
  std::unordered_map<const Problem*, GroupCounts> groups;
  double reward_sum = 0;
  int64_t num_rewards = 0;
  for (const Graded& graded : rows) {
    if (!groups.contains(graded.problem)) order.push_back(graded.problem);
    GroupCounts& group = groups[graded.problem];
    const bool paid_wrong = is_paid_wrong(graded);
    group.step = step.step;
    ++group.num_completions;
    group.num_right += graded.verdict.passed();
    group.num_paid_wrong += paid_wrong;
    ++step.num_graded;
    step.num_right += graded.verdict.passed();
    step.num_paid_wrong += paid_wrong;
    reward_sum += graded.row.reward.value_or(0);
    num_rewards += graded.row.reward.has_value();
    if (!paid_wrong) continue;
    recent_.push_back(
        {step.step, to_string(graded.problem->id), graded.row.completion, graded.verdict.detail, graded.row.reward});
    if (recent_.size() > kRemembered) recent_.erase(recent_.begin());
  }
  if (num_rewards > 0) step.mean_reward = reward_sum / static_cast<double>(num_rewards);
  ++num_steps_;
  on_step_(step);
  for (const Problem* problem : order) {
    const std::optional<Onset> onset = detector_.take(groups[problem]);
    if (!onset) continue;
    RaisedOnset raised{*onset, {}};
    std::set<std::string> shown;
    for (auto example = recent_.rbegin(); example != recent_.rend() && raised.examples.size() < kMaxExamples;
         ++example) {
      if (example->step >= onset->step && shown.insert(example->problem_id).second) raised.examples.push_back(*example);
    }
    has_raised_ = true;
    on_onset_(raised);
  }
}

}  // namespace plumbline::doctor
