/// OLMoE (arXiv 2409.02060): experts in every layer, norms over the whole of q and k, optional clipping.
#pragma once

#include "plumbline/model/registry.h"

namespace plumbline {

extern const ModelFamily kOlmoeFamily;

}  // namespace plumbline
