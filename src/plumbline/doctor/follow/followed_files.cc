#include "plumbline/doctor/follow/followed_files.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "plumbline/base/error.h"

namespace plumbline::doctor {
namespace {

namespace fs = std::filesystem;

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
  const bool is_folder = fs::is_directory(path_);
  if (is_folder) {
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
    std::unique_ptr<GrowingFile>& file = files_[path];
    if (!file) {
      file = std::make_unique<GrowingFile>(path, static_cast<int64_t>(files_.size()) - 1, /*keeps_open=*/!is_folder);
    }
    // A file that another follows is finished: its last line counts as it is.
    const bool is_last = path == paths.back();
    any |= file->read_new(on_line, to_the_end || !is_last ? GrowingFile::Tail::kCounts : GrowingFile::Tail::kWaits);
  }
  return any;
}

}  // namespace plumbline::doctor
