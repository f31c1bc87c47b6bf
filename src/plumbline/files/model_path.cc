#include "plumbline/files/model_path.h"

#include <filesystem>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"

namespace plumbline {

std::string resolve_model_path(const std::string& path) {
  const std::string cached = cache_folder() + "/models/" + path;
  for (const std::string& candidate : {path, cached, cached + ".gguf"}) {
    std::error_code ignored;
    if (!path.empty() && std::filesystem::exists(candidate, ignored)) return candidate;
  }
  if (path.starts_with("models/")) {
    std::error_code ignored;
    const std::string shipped = shipped_folder("models") + path.substr(6);
    if (std::filesystem::exists(shipped, ignored)) return shipped;
  }
  throw DataError(
      "data.missing_model", "there is no model '" + path + "'", cached,
      "give a folder, a GGUF file, models/tiny, or the name of a model in the cache folder; make model fetches "
      "SmolLM2");
}

}  // namespace plumbline
