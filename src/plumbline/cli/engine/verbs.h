/// Verbs that need LibTorch. One file a verb in this folder.
#pragma once

#include "plumbline/cli/shared/verb.h"

namespace plumbline {

int inspect_main(const std::vector<std::string>& words);

inline const std::vector<Verb> kEngineVerbs = {
    {"inspect", "what a checkpoint is; logits and modules, exactly", inspect_main},
};

}  // namespace plumbline
