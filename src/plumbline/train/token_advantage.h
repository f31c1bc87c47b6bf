/// REINFORCE++ (arXiv 2501.03262): what each token of a step is worth.
///
///     A_t = r - beta sum_{i >= t} (logp_old,i - logp_ref,i)        the penalty is in the return, undiscounted
///     A_t <- (A_t - mean A) / std A                                over all counting tokens of the step
///
/// Ours: std divides by the number of tokens, and its square is at least 1e-8, so equal returns give 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plumbline {

/// `reward_B`: one a row. `kl_B`: logp_old - logp_ref of the row's tokens; may be empty when beta is 0. `lengths_B`:
/// tokens a row. Returns the advantages of every row's tokens.
std::vector<std::vector<double>> reinforce_plus_advantages(std::span<const double> reward_B,
                                                           std::span<const std::vector<double>> kl_B,
                                                           std::span<const int64_t> lengths_B, double beta);

}  // namespace plumbline
