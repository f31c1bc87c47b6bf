#include "plumbline/cli/core/verdict_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "plumbline/base/sha256.h"
#include "plumbline/preset/key_table.h"
#include "plumbline/preset/reward_spec.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/record/verdict_json.h"
#include "plumbline/verify/code_verifier.h"

namespace plumbline {
namespace {

/// Keys of [grade] that change when and where grading happens, not what comes out.
constexpr std::array<std::string_view, 5> kNotDeciding = {"workers", "min_isolation", "cache", "reward_start_s",
                                                          "reward_workers"};

std::string hash_of(std::span<const Problem> problems) {
  Sha256 hash;
  for (const Problem& problem : problems)
    hash.update(to_string(problem.id)).update(grading_hash(problem)).update(problem.row);
  return hash.hex();
}

/// "key: there -> here" for every key that is not the same.
std::string differences(const Json& stored, const std::map<std::string, std::string>& settings) {
  std::string text;
  const auto note = [&](const std::string& key, const std::string& there, const std::string& here) {
    if (there != here) text += fmt::format("{}{}: {} -> {}", text.empty() ? "" : ", ", key, there, here);
  };
  for (const auto& [key, value] : settings) {
    const auto found = stored.find(key);
    note(key, found != stored.end() && found->is_string() ? found->get<std::string>() : "absent", value);
  }
  for (const auto& [key, value] : stored.items()) {
    if (!settings.contains(key))
      note(key, value.is_string() ? value.get<std::string>() : to_json_line(value), "absent");
  }
  return text;
}

void check_settings(const std::string& path, const std::string& settings_path,
                    const std::map<std::string, std::string>& settings) {
  if (!std::filesystem::exists(settings_path)) {
    throw ConfigError("config.out_differs", "verdicts are there, the settings they were made with are not", path,
                      "name another file; " + settings_path + " is missing");
  }
  const std::string text = differences(parse_json(read_file(settings_path), settings_path), settings);
  if (!text.empty()) {
    throw ConfigError("config.out_differs", "the file was made with other settings: " + text, path,
                      "grade with those, or name another file");
  }
}

}  // namespace

std::map<std::string, std::string> grade_settings(const GradeOptions& options, std::span<const Problem> problems,
                                                  const std::string& isolation) {
  Preset preset;
  preset.grade = options;
  std::map<std::string, std::string> settings;
  for (const KeyRow& row : key_rows()) {
    const bool decides = std::find(kNotDeciding.begin(), kNotDeciding.end(), row.key) == kNotDeciding.end();
    if (std::string_view(row.table) == "grade" && decides) settings[row.key] = value_text(slot_of(row, preset));
  }
  for (const RewardSpec& spec : parse_rewards(options)) {
    const std::string file = spec.target.substr(0, spec.target.rfind(':'));
    if (spec.kind == RewardKind::kFunction && file.ends_with(".py") && std::filesystem::exists(file)) {
      settings["sha256 of " + file] = sha256_file(file);
    }
  }
  settings["problems"] = hash_of(problems);
  settings["grader_version"] = std::to_string(kGraderVersion);
  if (!isolation.empty()) settings["isolation"] = isolation;
  return settings;
}

VerdictFile::VerdictFile(const std::string& path, const std::map<std::string, std::string>& settings)
    : lock_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  struct stat info {};
  if (!lock_ || ::fstat(lock_.get(), &info) != 0) {
    throw DataError("data.unwritable", std::string("cannot be written: ") + std::strerror(errno), path,
                    "choose another file");
  }
  if (!S_ISREG(info.st_mode)) return;  // a pipe or a device: nothing to go on with
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    throw ConfigError("config.out_in_use", "another process writes this file", path,
                      "wait for it, or name another file");
  }
  const std::string settings_path = path + ".settings.json";
  if (info.st_size > 0) {
    check_settings(path, settings_path, settings);
    for (const Verdict& verdict : read_verdicts(path)) rows_.emplace(verdict.problem_id, verdict.sample);
    return;
  }
  Json stored = Json::object();
  for (const auto& [key, value] : settings) stored[key] = value;
  write_file(settings_path, stored.dump(2) + "\n");
}

}  // namespace plumbline
