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

namespace plumbline {

/// One tensor's place in a mapped file. `bytes` points into the owning file.
struct RawTensor {
  std::string name;
  std::string dtype;            ///< as the file spells it: F32, F16, BF16, I64, U8, ... or a GGUF type (Q4_1, ...)
  std::vector<int64_t> shape;   ///< row-major, outermost first (GGUF's reversed order is undone)
  std::string_view bytes;
};

/// A mapped safetensors file. Throws DataError: data.truncated_file, data.safetensors_header (bad JSON, overlapping,
/// out-of-range or misaligned offsets, unknown dtype, size that does not fit the shape), with path and byte offset.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::string& path);
  const std::vector<RawTensor>& tensors() const { return tensors_; }   ///< in file order
  const RawTensor* find(const std::string& name) const;                ///< null when absent
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const std::string& path() const { return file_.path(); }

 private:
  MappedFile file_;
  std::vector<RawTensor> tensors_;
  std::map<std::string, std::string> metadata_;
};

/// Writes tensors (sorted by name, 8-byte aligned) and metadata to `path`, aside and renamed. Bytes are deterministic.
void write_safetensors(const std::string& path, std::span<const RawTensor> tensors,
                       const std::map<std::string, std::string>& metadata);

}  // namespace plumbline
