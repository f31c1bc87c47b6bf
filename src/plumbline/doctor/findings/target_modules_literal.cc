/// Target modules that are the letters of one word.
#include <algorithm>

#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

/// Three targets or more, each a single character.
bool is_spelled_out(const std::vector<std::string>& targets) {
  return targets.size() >= 3 &&
         std::all_of(targets.begin(), targets.end(), [](const std::string& name) { return name.size() == 1; });
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(words.size(), 20); ++i) text += (i ? ", " : "") + words[i];
  return text;
}

void check(const Evidence& evidence, FindingSink& out) {
  for (const TextLog& log : evidence.texts) {
    if (is_spelled_out(log.missing_targets))
      out.add(log.where, {{"line", log.targets_line}, {"targets", joined(log.missing_targets)}});
  }
  for (const TrainingSetup& setup : evidence.setups) {
    if (is_spelled_out(setup.target_modules)) out.add(setup.where, {{"targets", joined(setup.target_modules)}});
  }
}

}  // namespace

const FindingKind kTargetModulesLiteral = {
    "target_modules_literal",
    Severity::kError,
    "The name of a set of modules was read letter by letter: a string was passed where a list was expected, and "
    "iterated. The adapter was not built where it was meant to be.",
    "Pass the set as one name that the tool knows, or as a list of module names.",
    {"config_error_in_log", "experts_not_adapted"},
    check};

}  // namespace plumbline::doctor
