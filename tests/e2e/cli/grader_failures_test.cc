/// What happens to `grade` when something other than a submission fails: a killed server, a killed grader, a full disk,
/// no more processes. A verdict is right or it is not there; nothing counts as 0, nothing is left, and a rerun
/// completes the file without loss or repeats.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// Marks processes that submissions of this test start: the seconds they sleep. Tests of other processes have theirs.
const std::string& stray() {
  static const std::string seconds = "71." + std::to_string(::getpid()) + "593";
  return seconds;
}

std::string content_of(const fs::path& path) {
  std::ostringstream text;  // copying a buffer, unlike reading it, does not throw when the process has just gone
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

int parent_of(int pid) {
  const std::string text = content_of("/proc/" + std::to_string(pid) + "/stat");
  const size_t name_end = text.rfind(')');
  return name_end == std::string::npos ? -1 : std::atoi(text.c_str() + name_end + 4);
}

std::vector<int> pids_where(const std::function<bool(int)>& holds) {
  std::vector<int> pids;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (is_number(name) && holds(std::stoi(name))) pids.push_back(std::stoi(name));
  }
  return pids;
}

std::vector<int> children_of(int pid) {
  return pids_where([pid](int other) { return parent_of(other) == pid; });
}

size_t num_strays() {
  return pids_where([](int pid) {
           return content_of("/proc/" + std::to_string(pid) + "/cmdline").find(stray()) != std::string::npos;
         })
      .size();
}

/// Folders of submissions whose server has gone: plumbline-<process id of the server>-XXXXXX. Other graders may be at
/// work on this machine; theirs are alive.
std::set<std::string> abandoned_folders() {
  std::set<std::string> found;
  for (const auto& entry : fs::directory_iterator("/tmp")) {
    const std::string name = entry.path().filename(), start = "plumbline-";
    if (name.rfind(start, 0) != 0) continue;
    const std::string pid = name.substr(start.size(), name.find('-', start.size()) - start.size());
    if (is_number(pid) && !fs::exists("/proc/" + pid)) found.insert(name);
  }
  return found;
}

bool soon(const std::function<bool()>& holds) {
  for (int i = 0; i < 400; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(25));
  }
  return false;
}

class GraderFailures : public testing::Test {
 protected:
  GraderFailures() {
    folder_.write(
        "p.jsonl",
        R"({"id": "p", "task": "code", "prompt": "x", "entry_point": "f", "reference": "def f(x):\n    return x\n", "tests": [{"args": [1], "expected": 1}]})"
        "\n");
    write_completions(60);
  }

  void write_completions(int count) {
    num_completions_ = count;
    std::string rows;
    for (int i = 0; i < count; ++i) {
      const std::string code = "import time\ntime.sleep(0.02)\ndef f(x):\n    return " + std::string(i % 3 ? "x" : "0");
      rows +=
          to_json_line(Json{{"problem_id", "p"}, {"sample", i}, {"completion", "```python\n" + code + "\n```"}}) + "\n";
    }
    folder_.write("c.jsonl", rows);
  }

  std::vector<std::string> grade(const std::string& out, const std::string& level = "namespaces") {
    return {test::binary_path("plumbline"),
            "grade",
            folder_.file("p.jsonl"),
            folder_.file("c.jsonl"),
            "--out",
            out,
            "--workers",
            "2",
            "--isolation",
            level};
  }

  /// Every row that is there is right and there once; `all`: every row is there.
  void expect_right(const std::string& out, bool all) {
    std::set<int> seen;
    std::istringstream lines(content_of(out));
    for (std::string line; std::getline(lines, line);) {
      if (line.empty() || line.back() != '}') continue;  // half a line of a killed run; a rerun removes it
      const Json row = parse_json(line, out);
      const int sample = row["sample"];
      EXPECT_TRUE(seen.insert(sample).second) << "repeated: " << sample;
      EXPECT_EQ(row["outcome"], sample % 3 ? "pass" : "wrong");
    }
    EXPECT_LE(seen.size(), num_completions());
    EXPECT_TRUE(!all || seen.size() == num_completions()) << seen.size();
  }

  size_t num_rows(const std::string& out) {
    const std::string text = content_of(out);
    return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }

  size_t num_completions() const { return static_cast<size_t>(num_completions_); }

  test::TemporaryFolder folder_;
  int num_completions_ = 0;
};

/// Kills the warm servers of the grader that was called with `word` once both workers have one (before that isolation
/// is still probed, which is another failure); how many there were.
size_t kill_servers(const std::string& word) {
  size_t num_killed = 0;
  const auto graders = pids_where([&](int pid) {
    const std::string words = content_of("/proc/" + std::to_string(pid) + "/cmdline");
    return words.find(word) != std::string::npos && words.find("/plumbline") != std::string::npos;
  });
  for (const int grader : graders) {
    const auto keepers = children_of(grader);
    if (keepers.size() < 2) continue;
    for (const int keeper : keepers) {
      for (const int server : children_of(keeper)) num_killed += ::kill(server, SIGKILL) == 0;
    }
  }
  return num_killed;
}

