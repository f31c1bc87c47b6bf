#include "plumbline/judge/out_folder.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"

namespace plumbline {
namespace {

std::string differences(const Json& stored, const std::map<std::string, std::string>& settings) {
  std::string text;
  const auto note = [&](const std::string& key, const std::string& there, const std::string& here) {
    if (there != here) text += fmt::format("{}{}: {} -> {}", text.empty() ? "" : ", ", key, there, here);
  };
  for (const auto& [key, value] : settings) note(key, stored.value(key, "absent"), value);
  for (const auto& [key, value] : stored.items()) {
    if (!settings.contains(key) && key != "schema")
      note(key, value.is_string() ? value.get<std::string>() : "?", "absent");
  }
  return text;
}

}  // namespace

bool open_out_folder(const std::string& folder, const std::string& schema,
                     const std::map<std::string, std::string>& settings) {
  const bool was_made = !std::filesystem::exists(folder);
  make_output_folder(folder);
  const std::string path = folder + "/settings.json";
  if (!std::filesystem::exists(path)) {
    Json stored = {{"schema", schema}};
    for (const auto& [key, value] : settings) stored[key] = value;
    write_file(path, stored.dump(2) + "\n");
    return was_made;
  }
  const std::string text = differences(parse_json(read_file(path), path), settings);
  if (text.empty()) return was_made;
  throw ConfigError("config.out_differs", "the folder was made with other settings: " + text, folder,
                    "go on with those, or name another folder");
}

void leave_out_folder(const std::string& folder, const std::string& rows_name, bool was_made) {
  const std::string rows = folder + "/" + rows_name;
  std::error_code error;
  if (std::filesystem::file_size(rows, error) > 0 || error) return;
  for (const std::string& path : {rows, rows + ".lock", folder + "/settings.json"}) {
    std::filesystem::remove(path, error);
  }
  if (was_made) std::filesystem::remove(folder, error);  // fails where something else is in it
}

}  // namespace plumbline
