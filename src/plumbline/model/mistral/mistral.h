/// Mistral 7B and its kin (arXiv 2310.06825): Llama with a sliding window in every layer, where the checkpoint has one.
#pragma once

#include "plumbline/model/registry.h"

namespace plumbline {

extern const ModelFamily kMistralFamily;

}  // namespace plumbline
