/// One linear map of the decoder, with the place where an adapter puts its weights.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <string>

namespace plumbline {

/// What an unmerged adapter adds to a linear's output. Implementations are owned by the adapter.
class LinearDelta {
 public:
  virtual ~LinearDelta() = default;
  /// x_NI -> [N, O] to be added; same dtype as x.
  virtual torch::Tensor forward(const torch::Tensor& x_NI) const = 0;
};

/// `base_OI` is what was loaded and is never written. `weight_OI` is what forward multiplies by: the same tensor as
/// base_OI until an adapter puts merged weights there. `delta` (borrowed, may be null) serves the unmerged path. A zero
/// adapter leaves weight_OI bit-equal to base_OI.
struct Linear {
  std::string name;  ///< "model.layers.0.self_attn.q_proj", as in the checkpoint
  torch::Tensor base_OI, bias_O, weight_OI;
  const LinearDelta* delta = nullptr;

  /// [..., I] -> [..., O]
  torch::Tensor forward(const torch::Tensor& x) const;
  /// min(O, I): the length of an SVD adapter's vector.
  int64_t rank() const;
};

}  // namespace plumbline
