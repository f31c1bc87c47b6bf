#include "plumbline/train/problem_order.h"

#include <numeric>
#include <utility>

#include "plumbline/base/check.h"
#include "plumbline/base/rng.h"

namespace plumbline {

size_t ProblemOrder::at(int64_t cursor) {
  PL_CHECK(cursor >= 0 && num_problems_ > 0, "a problem order needs problems and a cursor");
  if (const int64_t epoch = cursor / num_problems_; epoch != epoch_) {
    epoch_ = epoch;
    permutation_.resize(static_cast<size_t>(num_problems_));
    std::iota(permutation_.begin(), permutation_.end(), size_t{0});
    CounterRng rng({.seed = seed_, .stream = Stream::kProblemOrder, .step = static_cast<uint32_t>(epoch)});
    for (size_t i = permutation_.size(); i > 1; --i) std::swap(permutation_[i - 1], permutation_[rng.next_below(i)]);
  }
  return permutation_[static_cast<size_t>(cursor % num_problems_)];
}

}  // namespace plumbline
