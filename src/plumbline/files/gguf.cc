#include "plumbline/files/gguf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <set>
#include <type_traits>
#include <utility>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

constexpr const char* kNextStep = "fetch or write the file again";
constexpr uint32_t kMaxDimensions = 4;
constexpr int64_t kDefaultAlignment = 32;
// Beyond what any checkpoint has, and little enough that what is made of a hostile file stays below 1 GB.
constexpr uint64_t kMaxKeys = 1 << 16, kMaxTensors = 1 << 18, kMaxArrayElements = 1 << 23;
constexpr uint64_t kSmallestKeyBytes = 8 + 4 + 1;             // name length, type, one byte of value
constexpr uint64_t kSmallestTensorBytes = 8 + 4 + 8 + 4 + 8;  // name length, dimensions, one extent, type, offset

/// A new type is a row here and a row in tensor/dequantize.cc.
constexpr std::array<GgufType, 14> kTypes = {{{0, "F32", 1, 4},
                                              {1, "F16", 1, 2},
                                              {2, "Q4_0", 32, 18},
                                              {3, "Q4_1", 32, 20},
                                              {6, "Q5_0", 32, 22},
                                              {7, "Q5_1", 32, 24},
                                              {8, "Q8_0", 32, 34},
                                              {10, "Q2_K", 256, 84},
                                              {11, "Q3_K", 256, 110},
                                              {12, "Q4_K", 256, 144},
                                              {13, "Q5_K", 256, 176},
                                              {14, "Q6_K", 256, 210},
                                              {20, "IQ4_NL", 32, 18},
                                              {30, "BF16", 1, 2}}};

enum ValueType : uint32_t {
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kUint32,
  kInt32,
  kFloat32,
  kBool,
  kString,
  kArray,
  kUint64,
  kInt64,
  kFloat64
};

/// Reads little-endian values in order; every read is checked against the end of the file.
class Reader {
 public:
  Reader(std::string_view bytes, std::string path) : bytes_(bytes), path_(std::move(path)) {}

  template <typename T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  std::string text() {
    const auto length = number<uint64_t>();
    return std::string(take(length));
  }

  std::string_view take(uint64_t count) {
    if (count > remaining()) {
      throw DataError("data.truncated_file",
                      fmt::format("{} more bytes are announced and {} are there", count, remaining()), where(),
                      kNextStep);
    }
    const std::string_view part = bytes_.substr(position_, count);
    position_ += count;
    return part;
  }

  /// A number of things that take at least `smallest` bytes each and of which there are at most `largest`: refused
  /// before anything of that size is allocated.
  uint64_t count(uint64_t smallest, uint64_t largest, const char* what) {
    const auto value = number<uint64_t>();
    if (value > remaining() / smallest) {
      throw DataError("data.truncated_file", fmt::format("{} {} are announced; the file is too short", value, what),
                      where(), kNextStep);
    }
    if (value > largest) fail(fmt::format("{} {} are not believable", value, what));
    return value;
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw DataError("data.gguf_header", message, where(), kNextStep);
  }

  std::string where() const { return fmt::format("{}, byte {}", path_, position_); }
  uint64_t remaining() const { return bytes_.size() - position_; }
  uint64_t position() const { return position_; }
  /// All arrays of a file together.
  uint64_t array_elements_left() const { return array_elements_left_; }
  void take_array_elements(uint64_t count) { array_elements_left_ -= count; }

 private:
  std::string_view bytes_;
  std::string path_;
  uint64_t position_ = 0, array_elements_left_ = kMaxArrayElements;
};

bool is_signed(uint32_t type) {
  return type == kInt8 || type == kInt16 || type == kInt32 || type == kInt64;
}
bool is_real(uint32_t type) {
  return type == kFloat32 || type == kFloat64;
}

uint64_t read_unsigned(Reader& reader, uint32_t type) {
  switch (type) {
    case kUint8:
      return reader.number<uint8_t>();
    case kUint16:
      return reader.number<uint16_t>();
    case kUint32:
      return reader.number<uint32_t>();
    case kUint64:
      return reader.number<uint64_t>();
  }
  reader.fail(fmt::format("the value type {} is not known", type));
}

int64_t read_signed(Reader& reader, uint32_t type) {
  switch (type) {
    case kInt8:
      return reader.number<int8_t>();
    case kInt16:
      return reader.number<int16_t>();
    case kInt32:
      return reader.number<int32_t>();
  }
  return reader.number<int64_t>();
}

double read_real(Reader& reader, uint32_t type) {
  return type == kFloat32 ? static_cast<double>(reader.number<float>()) : reader.number<double>();
}

