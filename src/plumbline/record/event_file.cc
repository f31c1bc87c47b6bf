#include "plumbline/record/event_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "plumbline/base/crc32c.h"
#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"

namespace plumbline {
namespace {

/// Fields of Event, Summary and Summary.Value, and the wire types of protocol buffers.
enum Field { kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5, kValue = 1, kTag = 1, kSimpleValue = 2 };
enum Wire { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

constexpr size_t kLengthBytes = 8, kChecksumBytes = 4;
constexpr std::string_view kVersion = "brain.Event:2";

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

template <typename Bits>
std::string fixed(Bits bits) {
  std::string bytes;
  for (size_t i = 0; i < sizeof bits; ++i) bytes += static_cast<char>(bits >> (8 * i) & 0xFF);
  return bytes;
}

std::string key(Field field, Wire wire) {
  return varint(static_cast<uint64_t>(field) << 3 | static_cast<uint64_t>(wire));
}

std::string bytes_field(Field field, std::string_view bytes) {
  return key(field, kBytes) + varint(bytes.size()) + std::string(bytes);
}

std::string event_start(double wall_time_s, int64_t step) {
  std::string event = key(kWallTime, kFixed64) + fixed(std::bit_cast<uint64_t>(wall_time_s));
  if (step != 0) event += key(kStep, kVarint) + varint(static_cast<uint64_t>(step));  // 0 is the default
  return event;
}

std::string record_of(const std::string& event) {
  const std::string length = fixed(static_cast<uint64_t>(event.size()));
  return length + fixed(masked_crc32c(length)) + event + fixed(masked_crc32c(event));
}

void add_scalars(const std::string& prefix, const Json& row, std::string& summary) {
  for (const auto& [name, value] : row.items()) {
    if (value.is_object()) add_scalars(prefix + name + "/", value, summary);
    if (!value.is_number() || name == "step" || !std::isfinite(value.get<double>())) continue;
    const float number = value.get<float>();
    summary += bytes_field(kValue, bytes_field(kTag, prefix + name) + key(kSimpleValue, kFixed32) +
                                       fixed(std::bit_cast<uint32_t>(number)));
  }
}

/// Reads what event_record() wrote, from its front.
class EventReader {
 public:
  explicit EventReader(std::string_view bytes) : bytes_(bytes) {}

  bool skip(Field field, Wire wire, size_t size) {
    const std::string expected = key(field, wire);
    if (!bytes_.starts_with(expected) || bytes_.size() < expected.size() + size) return false;
    bytes_.remove_prefix(expected.size() + size);
    return true;
  }
  std::optional<uint64_t> number() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[0]);
      bytes_.remove_prefix(1);
      value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }
  /// Goes into a field of bytes; empty when the next field is another one.
  std::optional<std::string_view> enter(Field field) {
    if (!skip(field, kBytes, 0)) return std::nullopt;
    const auto size = number();
    if (!size || *size > bytes_.size()) return std::nullopt;
    return bytes_.substr(0, *size);
  }

 private:
  std::string_view bytes_;
};

struct Heading {
  int64_t step = 0;
  std::string_view tag;
};

/// Unset for the version that stands in front, and for what we did not write.
std::optional<Heading> heading_of(std::string_view event) {
  EventReader reader(event);
  if (!reader.skip(kWallTime, kFixed64, sizeof(uint64_t))) return std::nullopt;
  Heading heading;
  if (reader.skip(kStep, kVarint, 0)) heading.step = static_cast<int64_t>(reader.number().value_or(0));
  const auto summary = reader.enter(kSummary);
  const auto value = summary ? EventReader(*summary).enter(kValue) : std::nullopt;
  const auto tag = value ? EventReader(*value).enter(kTag) : std::nullopt;
  if (!tag) return std::nullopt;
  heading.tag = *tag;
  return heading;
}

/// How many bytes of a file's records stay.
size_t kept_bytes(std::string_view bytes, const EventFile::Keep& keep) {
  size_t at = 0;
  while (bytes.size() - at > kLengthBytes + 2 * kChecksumBytes) {
    uint64_t size = 0;
    for (size_t i = 0; i < kLengthBytes; ++i) size |= uint64_t{static_cast<unsigned char>(bytes[at + i])} << 8 * i;
    const size_t begin = at + kLengthBytes + kChecksumBytes;
    if (size > bytes.size() - begin || bytes.size() - begin - size < kChecksumBytes) break;
    const auto heading = heading_of(bytes.substr(begin, size));
    if (heading && !keep(heading->step, heading->tag)) break;
    at = begin + size + kChecksumBytes;
  }
  return at;
}

[[noreturn]] void fail_unwritable(const std::string& path) {
  throw DataError("data.unwritable", std::string("cannot be written: ") + std::strerror(errno), path,
                  "free space or choose another folder");
}

double unix_time_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string version_record(double wall_time_s) {
  return record_of(event_start(wall_time_s, 0) + bytes_field(kFileVersion, kVersion));
}

}  // namespace

std::string event_record(double wall_time_s, int64_t step, std::string_view prefix, const Json& row) {
  std::string summary;
  add_scalars(std::string(prefix), row, summary);
  if (summary.empty()) return "";
  return record_of(event_start(wall_time_s, step) + bytes_field(kSummary, summary));
}

EventFile::EventFile(std::string path, const Keep& keep)
    : path_(std::move(path)), fd_(::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
  if (fd_ < 0) fail_unwritable(path_);
  const std::string bytes = read_file(path_);
  const size_t kept = kept_bytes(bytes, keep);
  if (kept == 0 && bytes.size() > version_record(0).size()) {
    ::close(fd_);
    throw DataError("data.run_rows", "this is no event file of ours", path_, "move it away, then go on");
  }
  if (kept < bytes.size() && ::ftruncate(fd_, static_cast<off_t>(kept)) != 0) fail_unwritable(path_);
  if (kept == 0) append(version_record(unix_time_s()));
}

EventFile::~EventFile() {
  if (fd_ >= 0) ::close(fd_);
}

void EventFile::write(std::string_view prefix, int64_t step, const Json& row) {
  append(event_record(unix_time_s(), step, prefix, row));
}

void EventFile::append(const std::string& event) {
  for (size_t done = 0; done < event.size();) {
    const ssize_t count = ::write(fd_, event.data() + done, event.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_unwritable(path_);
    done += static_cast<size_t>(count);
  }
}

}  // namespace plumbline
