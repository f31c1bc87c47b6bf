/// Fields of a row that may be null: unset is null, and null or absent is unset.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "plumbline/base/json.h"

namespace plumbline {

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <typename Value>
std::optional<Value> maybe(const Json& row, const char* name) {
  const auto found = row.find(name);
  return found == row.end() || found->is_null() ? std::nullopt : std::optional<Value>(found->get<Value>());
}

}  // namespace plumbline
