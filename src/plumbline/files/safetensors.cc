#include "plumbline/files/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "plumbline/base/check.h"
#include "plumbline/base/error.h"

namespace plumbline {
namespace {

constexpr uint64_t kMaxHeaderBytes = 100'000'000;  // as the reference reader
constexpr size_t kLengthBytes = 8;
constexpr const char* kNextStep = "fetch or write the file again";

constexpr std::array<std::pair<std::string_view, int64_t>, 15> kDtypes = {{{"F64", 8},
                                                                           {"F32", 4},
                                                                           {"F16", 2},
                                                                           {"BF16", 2},
                                                                           {"I64", 8},
                                                                           {"I32", 4},
                                                                           {"I16", 2},
                                                                           {"I8", 1},
                                                                           {"U64", 8},
                                                                           {"U32", 4},
                                                                           {"U16", 2},
                                                                           {"U8", 1},
                                                                           {"BOOL", 1},
                                                                           {"F8_E4M3", 1},
                                                                           {"F8_E5M2", 1}}};

[[noreturn]] void fail_header(const std::string& message, const std::string& where) {
  throw DataError("data.safetensors_header", message, where, kNextStep);
}

/// The length of the header: the first 8 bytes, little-endian, checked against the file.
size_t header_length(std::string_view bytes, const std::string& path) {
  if (bytes.size() < kLengthBytes) {
    throw DataError("data.truncated_file", "shorter than the 8 bytes that give the header's length",
                    fmt::format("{}, byte {}", path, bytes.size()), kNextStep);
  }
  uint64_t length = 0;
  for (size_t i = kLengthBytes; i-- > 0;) length = (length << 8) | static_cast<unsigned char>(bytes[i]);
  if (length > kMaxHeaderBytes) {
    fail_header(fmt::format("a header of {} bytes is not believable", length), path + ", byte 0");
  }
  if (length > bytes.size() - kLengthBytes) {
    throw DataError("data.truncated_file",
                    fmt::format("the header takes {} bytes and {} are there", length, bytes.size() - kLengthBytes),
                    fmt::format("{}, byte {}", path, bytes.size()), kNextStep);
  }
  return length;
}

SortedJson parse_header(std::string_view text, const std::string& path) {
  try {
    SortedJson header = parse_sorted_json(text, path + ", header from byte 8");
    if (!header.is_object()) fail_header("the header is not a JSON object", path + ", byte 8");
    return header;
  } catch (const DataError& error) {
    fail_header("the header cannot be read: " + error.message(), error.where());
  }
}

/// Where the entry of a tensor stands, worked out only when something is wrong with it.
struct EntryPlace {
  const std::string& path;
  const std::string& tensor;
  std::string_view header;

  std::string text() const {
    const size_t found = header.find("\"" + tensor + "\"");
    return fmt::format("{}, byte {}, tensor {}", path, kLengthBytes + (found == std::string_view::npos ? 0 : found),
                       tensor);
  }
};

std::vector<int64_t> read_counts(const SortedJson& entry, const char* key, const EntryPlace& place) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_array()) fail_header(fmt::format("'{}' is not an array", key), place.text());
  std::vector<int64_t> counts;
  for (const SortedJson& item : *found) {
    if (!item.is_number_unsigned() || item.get<uint64_t>() > INT64_MAX) {
      fail_header(fmt::format("'{}' holds something that is not a count", key), place.text());
    }
    counts.push_back(item.get<int64_t>());
  }
  return counts;
}

/// Product of a shape and an element size; -1 when it leaves 64 bits.
int64_t byte_count(const std::vector<int64_t>& shape, int64_t element_bytes) {
  int64_t total = element_bytes;
  for (const int64_t extent : shape) {
    if (__builtin_mul_overflow(total, extent, &total)) return -1;
  }
  return total;
}

/// Data must be covered exactly once: an overlap or a hole lets two readers see different files.
void check_coverage(const std::vector<RawTensor>& tensors, std::string_view data, int64_t data_start,
                    const std::string& path) {
  std::vector<const RawTensor*> by_place;
  for (const RawTensor& tensor : tensors) by_place.push_back(&tensor);
  std::sort(by_place.begin(), by_place.end(), [](const RawTensor* a, const RawTensor* b) {
    return std::pair(a->bytes.data(), a->bytes.size()) < std::pair(b->bytes.data(), b->bytes.size());
  });
  const char* covered = data.data();
  for (const RawTensor* tensor : by_place) {
    if (tensor->bytes.data() != covered) {
      fail_header(
          tensor->bytes.data() < covered ? "overlaps another tensor" : "leaves a hole before it",
          fmt::format("{}, byte {}, tensor {}", path, data_start + (tensor->bytes.data() - data.data()), tensor->name));
    }
    covered += tensor->bytes.size();
  }
  if (covered != data.data() + data.size()) {
    fail_header("bytes follow that belong to no tensor",
                fmt::format("{}, byte {}", path, data_start + (covered - data.data())));
  }
}

