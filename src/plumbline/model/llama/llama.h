/// Llama 2 and 3, SmolLM2 and what else has their shape (arXiv 2302.13971, 2407.21783).
#pragma once

#include "plumbline/model/registry.h"

namespace plumbline {

extern const ModelFamily kLlamaFamily;

}  // namespace plumbline
