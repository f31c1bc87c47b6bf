/// plumbline report RUN...: one self-contained HTML page and results_table.md beside it.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "plumbline/base/error.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/base/log.h"
#include "plumbline/cli/core/verbs.h"
#include "plumbline/cli/shared/arguments.h"
#include "plumbline/doctor/diagnosis.h"
#include "plumbline/doctor/diagnosis_output.h"
#include "plumbline/report/run_report.h"

namespace plumbline {
namespace {

constexpr int kRefresh_s = 5;
constexpr auto kPoll = std::chrono::milliseconds(100);

/// The finished page: what the doctor finds in the runs is named in its first line and stands after the verdict.
WrittenReport write_with_findings(const std::vector<std::string>& folders, const std::string& path) {
  const doctor::Diagnosis diagnosis = doctor::diagnose_paths(folders);
  ReportOptions options;
  if (diagnosis.health() != doctor::Health::kSound) {
    std::string ids;
    for (const doctor::Finding& finding : diagnosis.findings)
      ids += std::string(ids.empty() ? "" : ", ") + finding.kind->id;
    options.first_line = fmt::format("<p class=\"note\">Findings, below the verdict: {} ({})</p>\n",
                                     doctor::diagnosis_headline(diagnosis), ids);
    options.findings = "<h2>Findings</h2>\n" + doctor::diagnosis_markup(diagnosis);
  }
  return write_report(folders, path, options);
}

/// Writes the page again and again until every run is complete; the last one no longer reloads itself.
void watch(const std::vector<std::string>& folders, const std::string& path) {
  while (write_report(folders, path, {.refresh_s = kRefresh_s, .first_line = "", .findings = ""}).num_unfinished > 0) {
    for (auto waited = kPoll; waited < std::chrono::seconds(kRefresh_s); waited += kPoll) {
      if (interrupt_requested()) {
        write_with_findings(folders, path);
        throw Interrupted("stopped watching; the page shows the runs as they are now: " + path);
      }
      std::this_thread::sleep_for(kPoll);
    }
  }
  write_with_findings(folders, path);
}

}  // namespace

int report_main(const std::vector<std::string>& words) {
  std::vector<std::string> folders;
  std::string out;
  bool keep_watching = false;
  Arguments arguments("report", "one self-contained HTML page about runs, and results_table.md beside it");
  arguments.positionals("RUN", &folders, "folders of probes and of runs, in any mix")
      .option("--out", &out, "the page to write (default: report.html in the first RUN)")
      .flag("--watch", &keep_watching, "write it again every few seconds until every run is complete");
  if (!arguments.parse(words)) return 0;
  const std::string path = out.empty() ? folders.front() + "/report.html" : out;
  if (std::filesystem::is_directory(path)) {
    throw ConfigError("config.usage", "--out is a folder", path, "name the file to write, such as report.html");
  }
  if (keep_watching) {
    std::printf("%s\n", escape_control(path).c_str());
    std::fflush(stdout);
    watch(folders, path);
    return 0;
  }
  for (const ArmVerdict& verdict : write_with_findings(folders, path).verdicts) {
    log_info(escape_control(verdict.headline));
  }
  std::printf("%s\n", escape_control(path).c_str());
  return 0;
}

}  // namespace plumbline
