#include "tests/support/shared_files.h"

#include <filesystem>

#include "plumbline/base/file_system.h"

namespace plumbline::test {

std::string shared_path(const std::string& relative) {
  return std::string(PLUMBLINE_SHARED) + "/" + relative;
}
bool shared_exists(const std::string& relative) {
  return std::filesystem::exists(shared_path(relative));
}
std::string source_path(const std::string& relative) {
  return std::string(PLUMBLINE_SOURCE) + "/" + relative;
}
std::string binary_path(const std::string& relative) {
  return std::string(PLUMBLINE_BINARY) + "/" + relative;
}

std::string smollm2_path() {
  const std::string path = cache_folder() + "/models/SmolLM2-135M-Instruct.Q4_1.gguf";
  return std::filesystem::exists(path) ? path : "";
}

}  // namespace plumbline::test
