#include "plumbline/preset/data_path.h"

#include <filesystem>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"

namespace plumbline {
namespace {

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

}  // namespace

std::string resolve_data_path(const std::string& path) {
  if (exists(path)) return path;
  if (!path.starts_with("data/")) {
    throw DataError("data.missing_file", "there is no such file", path, "check the path");
  }
  std::string shipped = shipped_folder("data") + path.substr(4);
  if (exists(shipped)) return shipped;
  throw DataError("data.missing_file", "there is no such file, here or at " + shipped, path, "check the path");
}

}  // namespace plumbline
