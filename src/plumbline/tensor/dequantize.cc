#include "plumbline/tensor/dequantize.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

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

/// Bit `i` of four little-endian bytes: the fifth bit of element i.
int fifth_bit(Bytes high, int i) {
  return (high[i / 8] >> (i % 8)) & 1;
}

/// As Q4_0, with four bytes of fifth bits after the scale.
void block_q5_0(Bytes block, float* out) {
  const float scale = half_at(block);
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * static_cast<float>(((block[6 + i] & 15) | fifth_bit(block + 2, i) << 4) - 16);
    out[i + 16] = scale * static_cast<float>(((block[6 + i] >> 4) | fifth_bit(block + 2, i + 16) << 4) - 16);
  }
}

void block_q5_1(Bytes block, float* out) {
  const float scale = half_at(block), minimum = half_at(block + 2);
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * static_cast<float>((block[8 + i] & 15) | fifth_bit(block + 4, i) << 4) + minimum;
    out[i + 16] = scale * static_cast<float>((block[8 + i] >> 4) | fifth_bit(block + 4, i + 16) << 4) + minimum;
  }
}

/// 32 elements: scale, 16 bytes of nibbles that index a table of levels.
void block_iq4_nl(Bytes block, float* out) {
  constexpr std::array<signed char, 16> kLevels = {-127, -104, -83, -65, -49, -35, -22, -10,
                                                   1,    13,   25,  38,  53,  69,  89,  113};
  const float scale = half_at(block);
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * static_cast<float>(kLevels[block[2 + i] & 15]);
    out[i + 16] = scale * static_cast<float>(kLevels[block[2 + i] >> 4]);
  }
}

void block_q8_0(Bytes block, float* out) {
  const float scale = half_at(block);
  for (int i = 0; i < 32; ++i) out[i] = scale * static_cast<float>(static_cast<signed char>(block[2 + i]));
}

/// 256 elements in 16 groups: a byte a group (4 bits of scale, 4 of minimum), 64 bytes of two bits, both scales. Byte i
/// of a half holds elements i, i + 32, i + 64 and i + 96 of it.
void block_q2_k(Bytes block, float* out) {
  const float scale = half_at(block + 80), minimum = half_at(block + 82);
  for (int i = 0; i < 256; ++i) {
    const int half = i / 128, quarter = i % 128 / 32, group = i / 16;
    const int value = (block[16 + 32 * half + i % 32] >> (2 * quarter)) & 3;
    const float group_scale = scale * static_cast<float>(block[group] & 15);
    const float group_minimum = minimum * static_cast<float>(block[group] >> 4);
    out[i] = group_scale * static_cast<float>(value) - group_minimum;
  }
}

/// 256 elements in 16 groups: 32 bytes of third bits (bit = eighth of the block; set = 4 is not taken off), 64 bytes of
/// two bits as in Q2_K, 12 bytes of six-bit scales (8 bytes of nibbles, 4 of two high bits), scale.
void block_q3_k(Bytes block, float* out) {
  const Bytes scales = block + 96;
  const float scale = half_at(block + 108);
  for (int i = 0; i < 256; ++i) {
    const int half = i / 128, eighth = i / 32, group = i / 16;
    const int low = group < 8 ? scales[group] & 15 : scales[group - 8] >> 4;
    const int high = (scales[8 + group % 4] >> (2 * (group / 4))) & 3;
    const int value = (block[32 + 32 * half + i % 32] >> (2 * (eighth % 4))) & 3;
    const bool keeps = ((block[i % 32] >> eighth) & 1) != 0;
    out[i] = scale * static_cast<float>((low | high << 4) - 32) * static_cast<float>(keeps ? value : value - 4);
  }
}

/// Six-bit scale and minimum of one of 8 groups, from the 12 bytes of Q4_K and Q5_K.
std::pair<int, int> scale_and_minimum(Bytes scales, int group) {
  if (group < 4) return {scales[group] & 63, scales[group + 4] & 63};
  return {(scales[group + 4] & 15) | (scales[group - 4] >> 6) << 4, (scales[group + 4] >> 4) | (scales[group] >> 6)
                                                                                                   << 4};
}

/// 256 elements in 8 groups: both scales, 12 bytes of group scales, 128 bytes of nibbles, 32 bytes for two groups.
/// `high`, when there is one, holds the fifth bits: bit g of byte i belongs to element i of group g.
void block_q4_q5_k(Bytes block, Bytes high, Bytes nibbles, float* out) {
  const float scale = half_at(block), minimum = half_at(block + 2);
  for (int group = 0; group < 8; ++group) {
    const auto [sub_scale, sub_minimum] = scale_and_minimum(block + 4, group);
    const float group_scale = scale * static_cast<float>(sub_scale);
    const float group_minimum = minimum * static_cast<float>(sub_minimum);
    for (int i = 0; i < 32; ++i) {
      int value = (nibbles[group / 2 * 32 + i] >> (group % 2 * 4)) & 15;
      if (high) value |= ((high[i] >> group) & 1) << 4;
      out[32 * group + i] = group_scale * static_cast<float>(value) - group_minimum;
    }
  }
}

void block_q4_k(Bytes block, float* out) {
  block_q4_q5_k(block, nullptr, block + 16, out);
}

void block_q5_k(Bytes block, float* out) {
  block_q4_q5_k(block, block + 16, block + 48, out);
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

constexpr std::array<Kernel, 11> kKernels = {{{"Q4_0", block_q4_0},
                                              {"Q4_1", block_q4_1},
                                              {"Q5_0", block_q5_0},
                                              {"Q5_1", block_q5_1},
                                              {"Q8_0", block_q8_0},
                                              {"Q2_K", block_q2_k},
                                              {"Q3_K", block_q3_k},
                                              {"Q4_K", block_q4_k},
                                              {"Q5_K", block_q5_k},
                                              {"Q6_K", block_q6_k},
                                              {"IQ4_NL", block_iq4_nl}}};

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

torch::Tensor dequantize(const RawTensor& raw, torch::ScalarType dtype) {
  const Kernel* kernel = find_kernel(raw.dtype);
  const GgufType* type = find_gguf_type(raw.dtype);
  PL_CHECK(kernel && type, raw.dtype + " is not a quantised type");
  torch::Tensor values = torch::empty(raw.shape, dtype);
  const int64_t num_blocks = values.numel() / type->block_elements;
  PL_CHECK(static_cast<int64_t>(raw.bytes.size()) == num_blocks * type->block_bytes, "size of " + raw.name);
  const auto* in = reinterpret_cast<Bytes>(raw.bytes.data());
  const auto fill = [&](int64_t first, int64_t count, float* out) {
    at::parallel_for(0, count, /*grain_size=*/1024, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        kernel->block(in + (first + i) * type->block_bytes, out + i * type->block_elements);
      }
    });
  };
  if (dtype == torch::kFloat32) {
    fill(0, num_blocks, values.mutable_data_ptr<float>());
    return values;
  }
  // Another type is written a piece at a time: a float32 copy of the whole tensor would be twice as large.
  const int64_t piece_blocks = (int64_t{1} << 22) / type->block_elements;
  torch::Tensor flat = values.view({-1});
  for (int64_t first = 0; first < num_blocks; first += piece_blocks) {
    const int64_t count = std::min(piece_blocks, num_blocks - first), elements = count * type->block_elements;
    const torch::Tensor piece = torch::empty({elements}, torch::kFloat32);
    fill(first, count, piece.mutable_data_ptr<float>());
    flat.narrow(0, first * type->block_elements, elements).copy_(piece);
  }
  return values;
}

}  // namespace plumbline
