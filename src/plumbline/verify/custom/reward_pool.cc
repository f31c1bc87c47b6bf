#include "plumbline/verify/custom/reward_pool.h"

#include <fmt/format.h>

#include <algorithm>

#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/base/log.h"

namespace plumbline {
namespace {

constexpr size_t kGiveUpBatches = 3;
constexpr size_t kGiveUpCompletions = 32;
constexpr int kMaxSinglesFailed = 3;  ///< in a row, when a batch is asked one by one

bool all_failed(const std::vector<RewardAnswer>& answers) {
  return std::all_of(answers.begin(), answers.end(), [](const RewardAnswer& answer) { return answer.failed; });
}

std::exception_ptr give_up(const RewardSpec& spec, size_t num_failed, const std::string& detail) {
  const std::string problem =
      fmt::format("the reward '{}' failed for {} completions in a row: {}", spec.name, num_failed, detail);
  if (spec.kind == RewardKind::kEndpoint || spec.kind == RewardKind::kJudge) {
    return std::make_exception_ptr(
        RemoteError("remote.reward_failed", problem, spec.name, "check the endpoint, then resume"));
  }
  return std::make_exception_ptr(
      SandboxError("sandbox.reward_failed", problem, spec.name, "correct the reward, then resume"));
}

}  // namespace

RewardPool::RewardPool(RewardSpec spec, int64_t num_workers, int64_t batch_size, MakeSource make_source)
    : spec_(std::move(spec)), batch_size_(batch_size), make_source_(std::move(make_source)) {
  std::unique_ptr<RewardSource> first = make_source_();
  for (int64_t i = 0; i < num_workers; ++i) {
    threads_.emplace_back([this, source = std::move(first)]() mutable { work(std::move(source)); });
  }
}

RewardPool::~RewardPool() {
  flush();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void RewardPool::submit(RewardJob job) {
  const std::lock_guard lock(mutex_);
  const int64_t key = batch_size_ > 0 ? job.index / batch_size_ : 0;
  Batch& batch = open_[key];
  batch.push_back(std::move(job));
  if (batch_size_ == 0 || static_cast<int64_t>(batch.size()) < batch_size_) return;
  close_batch(std::move(batch));
  open_.erase(key);
}

void RewardPool::flush() {
  const std::lock_guard lock(mutex_);
  for (auto& [key, batch] : open_) close_batch(std::move(batch));
  open_.clear();
}

void RewardPool::close_batch(Batch batch) {
  std::stable_sort(batch.begin(), batch.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
  ready_.push_back(std::move(batch));
  changed_.notify_one();
}

void RewardPool::work(std::unique_ptr<RewardSource> source) {
  while (true) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopping_ || !ready_.empty(); });
    if (ready_.empty()) return;
    Batch batch = std::move(ready_.front());
    ready_.pop_front();
    lock.unlock();
    answer(source, batch);
  }
}

void RewardPool::answer(std::unique_ptr<RewardSource>& source, Batch& batch) {
  std::exception_ptr given_up;
  bool is_stopping = false;
  {
    const std::lock_guard lock(mutex_);
    given_up = given_up_;
    is_stopping = stopping_;
  }
  const bool is_wanted = !is_stopping && !interrupt_requested() &&
                         std::any_of(batch.begin(), batch.end(),
                                     [](const RewardJob& job) { return !(job.abandoned && job.abandoned->load()); });
  std::vector<RewardAnswer> answers(batch.size());
  if (given_up || !is_wanted) {
    for (RewardAnswer& answer : answers) answer = {.failed = true, .detail = "interrupted"};
  } else {
    std::vector<RewardQuestion> questions;
    for (const RewardJob& job : batch) questions.push_back(job.question);
    const double start_s = now_s();
    answers = ask_twice(source, questions);
    const double share_ms = (now_s() - start_s) * 1e3 / static_cast<double>(batch.size());
    for (RewardAnswer& answer : answers) answer.wall_ms = share_ms;
    count_failures(answers);
  }
  for (size_t i = 0; i < batch.size(); ++i) batch[i].on_answer(std::move(answers[i]), given_up);
}

std::vector<RewardAnswer> RewardPool::ask_twice(std::unique_ptr<RewardSource>& source,
                                                const std::vector<RewardQuestion>& all) {
  std::vector<RewardAnswer> answers = ask(source, all);
  const auto may_retry = [](const RewardAnswer& answer) { return answer.failed && answer.may_pass_later; };
  const auto first = std::find_if(answers.begin(), answers.end(), may_retry);
  if (first == answers.end() || interrupt_requested()) return answers;
  log_warning(fmt::format("the reward '{}' failed and is asked again: {}", spec_.name, escape_control(first->detail)));
  if (source && !source->may_split()) return ask(source, all);
  int num_failed = 0;
  for (size_t i = 0; i < all.size() && num_failed < kMaxSinglesFailed && !interrupt_requested(); ++i) {
    if (!may_retry(answers[i])) continue;
    answers[i] = ask(source, {&all[i], 1})[0];
    num_failed = answers[i].failed ? num_failed + 1 : 0;
  }
  return answers;
}

std::vector<RewardAnswer> RewardPool::ask(std::unique_ptr<RewardSource>& source,
                                          std::span<const RewardQuestion> questions) {
  try {
    if (!source) source = make_source_();
    return source->answer(questions);
  } catch (const Error& error) {
    source.reset();
    RewardAnswer failed{.failed = true, .may_pass_later = true};
    failed.detail = error.message();
    return std::vector<RewardAnswer>(questions.size(), failed);
  }
}

void RewardPool::count_failures(const std::vector<RewardAnswer>& answers) {
  const std::lock_guard lock(mutex_);
  if (!all_failed(answers)) {
    failed_completions_ = failed_batches_ = 0;
    return;
  }
  if (interrupt_requested()) return;
  failed_completions_ += answers.size();
  if (++failed_batches_ < kGiveUpBatches || failed_completions_ < kGiveUpCompletions || given_up_) return;
  given_up_ = give_up(spec_, failed_completions_, answers[0].detail);
}

}  // namespace plumbline
