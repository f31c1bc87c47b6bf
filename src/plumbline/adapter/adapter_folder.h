/// What the folders of all kinds of adapters have in common: how they are written, and how a field that differs is
/// refused.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plumbline/base/json.h"

namespace plumbline {

/// Makes `folder`/adapter: `write_files` fills a folder aside, which is synced and renamed over what was there.
/// Throws DataError(data.unwritable) and what `write_files` throws.
void write_adapter_folder(const std::string& folder, const std::function<void(const std::string& aside)>& write_files);

/// DataError(data.adapter_mismatch).
[[noreturn]] void refuse_adapter(const std::string& message, const std::string& where);
/// Each refuses what is missing or differs, naming the field and both values; `where` is the file.
void require_adapter_field(const std::string& field, const std::string& stored, const std::string& ours,
                           const std::string& where);
std::string adapter_text(const Json& json, const std::string& field, const std::string& where);
/// The list "target_modules".
std::vector<std::string> adapter_modules(const Json& json, const std::string& where);
void require_adapter_modules(const std::vector<std::string>& stored, const std::vector<std::string>& ours,
                             const std::string& where);

}  // namespace plumbline
