/// GGUF's quantised blocks to float32.
/// Source: ggml's block formats (Q4_0, Q4_1, Q8_0: 32 elements; Q6_K: 256), checked against gguf-py.
#pragma once

#include <torch/types.h>

#include <string>

#include "plumbline/files/safetensors.h"

namespace plumbline {

/// True for a GGUF type that is stored in blocks and known here.
bool is_quantised(const std::string& dtype);

/// float32 tensor of raw.shape on the CPU. Rows are whole blocks, as GgufFile has checked (PL_CHECK on the size).
torch::Tensor dequantize(const RawTensor& raw);

}  // namespace plumbline
