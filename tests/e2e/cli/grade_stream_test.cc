/// grade as a service to other trainers, and files that reruns complete.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <thread>

#include "plumbline/base/file_system.h"
#include "plumbline/base/json.h"
#include "tests/support/process.h"
#include "tests/support/shared_files.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

using testing::HasSubstr;

constexpr const char* kProblem =
    R"({"id": "double", "prompt": "Double x.", "entry_point": "double", "tests": [{"args": [2], "expected": 4}]})"
    "\n";

std::string completion(int64_t sample, const std::string& code) {
  return to_json_line(Json{{"problem_id", "double"},
                           {"sample", sample},
                           {"completion", "```python\n" + code + "\n```"},
                           {"request_id", "r" + std::to_string(sample)}}) +
         "\n";
}
std::string right(int64_t sample) {
  return completion(sample, "def double(x):\n    return 2 * x  # " + std::to_string(sample));
}

/// Rows without what may differ between runs.
std::vector<Json> rows(const std::string& text) {
  std::vector<Json> parsed;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    Json row = parse_json(line, "output");
    row.erase("cpu_ms");
    row.erase("wall_ms");
    parsed.push_back(std::move(row));
  }
  return parsed;
}

class GradeStream : public testing::Test {
 protected:
  test::ProcessResult plumbline(std::vector<std::string> words, const std::string& input = "") {
    words.insert(words.begin(), test::binary_path("plumbline"));
    return test::run_process(words, input);
  }
  /// A Python program that talks to grade as another trainer would; PLUMBLINE and PROBLEMS name what it needs.
  test::ProcessResult python(const std::string& program, const std::string& examples = "") {
    return test::run_process({"python3", "-c", program}, "",
                             {{"PLUMBLINE", test::binary_path("plumbline")},
                              {"PROBLEMS", problems_},
                              {"PLUMBLINE_PROBLEMS", problems_},
                              {"PYTHONDONTWRITEBYTECODE", "1"},
                              {"PYTHONPATH", examples}},
                             folder_.path());
  }
  test::TemporaryFolder folder_;
  const std::string problems_ = folder_.write("problems.jsonl", kProblem);
};

TEST_F(GradeStream, NobodyWaitsForAnother) {
  const auto result = plumbline({"grade", problems_, "-", "--workers", "2"},
                                completion(0, "import time\ntime.sleep(1.5)\ndef double(x): return 4") + right(1));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto verdicts = rows(result.out);
  ASSERT_EQ(verdicts.size(), 2u);
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one core, one worker";
  EXPECT_EQ(verdicts[0]["request_id"], "r1");
}

