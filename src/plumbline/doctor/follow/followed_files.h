/// Files that grow while they are read: one file, or a folder into which a trainer writes a file a step.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "plumbline/doctor/follow/growing_file.h"

namespace plumbline::doctor {

/// Not thread-safe. Files of a folder are *.jsonl and *.json, in the order of the numbers in their names.
class FollowedFiles {
 public:
  /// Throws DataError(data.missing_file) when there is nothing at `path`.
  explicit FollowedFiles(std::string path);

  /// Calls `on_line` for every line that came since the last call, and says whether there was one. A line without its
  /// end waits for it, unless another file follows in the folder. Where other bytes came to stand in the place of those
  /// that were read, the file is read from its start again; a file whose name another one took is read to its end
  /// first. With `to_the_end` the last line counts without an end too.
  /// Throws DataError(data.unreadable_file).
  bool read_new(const OnLine& on_line, bool to_the_end);

 private:
  const std::string path_;
  std::map<std::string, std::unique_ptr<GrowingFile>> files_;
};

}  // namespace plumbline::doctor
