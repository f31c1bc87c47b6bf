#include "plumbline/steer/state_erasure.h"

namespace plumbline {

using torch::Tensor;

ResidualEdit state_erasure(int64_t layer, const std::vector<float>& direction_D, double clean,
                           const ProjectionOptions& options) {
  const ProjectionGate gate = options.gate;
  const double overshoot = options.overshoot;
  return {layer, [direction = torch::tensor(direction_D), clean, gate, overshoot](const Tensor& x_BTD) {
            const auto wide = x_BTD.scalar_type() == torch::kFloat64 ? torch::kFloat64 : torch::kFloat32;
            const Tensor direction_D = direction.to(x_BTD.device(), wide), wide_BTD = x_BTD.to(wide);
            Tensor taken_BT = torch::matmul(wide_BTD, direction_D) - clean;
            if (gate == ProjectionGate::kOneSided) taken_BT = torch::relu(taken_BT);
            if (gate == ProjectionGate::kReverse) taken_BT = 2 * taken_BT;
            return (wide_BTD - overshoot * taken_BT.unsqueeze(-1) * direction_D).to(x_BTD.scalar_type());
          }};
}

}  // namespace plumbline
