#include "plumbline/base/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <vector>

#include "plumbline/base/check.h"
#include "plumbline/base/file_system.h"

namespace plumbline {

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  PL_CHECK(EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) == 1, "SHA-256 is not available");
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

Sha256& Sha256::update(const void* data, size_t num_bytes) {
  PL_CHECK(EVP_DigestUpdate(state_->context, data, num_bytes) == 1, "SHA-256 update failed");
  return *this;
}

std::string Sha256::hex() {
  std::array<unsigned char, 32> digest{};
  unsigned int size = 0;
  PL_CHECK(EVP_DigestFinal_ex(state_->context, digest.data(), &size) == 1 && size == digest.size(), "SHA-256 failed");
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

std::string sha256_hex(std::string_view text) {
  return Sha256().update(text).hex();
}

std::string sha256_file(const std::string& path) {
  const InputFile file(path);
  Sha256 hash;
  std::vector<char> buffer(1 << 20);
  while (const size_t count = file.read(buffer)) hash.update(buffer.data(), count);
  return hash.hex();
}

}  // namespace plumbline
