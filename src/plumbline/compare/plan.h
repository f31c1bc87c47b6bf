/// What was decided before the results: which tasks the decision is about, what must not get worse, the thresholds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// `compare --plan FILE.toml`. Tables [tasks] (headline, protected, old, seeds) and [gates] (min_effect, tolerance,
/// protected_margin, retention_margin, min_seeds).
struct Plan {
  std::vector<std::string> headline;  ///< empty: every task that is neither protected nor old
  std::vector<std::string> protected_tasks, old_tasks;
  std::vector<int64_t> seeds;       ///< empty: not planned
  double min_effect = 0.03;         ///< of the paired delta, all seeds together and each seed
  std::optional<double> tolerance;  ///< largest minimum detectable effect
  double protected_margin = 0.05, retention_margin = 0.05;
  int64_t min_seeds = 3;
  std::string path, sha256;  ///< empty without a file
};

/// Throws ConfigError with line and column: config.toml_syntax, config.unknown_key, config.wrong_type,
/// config.out_of_range.
Plan parse_plan(std::string_view text, const std::string& where);

/// Reads and hashes the file.
Plan read_plan(const std::string& path);

}  // namespace plumbline
