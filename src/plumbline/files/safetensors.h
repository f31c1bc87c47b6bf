/// The safetensors container: header, offsets, mapped bytes; reading and atomic writing. No tensor library here.
/// Format: https://github.com/huggingface/safetensors (8-byte little-endian header length, JSON header, data).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/base/sorted_json.h"

namespace plumbline {

/// One tensor's place in a mapped file. `bytes` points into the owning file.
struct RawTensor {
  std::string name;
  std::string dtype;           ///< as the file spells it: F32, F16, BF16, I64, U8, ... or a GGUF type (Q4_1, ...)
  std::vector<int64_t> shape;  ///< row-major, outermost first (GGUF's reversed order is undone)
  std::string_view bytes;
};

/// Bytes an element of a safetensors dtype takes (F32 -> 4), or 0 when the dtype is not known.
int64_t safetensors_dtype_bytes(std::string_view dtype);

/// A mapped safetensors file. Throws DataError: data.truncated_file, data.safetensors_header (bad JSON, overlapping or
/// out-of-range offsets, holes, unknown dtype, size that does not fit the shape), with path and byte offset.
/// Data need not be aligned: readers copy. Immutable after construction, so reading is thread-safe.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::string& path);
  const std::vector<RawTensor>& tensors() const { return tensors_; }  ///< in the order of their data
  const RawTensor* find(const std::string& name) const;               ///< null when absent
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const std::string& path() const { return file_.path(); }
  /// See MappedFile::release.
  void release(const RawTensor& tensor) const { file_.release(tensor.bytes); }

 private:
  void read_tensor(const std::string& name, const SortedJson& entry, std::string_view header, std::string_view data);

  MappedFile file_;
  std::vector<RawTensor> tensors_;
  std::map<std::string, std::string> metadata_;
};

/// Writes tensors and metadata to `path`, aside and renamed. Order: larger element types first, then by name, so that
/// all data is aligned without holes. Bytes depend on the content alone. Names must be unique, sizes must fit
/// (PL_CHECK). Throws DataError(data.unwritable).
void write_safetensors(const std::string& path, std::span<const RawTensor> tensors,
                       const std::map<std::string, std::string>& metadata);

}  // namespace plumbline
