#include "plumbline/steer/control_direction.h"

#include "plumbline/adapter/stochastic_round.h"
#include "plumbline/base/rng.h"

namespace plumbline {

HackDirection haar_direction(const HackDirection& like, uint64_t seed, uint32_t draw) {
  HackDirection direction = like;
  direction.metadata.method = "haar." + std::to_string(draw);
  for (auto& [name, module] : direction.modules) {
    if (!module.v_R.any().item<bool>()) continue;
    CounterRng rng({seed, Stream::kHaarDirection, draw, module_stream(name)});
    torch::Tensor normals_R = torch::empty(module.v_R.sizes(), torch::kFloat64);
    double* values = normals_R.mutable_data_ptr<double>();
    for (int64_t i = 0; i < normals_R.numel(); ++i) values[i] = rng.next_normal();
    module.v_R = (normals_R / normals_R.norm()).to(module.v_R.scalar_type());
  }
  return direction;
}

}  // namespace plumbline
