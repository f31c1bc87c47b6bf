/// TensorBoard event files: scalars by step, in TFRecord framing (length, masked CRC-32C, data, masked CRC-32C). Of the
/// Event message wall_time, step and simple_value scalars are written, by hand from the format's definition
/// (tensorflow/core/util/event.proto, tensorflow/core/framework/summary.proto).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "plumbline/base/json.h"

namespace plumbline {

/// Appends; every event is written whole and at once. Not thread-safe.
class EventFile {
 public:
  /// Whether an event that is there already stays, by its step and its first scalar's tag.
  using Keep = std::function<bool(int64_t step, std::string_view tag)>;

  /// Opens or makes the file. Events from the first one on that `keep` refuses are removed, and so is a last event that
  /// a killed writer left unfinished. Throws DataError(data.unwritable), DataError(data.run_rows) when the file is none
  /// of ours.
  EventFile(std::string path, const Keep& keep);
  ~EventFile();
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  /// One event with the finite numbers of `row` (an object) as `prefix` + name; its "step", texts, flags, lists and
  /// nulls are left out, nested objects become name/name. Nothing is written without a number. Throws
  /// DataError(data.unwritable).
  void write(std::string_view prefix, int64_t step, const Json& row);

 private:
  void append(const std::string& event);

  const std::string path_;
  int fd_ = -1;
};

/// One record: the bytes that a file has for an event of these scalars. `wall_time_s` since 1970.
std::string event_record(double wall_time_s, int64_t step, std::string_view prefix, const Json& row);

}  // namespace plumbline
