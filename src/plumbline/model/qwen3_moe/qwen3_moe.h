/// Qwen3 with experts (arXiv 2505.09388): Qwen3 whose layers have experts where the configuration says so.
#pragma once

#include "plumbline/model/registry.h"

namespace plumbline {

extern const ModelFamily kQwen3MoeFamily;

}  // namespace plumbline
