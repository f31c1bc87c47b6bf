/// Verdicts of earlier runs, kept in a JSON-lines file (`grade.cache`). Only outcomes that would come out the same
/// again are kept: pass, wrong, error, syntax_error, no_code.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "plumbline/record/jsonl.h"
#include "plumbline/record/verdict.h"

namespace plumbline {

/// Thread-safe.
class VerdictCache {
 public:
  /// Reads the file if there is one; later entries win. Throws DataError.
  explicit VerdictCache(const std::string& path);
  std::optional<Verdict> find(const std::string& key) const;
  void put(const std::string& key, const Verdict& verdict);

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Verdict> verdicts_;
  std::unique_ptr<JsonlWriter> writer_;
};

}  // namespace plumbline
