#include "plumbline/tensor/dtype.h"

#include <ATen/Context.h>

#include "plumbline/base/error.h"

namespace plumbline {

torch::ScalarType dtype_of_name(const std::string& name) {
  if (name == "float32") return torch::kFloat32;
  if (name == "bfloat16") return torch::kBFloat16;
  if (name == "float64") return torch::kFloat64;
  throw ConfigError("config.not_allowed", "'" + name + "' is not a dtype", "model.dtype", "use float32 or bfloat16");
}

std::string name_of_dtype(torch::ScalarType dtype) {
  if (dtype == torch::kFloat32) return "float32";
  if (dtype == torch::kBFloat16) return "bfloat16";
  if (dtype == torch::kFloat64) return "float64";
  return c10::toString(dtype);
}

torch::Device device_of_name(const std::string& name) {
  const bool has_cuda = at::hasCUDA();
  if (name == "auto") return torch::Device(has_cuda ? "cuda" : "cpu");
  if (name == "cpu") return torch::Device(torch::kCPU);
  if (name.rfind("cuda", 0) == 0) {
    if (!has_cuda) {
      throw ConfigError("config.no_cuda", "CUDA was asked for and this build or machine has none", "run.device",
                        "set run.device = \"cpu\", or build with PLUMBLINE_CUDA=ON on a machine with a GPU");
    }
    return torch::Device(name);
  }
  throw ConfigError("config.not_allowed", "'" + name + "' is not a device", "run.device", "use auto, cpu or cuda:N");
}

}  // namespace plumbline
