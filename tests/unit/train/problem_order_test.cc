#include "plumbline/train/problem_order.h"

#include <gtest/gtest.h>

#include <set>

namespace plumbline {
namespace {

std::vector<size_t> draw(uint64_t seed, int64_t num_problems, int64_t first, int64_t count) {
  ProblemOrder order(seed, num_problems);
  std::vector<size_t> drawn;
  for (int64_t i = first; i < first + count; ++i) drawn.push_back(order.at(i));
  return drawn;
}

TEST(ProblemOrder, EveryEpochHasEveryProblemOnceInAnotherOrder) {
  const auto drawn = draw(3, 20, 0, 60);
  std::set<std::vector<size_t>> orders;
  for (size_t epoch = 0; epoch < 3; ++epoch) {
    const std::vector<size_t> order(drawn.begin() + static_cast<long>(20 * epoch),
                                    drawn.begin() + static_cast<long>(20 * epoch + 20));
    EXPECT_EQ(std::set<size_t>(order.begin(), order.end()).size(), 20u);
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 3u);
  EXPECT_NE(draw(4, 20, 0, 20), draw(3, 20, 0, 20));
}

TEST(ProblemOrder, ContinuesAnywhereFromTheCursorAlone) {
  const auto whole = draw(3, 7, 0, 30);
  EXPECT_EQ(draw(3, 7, 11, 19), std::vector<size_t>(whole.begin() + 11, whole.end()));
}

}  // namespace
}  // namespace plumbline
