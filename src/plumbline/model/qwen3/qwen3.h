/// Qwen3 (arXiv 2505.09388): norms on the heads of q and k, a head size of its own.
#pragma once

#include "plumbline/model/registry.h"

namespace plumbline {

extern const ModelFamily kQwen3Family;

}  // namespace plumbline
