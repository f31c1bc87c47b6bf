/// SmolLM3: Llama of which some layers do not rotate q and k (NoPE, arXiv 2501.18795).
#pragma once

#include "plumbline/model/registry.h"

namespace plumbline {

extern const ModelFamily kSmollm3Family;

}  // namespace plumbline
