/// Which linears carry an adapter.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

/// Resolves adapter.target_modules against the modules there are; the result keeps their order.
/// A pattern is "attn-mlp" (q, k, v, o, gate, up, down projections), "all-linear" (everything given), a module's whole
/// name, its last part ("q_proj"), or either with fnmatch wildcards ("model.layers.1?.mlp.*", "*_proj").
/// Throws ConfigError(config.target_modules) when the list is empty, when a pattern matches nothing (with the modules
/// there are), and for a single letter: a set that was given as a string and is read letter by letter.
std::vector<std::string> match_target_modules(const std::vector<std::string>& available,
                                              const std::vector<std::string>& patterns);

/// "210 modules: down_proj 30, gate_proj 30, ...": counts by the last part of the name.
std::string describe_modules(const std::vector<std::string>& modules);

}  // namespace plumbline
