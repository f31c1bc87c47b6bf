/// Run folders of plumbline: resolved.toml, provenance.json, steps.tsv, metrics.jsonl, rollouts.jsonl, eval.jsonl.
#pragma once

#include <string>

#include "plumbline/doctor/readers/collector.h"

namespace plumbline::doctor {

/// It holds resolved.toml or steps.tsv.
bool is_run_folder(const std::string& path);
/// Files that read_run_folder takes care of.
bool is_run_file(const std::string& name);

/// Throws what the readers of its files throw; a file that is not there is not missed.
void read_run_folder(const std::string& path, Collector& out);

/// steps.tsv on its own. Throws DataError(data.json) for a row that is no row of the header.
void read_steps_table(const std::string& path, Collector& out);

}  // namespace plumbline::doctor
