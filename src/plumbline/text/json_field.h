/// Typed members of the small JSON objects that describe tokenizer parts.
#pragma once

#include <cstdint>
#include <string>

#include "plumbline/base/json.h"

namespace plumbline {

/// Each throws DataError(data.json_missing_key | data.json_type) naming key and place.
std::string text_field(const Json& object, const std::string& key, const std::string& where);
int64_t integer_field(const Json& object, const std::string& key, const std::string& where);
const Json& array_field(const Json& object, const std::string& key, const std::string& where);
/// `otherwise` when the key is absent or null.
bool flag_field(const Json& object, const std::string& key, bool otherwise, const std::string& where);
std::string text_field_or(const Json& object, const std::string& key, const std::string& otherwise,
                          const std::string& where);

}  // namespace plumbline
