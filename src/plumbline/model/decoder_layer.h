/// The weights of one decoder layer.
#pragma once

#include <torch/types.h>

#include <variant>
#include <vector>

#include "plumbline/model/feed_forward.h"
#include "plumbline/model/linear.h"

namespace plumbline {

struct DecoderLayer {
  torch::Tensor input_norm_D, mlp_norm_D;
  torch::Tensor q_norm, k_norm;  ///< undefined, or [K] (QkNorm::kHead), or [H*K] of their own heads (kWhole)
  Linear q, k, v, o;
  std::variant<Mlp, Moe> feed_forward;

  /// The MLP of a layer without experts (throws std::bad_variant_access with them).
  Mlp& mlp() { return std::get<Mlp>(feed_forward); }
  const Mlp& mlp() const { return std::get<Mlp>(feed_forward); }
  /// Null for a layer without experts.
  Moe* moe() { return std::get_if<Moe>(&feed_forward); }
  const Moe* moe() const { return std::get_if<Moe>(&feed_forward); }

  /// q, k, v, o, then gate, up, down; or the router and gate, up, down of every expert.
  std::vector<Linear*> linears();
};

}  // namespace plumbline
