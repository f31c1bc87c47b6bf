/// The report of any runs: one self-contained HTML page, the verdict first.
#pragma once

#include <string>
#include <vector>

#include "plumbline/report/run_folder.h"
#include "plumbline/report/verdict_words.h"

namespace plumbline {

struct ReportOptions {
  int refresh_s = 0;       ///< the page asks to be read again after this time; 0 = never
  std::string first_line;  ///< markup of the caller's own making, before everything else
  std::string findings;    ///< markup of the caller's own making, after the pictures
};

/// The page. Whatever the runs hold, this is text in it and never markup.
std::string report_page(const RunSet& set, const ReportOptions& options = {});

/// What a page that was written says, for the terminal.
struct WrittenReport {
  int64_t num_unfinished = 0;        ///< runs
  std::vector<ArmVerdict> verdicts;  ///< of every experiment, in the page's order
};

/// Reads `folders` and writes the page to `html_path` and results_table.md beside it. Throws what read_run_set throws,
/// and DataError(data.unwritable).
WrittenReport write_report(const std::vector<std::string>& folders, const std::string& html_path,
                           const ReportOptions& options = {});

}  // namespace plumbline
