#include "plumbline/tensor/raw_tensor.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "plumbline/base/check.h"
#include "plumbline/base/error.h"
#include "plumbline/files/gguf.h"
#include "plumbline/tensor/dequantize.h"

namespace plumbline {
namespace {

constexpr std::array<std::pair<const char*, torch::ScalarType>, 15> kTypes = {{{"F64", torch::kFloat64},
                                                                               {"F32", torch::kFloat32},
                                                                               {"F16", torch::kFloat16},
                                                                               {"BF16", torch::kBFloat16},
                                                                               {"I64", torch::kInt64},
                                                                               {"I32", torch::kInt32},
                                                                               {"I16", torch::kInt16},
                                                                               {"I8", torch::kInt8},
                                                                               {"U64", torch::kUInt64},
                                                                               {"U32", torch::kUInt32},
                                                                               {"U16", torch::kUInt16},
                                                                               {"U8", torch::kUInt8},
                                                                               {"BOOL", torch::kBool},
                                                                               {"F8_E4M3", torch::kFloat8_e4m3fn},
                                                                               {"F8_E5M2", torch::kFloat8_e5m2}}};

/// A view of the file's own bytes; copied first when they are not aligned for the type.
torch::Tensor view_of_bytes(const RawTensor& raw, torch::ScalarType type) {
  if (raw.bytes.empty()) return torch::empty(raw.shape, type);
  const size_t element_bytes = c10::elementSize(type);
  if (reinterpret_cast<uintptr_t>(raw.bytes.data()) % element_bytes != 0) {
    torch::Tensor copy = torch::empty(raw.shape, type);
    std::memcpy(copy.data_ptr(), raw.bytes.data(), raw.bytes.size());
    return copy;
  }
  return at::from_blob(const_cast<char*>(raw.bytes.data()), raw.shape, at::TensorOptions(type));
}

}  // namespace

torch::ScalarType scalar_type_of(const std::string& dtype, const std::string& tensor) {
  for (const auto& [name, type] : kTypes) {
    if (dtype == name) return type;
  }
  if (is_quantised(dtype)) return torch::kFloat32;
  throw DataError("data.dtype", "tensors of type " + dtype + " cannot be read", "tensor " + tensor,
                  "convert the file to float32 or bfloat16");
}

std::string safetensors_dtype_of(torch::ScalarType type) {
  for (const auto& [name, candidate] : kTypes) {
    if (type == candidate) return name;
  }
  PL_CHECK(false, std::string("safetensors has no name for ") + c10::toString(type));
}

torch::Tensor tensor_from_raw(const RawTensor& raw) {
  return tensor_from_raw(raw, scalar_type_of(raw.dtype, raw.name), torch::kCPU);
}

torch::Tensor tensor_from_raw(const RawTensor& raw, torch::ScalarType dtype, torch::Device device) {
  const torch::ScalarType own = scalar_type_of(raw.dtype, raw.name);
  if (is_quantised(raw.dtype)) return dequantize(raw, dtype).to(device);
  return view_of_bytes(raw, own).to(device, dtype, /*non_blocking=*/false, /*copy=*/true);
}

RawTensor raw_from_tensor(const std::string& name, const torch::Tensor& tensor) {
  PL_CHECK(tensor.is_contiguous() && tensor.device().is_cpu(), name + " must be contiguous and on the CPU");
  return {name,
          safetensors_dtype_of(tensor.scalar_type()),
          tensor.sizes().vec(),
          {static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes()}};
}

void write_tensors(const std::string& path, const TensorMap& tensors,
                   const std::map<std::string, std::string>& metadata) {
  std::vector<torch::Tensor> kept;  // owns what the raw tensors point at
  std::vector<RawTensor> raw;
  for (const auto& [name, tensor] : tensors) {
    kept.push_back(tensor.detach().cpu().contiguous());
    raw.push_back(raw_from_tensor(name, kept.back()));
  }
  write_safetensors(path, raw, metadata);
}

TensorMap read_tensors(const std::string& path) {
  const SafetensorsFile file(path);
  TensorMap tensors;
  for (const RawTensor& raw : file.tensors()) tensors[raw.name] = tensor_from_raw(raw);
  return tensors;
}

}  // namespace plumbline
