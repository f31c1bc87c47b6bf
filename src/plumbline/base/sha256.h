/// SHA-256 (FIPS 180-4) through OpenSSL's libcrypto.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace plumbline {

/// Incremental hash. Not thread-safe; one object a stream.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  Sha256& update(const void* data, size_t num_bytes);
  Sha256& update(std::string_view text) { return update(text.data(), text.size()); }
  /// Lower-case hex digest; the object is used up.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Hex digest of one string.
std::string sha256_hex(std::string_view text);
/// Hex digest of a file's bytes. Throws DataError(data.missing_file | data.unreadable_file).
std::string sha256_file(const std::string& path);

}  // namespace plumbline