TEST_F(GradeStream, AnswersBeforeTheNextQuestionIsThere) {
  const auto result = python(R"PY(
import json, os, subprocess
g = subprocess.Popen([os.environ["PLUMBLINE"], "grade", os.environ["PROBLEMS"], "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
for n in range(5):
    row = json.dumps({"problem_id": "double", "sample": 0, "request_id": n, "completion": "```python\ndef double(x): return x + x\n```"})
    g.stdin.write(row[:20]); g.stdin.flush()
    g.stdin.write(row[20:] + "\n"); g.stdin.flush()
    verdict = json.loads(g.stdout.readline())
    assert verdict["request_id"] == n and verdict["outcome"] == "pass", verdict
g.stdin.write('{"problem_id": "dou'); g.stdin.close()
assert g.stdout.read() == ""
assert g.wait() == 3, g.wait()
)PY");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("data.truncated_file"));
}

TEST_F(GradeStream, EndsWhenNobodyReadsThoughItsInputStaysOpen) {
  const auto result = python(R"PY(
import json, os, subprocess, time
g = subprocess.Popen([os.environ["PLUMBLINE"], "grade", os.environ["PROBLEMS"], "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
g.stdin.write(json.dumps({"problem_id": "double", "completion": "```python\ndef double(x): return x + x\n```"}) + "\n"); g.stdin.flush()
g.stdout.readline()
g.stdout.close()
g.wait(20)
)PY");
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(GradeStream, ManyQuestionsBeforeTheFirstAnswerIsReadHoldLittleMemory) {
  const auto result = python(R"PY(
import json, os, subprocess, threading, time
g = subprocess.Popen([os.environ["PLUMBLINE"], "grade", os.environ["PROBLEMS"], "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
row = json.dumps({"problem_id": "double", "completion": "no code " + "x" * 100000}) + "\n"
def send():
    for _ in range(3000): g.stdin.write(row)
    g.stdin.close()
writer = threading.Thread(target=send); writer.start()
time.sleep(1.0)
rss = int(next(l for l in open(f"/proc/{g.pid}/status") if l.startswith("VmRSS")).split()[1])
assert rss < 100_000, rss  # 300 MB stand ready
count = sum(1 for _ in g.stdout)
assert count == 3000 and g.wait() == 0, count
)PY");
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(GradeStream, TheExampleForTrlServesATrainer) {
  const auto result = python(R"PY(
import os
from trl_reward import PlumblineReward
reward = PlumblineReward(os.environ["PROBLEMS"], program=os.environ["PLUMBLINE"])
good, bad = "```python\ndef double(x): return x + x\n```", "```python\ndef double(x): return 5\n```"
for step in range(3):  # as TRL calls it: messages or text, every column, token ids
    texts = [good, bad] * 40
    prompts = [[{"role": "user", "content": "p"}]] * 80
    completions = [[{"role": "assistant", "content": text}] for text in texts]
    assert reward(prompts=prompts, completions=completions, completion_ids=[[1]] * 80, id=["double"] * 80, trainer_state=None) == [1.0, -1.0] * 40
    assert reward(prompts=["p"], completions=[bad], completion_ids=[[1]], id=["double"]) == [-1.0]
)PY",
                             test::source_path("examples"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(GradeStream, TheExampleForVerlServesManyThreads) {
  const auto result = python(R"PY(
from concurrent.futures import ThreadPoolExecutor
from verl_reward import compute_score
good, bad = "```python\ndef double(x): return x + x\n```", "```python\ndef double(x): return 5\n```"
with ThreadPoolExecutor(8) as pool:
    calls = [pool.submit(compute_score, "code", text, None, {"id": "double"}) for text in [good, bad] * 30]
    assert [call.result()["score"] for call in calls] == [1.0, -1.0] * 30
assert compute_score(data_source="code", solution_str=good, ground_truth="", extra_info={"id": "double"})["acc"] is True
)PY",
                             test::source_path("examples"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

class GradeFile : public GradeStream {
 protected:
  std::string many(int64_t count) {
    std::string text;
    for (int64_t i = 0; i < count; ++i) {
      text += i % 7 == 3 ? completion(i, "import time\ntime.sleep(0.05)\ndef double(x): return 5") : right(i);
    }
    return folder_.write("completions.jsonl", text);
  }
  std::vector<std::string> words(const std::string& completions, const std::string& out) {
    return {test::binary_path("plumbline"), "grade", problems_, completions, "--out", out};
  }
};

TEST_F(GradeFile, BytesDoNotDependOnTheNumberOfWorkers) {
  const std::string completions = many(40);
  const auto one = plumbline({"grade", problems_, completions, "--workers", "1"});
  const auto two = plumbline({"grade", problems_, completions, "--workers", "2"});
  ASSERT_EQ(one.exit_code, 0) << one.err;
  const auto verdicts = rows(one.out);
  ASSERT_EQ(verdicts.size(), 40u);
  EXPECT_EQ(verdicts, rows(two.out));
  for (size_t i = 0; i < verdicts.size(); ++i) EXPECT_EQ(verdicts[i]["sample"], i);
}

/// Killed at any moment and run again, a file ends as one that was never disturbed: no row lost, none twice.
TEST_F(GradeFile, KilledAnywhereItIsCompleted) {
  const std::string completions = many(60), out = folder_.file("out.jsonl"), whole = folder_.file("whole.jsonl");
  ASSERT_EQ(test::run_process(words(completions, whole)).exit_code, 0);
  std::mt19937 random(3);
  for (int round = 0; round < 6; ++round) {
    test::BackgroundProcess process(words(completions, out));
    std::this_thread::sleep_for(std::chrono::milliseconds(50 + random() % 700));
    process.send(SIGKILL);
    process.wait();
    // A write that the kernel cut: half of a row that is not there yet.
    if (std::filesystem::exists(out) && round % 2 == 0) std::ofstream(out, std::ios::app) << R"({"problem_id":"dou)";
  }
  ASSERT_EQ(test::run_process(words(completions, out)).exit_code, 0);
  EXPECT_EQ(rows(read_file(out)), rows(read_file(whole)));
}

TEST_F(GradeFile, OtherSettingsAreRefusedByName) {
  const std::string completions = folder_.write("completions.jsonl", right(0)), out = folder_.file("out.jsonl");
  auto grade = words(completions, out);
  ASSERT_EQ(test::run_process(grade).exit_code, 0);
  const std::string before = read_file(out);
  const auto refused = [&](std::vector<std::string> more) {
    std::vector<std::string> all = grade;
    all.insert(all.end(), more.begin(), more.end());
    const auto result = test::run_process(all);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    return result.err;
  };
  EXPECT_THAT(refused({"--memory-mib", "512"}), HasSubstr("memory_mib: 1024 -> 512"));
  EXPECT_THAT(refused({"--reward", "signed"}), HasSubstr("reward: \"loophole\" -> \"signed\""));
  grade[2] = folder_.write(
      "other.jsonl",
      R"({"id": "double", "prompt": "p", "entry_point": "double", "tests": [{"args": [2], "expected": 5}]})");
  EXPECT_THAT(refused({}), HasSubstr("problems: "));
  grade[2] = problems_;
  EXPECT_EQ(read_file(out), before);
  EXPECT_EQ(test::run_process(words(completions, out)).exit_code, 0);
  std::vector<std::string> faster = words(completions, out);
  faster.insert(faster.end(), {"--workers", "1", "--cache", folder_.file("cache")});
  EXPECT_EQ(test::run_process(faster).exit_code, 0);  // changes nothing about a verdict
  std::filesystem::remove(out + ".settings.json");
  EXPECT_THAT(refused({}), HasSubstr("config.out_differs"));
}

TEST_F(GradeFile, TwoWritersOfOneFileAreRefused) {
  const std::string slow =
      folder_.write("slow.jsonl", completion(0, "import time\ntime.sleep(9)\ndef double(x): return 4"));
  const std::string out = folder_.file("out.jsonl");
  test::BackgroundProcess first(words(slow, out));
  for (int i = 0; i < 200 && !std::filesystem::exists(out + ".settings.json"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const auto second = test::run_process(words(slow, out));
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_THAT(second.err, HasSubstr("config.out_in_use"));
  first.send(SIGINT);
  EXPECT_EQ(first.wait(), 130);
}

class GradeCustom : public GradeStream {
 protected:
  GradeCustom() {
    folder_.write("rewards.py", R"PY(
import re
def correct(completions, answer, **kwargs):
    print("chatter")
    return [None if a is None else float(a in c[0]["content"]) for c, a in zip(completions, answer)]
def short(completions, **kwargs):
    return [1.0 - len(c[0]["content"]) / 10 for c in completions]
def broken(completions, **kwargs):
    raise KeyError("no such column")
)PY");
    std::string problems, completions;
    for (int i = 0; i < 3; ++i) {
      problems += to_json_line(Json{{"id", i},
                                    {"task", "custom"},
                                    {"prompt", {{{"role", "user"}, {"content", "q"}}}},
                                    {"answer", i == 2 ? Json(nullptr) : Json(std::to_string(i))}}) +
                  "\n";
      completions += to_json_line(Json{{"problem_id", i}, {"sample", 0}, {"completion", "1"}}) + "\n";
    }
    custom_ = folder_.write("custom.jsonl", problems);
    completions_ = folder_.write("completions.jsonl", completions);
  }
  std::string reward(const std::string& name) { return folder_.file("rewards.py") + ":" + name; }
  std::string custom_, completions_;
};

TEST_F(GradeCustom, FunctionsAreWeighedAndSummarised) {
  for (const char* input : {"file", "stream"}) {
    std::vector<std::string> words = {"grade", custom_, input == std::string("file") ? completions_ : "-"};
    words.insert(words.end(), {"--rewards", reward("correct"), "--rewards", reward("short"), "--reward-weights", "2",
                               "--reward-weights", "1"});
    const auto result = plumbline(words, read_file(completions_));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    std::map<int64_t, Json> by_id;
    for (const Json& row : rows(result.out)) by_id[row["problem_id"].get<int64_t>()] = row;
    EXPECT_DOUBLE_EQ(by_id[0]["reward"], 0.9);
    EXPECT_DOUBLE_EQ(by_id[1]["reward"], 2.9);
    EXPECT_DOUBLE_EQ(by_id[2]["reward"], 0.9);
    EXPECT_EQ(by_id[2]["rewards"]["correct"], nullptr);
    EXPECT_EQ(by_id[1]["outcome"], "pass");
    EXPECT_THAT(result.err, HasSubstr("reward correct: mean 0.5, std 0.7071, not applicable 1"));
    EXPECT_THAT(result.err, HasSubstr("reward short: mean 0.9, std 0, not applicable 0"));
  }
}

/// A server of its own for each case; `reply` is the body of do_POST with `rows`, `n` (calls so far) and `send(status,
/// object)`.
class GradeEndpoint : public GradeCustom {
 protected:
  test::ProcessResult grade(const std::string& reply) {
    return python(R"PY(
import http.server, json, os, subprocess, sys, threading
class Handler(http.server.BaseHTTPRequestHandler):
    calls = 0
    def log_message(self, *arguments): pass
    def do_POST(self):
        rows = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["rows"]
        Handler.calls += 1
        n = Handler.calls
        def send(status, body):
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status); self.send_header("Content-Length", str(len(data))); self.send_header("Retry-After", "0"); self.end_headers()
            self.wfile.write(data)
)PY"
                  "        " +
                  reply + R"PY(
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
done = subprocess.run([os.environ["PLUMBLINE"], "grade", "custom.jsonl", "completions.jsonl", "--rewards", f"rm=http://127.0.0.1:{server.server_port}/score"], env={**os.environ, "NO_PROXY": "*"})
print(f"calls {Handler.calls}", file=sys.stderr)
sys.exit(done.returncode)
)PY");
  }
};

TEST_F(GradeEndpoint, AnswersAndTriesAgain) {
  const auto result = grade(
      R"(send(200, {"answers": [{"reward": r["row"]["id"] / 2, "passed": True} for r in rows]}) if n > 2 else send(503, {}))");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto verdicts = rows(result.out);
  ASSERT_EQ(verdicts.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(verdicts[i]["reward"], i / 2.0);
  EXPECT_EQ(verdicts[0]["outcome"], "pass");
  EXPECT_THAT(result.err, HasSubstr("calls 3"));
}

TEST_F(GradeEndpoint, WhatIsNoAnswerIsInfra) {
  for (const char* reply : {R"(send(403, {}))", R"(send(200, b""))", R"(send(200, b'{"answers": [{"rew'))",
                            R"(send(200, {"answers": []}))", R"(send(200, {"answers": [{"reward": "1"}] * 3}))"}) {
    const auto result = grade(reply);
    EXPECT_EQ(result.exit_code, 5) << result.err;
    for (const Json& verdict : rows(result.out)) {
      EXPECT_EQ(verdict["outcome"], "infra") << reply;
      EXPECT_TRUE(verdict["reward"].is_null());
      EXPECT_THAT(verdict["detail"].get<std::string>(), testing::Not(HasSubstr("the program ended"))) << reply;
    }
  }
}

TEST_F(GradeCustom, ARewardThatFailsIsNoZero) {
  const std::string out = folder_.file("out.jsonl");
  const auto result = plumbline({"grade", custom_, completions_, "--rewards", reward("broken"), "--out", out});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_THAT(result.err, HasSubstr("KeyError: 'no such column'"));
  EXPECT_EQ(read_file(out), "");  // a rerun grades them
}

TEST_F(GradeCustom, AChangedRewardFileIsRefusedOnRerun) {
  const std::string out = folder_.file("out.jsonl");
  const std::vector<std::string> words = {"grade", custom_, completions_, "--rewards", reward("short"), "--out", out};
  ASSERT_EQ(plumbline(words).exit_code, 0);
  EXPECT_EQ(plumbline(words).exit_code, 0);
  std::ofstream(folder_.file("rewards.py"), std::ios::app) << "# changed\n";
  const auto result = plumbline(words);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("rewards.py"));
}

TEST_F(GradeCustom, WhatNobodyGradesIsRefused) {
  const auto result = plumbline({"grade", custom_, completions_});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("config.no_grader"));
  EXPECT_EQ(plumbline({"grade", custom_, completions_, "--reward", "custom"}).exit_code, 2);
  EXPECT_EQ(plumbline({"grade", custom_, completions_, "--rewards", "what"}).exit_code, 2);
  EXPECT_EQ(
      plumbline({"grade", custom_, completions_, "--rewards", reward("short"), "--reward-weights", "x"}).exit_code, 2);
}

TEST_F(GradeStream, LimitsAreThoseOfThePresetKeys) {
  const auto message = [&](const std::string& option, const std::string& value) {
    const auto result = plumbline({"grade", problems_, "-", option, value});
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_THAT(message("--memory-mib", "15"), HasSubstr("[16, 1048576]"));
  EXPECT_THAT(message("--output-kib", "7"), HasSubstr("[8, 1048576]"));
  EXPECT_THAT(message("--processes", "0"), HasSubstr("[1, 4096]"));
  EXPECT_THAT(message("--cpu-s", "nan"), HasSubstr("(0, 3600]"));
  EXPECT_THAT(message("--wall-factor", "0.5"), HasSubstr("[1, 100]"));
}

}  // namespace
}  // namespace plumbline
