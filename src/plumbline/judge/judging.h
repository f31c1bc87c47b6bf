/// The whole of `plumbline judge`: every judge on every saved answer, resumable, into one folder.
#pragma once

#include <string>
#include <vector>

#include "plumbline/judge/panel.h"
#include "plumbline/preset/options.h"
#include "plumbline/record/problem.h"

namespace plumbline {

struct JudgeRun {
  PanelSummary summary;
  std::string failure;  ///< why the run stopped, with the provider's last sentence; empty when it came to its end
};

/// Judges what options.answers names and writes into `out`: `verdicts.jsonl` (a row a judge and item, flushed as it
/// arrives, in the order of the answers at the end), `disagreements.jsonl`, `summary.json`, `settings.json`. A folder
/// of the same run is gone on with: rows that are there are not asked for again, apart from transport errors.
///
/// Every input is read to its end before the first call, and a run that ends before it leaves no folder behind.
/// It stops when more than options.max_failed_share of the planned calls have failed; the summary so far is written.
/// Throws RemoteError(remote.preflight): nothing was judged. Interrupted after Ctrl-C, once calls under way are home.
/// ConfigError and DataError for what is wrong with the input.
JudgeRun judge_answers(const JudgeOptions& options, const std::vector<Problem>& problems, const std::string& out);

}  // namespace plumbline
