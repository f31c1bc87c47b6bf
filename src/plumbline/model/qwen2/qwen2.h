/// Qwen2 and Qwen2.5 (arXiv 2407.10671): Llama with a bias on q, k and v.
#pragma once

#include "plumbline/model/registry.h"

namespace plumbline {

extern const ModelFamily kQwen2Family;

}  // namespace plumbline
