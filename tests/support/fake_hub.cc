#include "tests/support/fake_hub.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <stdexcept>

#include "plumbline/base/sha256.h"

namespace plumbline::test {
namespace {

/// SHA-1 (FIPS 180-4), written out: the code under test uses OpenSSL's.
std::string sha1_hex(const std::string& text) {
  std::array<uint32_t, 5> state = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  std::string padded = text + '\x80';
  while (padded.size() % 64 != 56) padded += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>((uint64_t{text.size()} * 8) >> shift);
  const auto rotate = [](uint32_t value, int count) { return (value << count) | (value >> (32 - count)); };
  for (size_t block = 0; block < padded.size(); block += 64) {
    std::array<uint32_t, 80> word{};
    for (size_t i = 0; i < 64; ++i) word[i / 4] = (word[i / 4] << 8) | static_cast<unsigned char>(padded[block + i]);
    for (size_t i = 16; i < 80; ++i) word[i] = rotate(word[i - 3] ^ word[i - 8] ^ word[i - 14] ^ word[i - 16], 1);
    auto [a, b, c, d, e] = state;
    for (size_t i = 0; i < 80; ++i) {
      const uint32_t f = i < 20   ? ((b & c) | (~b & d))
                         : i < 40 ? (b ^ c ^ d)
                         : i < 60 ? ((b & c) | (b & d) | (c & d))
                                  : (b ^ c ^ d);
      const uint32_t k = i < 20 ? 0x5A827999 : i < 40 ? 0x6ED9EBA1 : i < 60 ? 0x8F1BBCDC : 0xCA62C1D6;
      const uint32_t next = rotate(a, 5) + f + e + k + word[i];
      e = d, d = c, c = rotate(b, 30), b = a, a = next;
    }
    state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e};
  }
  char digits[41];
  std::snprintf(digits, sizeof digits, "%08x%08x%08x%08x%08x", state[0], state[1], state[2], state[3], state[4]);
  return digits;
}

std::string git_hash(const std::string& content) {
  return sha1_hex("blob " + std::to_string(content.size()) + std::string(1, '\0') + content);
}

std::string quoted(const std::string& text) {
  return "\"" + text + "\"";
}

/// A HEAD answer has the headers of the GET and no body.
ServedAnswer for_method(const ServedRequest& request, ServedAnswer whole) {
  if (request.method == "HEAD") whole.bytes.resize(whole.bytes.find("\r\n\r\n") + 4);
  return whole;
}

}  // namespace

ServedAnswer hub_error(int status, const std::string& code, const std::string& message) {
  return answer(status, "{\"error\":" + quoted(message) + "}", {{"X-Error-Code", code}, {"X-Error-Message", message}});
}

FakeHub::FakeHub(std::map<std::string, HubedFile> files)
    : files_(std::move(files)),
      store_([this](const ServedRequest& request) { return answer_of_store(request); }),
      hub_([this](const ServedRequest& request) { return answer_of_hub(request); }) {}

std::string FakeHub::hash_of(const std::string& path) const {
  const HubedFile& file = files_.at(path);
  return file.large ? sha256_hex(file.content) : git_hash(file.content);
}

std::vector<ServedRequest> FakeHub::downloads_of(const std::string& path) const {
  std::vector<ServedRequest> found;
  const HubedFile& file = files_.at(path);
  const std::string ending = file.large ? "/store/" + hash_of(path) : "/" + path;
  for (const ServedRequest& request : file.large ? store_requests() : hub_requests()) {
    const std::string target = request.target.substr(0, request.target.find('?'));
    if (request.method == "GET" && target.ends_with(ending)) found.push_back(request);
  }
  return found;
}

void FakeHub::on_hub(Override override) {
  const std::lock_guard lock(mutex_);
  hub_override_ = std::move(override);
}

void FakeHub::on_store(Override override) {
  const std::lock_guard lock(mutex_);
  store_override_ = std::move(override);
}

