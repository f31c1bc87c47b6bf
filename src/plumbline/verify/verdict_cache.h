/// Verdicts of earlier runs, kept in a JSON-lines file (`grade.cache`). Only outcomes that would come out the same
/// again are kept: pass, wrong, error, syntax_error, no_code.
///
/// Several processes may share the file: rows are appended whole, and a search that finds nothing first reads what
/// others have written since.
#pragma once

#include <cstdint>
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
  ~VerdictCache();
  VerdictCache(const VerdictCache&) = delete;
  VerdictCache& operator=(const VerdictCache&) = delete;

  /// Throws DataError when another process has written something that is no verdict.
  std::optional<Verdict> find(const std::string& key);
  void put(const std::string& key, const Verdict& verdict);

 private:
  void read_new_rows();

  std::mutex mutex_;
  std::unordered_map<std::string, Verdict> verdicts_;
  const std::string path_;
  int fd_ = -1;  ///< to read and to lock: shared while a row is appended, exclusive while the end is repaired
  int64_t read_bytes_ = 0;   ///< whole rows known already
  int64_t line_number_ = 0;  ///< of the last of them
  std::unique_ptr<JsonlWriter> writer_;
};

}  // namespace plumbline
