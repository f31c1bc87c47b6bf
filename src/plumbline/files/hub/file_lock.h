/// An exclusive lock between processes, the one that huggingface_hub takes (flock on a file of its own).
#pragma once

#include <functional>
#include <string>

namespace plumbline {

class FileLock {
 public:
  /// Waits until it has the lock; `waiting` is called once when that takes longer than a moment, `stop` is asked
  /// meanwhile. Throws Interrupted, DataError(data.unwritable).
  FileLock(const std::string& path, const std::function<bool()>& stop, const std::function<void()>& waiting);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  bool try_lock();

  std::string path_;
  int fd_ = -1;
};

}  // namespace plumbline
