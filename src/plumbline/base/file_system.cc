#include "plumbline/base/file_system.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "plumbline/base/error.h"

namespace plumbline {
namespace fs = std::filesystem;
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void fail_open(const std::string& path) {
  if (errno == ENOENT) throw DataError("data.missing_file", "there is no such file", path, "check the path");
  throw DataError("data.unreadable_file", std::string("cannot be read: ") + std::strerror(errno), path,
                  "check the path and its permissions");
}

/// What stands under a name and is no file of bytes; null for what is.
const char* name_of_special(mode_t mode) {
  if (S_ISREG(mode)) return nullptr;
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

void require_regular(mode_t mode, const std::string& path) {
  const char* name = name_of_special(mode);
  if (!name) return;
  throw DataError("data.unreadable_file", std::string("cannot be read: it is ") + name, path, "give a regular file");
}

}  // namespace

int open_input(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) fail_open(path);
  require_regular(info.st_mode, path);  // opening a device can do something to it, and a pipe would be waited for
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail_open(path);
  return fd;
}

InputFile::~InputFile() {
  ::close(fd_);
}

size_t InputFile::read(std::span<char> buffer) const {
  while (true) {
    const ssize_t count = ::read(fd_, buffer.data(), buffer.size());
    if (count >= 0) return static_cast<size_t>(count);
    if (errno != EINTR) fail_open(path_);
  }
}

std::string read_file(const std::string& path) {
  const InputFile file(path);
  std::string content;
  char buffer[1 << 16];
  while (const size_t count = file.read(buffer)) content.append(buffer, count);
  return content;
}

void write_file(const std::string& path, std::string_view content) {
  write_file(path, std::span(&content, 1));
}

void write_file(const std::string& path, std::span<const std::string_view> pieces) {
  const std::string partial = path + ".partial";
  const auto fail = [&](const char* what) {
    const int cause = errno;
    ::unlink(partial.c_str());
    throw DataError("data.unwritable", std::string(what) + ": " + std::strerror(cause), path,
                    "free space or choose another folder");
  };
  // A rename would put a plain file in the place of a device or a pipe (/dev/null, /dev/stdout).
  struct stat existing {};
  if (::stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode)) {
    throw DataError("data.unwritable", "is there and is not a plain file", path, "name another file");
  }
  {
    const Descriptor file(::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (file.get() < 0) fail("cannot be created");
    for (const std::string_view piece : pieces) {
      for (size_t done = 0; done < piece.size();) {
        const ssize_t count = ::write(file.get(), piece.data() + done, piece.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail("cannot be written");
        done += static_cast<size_t>(count);
      }
    }
    if (::fsync(file.get()) != 0) fail("cannot be synced");
  }
  if (::rename(partial.c_str(), path.c_str()) != 0) fail("cannot be renamed");
}

void make_output_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  const std::string probe = path + "/.plumbline-write-test";
  const Descriptor file(error ? -1 : ::open(probe.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (file.get() < 0) {
    throw ConfigError("config.unwritable_out",
                      "the output folder cannot be written: " + (error ? error.message() : std::strerror(errno)), path,
                      "choose another --out");
  }
  ::unlink(probe.c_str());
}

void sync_folder(const std::string& path) {
  const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() >= 0) ::fsync(folder.get());
}

std::string cache_folder() {
  if (const char* own = std::getenv("PLUMBLINE_CACHE"); own && *own) return own;
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg) return std::string(xdg) + "/plumbline";
  const char* home = std::getenv("HOME");
  return std::string(home && *home ? home : "/tmp") + "/.cache/plumbline";
}

std::string executable_folder() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return error ? std::string(".") : self.parent_path().string();
}

std::string shipped_folder(const std::string& name) {
  if (const char* home = std::getenv("PLUMBLINE_HOME"); home && *home) return std::string(home) + "/" + name;
  const fs::path here = executable_folder();
  for (fs::path root = here; root.has_relative_path(); root = root.parent_path()) {
    if (fs::is_directory(root / name) && fs::exists(root / "CMakePresets.json")) return (root / name).string();
  }
  const fs::path installed = here.parent_path() / "share" / "plumbline" / name;
  if (fs::is_directory(installed)) return installed.string();
  throw ConfigError("config.missing_share", "the shipped folder '" + name + "' is not found", here.string(),
                    "set PLUMBLINE_HOME to the folder that holds it");
}

MappedFile::MappedFile(const std::string& path) : path_(path) {
  const Descriptor file(open_input(path));
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) fail_open(path);
  size_ = static_cast<size_t>(info.st_size);
  if (size_ == 0) return;
  void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (mapped == MAP_FAILED) fail_open(path);
  data_ = static_cast<const char*>(mapped);
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<char*>(data_), size_);
}

void MappedFile::release(std::string_view part) const {
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<uintptr_t>(part.data()) + page - 1) / page * page;
  const auto end = reinterpret_cast<uintptr_t>(part.data() + part.size()) / page * page;
  if (end > begin) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

}  // namespace plumbline