ServedAnswer FakeHub::list() const {
  std::string siblings;
  for (const auto& [path, file] : files_) {
    const std::string size = std::to_string(file.content.size());
    siblings += std::string(siblings.empty() ? "" : ",") + "{\"rfilename\":" + quoted(path) + ",\"size\":" + size +
                ",\"blobId\":" + quoted(git_hash(file.large ? "pointer to " + file.content : file.content));
    if (file.large) siblings += ",\"lfs\":{\"sha256\":" + quoted(hash_of(path)) + ",\"size\":" + size + "}";
    siblings += "}";
  }
  return answer(200, "{\"id\":\"org/model\",\"sha\":" + quoted(commit()) + ",\"siblings\":[" + siblings + "]}",
                {{"Content-Type", "application/json"}});
}

ServedAnswer FakeHub::bytes(const ServedRequest& request, const std::string& content,
                            std::map<std::string, std::string> headers) const {
  const auto range = request.headers.find("range");
  if (range == request.headers.end() || !knows_ranges) return for_method(request, answer(200, content, headers));
  const size_t begin = std::stoul(range->second.substr(std::string("bytes=").size()));
  if (begin >= content.size()) return answer(416, "", {{"Content-Range", "bytes */" + std::to_string(content.size())}});
  headers["Content-Range"] = "bytes " + std::to_string(begin) + "-" + std::to_string(content.size() - 1) + "/" +
                             std::to_string(content.size());
  return for_method(request, answer(206, content.substr(begin), headers));
}

ServedAnswer FakeHub::resolve(const ServedRequest& request, const std::string& path) const {
  const auto found = files_.find(path);
  if (found == files_.end()) return for_method(request, hub_error(404, "EntryNotFound", "Entry not found"));
  std::map<std::string, std::string> headers = {{"X-Repo-Commit", commit()}};
  if (!found->second.large) {
    headers["ETag"] = quoted(hash_of(path));
    return bytes(request, found->second.content, headers);
  }
  headers["X-Linked-ETag"] = quoted(hash_of(path));
  headers["X-Linked-Size"] = std::to_string(found->second.content.size());
  headers["ETag"] = quoted("an etag of the page");
  headers["Location"] = store_.url("/store/" + hash_of(path) + "?Signature=of+the%2Fstore&Expires=1");
  return for_method(request, answer(302, "Found", headers));
}

ServedAnswer FakeHub::answer_of_hub(const ServedRequest& request) {
  {
    const std::lock_guard lock(mutex_);
    if (hub_override_) {
      if (const auto replaced = hub_override_(request)) return *replaced;
    }
  }
  const auto given = request.headers.find("authorization");
  if (!token.empty() && (given == request.headers.end() || given->second != "Bearer " + token)) {
    return for_method(request, hub_error(401, "", "Invalid username or password."));
  }
  const std::string target = request.target.substr(0, request.target.find('?'));
  const std::string api = "/api/models/org/model/revision/", file = "/org/model/resolve/" + commit() + "/";
  if (target.starts_with(api)) {
    const std::string revision = target.substr(api.size());
    if (revision == "main" || revision == "v1" || revision == commit()) return list();
    return hub_error(404, "RevisionNotFound", "Invalid rev id: " + revision);
  }
  if (target.starts_with(file)) return resolve(request, target.substr(file.size()));
  return for_method(request, hub_error(404, "RepoNotFound", "Repository not found"));
}

ServedAnswer FakeHub::answer_of_store(const ServedRequest& request) {
  {
    const std::lock_guard lock(mutex_);
    if (store_override_) {
      if (const auto replaced = store_override_(request)) return *replaced;
    }
  }
  for (const auto& [path, file] : files_) {
    if (file.large && request.target.starts_with("/store/" + hash_of(path) + "?Signature=of+the%2Fstore")) {
      return bytes(request, file.content, {{"ETag", quoted("an etag of the store")}});
    }
  }
  return answer(403, "the signature is wrong");
}

}  // namespace plumbline::test
