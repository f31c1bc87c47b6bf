#include "plumbline/adapter/adapter_folder.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "plumbline/adapter/target_modules.h"
#include "plumbline/base/error.h"
#include "plumbline/base/file_system.h"

namespace plumbline {
namespace fs = std::filesystem;
namespace {

/// The first name of `names` that `others` lacks, or nothing.
std::string first_missing(const std::vector<std::string>& names, const std::vector<std::string>& others) {
  for (const std::string& name : names) {
    if (std::find(others.begin(), others.end(), name) == others.end()) return name;
  }
  return "";
}

}  // namespace

void refuse_adapter(const std::string& message, const std::string& where) {
  throw DataError("data.adapter_mismatch", message, where,
                  "load it onto the model, dtype and targets it was made with");
}

void require_adapter_field(const std::string& field, const std::string& stored, const std::string& ours,
                           const std::string& where) {
  if (stored != ours) refuse_adapter(field + " is '" + stored + "' in the adapter and '" + ours + "' here", where);
}

std::string adapter_text(const Json& json, const std::string& field, const std::string& where) {
  if (!json.contains(field) || !json.at(field).is_string()) refuse_adapter("field '" + field + "' is missing", where);
  return json.at(field).get<std::string>();
}

std::vector<std::string> adapter_modules(const Json& json, const std::string& where) {
  const std::string field = "target_modules";
  if (!json.contains(field) || !json.at(field).is_array()) refuse_adapter("field '" + field + "' is missing", where);
  std::vector<std::string> modules;
  for (const Json& name : json.at(field)) {
    if (!name.is_string()) refuse_adapter("field '" + field + "' holds something else than names", where);
    modules.push_back(name.get<std::string>());
  }
  return modules;
}

void require_adapter_modules(const std::vector<std::string>& stored, const std::vector<std::string>& ours,
                             const std::string& where) {
  if (stored == ours) return;
  const std::string extra = first_missing(stored, ours), lacking = first_missing(ours, stored);
  refuse_adapter("target_modules are " + describe_modules(stored) + " in the adapter and " + describe_modules(ours) +
                     " here" + (extra.empty() ? "" : "; only in the adapter: " + extra) +
                     (lacking.empty() ? "" : "; only here: " + lacking),
                 where);
}

void write_adapter_folder(const std::string& folder, const std::function<void(const std::string&)>& write_files) {
  const std::string target = folder + "/adapter", aside = folder + "/adapter.partial",
                    previous = folder + "/adapter.previous";
  try {
    fs::remove_all(aside);
    fs::remove_all(previous);
    fs::create_directories(aside);
    write_files(aside);
    sync_folder(aside);
    if (fs::exists(target)) fs::rename(target, previous);
    fs::rename(aside, target);
    sync_folder(folder);
    fs::remove_all(previous);
  } catch (const fs::filesystem_error& error) {
    throw DataError("data.unwritable", error.code().message(), target, "free space or choose another folder");
  }
}

}  // namespace plumbline
