#include "plumbline/files/hub/blob_hash.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include "plumbline/base/check.h"
#include "plumbline/base/error.h"

namespace plumbline {

std::string blob_hash(const std::string& path, const std::string& like, const std::function<bool()>& stop) {
  PL_CHECK(is_blob_hash(like), "not a hash of the hub");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw DataError("data.unreadable_file", "the file cannot be opened", path, "check the disk");
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const bool is_git = like.size() == 40;
  PL_CHECK(EVP_DigestInit_ex(context.get(), is_git ? EVP_sha1() : EVP_sha256(), nullptr) == 1, "no hash function");
  if (is_git) {
    const std::string head = fmt::format("blob {}", std::filesystem::file_size(path));
    EVP_DigestUpdate(context.get(), head.c_str(), head.size() + 1);
  }
  std::vector<char> buffer(1 << 20);
  while (in) {
    if (stop && stop()) throw Interrupted("stopped while checking a downloaded file");
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    EVP_DigestUpdate(context.get(), buffer.data(), static_cast<size_t>(in.gcount()));
  }
  if (in.bad()) throw DataError("data.unreadable_file", "the file cannot be read", path, "check the disk");
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  PL_CHECK(EVP_DigestFinal_ex(context.get(), digest, &size) == 1, "hashing failed");
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

bool is_blob_hash(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) && std::all_of(text.begin(), text.end(), [](unsigned char byte) {
           return std::isdigit(byte) || (byte >= 'a' && byte <= 'f');
         });
}

std::string normalized_etag(std::string_view header) {
  if (header.starts_with("W/")) header.remove_prefix(2);
  if (header.size() >= 2 && header.front() == '"' && header.back() == '"') header = header.substr(1, header.size() - 2);
  std::string text(header);
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char byte) { return std::tolower(byte); });
  return text;
}

}  // namespace plumbline
