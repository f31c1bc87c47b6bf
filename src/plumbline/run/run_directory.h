/// A run's folder: resolved.toml first, provenance.json, then whatever the run writes, COMPLETE only at the end.
#pragma once

#include <string>

#include "plumbline/base/json.h"
#include "plumbline/preset/options.h"

namespace plumbline {

class RunDirectory {
 public:
  /// Makes `path` (empty: a fresh out/<preset>-<date>-<time>[-n]) and writes resolved.toml into it.
  /// Throws ConfigError: config.unwritable_out; config.out_in_use when the folder already holds a run.
  static RunDirectory create(const std::string& path, const Preset& preset);
  /// Throws what create would throw, and leaves nothing behind. For the start of a verb, before weights are loaded.
  static void check(const std::string& path);
  /// An existing run, for --resume. Throws DataError(data.not_a_run) without a resolved.toml.
  static RunDirectory open(const std::string& path);

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  void write_provenance(const Json& provenance) const;
  void mark_complete() const;
  bool is_complete() const;

 private:
  explicit RunDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace plumbline
