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

/// Gate B's figures for the direction, and for one from the placebo pairs beside it.
struct DirectionCheck {
  HeldOutCheck direction, placebo;
};

/// Every direction that the arms of one preset need, from gradients of its base model that are computed once, when they
/// are first asked for. Resets the adapter to the base model whenever it computes. Borrows the bench.
class DirectionSource {
 public:
  /// Throws what direction_recipe throws.
  DirectionSource(const Preset& preset, ModelBench& bench);

  /// steer.direction when given, else extracted from steer.pairs.
  const HackDirection& hack();
  /// What arm `name` projects out: hack() itself, or a control with as many axes (haar.N, shuffled.N by (seed, N);
  /// placebo from the placebo pairs by the same recipe). The vanilla arm is measured against hack().
  HackDirection of_arm(const std::string& name, uint64_t seed);
  DirectionCheck check();
  /// The arm's direction once more, from gradients on the weights that the adapter has in place now; the adapter's
  /// values stay. For arms whose direction comes from pairs.
  HackDirection on_current_weights(const std::string& name, uint64_t seed);

 private:
  /// The pairs of a file and their gradients, extraction and held-out ones apart.
  struct Pairs {
    std::string hash;
    std::vector<TokenizedPair> pairs;
    std::optional<PairDifferences> train, held_out;
  };
  Pairs load(const std::string& path) const;
  const PairDifferences& train(Pairs& pairs);
  const PairDifferences& held_out(Pairs& pairs);
  HackDirection extract(Pairs& pairs, const PairDifferences& differences, const std::string& method);

  const Preset preset_;
  ModelBench& bench_;
  const DirectionRecipe recipe_;
  Pairs pairs_, placebo_;
  std::optional<HackDirection> hack_;
};

/// The verb `extract`: OUT/{resolved.toml, provenance.json, direction.safetensors, gates.json}. Exit code 1 when Gate A
/// fails.
int extract_direction(const Preset& preset, const std::string& out);
/// The verb `verify`: Gate B, with exit code 1 when it fails.
int verify_direction(const Preset& preset, const std::string& out);

/// What provenance.json says about pairs: path, hash, and "shipped" or "modified".
Json pairs_provenance(const Preset& preset);

}  // namespace plumbline
