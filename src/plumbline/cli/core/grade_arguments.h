/// The options of [grade] as command-line options, for the verbs that grade without a preset.
#pragma once

#include <optional>
#include <string>

#include "plumbline/cli/shared/arguments.h"
#include "plumbline/preset/options.h"
#include "plumbline/sandbox/isolation.h"

namespace plumbline {

struct GradeArguments {
  GradeOptions options;
  std::string level;  ///< one isolation level instead of the strongest; empty = strongest

  void add_to(Arguments& arguments);
  /// Checks against the ranges of the preset keys. Throws ConfigError(config.out_of_range | config.not_allowed |
  /// config.conflict | config.usage).
  void validate();
  std::optional<IsolationLevel> exact_level() const;

 private:
  std::vector<std::string> weights_;
};

}  // namespace plumbline
