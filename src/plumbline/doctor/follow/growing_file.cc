#include "plumbline/doctor/follow/growing_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"

namespace plumbline::doctor {
namespace {

constexpr size_t kMaxLine_bytes = size_t{64} << 20, kBlock_bytes = size_t{1} << 18, kMark_bytes = 1024;

[[noreturn]] void fail_unreadable(const std::string& path, const std::string& why) {
  throw DataError("data.unreadable_file", "cannot be read: " + why, path, "check the path and its permissions");
}

/// Up to `size` bytes from `offset` on; fewer at the end of the file.
std::string bytes_at(int fd, int64_t offset, size_t size, const std::string& path) {
  std::string bytes(size, '\0');
  size_t done = 0;
  while (done < size) {
    const ssize_t count = ::pread(fd, bytes.data() + done, size - done, offset + static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_unreadable(path, std::strerror(errno));
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

bool GrowingFile::read_new(const OnLine& on_line, Tail tail) {
  struct stat named {};
  if (::stat(path_.c_str(), &named) != 0) {
    // Moved away, and the next one is not there yet.
    if (fd_ >= 0 && errno == ENOENT) return read_lines(on_line, tail);
    fail_unreadable(path_, std::strerror(errno));
  }
  if (fd_ >= 0 && !is_same_file(status(fd_), named)) {
    const int next = open_input(path_);
    const bool continues = offset_ > 0 && holds_what_was_read(next);
    // While the writer still has the old file open, lines may follow: it is given up when a look finds none.
    if (!continues && read_lines(on_line, Tail::kWaits) && tail == Tail::kWaits) return ::close(next), true;
    if (!continues) read_lines(on_line, Tail::kCounts);
    close();
    fd_ = next;
    if (!continues) begin_again(FileBreak::kReplaced);
  }
  if (fd_ < 0) fd_ = open_input(path_);
  const struct stat info = status(fd_);
  const bool is_untouched = info.st_size == seen_size_ && info.st_mtim.tv_sec == seen_time_.tv_sec &&
                            info.st_mtim.tv_nsec == seen_time_.tv_nsec;
  if (!is_untouched && offset_ > 0 && !holds_what_was_read(fd_)) begin_again(FileBreak::kRewritten);
  seen_size_ = info.st_size;
  seen_time_ = info.st_mtim;
  const bool any = (!is_untouched || tail != Tail::kWaits) && read_lines(on_line, tail);
  if (!keeps_open_) close();
  return any;
}

bool GrowingFile::read_lines(const OnLine& on_line, Tail tail) {
  bool any = false;
  std::string buffer;
  while (true) {
    const size_t searched = buffer.size();
    buffer += bytes_at(fd_, offset_ + static_cast<int64_t>(searched), kBlock_bytes, path_);
    if (buffer.size() == searched) break;
    size_t begin = 0;
    for (size_t end = buffer.find('\n', searched); end != buffer.npos; end = buffer.find('\n', begin)) {
      any |= hand_out(on_line, std::string_view(buffer).substr(begin, end + 1 - begin), /*is_ended=*/true);
      begin = end + 1;
    }
    buffer.erase(0, begin);
    if (buffer.size() > kMaxLine_bytes) {
      is_skipping_ = true;
      consume(buffer);
      buffer.clear();
    }
  }
  if (buffer.empty() || tail == Tail::kWaits) return any;
  return hand_out(on_line, buffer, /*is_ended=*/false) || any;
}

bool GrowingFile::hand_out(const OnLine& on_line, std::string_view bytes, bool is_ended) {
  consume(bytes);
  ++line_;
  if (is_ended) bytes.remove_suffix(1);
  FollowedLine line;
  line.is_too_long = is_skipping_;
  is_skipping_ = false;
  if (!line.is_too_long) line.text = bytes;
  if (!line.is_too_long && line.text.find_first_not_of(" \t\r") == std::string::npos) return false;
  line.where = fmt::format("{}:{}", path_, line_);
  line.file_number = number_;
  line.is_ended = is_ended;
  line.after = std::exchange(pending_, FileBreak::kNone);
  on_line(line);
  return true;
}

void GrowingFile::consume(std::string_view bytes) {
  offset_ += static_cast<int64_t>(bytes.size());
  head_ += bytes.substr(0, kMark_bytes - std::min(kMark_bytes, head_.size()));
  tail_ += bytes.substr(bytes.size() - std::min(kMark_bytes, bytes.size()));
  if (tail_.size() > kMark_bytes) tail_.erase(0, tail_.size() - kMark_bytes);
}

/// Whether the bytes at both ends of what was read are still those.
bool GrowingFile::holds_what_was_read(int fd) const {
  const auto tail_begin = offset_ - static_cast<int64_t>(tail_.size());
  return bytes_at(fd, 0, head_.size(), path_) == head_ && bytes_at(fd, tail_begin, tail_.size(), path_) == tail_;
}

void GrowingFile::begin_again(FileBreak why) {
  offset_ = line_ = 0;
  head_.clear();
  tail_.clear();
  seen_size_ = -1;
  is_skipping_ = false;
  pending_ = std::max(pending_, why);
}

struct stat GrowingFile::status(int fd) const {
  struct stat info {};
  if (::fstat(fd, &info) != 0) fail_unreadable(path_, std::strerror(errno));
  return info;
}

void GrowingFile::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

}  // namespace plumbline::doctor
