#include "plumbline/base/gzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>

#include "plumbline/base/check.h"
#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"

namespace plumbline {
namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, gzip framing

/// Owns a z_stream, so that a throw in the middle frees it.
class Inflater {
 public:
  Inflater() { PL_CHECK(inflateInit2(&stream_, kGzipWindow) == Z_OK, "zlib cannot be initialised"); }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  z_stream* operator->() { return &stream_; }
  z_stream* get() { return &stream_; }

 private:
  z_stream stream_ = {};
};

[[noreturn]] void too_large(const std::string& where, size_t max_bytes) {
  throw DataError("data.too_large", fmt::format("larger than {} bytes", max_bytes), where);
}

}  // namespace

bool is_gzip(std::string_view bytes) {
  return bytes.size() >= 2 && static_cast<unsigned char>(bytes[0]) == 0x1f &&
         static_cast<unsigned char>(bytes[1]) == 0x8b;
}

std::string gunzip(std::string_view bytes, const std::string& where, size_t max_bytes) {
  Inflater inflater;
  std::string out;
  std::array<char, 1 << 16> chunk;
  size_t consumed = 0;
  for (;;) {
    const size_t offered = std::min<size_t>(bytes.size() - consumed, size_t{1} << 30);
    inflater->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + consumed));
    inflater->avail_in = static_cast<uInt>(offered);
    inflater->next_out = reinterpret_cast<Bytef*>(chunk.data());
    inflater->avail_out = chunk.size();
    const int status = inflate(inflater.get(), Z_NO_FLUSH);
    consumed += offered - inflater->avail_in;
    const size_t produced = chunk.size() - inflater->avail_out;
    if (out.size() + produced > max_bytes) too_large(where, max_bytes);
    out.append(chunk.data(), produced);
    if (status == Z_STREAM_END) {
      if (consumed == bytes.size()) return out;
      inflateReset(inflater.get());
    } else if (status == Z_BUF_ERROR || (status == Z_OK && consumed == bytes.size() && produced == 0)) {
      throw DataError("data.truncated_file", "the gzip stream ends too early",
                      fmt::format("{}, byte {}", where, consumed), "fetch the file again");
    } else if (status != Z_OK) {
      throw DataError("data.gzip", "the gzip stream is corrupt", fmt::format("{}, byte {}", where, consumed),
                      "fetch the file again");
    }
  }
}

std::string read_file_inflated(const std::string& path, size_t max_bytes) {
  std::string bytes = read_file(path);
  if (is_gzip(bytes)) return gunzip(bytes, path, max_bytes);
  if (bytes.size() > max_bytes) too_large(path, max_bytes);
  return bytes;
}

}  // namespace plumbline
