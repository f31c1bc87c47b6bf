/// Members of JSON objects with the type that a format demands. A number written as a string is not a number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plumbline/base/json.h"

namespace plumbline {

/// A JSON object and where it stands ("path: rows.base[3]"). Borrows the object. Every reader throws
/// DataError(data.json_missing_key | data.json_type | data.not_finite) naming the key and the place; the optional ones
/// take a missing key and null as nothing.
class TypedObject {
 public:
  TypedObject(const Json& object, std::string where);

  bool has(const std::string& key) const;  ///< present and not null
  std::string text(const std::string& key) const;
  int64_t integer(const std::string& key) const;
  double real(const std::string& key) const;
  bool boolean(const std::string& key) const;
  TypedObject object(const std::string& key) const;
  const Json& array(const std::string& key) const;
  std::optional<std::string> optional_text(const std::string& key) const;
  std::optional<int64_t> optional_integer(const std::string& key) const;
  std::optional<double> optional_real(const std::string& key) const;
  std::optional<bool> optional_boolean(const std::string& key) const;
  /// Strings and integers, as text.
  std::string id(const std::string& key) const;

  const Json& json() const { return *object_; }
  const std::string& where() const { return where_; }
  /// "where, key".
  std::string place(const std::string& key) const;

 private:
  const Json& member(const std::string& key) const;
  [[noreturn]] void wrong_type(const std::string& key, const std::string& expected) const;

  const Json* object_;
  std::string where_;
};

}  // namespace plumbline
