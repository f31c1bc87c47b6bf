/// `grade --out FILE`: a file of verdicts that a rerun completes, with the settings it was made with beside it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "plumbline/preset/options.h"
#include "plumbline/record/problem.h"
#include "plumbline/sandbox/descriptor.h"

namespace plumbline {

/// Everything that decides a verdict, by name: [grade] without workers and caches, the problems' hash, the grader's
/// version, the hash of every Python file that a reward names, the isolation level when one was asked for.
std::map<std::string, std::string> grade_settings(const GradeOptions& options, std::span<const Problem> problems,
                                                  const std::string& isolation);

/// Holds a lock on FILE for as long as it lives.
class VerdictFile {
 public:
  using RowKey = std::pair<ProblemId, int64_t>;

  /// Opens or makes FILE. Settings stand in FILE.settings.json, written before the first verdict.
  /// Throws ConfigError: config.out_in_use (another grade writes it), config.out_differs (naming what differs, or that
  /// the settings are missing); DataError(data.unwritable) and what read_verdicts throws.
  VerdictFile(const std::string& path, const std::map<std::string, std::string>& settings);

  /// Whole rows that were there. A cut last line is no row; JsonlWriter removes it.
  const std::set<RowKey>& rows() const { return rows_; }

 private:
  Descriptor lock_;
  std::set<RowKey> rows_;
};

}  // namespace plumbline
