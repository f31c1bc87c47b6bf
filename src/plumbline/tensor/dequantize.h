/// GGUF's quantised blocks to float32.
/// Source: ggml's block formats (32 elements: Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, IQ4_NL; 256: Q2_K to Q6_K), bit for bit
/// what gguf-py gives.
#pragma once

#include <torch/types.h>

#include <string>

#include "plumbline/files/safetensors.h"

namespace plumbline {

/// True for a GGUF type that is stored in blocks and known here.
bool is_quantised(const std::string& dtype);

/// Tensor of raw.shape on the CPU, computed in float32 and then rounded to `dtype`. Rows are whole blocks, as GgufFile
/// has checked (PL_CHECK on the size).
torch::Tensor dequantize(const RawTensor& raw, torch::ScalarType dtype = torch::kFloat32);

}  // namespace plumbline
