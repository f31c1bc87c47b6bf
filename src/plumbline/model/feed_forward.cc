#include "plumbline/model/feed_forward.h"

#include <algorithm>
#include <numeric>

#include "plumbline/model/rms_norm.h"

namespace plumbline {
namespace {

using torch::Tensor;

/// How many rows an expert computes for its `num_rows` tokens, so that what a token gets does not depend, bit for bit,
/// on how many others chose the same expert: below four a matrix product is another kernel, and the activation takes
/// whole vectors of 32 numbers one way and what is left over another.
int64_t padded_rows(int64_t num_rows, int64_t expert_width) {
  constexpr int64_t kFewest = 4, kVector = 32;
  const int64_t step = kVector / std::gcd(kVector, expert_width);
  return (std::max(num_rows, kFewest) + step - 1) / step * step;
}

Tensor run_expert(const Mlp& expert, const Tensor& x_MD) {
  const int64_t num_rows = x_MD.size(0), num_padded = padded_rows(num_rows, expert.gate.base_OI.size(0));
  if (num_rows == num_padded) return expert.forward(x_MD);
  return expert.forward(at::constant_pad_nd(x_MD, {0, 0, 0, num_padded - num_rows})).narrow(0, 0, num_rows);
}

}  // namespace

Tensor Mlp::forward(const Tensor& x) const {
  return down.forward(at::silu(gate.forward(x)) * up.forward(x));
}

Tensor Moe::forward(const Tensor& x_ND, Tensor* router_logits_NE) const {
  const int64_t num_tokens = x_ND.size(0), num_experts = static_cast<int64_t>(experts.size());
  const Tensor logits_NE = router.forward(x_ND);
  if (router_logits_NE) *router_logits_NE = logits_NE;
  const auto [likeliest_NC, choice_NC] =
      at::softmax(logits_NE, -1, wide_type(x_ND.scalar_type())).topk(experts_per_token, -1);
  const Tensor weight_NC = renormalise ? likeliest_NC / likeliest_NC.sum(-1, /*keepdim=*/true) : likeliest_NC;

  // Place m of the sorted order holds choice order[m] of token order[m] / C. Both ways are permutations, so that their
  // gradients, too, add nothing up in an order that a device chooses.
  const Tensor order_M = at::argsort(choice_NC.flatten(), /*stable=*/true, /*dim=*/0, /*descending=*/false);
  const Tensor counts_E = at::bincount(choice_NC.flatten(), {}, num_experts).cpu();
  const Tensor sorted_MD =
      x_ND.unsqueeze(1).expand({num_tokens, experts_per_token, x_ND.size(1)}).flatten(0, 1).index_select(0, order_M);
  std::vector<Tensor> outputs;
  int64_t begin = 0;
  for (int64_t e = 0; e < num_experts; ++e) {
    const int64_t count = counts_E.const_data_ptr<int64_t>()[e];
    if (count > 0) outputs.push_back(run_expert(experts[static_cast<size_t>(e)], sorted_MD.narrow(0, begin, count)));
    begin += count;
  }
  const Tensor inverse_M = at::argsort(order_M);
  const Tensor output_NCD = at::cat(outputs, 0).index_select(0, inverse_M).view({num_tokens, experts_per_token, -1});
  return (output_NCD * weight_NC.to(x_ND.scalar_type()).unsqueeze(-1)).sum(1);
}

}  // namespace plumbline
