#include "plumbline/run/run_directory.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/preset/schema.h"

namespace plumbline {
namespace fs = std::filesystem;
namespace {

std::string fresh_path(const std::string& preset_name) {
  std::string moment = utc_timestamp();  // 2026-01-31T12:00:00Z -> 20260131T120000Z
  std::erase_if(moment, [](char c) { return c == '-' || c == ':'; });
  const std::string stem = "out/" + preset_name + "-" + moment;
  std::string path = stem;
  for (int n = 2; fs::exists(path); ++n) path = fmt::format("{}-{}", stem, n);
  return path;
}

void refuse_used(const std::string& path) {
  if (fs::exists(path + "/resolved.toml")) {
    throw ConfigError("config.out_in_use", "the folder already holds a run", path,
                      "choose another --out, or go on with --resume");
  }
}

}  // namespace

void RunDirectory::check(const std::string& path) {
  const fs::path target = path.empty() ? fs::path("out") : fs::path(path);
  if (!path.empty()) refuse_used(path);
  std::vector<fs::path> missing;  // innermost first
  for (fs::path folder = target; !folder.empty() && !fs::exists(folder); folder = folder.parent_path()) {
    missing.push_back(folder);
  }
  make_output_folder(target.string());
  for (const fs::path& folder : missing) fs::remove(folder);
}

RunDirectory RunDirectory::create(const std::string& path, const Preset& preset) {
  const std::string target = path.empty() ? fresh_path(preset.name) : path;
  refuse_used(target);
  make_output_folder(target);
  write_file(target + "/resolved.toml", to_toml(preset));
  return RunDirectory(target);
}

RunDirectory RunDirectory::open(const std::string& path) {
  if (!fs::exists(path + "/resolved.toml")) {
    throw DataError("data.not_a_run", "there is no resolved.toml in the folder", path, "name a run's folder");
  }
  return RunDirectory(path);
}

void RunDirectory::write_provenance(const Json& provenance) const {
  write_file(file("provenance.json"), provenance.dump(2) + "\n");
}
void RunDirectory::mark_complete() const {
  write_file(file("COMPLETE"), "");
}
bool RunDirectory::is_complete() const {
  return fs::exists(file("COMPLETE"));
}

}  // namespace plumbline
