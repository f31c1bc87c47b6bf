/// Reading /proc without the C library's memory (system_call.h says why).
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace plumbline {

/// "/proc/PID/NAME".
class ProcPath {
 public:
  ProcPath(pid_t pid, const char* name);
  const char* text() const { return text_; }

 private:
  char text_[64];
};

/// "/proc/PID/task/THREAD/NAME".
class ThreadPath {
 public:
  ThreadPath(pid_t pid, int64_t thread, const char* name);
  const char* text() const { return text_; }

 private:
  char text_[80];
};

/// The names in a folder, one after the other; none when it cannot be opened.
class FolderReader {
 public:
  explicit FolderReader(const char* path);
  FolderReader(const FolderReader&) = delete;
  FolderReader& operator=(const FolderReader&) = delete;
  ~FolderReader();
  /// Null at the end.
  const char* next();
  int descriptor() const { return descriptor_; }

 private:
  const int descriptor_;
  long size_ = 0, at_ = 0;
  alignas(8) char block_[2048];
};

/// Reads a small file into `text` (terminated); false when it cannot be read.
bool read_small(const char* path, char* text, int size);
/// The fields of /proc/PID/stat after the name, which may hold anything: the state is the first. Null without process.
const char* stat_fields(pid_t pid, char* text, int size);
/// The n-th blank-separated field; null when there are fewer.
const char* field(const char* text, int n);
/// The decimal number that a text starts with after blanks, 0 without digits; stays at the largest number.
int64_t parse_number(const char* text);

}  // namespace plumbline
