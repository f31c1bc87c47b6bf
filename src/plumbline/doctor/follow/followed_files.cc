#include "plumbline/doctor/follow/followed_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "plumbline/base/error.h"

namespace plumbline::doctor {
namespace {

namespace fs = std::filesystem;
constexpr size_t kMaxLine_bytes = size_t{64} << 20;

/// "step_10" behind "step_9": numbers by their value, the rest by its letters.
bool comes_before(const std::string& a, const std::string& b) {
  size_t i = 0, j = 0;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      size_t i_end = i, j_end = j;
      while (i_end < a.size() && is_digit(a[i_end])) ++i_end;
      while (j_end < b.size() && is_digit(b[j_end])) ++j_end;
      while (i + 1 < i_end && a[i] == '0') ++i;
      while (j + 1 < j_end && b[j] == '0') ++j;
      if (i_end - i != j_end - j) return i_end - i < j_end - j;
      const int order = a.compare(i, i_end - i, b, j, j_end - j);
      if (order != 0) return order < 0;
      i = i_end;
      j = j_end;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

}  // namespace

FollowedFiles::FollowedFiles(std::string path) : path_(std::move(path)) {
  if (!fs::exists(path_)) {
    throw DataError("data.missing_file", "there is nothing to follow", path_, "give a file or a folder of rollouts");
  }
}

bool FollowedFiles::read_new(const OnLine& on_line, bool to_the_end) {
  std::vector<std::string> paths;
  if (fs::is_directory(path_)) {
    for (const auto& entry : fs::directory_iterator(path_)) {
      const fs::path extension = entry.path().extension();
      if (entry.is_regular_file() && (extension == ".jsonl" || extension == ".json")) {
        paths.push_back(entry.path().string());
      }
    }
    std::sort(paths.begin(), paths.end(), comes_before);
  } else {
    paths = {path_};
  }
  bool any = false;
  for (const std::string& path : paths) {
    const auto [place, is_new] = places_.try_emplace(path);
    if (is_new) place->second.number = static_cast<int64_t>(places_.size()) - 1;
    // A file that another follows is finished: its last line counts as it is.
    const bool is_last = path == paths.back();
    any |= read_file(path, place->second, on_line, to_the_end || !is_last);
  }
  return any;
}

bool FollowedFiles::read_file(const std::string& path, Place& place, const OnLine& on_line, bool to_the_end) {
  std::error_code error;
  const auto size = static_cast<int64_t>(fs::file_size(path, error));
  if (error) throw DataError("data.unreadable_file", error.message(), path, "check its rights");
  if (size < place.offset) place = {0, 0, place.number};
  if (size == place.offset) return false;
  std::ifstream in(path, std::ios::binary);
  in.seekg(place.offset);
  bool any = false;
  for (std::string line; std::getline(in, line);) {
    if (line.size() > kMaxLine_bytes) {
      throw DataError("data.line_too_long", "a line is longer than 64 MiB", path, "is this a JSON-lines file?");
    }
    const bool is_ended = !in.eof();
    if (!is_ended && !to_the_end) break;
    place.offset += static_cast<int64_t>(line.size()) + (is_ended ? 1 : 0);
    ++place.line;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    on_line(std::move(line), fmt::format("{}:{}", path, place.line), place.number);
    any = true;
  }
  return any;
}

}  // namespace plumbline::doctor
