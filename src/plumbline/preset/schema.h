/// TOML to Preset and back. One table in schema.cc lists every key once: name, type, allowed values, range, one line of
/// documentation, and the member it fills. Validation, `--dry-run`, `resolved.toml` and docs/reference/preset_keys.md
/// all come from that table.
#pragma once

#include <string>
#include <vector>

#include "plumbline/preset/options.h"

namespace plumbline {

/// What a verb needs of a preset: judges and teachers run without a model of ours.
enum class PresetUse { kModel, kNoModel };

/// Loads `name_or_path` (a TOML file, or the name of a shipped preset), applies `overrides` ("train.lr=1e-3", in order)
/// and validates everything that needs no weights: types, ranges, allowed values, combinations.
/// Throws ConfigError: config.unknown_key (with a suggestion), config.wrong_type, config.out_of_range,
/// config.not_allowed, config.missing_key, config.toml_syntax, config.conflict, config.unknown_preset; `where` is
/// file:line:column, or "--set key=value".
Preset load_preset(const std::string& name_or_path, const std::vector<std::string>& overrides = {},
                   PresetUse use = PresetUse::kModel);

/// The preset with every key written out: valid TOML that load_preset reads back to the same Preset.
std::string to_toml(const Preset& preset);

/// Names of shipped presets, sorted.
std::vector<std::string> shipped_presets();

/// The reference page (Markdown) for docs/reference/preset_keys.md.
std::string preset_reference();

}  // namespace plumbline
