/// One reward's workers: batches made up in a fixed order, failures tried again, a reward that always fails given up.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "plumbline/verify/custom/reward_source.h"

namespace plumbline {

/// One completion for a reward. `on_answer` is called once, from a worker's thread; with `error` the reward is given
/// up.
struct RewardJob {
  int64_t index = 0;
  RewardQuestion question;
  const std::atomic<bool>* abandoned = nullptr;
  std::function<void(RewardAnswer, std::exception_ptr error)> on_answer;
};

/// Thread-safe. A batch holds the completions whose indices lie in one multiple of `batch_size` (0: all until the next
/// flush), in the order of their indices; it goes out when it is full, or with flush().
///
/// Completions that failed together are asked once more: one by one where the source allows it, so that one bad
/// completion costs itself only, else together. When three batches and 32 completions in a row have failed, every
/// later job gets SandboxError(sandbox.reward_failed), or RemoteError(remote.reward_failed) for an endpoint.
class RewardPool {
 public:
  using MakeSource = std::function<std::unique_ptr<RewardSource>()>;

  /// Starts the first source here, so that what cannot be started is known at once; throws what it throws.
  RewardPool(RewardSpec spec, int64_t num_workers, int64_t batch_size, MakeSource make_source);
  /// Answers what is queued (as failed) and ends the programs.
  ~RewardPool();
  RewardPool(const RewardPool&) = delete;
  RewardPool& operator=(const RewardPool&) = delete;

  void submit(RewardJob job);
  void flush();
  const RewardSpec& spec() const { return spec_; }

 private:
  using Batch = std::vector<RewardJob>;
  void work(std::unique_ptr<RewardSource> source);
  void close_batch(Batch batch);
  void answer(std::unique_ptr<RewardSource>& source, Batch& batch);
  std::vector<RewardAnswer> ask_twice(std::unique_ptr<RewardSource>& source, const std::vector<RewardQuestion>& all);
  std::vector<RewardAnswer> ask(std::unique_ptr<RewardSource>& source, std::span<const RewardQuestion> questions);
  void count_failures(const std::vector<RewardAnswer>& answers);

  const RewardSpec spec_;
  const int64_t batch_size_;
  const MakeSource make_source_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int64_t, Batch> open_;  ///< by index / batch_size
  std::deque<Batch> ready_;
  size_t failed_completions_ = 0, failed_batches_ = 0;  ///< in a row
  std::exception_ptr given_up_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;  // last: they use all of the above
};

}  // namespace plumbline
