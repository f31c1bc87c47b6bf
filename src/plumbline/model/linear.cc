#include "plumbline/model/linear.h"

#include <algorithm>
#include <optional>

namespace plumbline {

torch::Tensor Linear::forward(const torch::Tensor& x) const {
  torch::Tensor y = at::linear(x, weight_OI, bias_O.defined() ? std::optional<torch::Tensor>(bias_O) : std::nullopt);
  if (!delta) return y;
  return y + delta->forward(x.reshape({-1, x.size(-1)})).view_as(y);
}

int64_t Linear::rank() const {
  return std::min(base_OI.size(0), base_OI.size(1));
}

}  // namespace plumbline
