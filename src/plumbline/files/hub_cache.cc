#include "plumbline/files/hub_cache.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"

namespace plumbline {
namespace fs = std::filesystem;
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string expanded(const std::string& path) {
  if (path != "~" && !path.starts_with("~/")) return path;
  const std::string home = environment("HOME");
  return home.empty() ? path : home + path.substr(1);
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// The first shard of an index that is not beside it. A damaged index is left to the reader of weights to report.
std::string missing_shard(const std::string& snapshot, const std::string& index) {
  try {
    const Json document = parse_json(read_file(snapshot + "/" + index), index);
    for (const auto& [tensor, shard] : require_member(document, "weight_map", index).items()) {
      if (shard.is_string() && !exists(snapshot + "/" + shard.get<std::string>())) return shard.get<std::string>();
    }
  } catch (const DataError&) {
    return "";
  }
  return "";
}

std::string missing_weights(const std::string& snapshot) {
  const std::string index = "model.safetensors.index.json";
  if (exists(snapshot + "/" + index)) return missing_shard(snapshot, index);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(snapshot, error)) {
    if (entry.path().extension() == ".safetensors" && exists(entry.path().string())) return "";
  }
  return "model.safetensors";
}

bool has_any(const std::string& snapshot, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return exists(snapshot + "/" + name); });
}

}  // namespace

std::string hub_home() {
  if (const std::string home = environment("HF_HOME"); !home.empty()) return expanded(home);
  if (const std::string xdg = environment("XDG_CACHE_HOME"); !xdg.empty()) return expanded(xdg) + "/huggingface";
  return expanded("~/.cache/huggingface");
}

std::string hub_cache_folder() {
  for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"}) {
    if (const std::string folder = environment(name); !folder.empty()) return expanded(folder);
  }
  return hub_home() + "/hub";
}

std::string hub_repository_folder(const HubName& name) {
  std::string folder = "models--" + name.repository;
  folder.replace(folder.find('/'), 1, "--");
  return hub_cache_folder() + "/" + folder;
}

bool is_commit(std::string_view text) {
  return text.size() == 40 && std::all_of(text.begin(), text.end(), [](unsigned char byte) {
           return std::isdigit(byte) || (byte >= 'a' && byte <= 'f');
         });
}

std::optional<std::string> find_snapshot(const HubName& name) {
  const std::string repository = hub_repository_folder(name);
  std::string commit = name.revision;
  if (!is_commit(commit)) {
    const std::string ref = repository + "/refs/" + name.revision;
    std::error_code ignored;
    if (!fs::is_regular_file(ref, ignored)) return std::nullopt;
    commit = read_file(ref);
    while (!commit.empty() && std::isspace(static_cast<unsigned char>(commit.back()))) commit.pop_back();
    if (!is_commit(commit)) return std::nullopt;
  }
  const std::string snapshot = repository + "/snapshots/" + commit;
  return exists(snapshot) ? std::optional(snapshot) : std::nullopt;
}

std::string missing_file(const std::string& snapshot, const HubName& name, ModelNeed need) {
  if (!name.file.empty()) return exists(snapshot + "/" + name.file) ? "" : name.file;
  if (!has_any(snapshot, {"tokenizer.json", "tokenizer.model", "vocab.json"})) return "tokenizer.json";
  if (need == ModelNeed::kText) return "";
  if (!exists(snapshot + "/config.json")) return "config.json";
  return missing_weights(snapshot);
}

std::optional<std::string> find_in_hub_cache(const HubName& name, ModelNeed need) {
  const std::optional<std::string> snapshot = find_snapshot(name);
  if (!snapshot || !missing_file(*snapshot, name, need).empty()) return std::nullopt;
  return name.file.empty() ? *snapshot : *snapshot + "/" + name.file;
}

bool hub_is_offline() {
  for (const char* name : {"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"}) {
    std::string value = environment(name);
    std::transform(value.begin(), value.end(), value.begin(), [](unsigned char byte) { return std::toupper(byte); });
    if (value == "1" || value == "ON" || value == "YES" || value == "TRUE") return true;
  }
  return false;
}

}  // namespace plumbline
