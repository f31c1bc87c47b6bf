#include "plumbline/doctor/readers/tensorboard.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <map>
#include <optional>

#include "plumbline/base/crc32c.h"
#include "plumbline/base/error.h"
#include "plumbline/doctor/readers/series.h"

namespace plumbline::doctor {
namespace {

constexpr uint64_t kMostRecordBytes = uint64_t{64} << 20;
constexpr size_t kFrameBytes = 12;

/// Little-endian, as the format writes it.
template <typename Value>
Value fixed(std::string_view bytes) {
  uint64_t bits = 0;
  for (size_t i = 0; i < sizeof(Value); ++i) bits |= uint64_t{static_cast<unsigned char>(bytes[i])} << 8 * i;
  if constexpr (sizeof(Value) == 4) {
    return std::bit_cast<Value>(static_cast<uint32_t>(bits));
  } else {
    return std::bit_cast<Value>(bits);
  }
}

/// One field of a message: its number and either a value or its bytes.
struct Field {
  uint64_t number = 0;
  int wire = 0;
  uint64_t value = 0;
  std::string_view bytes;
};

class Message {
 public:
  explicit Message(std::string_view bytes) : bytes_(bytes) {}
  /// False at the end, and for anything that is no message.
  bool next(Field& field) {
    uint64_t key = 0;
    if (bytes_.empty() || !varint(key)) return false;
    field = {key >> 3, static_cast<int>(key & 7), 0, {}};
    switch (field.wire) {
      case 0:
        return varint(field.value);
      case 1:
        return take(8, field);
      case 2: {
        uint64_t size = 0;
        return varint(size) && take(size, field);
      }
      case 5:
        return take(4, field);
      default:
        return false;
    }
  }

 private:
  bool varint(uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[0]);
      bytes_.remove_prefix(1);
      value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }
  bool take(uint64_t size, Field& field) {
    if (size > bytes_.size()) return false;
    field.bytes = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return true;
  }

  std::string_view bytes_;
};

/// TensorProto of one float: float_val (5, packed or not) or tensor_content (4) with dtype (1) = 1.
std::optional<double> scalar_of_tensor(std::string_view bytes) {
  Message message(bytes);
  std::optional<double> value;
  for (Field field; message.next(field);) {
    if (field.number == 5 && field.bytes.size() == 4) value = double{fixed<float>(field.bytes)};
    if (field.number == 4 && field.wire == 2 && field.bytes.size() == 4) value = double{fixed<float>(field.bytes)};
  }
  return value;
}

struct Scalar {
  std::string tag;
  std::optional<double> value;
};

Scalar scalar_of(std::string_view bytes) {
  Message message(bytes);
  Scalar scalar;
  for (Field field; message.next(field);) {
    if (field.number == 1 && field.wire == 2) scalar.tag = field.bytes.substr(0, 200);
    if (field.number == 2 && field.wire == 5) scalar.value = double{fixed<float>(field.bytes)};
    if (field.number == 8 && field.wire == 2) scalar.value = scalar_of_tensor(field.bytes);
  }
  return scalar;
}

void read_event(std::string_view bytes, SeriesBuilder& series) {
  Message message(bytes);
  uint64_t step = 0;
  std::string_view summary;
  for (Field field; message.next(field);) {
    if (field.number == 2 && field.wire == 0) step = field.value;
    if (field.number == 5 && field.wire == 2) summary = field.bytes;
  }
  if (summary.empty()) return;
  series.begin_step(static_cast<double>(static_cast<int64_t>(step)));
  Message values(summary);
  for (Field field; values.next(field);) {
    if (field.number != 1 || field.wire != 2) continue;
    const Scalar scalar = scalar_of(field.bytes);
    std::string_view tag = scalar.tag;
    if (tag.starts_with("train/")) tag.remove_prefix(6);
    if (scalar.value) series.add(tag, *scalar.value);
  }
}

}  // namespace

bool is_event_file(std::string_view head) {
  return head.size() >= kFrameBytes && fixed<uint32_t>(head.substr(8)) == masked_crc32c(head.substr(0, 8));
}

void read_event_file(const std::string& path, std::string buffer, ByteSource& source, Collector& out) {
  SeriesBuilder series(path);
  size_t at = 0;
  int64_t offset = 0;  // of buffer[0]
  const auto have = [&](uint64_t size) {
    while (buffer.size() - at < size) {
      if (at > 0) {
        buffer.erase(0, at);
        offset += static_cast<int64_t>(at);
        at = 0;
      }
      if (!source.read(buffer)) return false;
    }
    return true;
  };
  while (have(1)) {
    const std::string where = fmt::format("{}, byte {}", path, offset + static_cast<int64_t>(at));
    if (!have(kFrameBytes)) {
      out.not_checked(path, "last record", "it is cut: the writer was stopped, or is still writing");
      break;
    }
    const std::string_view frame = std::string_view(buffer).substr(at, kFrameBytes);
    const auto size = fixed<uint64_t>(frame);
    if (fixed<uint32_t>(frame.substr(8)) != masked_crc32c(frame.substr(0, 8)) || size > kMostRecordBytes) {
      throw DataError("data.json", "a record's length has a wrong checksum", where);
    }
    if (!have(kFrameBytes + size + 4)) {
      out.not_checked(path, "last record", "it is cut: the writer was stopped, or is still writing");
      break;
    }
    const std::string_view data = std::string_view(buffer).substr(at + kFrameBytes, size);
    const std::string_view check = std::string_view(buffer).substr(at + kFrameBytes + size, 4);
    if (fixed<uint32_t>(check) != masked_crc32c(data)) {
      throw DataError("data.json", "a record has a wrong checksum", where);
    }
    read_event(data, series);
    at += kFrameBytes + size + 4;
  }
  if (!series.empty()) {
    out.evidence.logs.push_back(series.take());
  } else {
    out.not_checked(path, "figures", "the event file has no scalar that doctor looks at");
  }
}

}  // namespace plumbline::doctor
