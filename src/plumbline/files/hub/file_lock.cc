#include "plumbline/files/hub/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"

namespace plumbline {

FileLock::FileLock(const std::string& path, const std::function<bool()>& stop, const std::function<void()>& waiting)
    : path_(path) {
  const double start_s = now_s();
  bool told = false;
  while (!try_lock()) {
    if (stop && stop()) throw Interrupted("stopped while another process downloads the same file");
    if (!told && now_s() - start_s > 1) {
      waiting();
      told = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

FileLock::~FileLock() {
  if (fd_ >= 0) ::close(fd_);
}

bool FileLock::try_lock() {
  if (fd_ < 0) fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd_ < 0)
    throw DataError("data.unwritable", std::string("no lock file: ") + std::strerror(errno), path_,
                    "check HF_HOME and its permissions");
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    // A file system without locks: the hash check still keeps a mixed file from being used.
    return errno != EWOULDBLOCK && errno != EINTR;
  }
  // Some release a lock by removing its file; a lock on a removed file locks nobody out.
  struct stat held {
  }, named{};
  const bool same = ::fstat(fd_, &held) == 0 && ::stat(path_.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
                    held.st_dev == named.st_dev;
  if (same) return true;
  ::close(fd_);
  fd_ = -1;
  return false;
}

}  // namespace plumbline
