#include "plumbline/train/grading_queue.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

/// Answers each request with its own number on a thread of its own, after a time of its own.
class SlowVerifier final : public Verifier {
 public:
  ~SlowVerifier() override {
    for (std::thread& thread : threads_) thread.join();
  }
  void submit(GradeRequest request, OnAnswer on_answer) override {
    ++num_submitted;
    threads_.emplace_back([this, request, on_answer] {
      const int delay_ms = static_cast<int>(request.index * 7 % 5);
      for (int i = 0; i < delay_ms || hold; ++i) {
        if (request.abandoned && request.abandoned->load()) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      GradeAnswer answer;
      answer.verdict.outcome = Outcome::kPass;
      answer.verdict.reward = static_cast<double>(request.index);
      if (failing.contains(request.index)) {
        answer.error = std::make_exception_ptr(SandboxError("sandbox.gone", std::to_string(request.index)));
      }
      on_answer(std::move(answer));
    });
  }
  void flush() override { ++num_flushed; }
  std::set<int64_t> failing;
  std::atomic<bool> hold = false;
  int num_submitted = 0, num_flushed = 0;

 private:
  std::vector<std::thread> threads_;
};

TEST(GradingQueue, VerdictsBelongToTheirRequestsInAnyOrder) {
  std::vector<size_t> order(40);
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(7));
  SlowVerifier verifier;
  GradingQueue queue(verifier, order.size());
  for (const size_t index : order) queue.add(index, {});
  const auto verdicts = queue.finish();
  ASSERT_EQ(verdicts.size(), 40u);
  for (size_t i = 0; i < 40; ++i) EXPECT_EQ(*verdicts[i].reward, static_cast<double>(i));
  EXPECT_GE(verifier.num_flushed, 1);
}

TEST(GradingQueue, EachRequestGoesOutAtOnce) {
  SlowVerifier verifier;
  verifier.hold = true;  // none is answered
  GradingQueue queue(verifier, 8);
  for (size_t i = 0; i < 5; ++i) queue.add(i, {});
  EXPECT_EQ(verifier.num_submitted, 5);
}

TEST(GradingQueue, TheFirstErrorByIndexComesOutOfFinish) {
  SlowVerifier verifier;
  verifier.failing = {3, 5};  // 5 is answered before 3
  GradingQueue queue(verifier, 8);
  for (size_t i = 0; i < 8; ++i) queue.add(i, {});
  try {
    queue.finish();
    FAIL() << "no error";
  } catch (const SandboxError& error) {
    EXPECT_EQ(error.message(), "3");
  }
}

TEST(GradingQueue, AbandonedQueueTellsItsRequests) {
  SlowVerifier verifier;
  verifier.hold = true;
  GradingQueue queue(verifier, 5);
  queue.add(3, {});  // the destructor would wait for ever if it did not
}

TEST(GradingQueue, NothingToGradeIsDoneAtOnce) {
  SlowVerifier verifier;
  EXPECT_TRUE(GradingQueue(verifier, 0).finish().empty());
}

}  // namespace
}  // namespace plumbline
