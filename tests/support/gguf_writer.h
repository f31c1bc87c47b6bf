/// Writes GGUF files for tests, well-formed ones by default, with any part replaceable by something wrong.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace plumbline::test {

class GgufWriter {
 public:
  template <typename T>
  static std::string raw(T value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }
  static std::string text(const std::string& value) { return raw<uint64_t>(value.size()) + value; }

  /// `value` is what follows the type number.
  GgufWriter& key(const std::string& name, uint32_t type, const std::string& value) {
    keys_ += text(name) + raw(type) + value;
    ++num_keys_;
    return *this;
  }
  GgufWriter& key_u32(const std::string& name, uint32_t value) { return key(name, 4, raw(value)); }
  GgufWriter& key_f32(const std::string& name, float value) { return key(name, 6, raw(value)); }
  GgufWriter& key_text(const std::string& name, const std::string& value) { return key(name, 8, text(value)); }

  /// `shape` is innermost first, as the file has it.
  GgufWriter& tensor(const std::string& name, const std::vector<uint64_t>& shape, uint32_t type,
                     const std::string& data) {
    return tensor_at(name, shape, type, data_.size(), data);
  }
  GgufWriter& tensor_at(const std::string& name, const std::vector<uint64_t>& shape, uint32_t type, uint64_t offset,
                        const std::string& data) {
    tensors_ += text(name) + raw<uint32_t>(static_cast<uint32_t>(shape.size()));
    for (const uint64_t extent : shape) tensors_ += raw(extent);
    tensors_ += raw(type) + raw(offset);
    data_ += data;
    data_.resize((data_.size() + 31) / 32 * 32, '\0');
    ++num_tensors_;
    return *this;
  }

  uint32_t version = 3;
  uint64_t extra_tensors = 0, extra_keys = 0;  ///< announced and not there

  std::string bytes() const {
    std::string head =
        "GGUF" + raw(version) + raw(num_tensors_ + extra_tensors) + raw(num_keys_ + extra_keys) + keys_ + tensors_;
    head.resize((head.size() + 31) / 32 * 32, '\0');
    return head + data_;
  }

 private:
  std::string keys_, tensors_, data_;
  uint64_t num_keys_ = 0, num_tensors_ = 0;
};

}  // namespace plumbline::test
