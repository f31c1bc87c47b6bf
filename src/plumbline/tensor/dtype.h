/// Names of tensor types, as files and presets spell them.
#pragma once

#include <torch/types.h>

#include <string>

namespace plumbline {

/// "float32" | "bfloat16" | "float64"; ConfigError(config.not_allowed) otherwise.
torch::ScalarType dtype_of_name(const std::string& name);
/// The inverse: "float32", ...
std::string name_of_dtype(torch::ScalarType dtype);
/// "auto" | "cpu" | "cuda" | "cuda:N"; auto takes CUDA when this build has it and a device is visible.
/// ConfigError(config.no_cuda) when CUDA is asked for and not there.
torch::Device device_of_name(const std::string& name);

}  // namespace plumbline
