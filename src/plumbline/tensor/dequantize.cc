#include "plumbline/tensor/dequantize.h"

#include <ATen/Parallel.h>

#include <array>
#include <cstring>

#include "plumbline/base/check.h"
#include "plumbline/files/gguf.h"

namespace plumbline {
namespace {

using Bytes = const unsigned char*;

float half_at(Bytes block) {
  uint16_t bits;
  std::memcpy(&bits, block, sizeof bits);
  return c10::detail::fp16_ieee_to_fp32_value(bits);
}

/// 32 elements: scale, 16 bytes whose low nibbles are elements 0-15 and high nibbles 16-31.
void block_q4_0(Bytes block, float* out) {
  const float scale = half_at(block);
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * static_cast<float>((block[2 + i] & 15) - 8);
    out[i + 16] = scale * static_cast<float>((block[2 + i] >> 4) - 8);
  }
}

/// As Q4_0, with a minimum in place of the centre.
void block_q4_1(Bytes block, float* out) {
  const float scale = half_at(block), minimum = half_at(block + 2);
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * static_cast<float>(block[4 + i] & 15) + minimum;
    out[i + 16] = scale * static_cast<float>(block[4 + i] >> 4) + minimum;
  }
}

void block_q8_0(Bytes block, float* out) {
  const float scale = half_at(block);
  for (int i = 0; i < 32; ++i) out[i] = scale * static_cast<float>(static_cast<signed char>(block[2 + i]));
}

/// 256 elements: 128 bytes of low nibbles, 64 bytes of two high bits, 16 signed scales (one for 16 elements), scale.
void block_q6_k(Bytes block, float* out) {
  const float scale = half_at(block + 208);
  for (int half = 0; half < 2; ++half) {
    const Bytes low = block + 64 * half, high = block + 128 + 32 * half, scales = block + 192 + 8 * half;
    for (int quarter = 0; quarter < 4; ++quarter) {
      for (int i = 0; i < 32; ++i) {
        const int nibble = (low[i + 32 * (quarter & 1)] >> (quarter < 2 ? 0 : 4)) & 15;
        const int value = (nibble | ((high[i] >> (2 * quarter)) & 3) << 4) - 32;
        const auto sub_scale = static_cast<signed char>(scales[2 * quarter + i / 16]);
        out[128 * half + 32 * quarter + i] = scale * static_cast<float>(sub_scale) * static_cast<float>(value);
      }
    }
  }
}

struct Kernel {
  const char* name;
  void (*block)(Bytes, float*);
};

constexpr std::array<Kernel, 4> kKernels = {
    {{"Q4_0", block_q4_0}, {"Q4_1", block_q4_1}, {"Q8_0", block_q8_0}, {"Q6_K", block_q6_k}}};

const Kernel* find_kernel(const std::string& dtype) {
  for (const Kernel& kernel : kKernels) {
    if (dtype == kernel.name) return &kernel;
  }
  return nullptr;
}

}  // namespace

bool is_quantised(const std::string& dtype) {
  return find_kernel(dtype) != nullptr;
}

torch::Tensor dequantize(const RawTensor& raw) {
  const Kernel* kernel = find_kernel(raw.dtype);
  const GgufType* type = find_gguf_type(raw.dtype);
  PL_CHECK(kernel && type, raw.dtype + " is not a quantised type");
  torch::Tensor values = torch::empty(raw.shape, torch::kFloat32);
  const int64_t num_blocks = values.numel() / type->block_elements;
  PL_CHECK(static_cast<int64_t>(raw.bytes.size()) == num_blocks * type->block_bytes, "size of " + raw.name);
  auto* out = values.mutable_data_ptr<float>();
  const auto* in = reinterpret_cast<Bytes>(raw.bytes.data());
  at::parallel_for(0, num_blocks, /*grain_size=*/1024, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) kernel->block(in + i * type->block_bytes, out + i * type->block_elements);
  });
  return values;
}

}  // namespace plumbline
