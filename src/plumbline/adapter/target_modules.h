/// Which linears carry an adapter.
#pragma once

#include <string>
#include <vector>

#include "plumbline/model/decoder.h"

namespace plumbline {

/// Resolves adapter.target_modules against the modules there are; the result keeps their order.
/// A pattern is "attn-mlp" (q, k, v, o, gate, up, down projections), "all-linear" (everything given), a module's whole
/// name, its last part ("q_proj"), or either with fnmatch wildcards ("model.layers.1?.mlp.*", "*_proj").
/// Throws ConfigError(config.target_modules) when the list is empty, when a pattern matches nothing (with the modules
/// there are), and for a single letter: a set that was given as a string and is read letter by letter.
std::vector<std::string> match_target_modules(const std::vector<std::string>& available,
                                              const std::vector<std::string>& patterns);

/// The decoder's linears that the patterns choose, in its order. Throws as above.
std::vector<Linear*> match_targets(Decoder& decoder, const std::vector<std::string>& patterns);

/// A mixture of experts learns little where none of its experts carries an adapter, and looks as if it trained: with
/// experts among `available` and none among `chosen`, throws ConfigError(config.frozen_experts) unless
/// adapter.frozen_experts says that this is meant.
void require_adapted_experts(const std::vector<std::string>& available, const std::vector<std::string>& chosen,
                             bool frozen_experts);

/// "210 modules: down_proj 30, gate_proj 30, ...": counts by the last part of the name, those of experts apart
/// ("experts.gate_proj 96").
std::string describe_modules(const std::vector<std::string>& modules);

}  // namespace plumbline
