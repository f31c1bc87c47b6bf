#include "plumbline/record/seal.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/base/sha256.h"

namespace plumbline {
namespace {

std::string text_of(const Json& seal, const char* key, const std::string& where) {
  const Json& value = require_member(seal, key, where);
  if (!value.is_string()) throw DataError("data.json_type", fmt::format("\"{}\" must be a string", key), where);
  return value.get<std::string>();
}

}  // namespace

std::optional<Seal> check_seal(const std::string& path) {
  const std::string seal_path = std::filesystem::path(path).replace_extension(".seal.json").string();
  if (!std::filesystem::exists(seal_path)) return std::nullopt;
  const Json json = parse_json(read_file(seal_path), seal_path);
  const Seal seal = {text_of(json, "generator", seal_path), text_of(json, "sha256", seal_path)};
  if (const std::string found = sha256_file(path); found != seal.sha256) {
    throw DataError("data.seal", fmt::format("the file hashes to {}, its seal says {}", found, seal.sha256), path,
                    "take the file as it was made, or a copy under another name without a seal");
  }
  return seal;
}

}  // namespace plumbline
