/// Extracting, checking, saving and finding the hack direction of a preset.
#pragma once

#include <optional>
#include <string>

#include "plumbline/run/gates.h"
#include "plumbline/run/run_directory.h"
#include "plumbline/run/workbench.h"
#include "plumbline/steer/contrast_pairs.h"
#include "plumbline/steer/extraction.h"
#include "plumbline/steer/hack_direction.h"

namespace plumbline {

/// Pairs of one file, as the model of `bench` sees them: prompts rendered by its template, completions closed by its
/// end-of-turn token.
std::vector<TokenizedPair> tokenize_pairs(const ContrastPairs& pairs, const ModelText& text);

/// The direction of a preset: steer.direction when given, else extracted from its pairs.
HackDirection obtain_direction(const Preset& preset, ModelBench& bench);

/// Gate B's figures for the direction, and for one from the placebo pairs beside it.
struct DirectionCheck {
  HeldOutCheck direction, placebo;
};
DirectionCheck check_direction(const Preset& preset, ModelBench& bench, const HackDirection& direction);

/// The verb `extract`: OUT/{resolved.toml, provenance.json, direction.safetensors, gates.json}. Exit code 1 when Gate A
/// fails.
int extract_direction(const Preset& preset, const std::string& out);
/// The verb `verify`: Gate B, with exit code 1 when it fails.
int verify_direction(const Preset& preset, const std::string& out);

/// What provenance.json says about pairs: path, hash, and "shipped" or "modified".
Json pairs_provenance(const Preset& preset);

}  // namespace plumbline
