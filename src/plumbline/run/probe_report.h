/// report.html of a probe: what happened, in a picture, the table, the gates.
#pragma once

#include <string>
#include <vector>

#include "plumbline/preset/options.h"
#include "plumbline/run/gates.h"
#include "plumbline/run/run_directory.h"

namespace plumbline {

/// Reads the arms' steps.tsv below `directory`. Returns a self-contained page.
std::string probe_report(const Preset& preset, const RunDirectory& directory, const std::vector<ArmSummary>& arms,
                         const std::vector<Gate>& gates);

}  // namespace plumbline