bool read_bool(Reader& reader) {
  const auto value = reader.number<uint8_t>();
  if (value > 1) reader.fail("a boolean is neither 0 nor 1");
  return value == 1;
}

/// An integer of any width that must fit 64 signed bits.
int64_t read_integer(Reader& reader, uint32_t type) {
  if (is_signed(type)) return read_signed(reader, type);
  if (type == kBool) return read_bool(reader);
  const uint64_t value = read_unsigned(reader, type);
  if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) reader.fail("an integer exceeds 63 bits");
  return static_cast<int64_t>(value);
}

GgufValue read_array(Reader& reader) {
  const auto type = reader.number<uint32_t>();
  if (type == kArray) reader.fail("arrays of arrays are not supported");
  const uint64_t count = reader.count(type == kString ? 8 : 1, reader.array_elements_left(), "array elements");
  reader.take_array_elements(count);
  const auto fill = [&](auto values, auto read) {
    for (uint64_t i = 0; i < count; ++i) values.push_back(read());
    return GgufValue{std::move(values)};
  };
  if (type == kString) return fill(std::vector<std::string>{}, [&] { return reader.text(); });
  if (is_real(type)) return fill(std::vector<double>{}, [&] { return read_real(reader, type); });
  return fill(std::vector<int64_t>{}, [&] { return read_integer(reader, type); });
}

GgufValue read_value(Reader& reader) {
  const auto type = reader.number<uint32_t>();
  if (type == kArray) return read_array(reader);
  if (type == kString) return {reader.text()};
  if (type == kBool) return {read_bool(reader)};
  if (is_real(type)) return {read_real(reader, type)};
  if (is_signed(type)) return {read_signed(reader, type)};
  return {read_unsigned(reader, type)};
}

struct TensorPlace {
  RawTensor tensor;
  const GgufType* type;
  uint64_t offset;  ///< from the start of the data section
};

const GgufType& tensor_type(uint32_t number, const std::string& tensor, const Reader& reader) {
  const auto* found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const GgufType& type) { return type.number == number; });
  if (found == kTypes.end()) {
    throw DataError("data.gguf_type", fmt::format("tensor {} has type {}, which is not known", tensor, number),
                    reader.where(),
                    "use a file in F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q2_K to Q6_K or IQ4_NL");
  }
  return *found;
}

TensorPlace read_place(Reader& reader) {
  TensorPlace place;
  place.tensor.name = reader.text();
  const auto dimensions = reader.number<uint32_t>();
  if (dimensions < 1 || dimensions > kMaxDimensions) {
    reader.fail(fmt::format("tensor {} has {} dimensions", place.tensor.name, dimensions));
  }
  for (uint32_t i = 0; i < dimensions; ++i) place.tensor.shape.push_back(read_integer(reader, kUint64));
  place.type = &tensor_type(reader.number<uint32_t>(), place.tensor.name, reader);
  place.offset = reader.number<uint64_t>();
  place.tensor.dtype = place.type->name;
  return place;
}

/// Size in bytes; fails when the row is not whole blocks or the size leaves 64 bits. Shape is innermost first here.
uint64_t place_bytes(const TensorPlace& place, const Reader& reader) {
  const std::vector<int64_t>& shape = place.tensor.shape;
  if (shape[0] % place.type->block_elements != 0) {
    reader.fail(fmt::format("rows of {} elements in tensor {} are not whole {} blocks", shape[0], place.tensor.name,
                            place.tensor.dtype));
  }
  int64_t total = shape[0] / place.type->block_elements;
  bool overflow = __builtin_mul_overflow(total, place.type->block_bytes, &total);
  for (size_t i = 1; i < shape.size(); ++i) overflow |= __builtin_mul_overflow(total, shape[i], &total);
  if (overflow) reader.fail("the size of tensor " + place.tensor.name + " overflows");
  return static_cast<uint64_t>(total);
}

void check_overlaps(std::vector<RawTensor> tensors, const Reader& reader) {
  std::sort(tensors.begin(), tensors.end(),
            [](const RawTensor& a, const RawTensor& b) { return a.bytes.data() < b.bytes.data(); });
  const char* end = nullptr;
  for (const RawTensor& tensor : tensors) {
    if (tensor.bytes.empty()) continue;
    if (end && tensor.bytes.data() < end) reader.fail("tensor " + tensor.name + " overlaps another");
    end = tensor.bytes.data() + tensor.bytes.size();
  }
}

}  // namespace

