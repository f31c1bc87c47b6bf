/// "Did you mean ...?": the nearest known name to a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`.
size_t edit_distance(std::string_view a, std::string_view b);

/// The nearest of `candidates` when it is near enough to be meant, else empty.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// The nearest key of the schema to `table`.`key`, as "table.key", across tables; empty when none is near.
/// An empty `table` stands for a key written outside every table.
std::string nearest_key(std::string_view table, std::string_view key);

}  // namespace plumbline
