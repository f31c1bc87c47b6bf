/// Every loss's own denominator, as the weight of a completion's tokens. G completions a prompt, P prompts a step.
///
///     dr_grpo      1 / (G P max_new)                 a constant (arXiv 2503.20783)
///     grpo         1 / (G P tokens of the row)       mean over tokens, then over rows (2402.03300)
///     dapo         1 / tokens of the step            (2503.14476)
///     bnpo         1 / (M tokens of the row's micro-batch), M micro-batches; so it depends on the split by definition
///     rloo         1 / (G P)                         log-probability of the whole completion, mean over rows
///                                                    (2402.14740)
///     reinforce++  1 / tokens of the step            (2501.03262 leaves it open; OpenRLHF's token mean)
///
/// Ours, after TRL: skipped groups leave the sum and never a divisor; a masked truncated row leaves the token divisors
/// and stays in every count of rows; a row without a reward leaves the token divisors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plumbline/train/policy_loss.h"

namespace plumbline {

/// The constants that divisors are made of.
struct LossShape {
  int64_t group_size = 1, prompts_per_step = 1, max_new_tokens = 1;
};

/// The weight of each row's tokens; finite, also where the row has none. `num_tokens_B`: completion tokens that stay in
/// token divisors, 0 for a row that left them. `micro_batches`: numbers of consecutive rows, summing to B (bnpo only).
std::vector<double> loss_weights(LossKind kind, std::span<const int64_t> num_tokens_B, const LossShape& shape,
                                 std::span<const int64_t> micro_batches);

/// B rows in micro-batches of `size` consecutive ones; the last may be smaller.
std::vector<int64_t> consecutive_micro_batches(int64_t num_rows, int64_t size);

}  // namespace plumbline
