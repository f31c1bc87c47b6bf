/// Files that grow while they are read: one file, or a folder into which a trainer writes a file a step.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace plumbline::doctor {

/// Not thread-safe. Files of a folder are *.jsonl and *.json, in the order of the numbers in their names.
class FollowedFiles {
 public:
  /// Throws DataError(data.missing_file) when there is nothing at `path`.
  explicit FollowedFiles(std::string path);

  /// Calls `on_line` for every whole line that came since the last call, and says whether there was one. A line without
  /// its end waits for it; a file that became shorter is read from its start again. `file_number` is the place of the
  /// file in the folder's order, or 0. With `to_the_end` the last line of a file counts without an end too.
  /// Throws DataError(data.unreadable_file | data.line_too_long).
  using OnLine = std::function<void(std::string line, const std::string& where, int64_t file_number)>;
  bool read_new(const OnLine& on_line, bool to_the_end);

 private:
  struct Place {
    int64_t offset = 0, line = 0, number = 0;
  };
  bool read_file(const std::string& path, Place& place, const OnLine& on_line, bool to_the_end);

  const std::string path_;
  std::map<std::string, Place> places_;
};

}  // namespace plumbline::doctor
