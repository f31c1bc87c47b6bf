#include "plumbline/record/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/interrupt.h"

namespace plumbline {
namespace {

constexpr size_t kBlockBytes = size_t{1} << 16;
constexpr size_t kMagicBytes = 4;
constexpr uint64_t kFreeBytes = uint64_t{256} << 20;  // below this no ratio is suspicious
constexpr uint64_t kMaxRatio = 500;

}  // namespace

/// A decompressor that is fed block by block.
class Inflater {
 public:
  virtual ~Inflater() = default;
  /// Takes compressed bytes that live until they are used up.
  virtual void feed(const char* data, size_t size) = 0;
  /// Appends up to a block; returns how many bytes came, 0 when more input is needed. False in `*ok` for damage.
  virtual size_t take(std::string& buffer, bool* ok) = 0;
  /// Whether the stream ended where a stream may end.
  virtual bool complete() const = 0;
};

namespace {

class GzipInflater : public Inflater {
 public:
  GzipInflater() { inflateInit2(&stream_, 15 + 16); }
  ~GzipInflater() override { inflateEnd(&stream_); }
  void feed(const char* data, size_t size) override {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data));
    stream_.avail_in = static_cast<uInt>(size);
  }
  size_t take(std::string& buffer, bool* ok) override {
    char block[kBlockBytes];
    if (member_ended_ && stream_.avail_in > 0) {  // another member follows, or padding
      if (*stream_.next_in == 0) {
        stream_.avail_in = 0;
        return 0;
      }
      inflateReset(&stream_);
      member_ended_ = false;
    }
    stream_.next_out = reinterpret_cast<Bytef*>(block);
    stream_.avail_out = sizeof block;
    const int code = member_ended_ ? Z_OK : inflate(&stream_, Z_NO_FLUSH);
    *ok = code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR;
    member_ended_ |= code == Z_STREAM_END;
    const size_t count = sizeof block - stream_.avail_out;
    buffer.append(block, count);
    if (count == 0 && member_ended_ && stream_.avail_in > 0 && *ok) return take(buffer, ok);
    return count;
  }
  bool complete() const override { return member_ended_; }

 private:
  z_stream stream_{};
  bool member_ended_ = false;
};

class ZstdInflater : public Inflater {
 public:
  ZstdInflater() : stream_(ZSTD_createDStream()) { ZSTD_initDStream(stream_); }
  ~ZstdInflater() override { ZSTD_freeDStream(stream_); }
  void feed(const char* data, size_t size) override { input_ = {data, size, 0}; }
  size_t take(std::string& buffer, bool* ok) override {
    char block[kBlockBytes];
    ZSTD_outBuffer output{block, sizeof block, 0};
    if (input_.pos < input_.size || pending_) {
      const size_t hint = ZSTD_decompressStream(stream_, &output, &input_);
      *ok = !ZSTD_isError(hint);
      frame_ended_ = hint == 0;
      pending_ = output.pos == output.size;
    } else {
      *ok = true;
    }
    buffer.append(block, output.pos);
    if (*ok && output.pos == 0 && input_.pos < input_.size) return take(buffer, ok);  // a frame that holds nothing
    return output.pos;
  }
  bool complete() const override { return frame_ended_; }

 private:
  ZSTD_DStream* stream_;
  ZSTD_inBuffer input_{nullptr, 0, 0};
  bool frame_ended_ = false, pending_ = false;
};

}  // namespace

ByteSource::ByteSource(const std::string& path) : path_(path) {
  fd_ = path == "-" ? ::dup(STDIN_FILENO) : open_input(path);
  struct stat info {};
  if (fd_ < 0 || ::fstat(fd_, &info) != 0) fail_unreadable();
  if (S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    fail_unreadable();
  }
}

ByteSource::~ByteSource() {
  if (fd_ >= 0) ::close(fd_);
}

void ByteSource::fail_unreadable() {
  const int cause = errno;
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  throw DataError("data.unreadable_file", std::string("cannot be read: ") + std::strerror(cause), path_,
                  "check the path and its permissions");
}

bool ByteSource::read_raw(std::string& buffer) {
  char block[kBlockBytes];
  while (true) {
    const ssize_t count = ::read(fd_, block, sizeof block);
    if (count < 0 && errno == EINTR) {
      if (interrupt_requested()) return false;
      continue;
    }
    if (count < 0) fail_unreadable();
    buffer.append(block, static_cast<size_t>(count));
    num_in_ += static_cast<uint64_t>(count);
    return count > 0;
  }
}

void ByteSource::choose_inflater() {
  begun_ = true;
  // A pipe may hand out less than the magic at first; a first byte that begins no magic is answered at once.
  const auto may_begin = [this](std::string_view magic) {
    return magic.substr(0, ahead_.size()) == std::string_view(ahead_).substr(0, magic.size());
  };
  constexpr std::string_view kGzip = "\x1F\x8B", kZstd = "\x28\xB5\x2F\xFD";
  while (ahead_.size() < kMagicBytes && (may_begin(kGzip) || may_begin(kZstd)) && read_raw(ahead_)) {
  }
  if (ahead_.starts_with(kGzip)) inflater_ = std::make_unique<GzipInflater>();
  if (ahead_.starts_with(kZstd)) inflater_ = std::make_unique<ZstdInflater>();
  if (inflater_) inflater_->feed(ahead_.data(), ahead_.size());
}

bool ByteSource::read(std::string& buffer) {
  if (!begun_) {
    choose_inflater();
    if (!inflater_ && !ahead_.empty()) {
      buffer += ahead_;
      ahead_.clear();
      return true;
    }
  }
  if (!inflater_) return read_raw(buffer);
  while (!ended_) {
    bool ok = true;
    const size_t count = inflater_->take(buffer, &ok);
    num_out_ += count;
    if (num_out_ > kFreeBytes && num_out_ / kMaxRatio > num_in_) {
      throw DataError("data.bomb", "the compressed stream grows more than 500-fold", path_, "this is no file of rows");
    }
    if (!ok) throw DataError("data.truncated_file", "the compressed stream is damaged", path_, "copy the file again");
    if (count > 0) return true;
    ahead_.clear();
    if (read_raw(ahead_)) {
      inflater_->feed(ahead_.data(), ahead_.size());
      continue;
    }
    ended_ = true;
    if (!inflater_->complete() && !interrupt_requested()) {
      throw DataError("data.truncated_file", "the compressed stream is cut", path_, "copy the file again");
    }
  }
  return false;
}

}  // namespace plumbline
