/// The closed set of verbs, as the user sees them. One file a verb in this folder; engine verbs are in cli/engine.
#pragma once

#include <algorithm>

#include "plumbline/cli/shared/verb.h"

namespace plumbline {

int check_main(const std::vector<std::string>& words);
int compare_main(const std::vector<std::string>& words);
int doctor_main(const std::vector<std::string>& words);
int grade_main(const std::vector<std::string>& words);
int judge_main(const std::vector<std::string>& words);
int report_main(const std::vector<std::string>& words);
int run_inspect_text(const std::vector<std::string>& words);
int teach_main(const std::vector<std::string>& words);
int validate_main(const std::vector<std::string>& words);

inline const std::vector<Verb> kVerbs = {
    {"check", "pre-flight of this machine and of a preset", check_main},
    {"inspect", "exact tokens, rendered prompts, logits and modules of a model", run_inspect_text},
    {"grade", "verdicts for completions, without any model", grade_main},
    {"validate", "every reference must pass, every known-wrong solution must fail", validate_main},
    {"compare", "paired statistics over reports, the gates, one decision", compare_main},
    {"report", "one self-contained HTML page and results_table.md about runs", report_main},
    {"doctor", "names what is wrong with a measurement, of this tool or another", doctor_main},
    {"judge", "models' opinions of saved answers, with pre-flight", judge_main},
    {"teach", "a model's completions, kept when the trusted grade passes", teach_main},
    {"generate", "one prompt or a chat in the terminal", nullptr},
    {"extract", "contrast pairs to a hack direction (Gate A)", nullptr},
    {"verify", "held-out pairs against the direction (Gate B)", nullptr},
    {"train", "one arm, one seed (Gates C and D)", nullptr},
    {"probe", "the whole job: extract, verify, train every arm, gates, summary", nullptr},
    {"eval", "base against candidate, item by item, for compare", nullptr},
};

/// `inspect MODEL logits|modules` and plain `inspect MODEL` (parameters, dtype) need the engine.
inline bool needs_engine(const std::vector<std::string>& words) {
  if (words[0] != "inspect") return false;
  const bool text_half = std::find(words.begin(), words.end(), "tokens") != words.end() ||
                         std::find(words.begin(), words.end(), "render") != words.end() ||
                         std::find(words.begin(), words.end(), "--help") != words.end();
  return !text_half;
}

}  // namespace plumbline
