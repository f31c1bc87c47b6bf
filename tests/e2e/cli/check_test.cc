/// `plumbline check` as a user runs it.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "plumbline/base/file_system.h"
#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline::test {
namespace {

constexpr const char* kProblem =
    R"({"id": 1, "task": "code", "split": "train", "prompt": "add", "reference": "def f(a):\n    return a + 1\n", )"
    R"("entry_point": "f", "tests": [{"args": [1], "expected": 2}]})"
    "\n";

class CheckVerb : public ::testing::Test {
 protected:
  /// A preset over files of the test's own, with an HF folder whose safetensors holds `tensor_bytes` bytes of 16.
  std::string preset(size_t tensor_bytes = 16) const {
    const std::string header =
        R"({"model.layers.0.mlp.up_proj.weight":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}})";
    std::string file(8, '\0');
    file[0] = static_cast<char>(header.size());
    folder_.write("config.json", R"({"max_position_embeddings": 4096})");
    folder_.write("model.safetensors", file + header + std::string(tensor_bytes, '\0'));
    return folder_.write("mine.toml", "[model]\npath = '" + folder_.path() + "'\n[data]\nproblems = '" +
                                          folder_.write("problems.jsonl", kProblem) + "'\n");
  }
  ProcessResult check(std::vector<std::string> words) const {
    words.insert(words.begin(), {binary_path("plumbline"), "check"});
    return run_process(words, "", {}, folder_.path());
  }
  /// The line of one check, "" when there is none.
  static std::string line_of(const ProcessResult& result, const std::string& name) {
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) {
      if (line.size() > 6 && line.substr(6).starts_with(name + " ")) return line;
    }
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(CheckVerb, PrintsOneLineACheckAndNothingElse) {
  const ProcessResult result = check({});
  std::istringstream lines(result.out);
  int num_failed = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(line.starts_with("OK    ") || line.starts_with("FAIL  ") || line.starts_with("SKIP  ")) << line;
    if (line.starts_with("FAIL  ")) {
      ++num_failed;
      EXPECT_NE(line.find("; "), std::string::npos) << "no next step: " << line;
    }
  }
  EXPECT_EQ(result.exit_code, num_failed ? 1 : 0);
  EXPECT_EQ(result.err, "");
  for (const char* name : {"cores", "memory", "cache", "output", "gpu", "engine", "python", "isolation"}) {
    EXPECT_NE(line_of(result, name), "") << name;
  }
}

TEST_F(CheckVerb, SaysWhichIsolationAndWhy) {
  EXPECT_NE(line_of(check({}), "isolation").find("a trial submission ran"), std::string::npos);
  // A user namespace that may not have another one inside, and knows two ranges of ids: as in a container.
  const std::string script = folder_.write("inside.sh", R"sh(
mkfifo "$2"
unshare -U sh -c 'read go < "$1"
exec sh -c "echo 0 > /proc/sys/user/max_user_namespaces && exec \"\$0\" check" "$0"' "$1" "$2" &
for _ in $(seq 100); do
  [ "$(readlink /proc/$!/ns/user)" != "$(readlink /proc/$$/ns/user)" ] && break
  sleep 0.05
done
echo "0 0 65536" > /proc/$!/uid_map && echo "0 0 65536" > /proc/$!/gid_map
echo go > "$2"
wait $!
)sh");
  const ProcessResult result =
      test::run_process({"/bin/sh", script, test::binary_path("plumbline"), folder_.file("fifo")});
  if (line_of(result, "isolation").empty()) GTEST_SKIP() << "no such namespace here: " << result.err;
  const std::string line = line_of(result, "isolation");
  EXPECT_TRUE(line.starts_with("OK")) << line;
  EXPECT_NE(line.find("container+seccomp"), std::string::npos) << line;
  EXPECT_NE(line.find("not stronger: namespaces: "), std::string::npos) << line;
}

TEST_F(CheckVerb, FindsTheFilesOfAPreset) {
  const ProcessResult result = check({preset()});
  EXPECT_TRUE(line_of(result, "preset").starts_with("OK")) << result.out;
  EXPECT_TRUE(line_of(result, "problems").starts_with("OK")) << result.out;
  EXPECT_NE(line_of(result, "problems").find("1 in split 'train'"), std::string::npos) << result.out;
  EXPECT_TRUE(line_of(result, "model").starts_with("OK")) << result.out;
  EXPECT_NE(line_of(result, "model").find("1 tensors, 0.0M parameters"), std::string::npos) << result.out;
  EXPECT_TRUE(line_of(result, "fits").starts_with("OK")) << result.out;
}

TEST_F(CheckVerb, AContextBeyondTheModelsFails) {
  EXPECT_TRUE(line_of(check({preset()}), "context").starts_with("OK"));
  const ProcessResult result = check({preset(), "--set", "rollout.context_tokens=4097"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(line_of(result, "context").find("4097 of the model's 4096"), std::string::npos) << result.out;
}

TEST_F(CheckVerb, NamesWhatIsMissingAndExitsWithOne) {
  const auto fails = [&](const std::string& setting, const std::string& name, const std::string& text) {
    const ProcessResult result = check({preset(), "--set", setting});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_TRUE(line_of(result, name).starts_with("FAIL")) << result.out;
    EXPECT_NE(line_of(result, name).find(text), std::string::npos) << result.out;
    EXPECT_EQ(result.err, "");
  };
  fails("data.problems=/nowhere/p.jsonl", "problems", "data.missing_file");
  fails("data.split=none-such", "problems", "data.empty_split");
  fails("model.path=no-such-model", "model", "data.missing_model");
  fails("grade.python=/no/such/python", "python", "does not run");
  fails("grade.python=a'; touch made; '", "python", "does not run");
  fails("steer.pairs=/nowhere/pairs.jsonl", "pairs", "data.missing_file");
  fails("train.stepz=3", "preset", "did you mean train.steps?");
  EXPECT_FALSE(std::ifstream(folder_.file("made")).good()) << "a setting was run as a command";
}

TEST_F(CheckVerb, TruncatedWeightsFailWithThePlace) {
  const ProcessResult result = check({preset(7)});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(line_of(result, "model").find("data.truncated_file"), std::string::npos) << result.out;
  EXPECT_TRUE(line_of(result, "fits").starts_with("SKIP")) << result.out;
}

TEST_F(CheckVerb, AnOutputFolderThatCannotBeMadeFailsAndNothingIsLeft) {
  folder_.write("file", "");
  EXPECT_TRUE(line_of(check({"--out", folder_.file("file/out")}), "output").starts_with("FAIL"));
  EXPECT_TRUE(line_of(check({"--out", "/proc/out"}), "output").starts_with("FAIL"));
  EXPECT_TRUE(line_of(check({"--out", folder_.file("new/out")}), "output").starts_with("OK"));
  EXPECT_FALSE(std::ifstream(folder_.file("new")).good());
}

TEST_F(CheckVerb, DryRunPrintsThePresetThatItReadsBack) {
  const ProcessResult first = check({preset(), "--dry-run", "--set", "train.lr=2e-3"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_NE(first.out.find("\nlr = 0.002\n"), std::string::npos);
  EXPECT_EQ(check({folder_.write("again.toml", first.out), "--dry-run"}).out, first.out);

  const ProcessResult wrong = check({preset(), "--dry-run", "--set", "adapter.merge_rounding=up"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_EQ(wrong.out, "");
  EXPECT_EQ(wrong.err,
            "config.not_allowed: adapter.merge_rounding cannot be \"up\" (--set adapter.merge_rounding=up); one of: "
            "stochastic, nearest, split, unmerged\n");
}

TEST_F(CheckVerb, ReferenceIsThePageInDocs) {
  EXPECT_EQ(check({"--reference"}).out, read_file(source_path("docs/reference/preset_keys.md")));
}

}  // namespace
}  // namespace plumbline::test
