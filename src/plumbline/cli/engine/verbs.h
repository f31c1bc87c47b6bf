/// Verbs that need LibTorch. One file a verb in this folder.
#pragma once

#include "plumbline/cli/shared/verb.h"

namespace plumbline {

int generate_main(const std::vector<std::string>& words);
int inspect_main(const std::vector<std::string>& words);
int extract_main(const std::vector<std::string>& words);
int verify_main(const std::vector<std::string>& words);
int train_main(const std::vector<std::string>& words);
int probe_main(const std::vector<std::string>& words);
int eval_main(const std::vector<std::string>& words);

inline const std::vector<Verb> kEngineVerbs = {
    {"generate", "one prompt in the terminal, streamed", generate_main},
    {"inspect", "what a checkpoint is; logits and modules, exactly", inspect_main},
    {"extract", "contrast pairs to a hack direction (Gate A)", extract_main},
    {"verify", "held-out pairs against the direction (Gate B)", verify_main},
    {"train", "one arm, one seed (Gates C and D)", train_main},
    {"probe", "the whole job: extract, verify, train every arm, gates, summary", probe_main},
    {"eval", "base against candidate, item by item", eval_main},
};

}  // namespace plumbline
