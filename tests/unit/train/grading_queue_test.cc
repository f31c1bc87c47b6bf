#include "plumbline/train/grading_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

/// Answers each request with its own number, slowly.
class SlowVerifier final : public Verifier {
 public:
  std::vector<Verdict> grade(std::span<const GradeRequest> requests,
                             const std::function<void(size_t, const Verdict&)>&) override {
    if (fail) throw SandboxError("sandbox.gone", "no grader");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ++num_batches;
    std::vector<Verdict> verdicts(requests.size());
    for (size_t i = 0; i < requests.size(); ++i) verdicts[i].reward = static_cast<double>(requests[i].sample);
    return verdicts;
  }
  std::atomic<int> num_batches = 0;
  bool fail = false;
};

TEST(GradingQueue, VerdictsBelongToTheirRequestsInAnyOrder) {
  SlowVerifier verifier;
  GradingQueue queue(verifier, 40);
  for (size_t i = 0; i < 40; ++i) {
    const size_t index = (i * 7) % 40;
    queue.add(index, {nullptr, static_cast<int64_t>(index), ""});
    if (i % 10 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
  const auto verdicts = queue.finish();
  ASSERT_EQ(verdicts.size(), 40u);
  for (size_t i = 0; i < 40; ++i) EXPECT_EQ(*verdicts[i].reward, static_cast<double>(i));
  EXPECT_GT(verifier.num_batches, 1);
}

TEST(GradingQueue, FailureOfTheVerifierComesOutOfFinish) {
  SlowVerifier verifier;
  verifier.fail = true;
  GradingQueue queue(verifier, 2);
  queue.add(0, {});
  queue.add(1, {});
  EXPECT_THROW(queue.finish(), SandboxError);
}

TEST(GradingQueue, AbandonedQueueEnds) {
  SlowVerifier verifier;
  GradingQueue queue(verifier, 5);
  queue.add(3, {});
}

TEST(GradingQueue, NothingToGradeIsDoneAtOnce) {
  SlowVerifier verifier;
  EXPECT_TRUE(GradingQueue(verifier, 0).finish().empty());
}

}  // namespace
}  // namespace plumbline
