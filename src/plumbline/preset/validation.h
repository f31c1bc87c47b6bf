/// What a preset must satisfy before any weight is read: values row by row, then combinations of keys.
#pragma once

#include <functional>
#include <string>

#include "plumbline/preset/key_table.h"

namespace plumbline {

/// The smallest temperature but 0 (greedy). Below it sampling is greedy in all but name, gradients grow as 1/T, and
/// logits divided by it leave float32.
inline constexpr double kMinTemperature = 0.01;

/// Checks one value against its row: range, allowed words, list length, what this version runs.
/// Throws ConfigError: config.out_of_range, config.not_allowed, with `where`.
void check_value(const KeyRow& row, const Preset& preset, const std::string& where);

/// Where a key was set, for messages ("smoke.toml:12:3"); its table or the file's start for keys left out.
using WhereOf = std::function<std::string(const std::string& key)>;

/// Checks what single values cannot show. Throws ConfigError: config.missing_key, config.conflict, config.not_allowed.
/// `needs_model`: model.path must be set.
void check_combinations(const Preset& preset, const WhereOf& where_of, bool needs_model = true);

/// What the verb `eval` would ignore: several samples an item at temperature 0, where it draws none. Throws
/// ConfigError(config.conflict).
void check_eval_verb(const Preset& preset);

}  // namespace plumbline
