/// Bytes of a file to tensors and back. Containers are files/'s work; this only interprets bytes.
#pragma once

#include <torch/types.h>

#include <map>
#include <string>

#include "plumbline/files/safetensors.h"

namespace plumbline {

using TensorMap = std::map<std::string, torch::Tensor>;

/// The torch type of a safetensors or GGUF dtype name: F32, F16, BF16, I64, U8, ...; float32 for quantised GGUF types.
/// DataError(data.dtype) for any other, naming `tensor`.
torch::ScalarType scalar_type_of(const std::string& dtype, const std::string& tensor);
/// The safetensors name of a torch type; PL_CHECK that there is one.
std::string safetensors_dtype_of(torch::ScalarType type);

/// A copy of the bytes on the CPU in the file's own type (quantised types are dequantised to float32).
torch::Tensor tensor_from_raw(const RawTensor& raw);
/// The same, cast to `dtype` on `device`; never shares memory with the file. Beside the result on the CPU no more than
/// a few megabytes are allocated.
torch::Tensor tensor_from_raw(const RawTensor& raw, torch::ScalarType dtype, torch::Device device);

/// A view of a contiguous CPU tensor's bytes, valid while `tensor` lives (PL_CHECK).
RawTensor raw_from_tensor(const std::string& name, const torch::Tensor& tensor);

/// A whole safetensors file, from tensors on any device. Deterministic, atomic (see write_safetensors).
void write_tensors(const std::string& path, const TensorMap& tensors,
                   const std::map<std::string, std::string>& metadata = {});
/// Every tensor of a safetensors file on the CPU in its own type.
TensorMap read_tensors(const std::string& path);

}  // namespace plumbline
