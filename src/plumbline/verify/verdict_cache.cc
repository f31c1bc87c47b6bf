#include "plumbline/verify/verdict_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/json.h"
#include "plumbline/record/verdict_json.h"

namespace plumbline {
namespace {

bool is_repeatable(Outcome outcome) {
  return outcome == Outcome::kPass || outcome == Outcome::kWrong || outcome == Outcome::kError ||
         outcome == Outcome::kSyntaxError || outcome == Outcome::kNoCode;
}

/// flock on a descriptor for as long as it lives.
class FileLock {
 public:
  FileLock(int fd, int operation) : fd_(fd) {
    while (::flock(fd_, operation) != 0 && errno == EINTR) {
    }
  }
  ~FileLock() { ::flock(fd_, LOCK_UN); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  const int fd_;
};

}  // namespace

VerdictCache::VerdictCache(const std::string& path)
    : path_(path), fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  if (fd_ < 0) {
    throw DataError("data.unwritable", fmt::format("cannot be opened: {}", std::strerror(errno)), path,
                    "check the folder and its rights");
  }
  {
    // Opening removes a line that a killed run left half-written, which must not be one that another run is writing.
    const FileLock lock(fd_, LOCK_EX);
    writer_ = std::make_unique<JsonlWriter>(path);
  }
  read_new_rows();
}

VerdictCache::~VerdictCache() {
  if (fd_ >= 0) ::close(fd_);
}

void VerdictCache::read_new_rows() {
  struct stat status = {};
  if (::fstat(fd_, &status) != 0 || status.st_size <= read_bytes_) return;
  std::string text(static_cast<size_t>(status.st_size - read_bytes_), '\0');
  const ssize_t count = ::pread(fd_, text.data(), text.size(), read_bytes_);
  text.resize(count > 0 ? static_cast<size_t>(count) : 0);
  size_t begin = 0;
  for (size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string where = fmt::format("{}:{}", path_, ++line_number_);
    const std::string_view line(text.data() + begin, end - begin);
    if (line.empty()) continue;
    const Json row = parse_json(line, where);
    verdicts_[require_member(row, "key", where).get<std::string>()] =
        parse_verdict(require_member(row, "verdict", where), where);
  }
  read_bytes_ += static_cast<int64_t>(begin);
}

std::optional<Verdict> VerdictCache::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  auto at = verdicts_.find(key);
  if (at == verdicts_.end()) {
    read_new_rows();
    at = verdicts_.find(key);
  }
  return at == verdicts_.end() ? std::nullopt : std::optional(at->second);
}

void VerdictCache::put(const std::string& key, const Verdict& verdict) {
  if (!is_repeatable(verdict.outcome)) return;
  const std::lock_guard lock(mutex_);
  if (!verdicts_.emplace(key, verdict).second) return;
  const FileLock appending(fd_, LOCK_SH);
  writer_->write(to_json_line(Json{{"key", key}, {"verdict", to_json(verdict)}}));
}

}  // namespace plumbline
