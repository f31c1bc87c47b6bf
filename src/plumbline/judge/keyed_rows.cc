#include "plumbline/judge/keyed_rows.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/sha256.h"

namespace plumbline {
namespace {

constexpr size_t kKey_bytes = 16;

[[noreturn]] void fail_unwritable(const std::string& path) {
  throw DataError("data.unwritable", std::string("cannot be opened: ") + std::strerror(errno), path,
                  "check the folder and its rights");
}

int lock_of(const std::string& path) {
  const int lock = ::open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock < 0) fail_unwritable(path);
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock);
    throw ConfigError("config.out_in_use", "another process writes this file", path,
                      "wait for it, or name another file");
  }
  return lock;
}

}  // namespace

std::string row_key(std::string_view identity) {
  const std::string hex = sha256_hex(identity);
  std::string key;
  for (size_t i = 0; i < 2 * kKey_bytes; i += 2) {
    key += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return key;
}

KeyedRows::KeyedRows(std::string path, const KeyOf& key_of) : path_(std::move(path)), lock_(lock_of(path_)) {
  open();
  JsonlReader rows(path_);
  while (rows.next()) {
    // The reader keeps no offsets; blank lines and carriage returns are not in files that we wrote.
    const Place place{end_, static_cast<int64_t>(rows.line().size())};
    end_ += place.num_bytes + 1;
    if (const std::optional<std::string> key = key_of(rows.parse())) places_[*key] = place;
  }
}

KeyedRows::~KeyedRows() {
  if (file_ >= 0) ::close(file_);
  ::close(lock_);
}

void KeyedRows::open() {
  if (file_ >= 0) ::close(file_);
  writer_ = std::make_unique<JsonlWriter>(path_);
  file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) fail_unwritable(path_);
}

bool KeyedRows::contains(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  return places_.contains(key);
}

std::optional<std::string> KeyedRows::find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(key);
  if (found == places_.end()) return std::nullopt;
  return read(found->second);
}

std::string KeyedRows::read(const Place& place) const {
  std::string line(static_cast<size_t>(place.num_bytes), '\0');
  for (size_t done = 0; done < line.size();) {
    const ssize_t count =
        ::pread(file_, line.data() + done, line.size() - done, place.offset + static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      throw DataError("data.unreadable_file", "a row that was there is gone", path_, "do not change it meanwhile");
    }
    done += static_cast<size_t>(count);
  }
  return line;
}

void KeyedRows::append(const std::string& key, const std::string& line) {
  const std::lock_guard lock(mutex_);
  writer_->write(line);
  places_[key] = {end_, static_cast<int64_t>(line.size())};
  end_ += static_cast<int64_t>(line.size()) + 1;
}

void KeyedRows::put_in_order(std::span<const std::string> keys) {
  const std::lock_guard lock(mutex_);
  const std::string aside = path_ + ".partial";
  std::filesystem::remove(aside);
  std::unordered_map<std::string, Place> places;
  int64_t end = 0;
  {
    JsonlWriter ordered(aside);
    for (const std::string& key : keys) {
      const auto found = places_.find(key);
      if (found == places_.end()) continue;
      ordered.write(read(found->second));
      places[key] = {end, found->second.num_bytes};
      end += found->second.num_bytes + 1;
    }
  }
  std::filesystem::rename(aside, path_);
  places_ = std::move(places);
  end_ = end;
  open();
}

size_t KeyedRows::size() const {
  const std::lock_guard lock(mutex_);
  return places_.size();
}

}  // namespace plumbline
