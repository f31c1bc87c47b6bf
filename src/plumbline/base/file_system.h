/// Files read whole, written aside and renamed. Nothing half-written ever stands under its final name.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace plumbline {

/// Opens a file that a user named. It must be a regular one: a pipe would be waited for, has no end that can be known,
/// and cannot be read twice; a device may have no end at all. The descriptor is the caller's to close. Throws
/// DataError(data.missing_file | data.unreadable_file).
int open_input(const std::string& path);

/// The same, read from front to back. Not thread-safe.
class InputFile {
 public:
  explicit InputFile(const std::string& path) : path_(path), fd_(open_input(path)) {}
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  /// Bytes that were put into `buffer`; 0 at the end. Throws DataError(data.unreadable_file).
  size_t read(std::span<char> buffer) const;

 private:
  const std::string path_;
  const int fd_;
};

/// The whole file. Throws DataError(data.missing_file | data.unreadable_file).
std::string read_file(const std::string& path);

/// Writes to `path`.partial, syncs, renames. Throws DataError(data.unwritable) and removes the partial file.
void write_file(const std::string& path, std::string_view content);
/// The same, from pieces written one after the other, so that large content need not stand in one string.
void write_file(const std::string& path, std::span<const std::string_view> pieces);

/// Creates the folder and its parents, and proves that a file can be made in it.
/// Throws ConfigError(config.unwritable_out) naming `path`.
void make_output_folder(const std::string& path);

/// Flushes a folder's entries to disk, so that a rename inside it survives a crash.
void sync_folder(const std::string& path);

/// The user's cache folder for plumbline: $PLUMBLINE_CACHE, else $XDG_CACHE_HOME/plumbline, else ~/.cache/plumbline.
std::string cache_folder();

/// Folder of the running executable, symbolic links resolved.
std::string executable_folder();

/// A shipped folder ("presets", "data"): $PLUMBLINE_HOME/name, else beside the executable's tree upwards
/// (build/release -> repository root), else <prefix>/share/plumbline/name. Throws ConfigError(config.missing_share).
std::string shipped_folder(const std::string& name);

/// A memory-mapped, read-only file. Throws DataError as read_file does. Movable; unmapped on destruction.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  std::string_view bytes() const { return {data_, size_}; }
  const std::string& path() const { return path_; }
  /// Lets the kernel drop the pages that lie wholly inside `part` of bytes(); they are read again when touched. Keeps
  /// resident memory near what was made from the file while a large one is read once from front to back.
  void release(std::string_view part) const;

 private:
  std::string path_;
  const char* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace plumbline
