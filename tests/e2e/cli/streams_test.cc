/// What a name can be besides a file of bytes, and an output that takes nothing: one line and the documented exit code,
/// never a wait without end and never a success.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

using test::ProcessResult;
using testing::HasSubstr;

constexpr const char* kProblems =
    R"({"id": 1, "task": "code", "prompt": "Write double(x).", "entry_point": "double", "reference": "def double(x):\n    return 2 * x\n", "tests": [{"args": [2], "expected": 4}]})"
    "\n";
constexpr const char* kCompletions =
    R"({"problem_id": 1, "sample": 0, "completion": "```python\ndef double(x):\n    return x + x\n```"})"
    "\n";

/// A command of the shell in which "$p" is plumbline; it may take ten seconds.
ProcessResult shell(const std::string& command) {
  return test::run_process(
      {"timeout", "10", "/bin/sh", "-c", command}, "",
      {{"p", test::binary_path("plumbline")}, {"PLUMBLINE_PROGRESS", "off"}, {"PLUMBLINE_LOG", "error"}});
}

class Streams : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::mkfifo(pipe_.c_str(), 0600), 0); }
  /// The path of a preset of its own.
  std::string judge_preset(const std::string& name, const std::string& problems, const std::string& answers) {
    return folder_.write(name, "[data]\nproblems = \"" + problems + "\"\n[judge]\njudges = [\"local:m\"]\n" +
                                   "answers = [\"a=" + answers + "\"]\n");
  }

  test::TemporaryFolder folder_;
  const std::string pipe_ = folder_.file("pipe.jsonl"), problems_ = folder_.write("problems.jsonl", kProblems),
                    completions_ = folder_.write("completions.jsonl", kCompletions);
};

TEST_F(Streams, ANamedPipeOrADeviceInThePlaceOfAFileIsRefusedAtOnce) {
  const std::string out = " --out " + folder_.file("out");
  const std::string commands[] = {
      "grade @ " + completions_,
      "grade " + problems_ + " @",
      "validate @",
      "compare @",
      "judge @",
      "judge " + folder_.file("problems@.toml") + out,
      "judge " + folder_.file("answers@.toml") + out,
      "teach @",
      "doctor --follow @ --problems " + problems_,
      "doctor --follow " + completions_ + " --problems @",
  };
  for (const std::string& special : {pipe_, std::string("/dev/zero")}) {
    judge_preset("problems-in.toml", special, completions_);
    judge_preset("answers-in.toml", problems_, special);
    for (std::string command : commands) {
      for (size_t at = command.find('@'); at != std::string::npos; at = command.find('@')) {
        command.replace(at, 1, command.substr(at + 1, 5) == ".toml" ? "-in" : special);
      }
      const ProcessResult result = shell("\"$p\" " + command);
      EXPECT_EQ(result.exit_code, 3) << command << "\n" << result.err;
      EXPECT_THAT(result.err, HasSubstr("data.unreadable_file: cannot be read: it is a ")) << command;
      EXPECT_THAT(result.err, HasSubstr("give a regular file")) << command;
      EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    }
  }
}

TEST_F(Streams, DoctorNamesWhatIsNoFileAndReadsTheRest) {
  const ProcessResult alone = shell("\"$p\" doctor " + pipe_);
  EXPECT_EQ(alone.exit_code, 3) << alone.err;
  EXPECT_THAT(alone.out, HasSubstr("reason: cannot be read: it is a pipe"));
  const std::string rows = folder_.write("rows.jsonl", "{\"id\": 1, \"passed\": true, \"completion\": \"x\"}\n");
  const ProcessResult beside = shell("\"$p\" doctor " + rows + " /dev/zero");
  EXPECT_EQ(beside.exit_code, 1) << beside.err;
  EXPECT_THAT(beside.out, HasSubstr("reason: cannot be read: it is a device"));
}

TEST_F(Streams, ARunFolderWithPipesInThePlaceOfItsFilesEnds) {
  const std::string run = folder_.file("run");
  ASSERT_EQ(::mkdir(run.c_str(), 0700), 0);
  for (const char* name : {"steps.tsv", "rollouts.jsonl", "provenance.json", "resolved.toml", "metrics.jsonl"}) {
    ASSERT_EQ(::mkfifo((run + "/" + name).c_str(), 0600), 0);
  }
  EXPECT_EQ(shell("\"$p\" doctor " + run).exit_code, 3);
  EXPECT_EQ(shell("\"$p\" report " + run).exit_code, 3);
}

// Files are read twice: what comes through a pipe would be counted, and then be gone.
TEST_F(Streams, APipeOfTheShellIsRefusedAndADashReadsIt) {
  const ProcessResult refused = shell("cat " + completions_ + " | \"$p\" grade " + problems_ + " /dev/stdin");
  EXPECT_EQ(refused.exit_code, 3) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("data.unreadable_file: cannot be read: it is a pipe"));
  const ProcessResult read = shell("cat " + completions_ + " | \"$p\" grade " + problems_ + " -");
  EXPECT_EQ(read.exit_code, 0) << read.err;
  EXPECT_THAT(read.out, HasSubstr("\"outcome\":\"pass\""));
}

TEST_F(Streams, OutputThatCannotBeWrittenIsNoSuccess) {
  const std::string rows = folder_.write("rows.jsonl", "{\"id\": 1, \"passed\": true, \"completion\": \"x\"}\n");
  const std::string judge = judge_preset("judge.toml", problems_, completions_);
  const std::string commands[] = {
      "--help",
      "grade --help",
      "check --reference",
      "check",
      "judge " + judge + " --dry-run",
      "validate " + problems_,
      "grade " + problems_ + " " + completions_,
      "doctor " + rows,
      "doctor --json " + rows,
      "doctor --follow " + completions_ + " --problems " + problems_ + " --once",
  };
  for (const std::string& command : commands) {
    const ProcessResult full = shell("\"$p\" " + command + " > /dev/full");
    EXPECT_EQ(full.exit_code, 3) << command << "\n" << full.err;
    EXPECT_THAT(full.err, HasSubstr("data.unwritable: cannot be written")) << command;
    const ProcessResult closed = shell("\"$p\" " + command + " >&-");
    EXPECT_EQ(closed.exit_code, 3) << command << "\n" << closed.err;
  }
}

}  // namespace
}  // namespace plumbline
