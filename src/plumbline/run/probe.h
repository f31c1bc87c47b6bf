/// The whole job: check, extract, verify, train every arm with every seed, judge by the gates, summarise.
#pragma once

#include <string>

#include "plumbline/preset/options.h"

namespace plumbline {

/// OUT/{resolved.toml, provenance.json, direction.safetensors, gates.json, results_table.md, report.html,
/// verdicts.jsonl, arms/<arm>-s<seed>/...}. Prints the gates; exit code 1 when one failed. A failed Gate A or B ends
/// the probe unless probe.stop_at_gates is false; a failed C is told and the arms go on.
int probe(const Preset& preset, const std::string& out);

/// Goes on with a probe that was interrupted: complete arms are kept, begun ones resumed from their checkpoints.
int resume_probe(const Preset& preset, const std::string& folder);

}  // namespace plumbline
