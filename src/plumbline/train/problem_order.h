/// The order in which training problems come: every epoch is a fresh permutation, a pure function of (seed, epoch).
#pragma once

#include <cstdint>
#include <vector>

namespace plumbline {

/// Not thread-safe (caches one epoch). Uses Stream::kProblemOrder; nothing needs saving beyond the cursor.
class ProblemOrder {
 public:
  /// `num_problems` > 0.
  ProblemOrder(uint64_t seed, int64_t num_problems) : seed_(seed), num_problems_(num_problems) {}
  /// Index of the problem drawn as number `cursor`, counted from 0 over all epochs.
  size_t at(int64_t cursor);

 private:
  uint64_t seed_;
  int64_t num_problems_;
  int64_t epoch_ = -1;
  std::vector<size_t> permutation_;
};

}  // namespace plumbline
