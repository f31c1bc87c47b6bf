#include "plumbline/steer/route.h"

namespace plumbline {

using torch::Tensor;

Tensor RouteTransform::stored(const std::string& module, const Tensor& axes_KR, const Tensor& old_R,
                              const Tensor& proposed_R) {
  const Tensor removed_R = toward_hack(old_R - proposed_R, axes_KR);
  const auto [noted, is_new] = quarantine_.try_emplace(module, -absorption_ * removed_R);
  if (!is_new) noted->second = noted->second - absorption_ * removed_R.to(noted->second.device());
  return absorption_ == 1 ? proposed_R : proposed_R - (absorption_ - 1) * removed_R;
}

}  // namespace plumbline
