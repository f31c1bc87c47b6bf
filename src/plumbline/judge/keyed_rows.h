/// A JSON-lines file in which every row has a key: appended to as rows arrive, read back at any place, put into order
/// at the end. What makes a run resumable, and a cache.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "plumbline/base/json.h"
#include "plumbline/record/jsonl.h"

namespace plumbline {

/// A row's key in 16 bytes: the start of the SHA-256 of what tells it apart.
std::string row_key(std::string_view identity);

/// One process at a time (a lock on the file); thread-safe inside it. Memory holds about 80 bytes a row, never the
/// rows. Of rows with the same key the last counts.
class KeyedRows {
 public:
  /// The key of a row that is there already; unset: the row is as good as absent.
  using KeyOf = std::function<std::optional<std::string>(const Json& row)>;

  /// Opens or makes the file; a last line that a killed writer left unfinished is removed.
  /// Throws ConfigError(config.out_in_use), DataError(data.unwritable | data.json).
  KeyedRows(std::string path, const KeyOf& key_of);
  ~KeyedRows();
  KeyedRows(const KeyedRows&) = delete;
  KeyedRows& operator=(const KeyedRows&) = delete;

  bool contains(const std::string& key) const;
  /// The row, one line.
  std::optional<std::string> find(const std::string& key) const;
  /// Writes the row at once; it is there after a kill.
  void append(const std::string& key, const std::string& line);
  /// Writes the file anew (aside, then renamed) with the rows of `keys`, in their order; keys without a row are passed
  /// over, rows without a key here dropped.
  void put_in_order(std::span<const std::string> keys);
  size_t size() const;
  const std::string& path() const { return path_; }

 private:
  struct Place {
    int64_t offset = 0, num_bytes = 0;
  };
  void open();
  std::string read(const Place& place) const;

  const std::string path_;
  int lock_ = -1;  ///< a file beside, so that renaming keeps it
  int file_ = -1;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Place> places_;
  int64_t end_ = 0;
  std::unique_ptr<JsonlWriter> writer_;
};

}  // namespace plumbline
