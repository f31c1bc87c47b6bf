/// `plumbline report` as a user runs it, and its page in a real browser. PLUMBLINE_SCREENSHOTS=FOLDER keeps the
/// pictures for people to look at.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "plumbline/base/file_system.h"
#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/simulated_runs.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::ProcessResult;

ProcessResult report(std::vector<std::string> words) {
  words.insert(words.begin(), {test::binary_path("plumbline"), "report"});
  return test::run_process(words);
}

test::SimulatedProbe short_probe() {
  test::SimulatedProbe probe;
  probe.arms = {{"vanilla", 0.9, 0.2}, {"projected", 0.1, 0.3}};
  probe.seeds = {4};
  probe.num_steps = 8;
  probe.evaluate_every = 4;
  return probe;
}

std::string browser() {
  for (const char* name : {"/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"}) {
    if (fs::exists(name)) return name;
  }
  return "";
}

TEST(Report, WritesThePageAndTheTableAndPrintsWhere) {
  const test::TemporaryFolder folder;
  test::SimulatedProbe probe = test::usual_probe();
  probe.num_steps = 30;
  write_probe(folder.file("p"), probe);
  const ProcessResult result = report({folder.file("p")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, folder.file("p") + "/report.html\n");
  const std::string page = read_file(folder.file("p/report.html"));
  EXPECT_NE(page.find("The projection lowered hacking"), std::string::npos);
  EXPECT_NE(page.find("had no part in that"), std::string::npos);
  const std::string table = read_file(folder.file("p/results_table.md"));
  EXPECT_NE(table.find("| vanilla | 3 | "), std::string::npos) << table;
  EXPECT_NE(table.find("± "), std::string::npos);
  EXPECT_NE(table.find("## Provenance"), std::string::npos);
}

TEST(Report, WrongInputIsNamed) {
  const test::TemporaryFolder folder;
  const ProcessResult result = report({folder.path()});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find("data.not_a_run"), std::string::npos) << result.err;
  EXPECT_EQ(report({}).exit_code, 2);
  write_probe(folder.file("p"), short_probe());
  EXPECT_EQ(report({folder.file("p"), "--out", folder.path()}).exit_code, 2);
}

TEST(Report, WatchRefreshesUntilEveryRunIsComplete) {
  const test::TemporaryFolder folder;
  test::SimulatedProbe probe = short_probe();
  probe.stop = {{"projected-s4", 5}};
  const std::string out = folder.file("p"), page = out + "/report.html";
  write_probe(out, probe);
  test::BackgroundProcess process({test::binary_path("plumbline"), "report", out, "--watch"});
  for (int i = 0; i < 200 && !fs::exists(page); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_NE(read_file(page).find("http-equiv=\"refresh\""), std::string::npos);
  EXPECT_TRUE(process.is_running());
  process.send(SIGINT);
  EXPECT_EQ(process.wait(), 130);
  EXPECT_EQ(read_file(page).find("http-equiv=\"refresh\""), std::string::npos);
  write_probe(out, short_probe());
  EXPECT_EQ(report({out, "--watch"}).exit_code, 0);
  EXPECT_EQ(read_file(page).find("http-equiv=\"refresh\""), std::string::npos);
}

TEST(Report, InABrowserSlow) {
  const std::string program = browser();
  if (program.empty()) GTEST_SKIP() << "there is no Chromium on this machine: apt-get install chromium";
  const test::TemporaryFolder folder;
  test::SimulatedProbe probe = test::usual_probe();
  const std::string hostile =
      "</pre><script>window.pwned=1</script><img src=\"http://x.invalid/a.png\" onerror=\"window.pwned=2\">\n"
      "<svg onload='window.pwned=3'>\ndef run_tests():\n    return \"</mark><style>*{display:none}</style>\"\n";
  probe.first_completion = hostile;
  probe.provenance = {{"model", "<script>window.pwned=4</script>"}};
  write_probe(folder.file("p"), probe);
  ASSERT_EQ(report({folder.file("p")}).exit_code, 0);
  const char* wanted = std::getenv("PLUMBLINE_SCREENSHOTS");
  const ProcessResult result =
      test::run_process({"/usr/bin/python3", test::source_path("tests/browser/drive_page.py"), program,
                         folder.file("p/report.html"), wanted ? wanted : folder.file("shots")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json views = json::parse(result.out);
  ASSERT_EQ(views.size(), 4u);
  for (const json& view : views) {
    const std::string which = view["view"].get<std::string>() + ", " + view["scheme"].get<std::string>();
    EXPECT_EQ(view["complaints"], json::array()) << which;
    EXPECT_EQ(view["other_requests"], json::array()) << which;
    EXPECT_EQ(view["num_requests"], 1) << which << ": the page itself is seen, or nothing would be";
    EXPECT_EQ(view["scripts"], 0) << which;
    EXPECT_EQ(view["embeds"], 0) << which;
    EXPECT_EQ(view["handlers"], 0) << which;
    EXPECT_EQ(view["pwned"], "undefined") << which;
    EXPECT_LE(view["overflow"], 0) << which << ": the page is wider than the screen";
    EXPECT_EQ(view["charts"], view["charts_named"]) << which;
    EXPECT_EQ(view["charts"], view["charts_with_table"]) << which;
    EXPECT_GE(view["charts"], 10) << which;
    EXPECT_EQ(view["ids"], view["distinct_ids"]) << which;
    EXPECT_EQ(view["refresh"], 0) << which;
    EXPECT_NE(view["first_heading"].get<std::string>().find("hacking"), std::string::npos) << which;
    bool is_whole = false;
    for (const json& text : view["completions"]) is_whole = is_whole || text == hostile;
    EXPECT_TRUE(is_whole) << which << ": the completion is not shown as it is";
    EXPECT_EQ(view["marks"][0], "def run_tests():") << which;
  }
  EXPECT_NE(views[0]["paper"], views[1]["paper"]) << "light and dark look the same";
}

}  // namespace
}  // namespace plumbline
