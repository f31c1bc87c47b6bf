#include "plumbline/text/json_field.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

[[noreturn]] void wrong_type(const std::string& key, const char* wanted, const std::string& where) {
  throw DataError("data.json_type", fmt::format("\"{}\" must be {}", key, wanted), where);
}

/// The member, or null when it is absent or JSON's null.
const Json* optional_member(const Json& object, const std::string& key, const std::string& where) {
  if (!object.is_object()) throw DataError("data.json_type", "expected a JSON object", where);
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

}  // namespace

std::string text_field(const Json& object, const std::string& key, const std::string& where) {
  const Json& value = require_member(object, key, where);
  if (!value.is_string()) wrong_type(key, "a string", where);
  return value.get<std::string>();
}

int64_t integer_field(const Json& object, const std::string& key, const std::string& where) {
  const Json& value = require_member(object, key, where);
  if (!value.is_number_integer()) wrong_type(key, "an integer", where);
  return value.get<int64_t>();
}

const Json& array_field(const Json& object, const std::string& key, const std::string& where) {
  const Json& value = require_member(object, key, where);
  if (!value.is_array()) wrong_type(key, "an array", where);
  return value;
}

bool flag_field(const Json& object, const std::string& key, bool otherwise, const std::string& where) {
  const Json* value = optional_member(object, key, where);
  if (!value) return otherwise;
  if (!value->is_boolean()) wrong_type(key, "true or false", where);
  return value->get<bool>();
}

std::string text_field_or(const Json& object, const std::string& key, const std::string& otherwise,
                          const std::string& where) {
  const Json* value = optional_member(object, key, where);
  if (!value) return otherwise;
  if (!value->is_string()) wrong_type(key, "a string", where);
  return value->get<std::string>();
}

}  // namespace plumbline
