/// Verbs that need LibTorch. One file a verb in this folder.
#pragma once

#include "plumbline/cli/shared/verb.h"

namespace plumbline {

inline const std::vector<Verb> kEngineVerbs = {};

}  // namespace plumbline