std::string header_text(const std::vector<const RawTensor*>& ordered,
                        const std::map<std::string, std::string>& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  int64_t offset = 0;
  for (const RawTensor* tensor : ordered) {
    const auto size = static_cast<int64_t>(tensor->bytes.size());
    header[tensor->name] = {
        {"dtype", tensor->dtype}, {"shape", tensor->shape}, {"data_offsets", {offset, offset + size}}};
    offset += size;
  }
  std::string text = to_json_line(header);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

}  // namespace

int64_t safetensors_dtype_bytes(std::string_view dtype) {
  for (const auto& [name, bytes] : kDtypes) {
    if (name == dtype) return bytes;
  }
  return 0;
}

SafetensorsFile::SafetensorsFile(const std::string& path) : file_(path) {
  const std::string_view bytes = file_.bytes();
  const size_t length = header_length(bytes, path);
  const std::string_view header_bytes = bytes.substr(kLengthBytes, length);
  const SortedJson header = parse_header(header_bytes, path);
  const std::string_view data = bytes.substr(kLengthBytes + length);
  for (const auto& [name, entry] : header.items()) {
    if (name != "__metadata__") {
      read_tensor(name, entry, header_bytes, data);
      continue;
    }
    if (!entry.is_object()) fail_header("__metadata__ is not an object", path + ", byte 8");
    for (const auto& [key, value] : entry.items()) {
      if (!value.is_string()) fail_header("__metadata__ holds something that is not text: " + key, path + ", byte 8");
      metadata_[key] = value.get<std::string>();
    }
  }
  check_coverage(tensors_, data, static_cast<int64_t>(kLengthBytes + length), path);
  std::stable_sort(tensors_.begin(), tensors_.end(),
                   [](const RawTensor& a, const RawTensor& b) { return a.bytes.data() < b.bytes.data(); });
}

void SafetensorsFile::read_tensor(const std::string& name, const SortedJson& entry, std::string_view header,
                                  std::string_view data) {
  const EntryPlace place{path(), name, header};
  if (!entry.is_object()) fail_header("the entry is not an object", place.text());
  const auto dtype = entry.find("dtype");
  if (dtype == entry.end() || !dtype->is_string()) fail_header("'dtype' is missing", place.text());
  RawTensor tensor{name, dtype->get<std::string>(), read_counts(entry, "shape", place), {}};
  const int64_t element_bytes = safetensors_dtype_bytes(tensor.dtype);
  if (element_bytes == 0) fail_header("the dtype '" + tensor.dtype + "' is not known", place.text());
  const std::vector<int64_t> offsets = read_counts(entry, "data_offsets", place);
  if (offsets.size() != 2 || offsets[0] > offsets[1]) fail_header("'data_offsets' is not [begin, end]", place.text());
  if (offsets[1] > static_cast<int64_t>(data.size())) {
    throw DataError("data.truncated_file",
                    fmt::format("the data ends at {} and only {} bytes are there", offsets[1], data.size()),
                    place.text(), kNextStep);
  }
  if (byte_count(tensor.shape, element_bytes) != offsets[1] - offsets[0]) {
    fail_header(fmt::format("{} bytes do not fit the shape [{}] of {}", offsets[1] - offsets[0],
                            fmt::join(tensor.shape, ", "), tensor.dtype),
                place.text());
  }
  tensor.bytes = data.substr(static_cast<size_t>(offsets[0]), static_cast<size_t>(offsets[1] - offsets[0]));
  tensors_.push_back(std::move(tensor));
}

const RawTensor* SafetensorsFile::find(const std::string& name) const {
  const auto found =
      std::find_if(tensors_.begin(), tensors_.end(), [&](const RawTensor& tensor) { return tensor.name == name; });
  return found == tensors_.end() ? nullptr : &*found;
}

void write_safetensors(const std::string& path, std::span<const RawTensor> tensors,
                       const std::map<std::string, std::string>& metadata) {
  std::vector<const RawTensor*> ordered;
  std::set<std::string_view> names;
  for (const RawTensor& tensor : tensors) {
    const int64_t element_bytes = safetensors_dtype_bytes(tensor.dtype);
    PL_CHECK(element_bytes > 0 && byte_count(tensor.shape, element_bytes) == static_cast<int64_t>(tensor.bytes.size()),
             "dtype, shape and bytes of " + tensor.name + " do not fit together");
    PL_CHECK(tensor.name != "__metadata__" && names.insert(tensor.name).second, tensor.name + " cannot be a name here");
    ordered.push_back(&tensor);
  }
  std::sort(ordered.begin(), ordered.end(), [](const RawTensor* a, const RawTensor* b) {
    const int64_t size_a = safetensors_dtype_bytes(a->dtype), size_b = safetensors_dtype_bytes(b->dtype);
    return size_a != size_b ? size_a > size_b : a->name < b->name;
  });
  const std::string header = header_text(ordered, metadata);
  std::string length(kLengthBytes, '\0');
  for (size_t i = 0; i < kLengthBytes; ++i) length[i] = static_cast<char>(uint64_t{header.size()} >> (8 * i));
  std::vector<std::string_view> pieces = {length, header};
  for (const RawTensor* tensor : ordered) pieces.push_back(tensor->bytes);
  write_file(path, pieces);
}

}  // namespace plumbline
