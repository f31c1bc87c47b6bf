/// plumbline report RUN...: one self-contained HTML page and results_table.md beside it.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "plumbline/base/error.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/base/log.h"
#include "plumbline/cli/core/verbs.h"
#include "plumbline/cli/shared/arguments.h"
#include "plumbline/doctor/inside/own_output.h"
#include "plumbline/report/run_report.h"

namespace plumbline {
namespace {

constexpr int kRefresh_s = 5;
constexpr auto kPoll = std::chrono::milliseconds(100);

/// Writes the page again and again until every run is complete; the last one no longer reloads itself.
void watch(const std::vector<std::string>& folders, const std::string& path) {
  while (write_report(folders, path, {.refresh_s = kRefresh_s, .first_line = "", .findings = ""}).num_unfinished > 0) {
    for (auto waited = kPoll; waited < std::chrono::seconds(kRefresh_s); waited += kPoll) {
      if (interrupt_requested()) {
        doctor::write_report_with_findings(folders, path);
        throw Interrupted("stopped watching; the page shows the runs as they are now: " + path);
      }
      std::this_thread::sleep_for(kPoll);
    }
  }
  doctor::write_report_with_findings(folders, path);
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
  for (const ArmVerdict& verdict : doctor::write_report_with_findings(folders, path).verdicts) {
    log_info(escape_control(verdict.headline));
  }
  std::printf("%s\n", escape_control(path).c_str());
  return 0;
}

}  // namespace plumbline