TEST_F(GraderFailures, KilledServersAreReplaced) {
  const std::string out = folder_.file("v.jsonl");
  test::BackgroundProcess grader(grade(out));
  size_t num_killed = 0;
  while (grader.is_running() && num_rows(out) < num_completions() - 10) {
    const size_t before = num_rows(out);
    num_killed += kill_servers(out);
    soon([&] { return !grader.is_running() || num_rows(out) > before + 12; });
  }
  const int code = grader.wait();
  EXPECT_TRUE(code == 0 || code == 5) << code;
  EXPECT_GT(num_killed, 0u);
  expect_right(out, false);
  EXPECT_EQ(test::run_process(grade(out)).exit_code, 0);
  expect_right(out, true);
}

TEST_F(GraderFailures, ServersKilledAgainAndAgainAreInfra) {
  write_completions(16);
  const std::string out = folder_.file("v.jsonl");
  std::vector<std::string> words = grade(out);
  std::atomic<bool> stopping = false;
  std::atomic<size_t> num_killed = 0;
  std::thread killer([&] {
    while (!stopping) num_killed += kill_servers(folder_.file("c.jsonl"));
  });
  words.erase(std::find(words.begin(), words.end(), "--out"), std::find(words.begin(), words.end(), "--workers"));
  const auto shown = test::run_process(words);
  const auto kept = test::run_process(grade(out));
  stopping = true;
  killer.join();
  EXPECT_GT(num_killed, 0u);
  EXPECT_EQ(shown.exit_code, 5) << shown.err;
  std::istringstream lines(shown.out);
  int num_rows_shown = 0, num_infra = 0;
  for (std::string line; std::getline(lines, line); ++num_rows_shown) {
    const Json row = parse_json(line, "stdout");
    const int sample = row["sample"];
    num_infra += row["outcome"] == "infra";
    if (row["outcome"] == "infra") {
      EXPECT_TRUE(row["reward"].is_null()) << line;
    } else {
      EXPECT_EQ(row["outcome"], sample % 3 ? "pass" : "wrong");
    }
  }
  EXPECT_EQ(num_rows_shown, num_completions_);
  EXPECT_GT(num_infra, 0);
  EXPECT_EQ(kept.exit_code, 5) << kept.err;
  expect_right(out, false);  // what could not be graded is not in the file
  EXPECT_EQ(test::run_process(grade(out)).exit_code, 0);
  expect_right(out, true);
}

class KilledGrader : public GraderFailures, public testing::WithParamInterface<const char*> {};

TEST_P(KilledGrader, LeavesNothing) {
  const std::string code = std::string(
                               "import os, time\nfor _ in range(3):\n    if os.fork() == 0:\n        os.setsid()\n"
                               "        os.execvp('sleep', ['sleep', '") +
                           stray() + "'])\ntime.sleep(20)\ndef f(x):\n    return x";
  folder_.write(
      "c.jsonl",
      to_json_line(Json{{"problem_id", "p"}, {"sample", 0}, {"completion", "```python\n" + code + "\n```"}}) + "\n");
  const auto before = abandoned_folders();
  for (const int number : {SIGKILL, SIGTERM, SIGINT}) {
    test::BackgroundProcess grader(grade(folder_.file("v.jsonl"), GetParam()));
    ASSERT_TRUE(soon([] { return num_strays() == 3; }));
    grader.send(number);
    grader.wait();
    EXPECT_TRUE(soon([] { return num_strays() == 0; })) << "signal " << number;
    EXPECT_TRUE(soon([&] { return abandoned_folders() == before; })) << "signal " << number;
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, KilledGrader, testing::Values("namespaces", "container"),
                         [](const auto& level) { return std::string(level.param); });

TEST_F(GraderFailures, FullDisk) {
  if (::geteuid() != 0) GTEST_SKIP() << "mounting a small disk needs root";
  const std::string disk = folder_.file("disk");
  fs::create_directory(disk);
  if (::mount("small", disk.c_str(), "tmpfs", 0, "size=8k") != 0) GTEST_SKIP() << "no mount here";
  const std::string out = disk + "/v.jsonl";
  const auto result = test::run_process(grade(out));
  EXPECT_EQ(result.exit_code, 3) << result.err;
  EXPECT_NE(result.err.find("data."), std::string::npos) << result.err;
  expect_right(out, false);
  ::mount("small", disk.c_str(), "tmpfs", MS_REMOUNT, "size=8m");
  EXPECT_EQ(test::run_process(grade(out)).exit_code, 0);
  expect_right(out, true);
  ::umount2(disk.c_str(), MNT_DETACH);
}

TEST_F(GraderFailures, NoMoreProcessesIsInfra) {
  const std::string group = "/sys/fs/cgroup/pids/plumbline-test-" + std::to_string(::getpid());
  std::error_code error;
  if (!fs::create_directory(group, error)) GTEST_SKIP() << "no pids cgroup that can be written";
  const std::string out = folder_.file("v.jsonl");
  std::ofstream(group + "/pids.max") << 7;  // grader, its threads and two workers' servers, but not their submissions
  const std::vector<std::string> words = grade(out);
  std::string command = "echo $$ > " + group + "/cgroup.procs; exec";
  for (const std::string& word : words) command += " '" + word + "'";
  const auto starved = test::run_process({"/bin/sh", "-c", command});
  EXPECT_EQ(starved.exit_code, 5) << starved.err;
  expect_right(out, false);
  EXPECT_LT(num_rows(out), num_completions());
  EXPECT_EQ(test::run_process(words).exit_code, 0);
  expect_right(out, true);
  soon([&] { return fs::remove(group, error); });
}

}  // namespace
}  // namespace plumbline
