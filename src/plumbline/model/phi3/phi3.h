/// Phi-3 and Phi-4 (arXiv 2404.14219) without longrope: Llama whose q, k, v and whose gate, up are stored fused.
#pragma once

#include "plumbline/model/registry.h"

namespace plumbline {

extern const ModelFamily kPhi3Family;

}  // namespace plumbline
