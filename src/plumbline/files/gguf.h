/// The GGUF container (versions 2 and 3): typed metadata and quantised tensors, mapped. Dequantising is tensor/'s work.
/// Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "plumbline/base/file_system.h"
#include "plumbline/files/safetensors.h"

namespace plumbline {

/// A metadata value; arrays are homogeneous.
struct GgufValue {
  std::variant<uint64_t, int64_t, double, bool, std::string, std::vector<int64_t>, std::vector<double>,
               std::vector<std::string>>
      value;
};

/// How a GGUF tensor type packs its elements: `block_elements` consecutive ones of a row in `block_bytes` bytes.
struct GgufType {
  uint32_t number;
  const char* name;
  int64_t block_elements, block_bytes;
};

/// The type called `name`, or null.
const GgufType* find_gguf_type(std::string_view name);

/// A mapped GGUF file. Throws DataError: data.truncated_file, data.gguf_header, data.gguf_type (unknown tensor type,
/// named with the tensor), with path and byte offset. Immutable after construction, so reading is thread-safe.
class GgufFile {
 public:
  explicit GgufFile(const std::string& path);
  const std::vector<RawTensor>& tensors() const { return tensors_; }
  const RawTensor* find(const std::string& name) const;
  bool has(const std::string& key) const { return metadata_.count(key) > 0; }
  /// Typed look-ups; DataError(data.gguf_missing_key | data.gguf_key_type) naming the key.
  int64_t integer(const std::string& key) const;
  double real(const std::string& key) const;
  bool boolean(const std::string& key) const;
  const std::string& text(const std::string& key) const;
  const std::vector<std::string>& texts(const std::string& key) const;
  const std::vector<int64_t>& integers(const std::string& key) const;
  const std::map<std::string, GgufValue>& metadata() const { return metadata_; }
  const std::string& path() const { return file_.path(); }
  /// See MappedFile::release.
  void release(const RawTensor& tensor) const { file_.release(tensor.bytes); }

 private:
  template <typename T>
  const T& typed(const std::string& key, const char* kind) const;

  MappedFile file_;
  std::map<std::string, GgufValue> metadata_;
  std::vector<RawTensor> tensors_;
};

}  // namespace plumbline
