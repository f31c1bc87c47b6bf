#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "plumbline/verify/memory_budget.h"
#include "plumbline/verify/short_first_queue.h"

namespace plumbline {
namespace {

TEST(ShortFirstQueue, ShortOnesLeaveFirstAndEveryFourthIsTheOldest) {
  ShortFirstQueue<int> queue;
  for (const int cost : {90, 50, 10, 30, 20, 40}) queue.push(cost, cost);
  std::vector<int> order;
  while (!queue.empty()) order.push_back(queue.pop());
  EXPECT_EQ(order, (std::vector<int>{10, 20, 30, 90, 40, 50}));
}

TEST(ShortFirstQueue, ALongOneIsNotStarvedByAStreamOfShortOnes) {
  ShortFirstQueue<int> queue;
  queue.push(-1, 1e9);
  int num_before = 0;
  for (int i = 0; i < 100; ++i) {
    queue.push(i, 1);
    if (queue.pop() == -1) break;
    ++num_before;
  }
  EXPECT_LE(num_before, 3);
}

TEST(ShortFirstQueue, EqualCostsLeaveInOrder) {
  ShortFirstQueue<int> queue;
  for (int i = 0; i < 9; ++i) queue.push(i, 5);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(queue.pop(), i);
}

TEST(MemoryBudget, SharesNeverExceedIt) {
  MemoryBudget budget(10);
  std::atomic<int64_t> taken = 0, most = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        const MemoryBudget::Share share = budget.take(4);
        const int64_t now = taken += 4;
        int64_t seen = most;
        while (now > seen && !most.compare_exchange_weak(seen, now)) {
        }
        std::this_thread::yield();
        taken -= 4;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, 8);
}

}  // namespace
}  // namespace plumbline
