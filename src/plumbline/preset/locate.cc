#include "plumbline/preset/locate.h"

#include <filesystem>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"

namespace plumbline {
namespace fs = std::filesystem;

namespace {

bool there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

std::string locate_data(const std::string& path) {
  if (there(path)) return path;
  if (path.starts_with("data/")) {
    const std::string shipped = shipped_folder("data") + path.substr(4);
    if (there(shipped)) return shipped;
    throw DataError("data.missing_file", "there is no such file, here or at " + shipped, path, "check the path");
  }
  throw DataError("data.missing_file", "there is no such file", path, "check the path");
}

std::string locate_model(const std::string& path) {
  if (there(path)) return path;
  if (fs::path(path).is_relative()) {
    const std::string cached = cache_folder() + "/models/" + path;
    for (const std::string& candidate : {cached, cached + ".gguf"}) {
      if (there(candidate)) return candidate;
    }
    throw DataError("data.missing_model", "there is no such model, here or at " + cached + "[.gguf]", path,
                    "give the path of an HF folder or a GGUF file; make model fetches SmolLM2");
  }
  throw DataError("data.missing_model", "there is no such model", path,
                  "give the path of an HF folder or a GGUF file; make model fetches SmolLM2");
}

}  // namespace plumbline
