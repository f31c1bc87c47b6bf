/// The part of a layer after attention: one SwiGLU MLP (arXiv 2002.05202), or a router and several (mixture of experts,
/// OLMoE arXiv 2409.02060, Qwen3 arXiv 2505.09388). Numerics follow transformers 5.
///
/// N tokens, D width, F inner width, E experts, C experts chosen per token.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "plumbline/model/linear.h"

namespace plumbline {

/// down(silu(gate x) * up x). Differentiable.
struct Mlp {
  Linear gate, up, down;  ///< [F, D], [F, D], [D, F]
  torch::Tensor forward(const torch::Tensor& x) const;
};

/// sum over the C likeliest experts of p_e Mlp_e(x), p = softmax(router x) in float32, divided by the sum of the chosen
/// ones with `renormalise`, then rounded to the dtype of x. Tokens are sorted by expert, and each expert runs once over
/// all of its own; the host learns how many those are, one transfer a call. Deterministic on every device, and a
/// token's result does not depend on which others are in the batch beyond the rounding of a matrix product.
/// Differentiable in x, router and experts; the choice itself has no gradient.
struct Moe {
  Linear router;  ///< [E, D], named ".mlp.gate"
  std::vector<Mlp> experts;
  int64_t experts_per_token = 0;
  bool renormalise = false;

  /// x_ND -> [N, D]. `router_logits_NE`, when given, receives what the router said.
  torch::Tensor forward(const torch::Tensor& x_ND, torch::Tensor* router_logits_NE = nullptr) const;
};

}  // namespace plumbline