const GgufType* find_gguf_type(std::string_view name) {
  const auto* found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const GgufType& type) { return name == type.name; });
  return found == kTypes.end() ? nullptr : &*found;
}

GgufFile::GgufFile(const std::string& path) : file_(path) {
  Reader reader(file_.bytes(), path);
  if (reader.take(4) != "GGUF") {
    throw DataError("data.gguf_header", "the file does not begin with GGUF", path + ", byte 0",
                    "give a GGUF file, or the folder of a checkpoint");
  }
  const auto version = reader.number<uint32_t>();
  if (version != 2 && version != 3) {
    reader.fail(fmt::format("version {} is not supported (2 and 3, little-endian, are)", version));
  }
  const uint64_t num_tensors = reader.count(kSmallestTensorBytes, kMaxTensors, "tensors");
  const uint64_t num_keys = reader.count(kSmallestKeyBytes, kMaxKeys, "metadata keys");
  for (uint64_t i = 0; i < num_keys; ++i) {
    const std::string key = reader.text();
    if (!metadata_.emplace(key, read_value(reader)).second) reader.fail("the key " + key + " stands twice");
  }
  std::vector<TensorPlace> places;
  std::set<std::string> names;
  for (uint64_t i = 0; i < num_tensors; ++i) {
    places.push_back(read_place(reader));
    const std::string& name = places.back().tensor.name;
    if (!names.insert(name).second) reader.fail("the tensor " + name + " stands twice");
  }

  const int64_t alignment = has("general.alignment") ? integer("general.alignment") : kDefaultAlignment;
  if (alignment < 1 || alignment > (1 << 20) || (alignment & (alignment - 1)) != 0) {
    reader.fail(fmt::format("general.alignment {} is not a power of two", alignment));
  }
  const auto step = static_cast<uint64_t>(alignment);
  const uint64_t data_start = (reader.position() + step - 1) / step * step;
  const uint64_t data_bytes = data_start > file_.bytes().size() ? 0 : file_.bytes().size() - data_start;
  for (TensorPlace& place : places) {
    const uint64_t size = place_bytes(place, reader);
    if (place.offset % step != 0) reader.fail("the data of tensor " + place.tensor.name + " is misaligned");
    if (place.offset > data_bytes || size > data_bytes - place.offset) {
      throw DataError(
          "data.truncated_file",
          fmt::format("tensor {} needs {} bytes at {} of {}", place.tensor.name, size, place.offset, data_bytes),
          fmt::format("{}, byte {}", path, file_.bytes().size()), kNextStep);
    }
    if (size > 0) place.tensor.bytes = file_.bytes().substr(data_start + place.offset, size);
    std::reverse(place.tensor.shape.begin(), place.tensor.shape.end());
    tensors_.push_back(std::move(place.tensor));
  }
  check_overlaps(tensors_, reader);
}

const RawTensor* GgufFile::find(const std::string& name) const {
  const auto found =
      std::find_if(tensors_.begin(), tensors_.end(), [&](const RawTensor& tensor) { return tensor.name == name; });
  return found == tensors_.end() ? nullptr : &*found;
}

template <typename T>
const T& GgufFile::typed(const std::string& key, const char* kind) const {
  const auto found = metadata_.find(key);
  if (found == metadata_.end()) {
    throw DataError("data.gguf_missing_key", "the metadata has no " + key, path(), "use a complete GGUF file");
  }
  const T* value = std::get_if<T>(&found->second.value);
  if (!value) throw DataError("data.gguf_key_type", key + " is not " + kind, path(), kNextStep);
  return *value;
}

int64_t GgufFile::integer(const std::string& key) const {
  const auto found = metadata_.find(key);
  if (found != metadata_.end()) {
    if (const auto* value = std::get_if<int64_t>(&found->second.value)) return *value;
  }
  const uint64_t value = typed<uint64_t>(key, "an integer");
  if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    throw DataError("data.gguf_key_type", key + " exceeds 63 bits", path(), kNextStep);
  }
  return static_cast<int64_t>(value);
}
double GgufFile::real(const std::string& key) const {
  return typed<double>(key, "a real number");
}
bool GgufFile::boolean(const std::string& key) const {
  return typed<bool>(key, "a boolean");
}
const std::string& GgufFile::text(const std::string& key) const {
  return typed<std::string>(key, "text");
}
const std::vector<std::string>& GgufFile::texts(const std::string& key) const {
  return typed<std::vector<std::string>>(key, "an array of texts");
}
const std::vector<int64_t>& GgufFile::integers(const std::string& key) const {
  return typed<std::vector<int64_t>>(key, "an array of integers");
}

}  // namespace plumbline
