#include "plumbline/compare/typed_json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"

namespace plumbline {
namespace {

template <typename Value>
std::optional<Value> when(bool present, const TypedObject& object, Value (TypedObject::*read)(const std::string&) const,
                          const std::string& key) {
  return present ? std::optional<Value>((object.*read)(key)) : std::nullopt;
}

}  // namespace

TypedObject::TypedObject(const Json& object, std::string where) : object_(&object), where_(std::move(where)) {
  if (!object.is_object())
    throw DataError("data.json_type", "expected a JSON object", where_,
                    "write it as the format says (docs/reference/compare.md)");
}

std::string TypedObject::place(const std::string& key) const {
  return where_ + ", " + key;
}

void TypedObject::wrong_type(const std::string& key, const std::string& expected) const {
  const Json& value = object_->at(key);
  const std::string seen = value.is_string()                         ? "the text " + value.dump().substr(0, 40)
                           : value.is_number() || value.is_boolean() ? value.dump()
                                                                     : value.type_name();
  throw DataError("data.json_type", fmt::format("\"{}\" must be {}, not {}", key, expected, seen), where_,
                  "write it as the format says (docs/reference/compare.md)");
}

const Json& TypedObject::member(const std::string& key) const {
  const auto found = object_->find(key);
  if (found != object_->end()) return *found;
  throw DataError("data.json_missing_key", fmt::format("the key \"{}\" is missing", key), where_,
                  "add it; docs/reference/compare.md lists the keys");
}

bool TypedObject::has(const std::string& key) const {
  const auto found = object_->find(key);
  return found != object_->end() && !found->is_null();
}

std::string TypedObject::text(const std::string& key) const {
  const Json& value = member(key);
  if (!value.is_string()) wrong_type(key, "a string");
  return value.get<std::string>();
}

int64_t TypedObject::integer(const std::string& key) const {
  const Json& value = member(key);
  if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX)) {
    wrong_type(key, "an integer");
  }
  return value.get<int64_t>();
}

double TypedObject::real(const std::string& key) const {
  const Json& value = member(key);
  if (!value.is_number()) wrong_type(key, "a number");
  const double number = value.get<double>();
  if (!std::isfinite(number)) throw DataError("data.not_finite", fmt::format("\"{}\" is not finite", key), where_);
  return number;
}

bool TypedObject::boolean(const std::string& key) const {
  const Json& value = member(key);
  if (!value.is_boolean()) wrong_type(key, "true or false");
  return value.get<bool>();
}

TypedObject TypedObject::object(const std::string& key) const {
  const Json& value = member(key);
  if (!value.is_object()) wrong_type(key, "an object");
  return {value, place(key)};
}

const Json& TypedObject::array(const std::string& key) const {
  const Json& value = member(key);
  if (!value.is_array()) wrong_type(key, "an array");
  return value;
}

std::string TypedObject::id(const std::string& key) const {
  const Json& value = member(key);
  if (!value.is_string() && !value.is_number_integer()) wrong_type(key, "a string or an integer");
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::optional<std::string> TypedObject::optional_text(const std::string& key) const {
  return when(has(key), *this, &TypedObject::text, key);
}
std::optional<int64_t> TypedObject::optional_integer(const std::string& key) const {
  return when(has(key), *this, &TypedObject::integer, key);
}
std::optional<double> TypedObject::optional_real(const std::string& key) const {
  return when(has(key), *this, &TypedObject::real, key);
}
std::optional<bool> TypedObject::optional_boolean(const std::string& key) const {
  return when(has(key), *this, &TypedObject::boolean, key);
}

}  // namespace plumbline
