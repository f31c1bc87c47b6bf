#include "plumbline/sandbox/native/proc_files.h"

#include <fcntl.h>

#include <cstring>

#include "plumbline/sandbox/native/system_call.h"

namespace plumbline {
namespace {

/// As the kernel writes it (getdents64).
struct Entry {
  uint64_t inode, offset;
  uint16_t size;
  uint8_t kind;
  char name[];
};

int open_for_reading(const char* path, int flags) {
  return static_cast<int>(system_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | flags));
}

char* put(char* at, const char* text) {
  while (*text) *at++ = *text++;
  return at;
}

char* put(char* at, int64_t number) {
  char digits[24];
  int count = 0;
  do digits[count++] = static_cast<char>('0' + number % 10);
  while (number /= 10);
  while (count > 0) *at++ = digits[--count];
  return at;
}

}  // namespace

ProcPath::ProcPath(pid_t pid, const char* name) {
  *put(put(put(put(text_, "/proc/"), int64_t{pid}), "/"), name) = 0;
}

ThreadPath::ThreadPath(pid_t pid, int64_t thread, const char* name) {
  char* at = put(put(put(put(text_, "/proc/"), int64_t{pid}), "/task/"), thread);
  *put(put(at, "/"), name) = 0;
}

FolderReader::FolderReader(const char* path) : descriptor_(open_for_reading(path, O_DIRECTORY)) {}

FolderReader::~FolderReader() {
  if (descriptor_ >= 0) system_call(SYS_close, descriptor_);
}

const char* FolderReader::next() {
  if (at_ >= size_) {
    size_ = descriptor_ >= 0 ? system_call(SYS_getdents64, descriptor_, block_, sizeof block_) : 0;
    at_ = 0;
    if (size_ <= 0) return nullptr;
  }
  const Entry* entry = reinterpret_cast<const Entry*>(block_ + at_);
  at_ += entry->size;
  return entry->name;
}

bool read_small(const char* path, char* text, int size) {
  const int file = open_for_reading(path, 0);
  if (file < 0) return false;
  const long count = system_call(SYS_read, file, text, size - 1);
  system_call(SYS_close, file);
  if (count <= 0) return false;
  text[count] = 0;
  return true;
}

const char* stat_fields(pid_t pid, char* text, int size) {
  if (!read_small(ProcPath(pid, "stat").text(), text, size)) return nullptr;
  const char* name_end = std::strrchr(text, ')');
  return name_end && name_end[1] ? name_end + 2 : nullptr;
}

const char* field(const char* text, int n) {
  for (; text && n > 0; --n) {
    text = std::strchr(text, ' ');
    if (text) ++text;
  }
  return text;
}

int64_t parse_number(const char* text) {
  while (*text == ' ' || *text == '\t') ++text;
  int64_t number = 0;
  for (; *text >= '0' && *text <= '9'; ++text) {
    if (number > (INT64_MAX - 9) / 10) return INT64_MAX;
    number = number * 10 + (*text - '0');
  }
  return number;
}

}  // namespace plumbline
