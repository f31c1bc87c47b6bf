#include "plumbline/text/checkpoint_text.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/gzip.h"
#include "plumbline/base/json.h"
#include "plumbline/files/gguf.h"

namespace plumbline {
namespace {

constexpr size_t kMaxFileBytes = size_t{64} << 20;

/// The JSON object in a file; an empty one when the file is not there.
Json read_object(const std::string& path) {
  if (!std::filesystem::exists(path)) return Json::object();
  Json json = parse_json(read_file_inflated(path, kMaxFileBytes), path);
  if (!json.is_object()) throw DataError("data.json_type", "expected a JSON object", path);
  return json;
}

/// A token is written as its text or as an object with its content.
std::optional<std::string> token_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object() && value.contains("content") && value["content"].is_string()) {
    return value["content"].get<std::string>();
  }
  return std::nullopt;
}

void add_special_tokens(const Json& config, CheckpointText& text) {
  for (const auto& [key, value] : config.items()) {
    if (!key.ends_with("_token")) continue;
    if (const auto token = token_text(value)) text.special_tokens[key] = *token;
  }
}

/// "chat_template" is one template, or a list of named ones of which "default" counts.
std::optional<std::string> template_of(const Json& config, const std::string& where) {
  const auto found = config.find("chat_template");
  if (found == config.end() || found->is_null()) return std::nullopt;
  if (found->is_string()) return found->get<std::string>();
  if (found->is_array()) {
    for (const Json& entry : *found) {
      if (entry.is_object() && entry.value("name", Json()) == "default" && entry.contains("template") &&
          entry["template"].is_string()) {
        return entry["template"].get<std::string>();
      }
    }
  }
  throw DataError("data.json_type", "\"chat_template\" is neither a template nor a list with a default one", where);
}

void add_stop_ids(const Json& config, const std::string& source, CheckpointText& text) {
  const auto found = config.find("eos_token_id");
  if (found == config.end() || found->is_null()) return;
  const Json list = found->is_array() ? *found : Json::array({*found});
  for (const Json& id : list) {
    if (!id.is_number_integer()) throw DataError("data.json_type", "\"eos_token_id\" must be of integers", source);
    text.stop_ids.emplace_back(id.get<int64_t>(), source);
  }
}

CheckpointText read_folder(const std::string& folder) {
  CheckpointText text;
  const std::string config_path = folder + "/tokenizer_config.json";
  const Json tokenizer_config = read_object(config_path);
  add_special_tokens(read_object(folder + "/special_tokens_map.json"), text);
  add_special_tokens(tokenizer_config, text);
  if (const auto added = tokenizer_config.find("add_bos_token");
      added != tokenizer_config.end() && added->is_boolean()) {
    text.add_bos = added->get<bool>();
  }
  text.chat_template_name = folder + "/chat_template.jinja";
  if (std::filesystem::exists(text.chat_template_name)) {
    text.chat_template = read_file(text.chat_template_name);
  } else {
    text.chat_template = template_of(tokenizer_config, config_path);
    text.chat_template_name = config_path + ", chat_template";
  }
  add_stop_ids(read_object(folder + "/generation_config.json"), "generation_config.json", text);
  if (text.stop_ids.empty()) add_stop_ids(read_object(folder + "/config.json"), "config.json", text);
  if (const auto eos = text.special_tokens.find("eos_token"); eos != text.special_tokens.end()) {
    text.stop_texts.emplace_back(eos->second, "tokenizer eos_token");
  }
  return text;
}

CheckpointText read_gguf(const std::string& path) {
  const GgufFile file(path);
  CheckpointText text;
  const std::vector<std::string>& tokens = file.texts("tokenizer.ggml.tokens");
  constexpr std::pair<const char*, const char*> kNames[] = {
      {"bos", "bos_token"}, {"eos", "eos_token"}, {"unknown", "unk_token"}, {"padding", "pad_token"}};
  for (const auto& [gguf_name, name] : kNames) {
    const std::string key = fmt::format("tokenizer.ggml.{}_token_id", gguf_name);
    if (!file.has(key)) continue;
    const int64_t id = file.integer(key);
    if (id < 0 || id >= static_cast<int64_t>(tokens.size())) {
      throw DataError("data.tokenizer", fmt::format("{} is {} of {} tokens", key, id, tokens.size()), path);
    }
    text.special_tokens[name] = tokens[static_cast<size_t>(id)];
  }
  for (const char* kind : {"eos", "eot", "eom"}) {
    const std::string key = fmt::format("tokenizer.ggml.{}_token_id", kind);
    if (file.has(key)) text.stop_ids.emplace_back(file.integer(key), key);
  }
  if (file.has("tokenizer.chat_template")) text.chat_template = file.text("tokenizer.chat_template");
  text.chat_template_name = path + ", tokenizer.chat_template";
  return text;
}

}  // namespace

bool adds_bos(const CheckpointText& files, const Tokenizer& tokenizer) {
  if (files.add_bos && files.special_tokens.count("bos_token")) return *files.add_bos;
  return !tokenizer.ids_before().empty();
}

CheckpointText read_checkpoint_text(const std::string& path) {
  if (std::filesystem::is_directory(path)) return read_folder(path);
  if (std::filesystem::exists(path) && MappedFile(path).bytes().starts_with("GGUF")) return read_gguf(path);
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return read_folder(parent.empty() ? "." : parent);
}

}  // namespace plumbline
