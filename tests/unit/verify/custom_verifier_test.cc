/// Rewards of users' own: functions as TRL users write them, programs, weights, and everything that goes wrong in them.
#include "plumbline/verify/custom/custom_verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/verify/labels.h"
#include "tests/support/temporary_folder.h"

namespace plumbline {
namespace {

using testing::HasSubstr;

/// Reward functions in the shapes of public ones: regular expressions over messages, columns as keyword arguments,
/// lengths in tokens, asynchronous calls, arrays, callable objects.
constexpr const char* kRewards = R"PY(
import asyncio, os, re, sys, time

def format_reward(completions, **kwargs):
    pattern = r"^<think>.*?</think>\s*<answer>.*?</answer>$"
    contents = [completion[0]["content"] for completion in completions]
    return [1.0 if re.match(pattern, content, re.DOTALL) else 0.0 for content in contents]

def accuracy_reward(completions: list[list[dict[str, str]]], answer: list[str], **kwargs) -> list:
    rewards = []
    for completion, gold in zip(completions, answer):
        found = re.search(r"<answer>(.*?)</answer>", completion[0]["content"])
        rewards.append(None if gold is None else float(bool(found) and found.group(1).strip() == str(gold)))
    return rewards

def plain_length(prompts, completions, completion_ids, **kwargs):
    assert all(isinstance(text, str) for text in prompts + completions)
    return [-len(ids) / 10 for ids in completion_ids]

async def slow_reward(completions, **kwargs):
    await asyncio.sleep(0.001)
    return await asyncio.gather(*[one(c) for c in completions])

async def one(completion):
    return len(completion[0]["content"])

class Counter:
    def __init__(self): self.calls = 0
    def __call__(self, completions, **kwargs):
        self.calls += 1
        return [self.calls] * len(completions)
counter = Counter()

class Array:
    def __init__(self, values): self.values = values
    def tolist(self): return self.values
def array(completions, **kwargs): return Array([2] * len(completions))

def company(completions, **kwargs):
    return [len(completions)] * len(completions)

def order(completions, **kwargs):
    return [float(c[0]["content"] >= completions[0][0]["content"]) for c in completions]

def see_arguments(prompts, completions, completion_ids, **kwargs):
    assert prompts == [[{"role": "system", "content": "s"}, {"role": "user", "content": "q"}]], prompts
    assert completions == [[{"role": "assistant", "content": "prefill and text"}]], completions
    assert completion_ids == [[5, 6]], completion_ids
    assert kwargs["big"] == [123456789012345678901234567890] and kwargs["nested"] == [{"a": [1, None]}]
    assert kwargs["id"] == [1] and "prompt" not in kwargs
    return [1]

def raises(completions, **kwargs): raise ValueError("boom \x1b[31m")
def raises_on_x(completions, **kwargs):
    if any("x" in c[0]["content"] for c in completions): raise ValueError("an x")
    return [1.0] * len(completions)
def not_a_number(completions, **kwargs): return [float("nan")] + [1.0] * (len(completions) - 1)
def infinite(completions, **kwargs): return [float("inf")] * len(completions)
def too_few(completions, **kwargs): return [1.0] * (len(completions) - 1)
def returns_one(completions, **kwargs): return 1.0
def returns_text(completions, **kwargs): return ["1.0"] * len(completions)
def returns_none(completions, **kwargs): return None
def not_applicable(completions, **kwargs): return [None] * len(completions)
def exits(completions, **kwargs): sys.exit(3)
def dies(completions, **kwargs):
    print("last words", file=sys.stderr)
    os._exit(7)
def hangs(completions, **kwargs): time.sleep(3600)
def dies_once(completions, marker, **kwargs):
    if not os.path.exists(marker[0]):
        open(marker[0], "w").close()
        os.kill(os.getpid(), 9)
    return [4.0] * len(completions)
def prints(completions, **kwargs):
    print('{"id": "x", "answers": [{"reward": 99}]}' * 2000, flush=True)
    os.write(1, b'{"reward": 99}\n' * 5000)
    os.system("echo from a child")
    return [1.0] * len(completions)
def forks(completions, **kwargs):
    os.fork()  # both come back
    return [1.0] * len(completions)
def forks_and_hangs(completions, **kwargs):
    if os.fork() == 0:
        time.sleep(3600)
    return [1.0] * len(completions)
not_callable = 3
)PY";

/// Grades nothing: says of every code problem what the test wants.
class FixedCode final : public Verifier {
 public:
  void submit(GradeRequest request, OnAnswer on_answer) override {
    Verdict verdict;
    verdict.problem_id = request.problem->id;
    verdict.sample = request.sample;
    verdict.outcome = outcome;
    verdict.compiles = true;
    verdict.hinted_pass = true;
    verdict.tester.defined = true;
    conclude(verdict, "signed");
    on_answer({verdict, nullptr});
  }
  Outcome outcome = Outcome::kWrong;
};

class CustomRewards : public testing::Test {
 protected:
  CustomRewards() {
    folder_.write("rewards.py", kRewards);
    options_.reward = "custom";
    options_.reward_timeout_s = 20;
    options_.reward_batch = 64;
    problem("");
  }
  std::string at(const std::string& function) const { return folder_.file("rewards.py") + ":" + function; }

  /// `members`: further members of the row.
  Problem& problem(const std::string& members, const std::string& prompt = R"([{"role":"user","content":"q"}])") {
    const std::string row =
        R"({"id":1,"task":"custom","prompt":)" + prompt + (members.empty() ? "" : ",") + members + "}";
    problem_ = parse_problem(row, "test");
    problem_.row = row;
    return problem_;
  }
  std::vector<Verdict> grade(const std::vector<std::string>& texts, std::vector<int64_t> token_ids = {}) {
    std::vector<GradeRequest> requests;
    for (const std::string& text : texts) requests.push_back({&problem_, 0, text, token_ids});
    CustomVerifier verifier(options_, std::make_unique<FixedCode>());
    return verifier.grade(requests);
  }
  std::vector<std::optional<double>> rewards(const std::vector<std::string>& texts) {
    std::vector<std::optional<double>> values;
    for (const Verdict& verdict : grade(texts)) values.push_back(verdict.reward);
    return values;
  }
  /// The detail of the one verdict, which must be infra without a reward.
  std::string failure_of(const std::string& function) {
    options_.rewards = {at(function)};
    const Verdict verdict = grade({"text"}).at(0);
    EXPECT_EQ(verdict.outcome, Outcome::kInfra) << function;
    EXPECT_EQ(verdict.reward, std::nullopt) << function;
    EXPECT_TRUE(verdict.rewards.empty()) << function;
    return verdict.detail;
  }

  const test::TemporaryFolder folder_;
  GradeOptions options_;
  Problem problem_;
};

using Values = std::vector<std::optional<double>>;

TEST_F(CustomRewards, FunctionsOfTrlRunUnchanged) {
  problem(R"("answer":"4")");
  const std::vector<std::string> texts = {"<think>a</think><answer>4</answer>", "<think>a</think><answer>5</answer>",
                                          "4"};
  options_.rewards = {at("format_reward")};
  EXPECT_EQ(rewards(texts), (Values{1, 1, 0}));
  options_.rewards = {at("accuracy_reward")};
  EXPECT_EQ(rewards(texts), (Values{1, 0, 0}));
  options_.rewards = {at("slow_reward")};
  EXPECT_EQ(rewards({"", "a", "ab"}), (Values{0, 1, 2}));
  options_.rewards = {at("array")};
  EXPECT_EQ(rewards({"", ""}), (Values{2, 2}));
  options_.rewards = {"n=" + at("counter")};
  EXPECT_EQ(rewards({"", ""}), (Values{1, 1}));
}

TEST_F(CustomRewards, PlainPromptsStayStrings) {
  problem("", R"("what?")");
  options_.rewards = {at("plain_length")};
  EXPECT_EQ(grade({"text"}, {1, 2, 3})[0].reward, -0.3);
}

TEST_F(CustomRewards, ArgumentsAreThoseOfTrl) {
  problem(
      R"("big":123456789012345678901234567890,"nested":{"a":[1,null]})",
      R"([{"role":"system","content":"s"},{"role":"user","content":"q"},{"role":"assistant","content":"prefill "}])");
  options_.rewards = {at("see_arguments")};
  const auto verdicts = grade({"and text"}, {5, 6});
  EXPECT_EQ(verdicts[0].reward, 1) << verdicts[0].detail;
}

TEST_F(CustomRewards, ModulesAreImportedFromTheWorkingFolder) {
  options_.rewards = {"json:JSONEncoder.nothing"};
  EXPECT_THROW(grade({"x"}), SandboxError);
  options_.rewards = {"n=operator:length_hint"};  // callable, takes no keyword arguments
  EXPECT_EQ(grade({"x"})[0].outcome, Outcome::kInfra);
}

TEST_F(CustomRewards, TheSumIsOverThoseThatApplyAndWeightsAreNotRenormalised) {
  problem(R"("answer":null)");
  options_.rewards = {at("format_reward"), at("accuracy_reward"), at("company")};
  options_.reward_weights = {0.5, 100, -1};
  const Verdict verdict = grade({"<think>a</think><answer>4</answer>"}).at(0);
  EXPECT_EQ(verdict.reward, 0.5 * 1 - 1 * 1);
  EXPECT_EQ(verdict.rewards,
            (std::vector<NamedReward>{{"format_reward", 1}, {"accuracy_reward", std::nullopt}, {"company", 1}}));
}

TEST_F(CustomRewards, NoRewardThatAppliesIsNoRewardAndNotZero) {
  EXPECT_THAT(failure_of("not_applicable"), HasSubstr("no reward applies"));
  options_.rewards = {"signed"};  // a problem without code
  EXPECT_EQ(grade({"x"})[0].outcome, Outcome::kInfra);
}

TEST_F(CustomRewards, ProblemsWithoutTestsPassFromAThreshold) {
  options_.rewards = {at("company")};
  options_.pass_reward = 2;
  EXPECT_EQ(grade({"a"})[0].outcome, Outcome::kWrong);
  const Verdict passed = grade({"a", "b"})[0];
  EXPECT_EQ(passed.outcome, Outcome::kPass);
  EXPECT_EQ(passed.label, Label::kCorrect);
  EXPECT_EQ(passed.method, "custom");
}

TEST_F(CustomRewards, CodeKeepsItsTrustedGradeWhateverRewardsSay) {
  problem_ = parse_problem(R"({"id":1,"prompt":"p","entry_point":"f","tests":[{"args":[],"expected":1}]})", "test");
  options_.rewards = {"loophole", "signed", at("company")};
  options_.reward_weights = {1, 1, 10};
  const Verdict verdict = grade({"x"}).at(0);
  EXPECT_EQ(verdict.outcome, Outcome::kWrong);
  EXPECT_EQ(verdict.label, Label::kRewardHack);
  EXPECT_EQ(verdict.rewards, (std::vector<NamedReward>{{"loophole", 3.5}, {"signed", -1}, {"company", 1}}));
  EXPECT_EQ(verdict.reward, 3.5 - 1 + 10);
}

TEST_F(CustomRewards, BatchesAreMadeUpByIndex) {
  options_.rewards = {at("company")};
  options_.reward_batch = 4;
  options_.reward_workers = 2;
  const std::vector<std::string> texts(10, "t");
  EXPECT_EQ(rewards(texts), (Values{4, 4, 4, 4, 4, 4, 4, 4, 2, 2}));
  options_.reward_batch = 0;
  EXPECT_EQ(rewards(texts), Values(10, 10));
  // Handed over in another order, the batch stands in the order of the indices.
  options_.rewards = {at("order")};
  CustomVerifier verifier(options_, nullptr);
  std::map<int64_t, double> values;
  for (const int64_t index : {2, 0, 1}) {
    verifier.submit(
        {&problem_, 0, std::string(1, static_cast<char>('a' + index)), {}, index},
        [&values, index](const GradeAnswer& answer) { values[index] = answer.verdict.reward.value_or(-1); });
  }
  verifier.flush();
  while (verifier.grade({}).size() != 0 || values.size() < 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(values, (std::map<int64_t, double>{{0, 1}, {1, 1}, {2, 1}}));
}

TEST_F(CustomRewards, ExceptionsAreInfraWithTheirTraceback) {
  const std::string detail = failure_of("raises");
  EXPECT_THAT(detail, HasSubstr("ValueError: boom"));
  EXPECT_THAT(detail, HasSubstr("rewards.py"));
  EXPECT_EQ(detail.find('\x1b'), std::string::npos);
  EXPECT_THAT(failure_of("exits"), HasSubstr("SystemExit: 3"));
}

TEST_F(CustomRewards, WhatIsNoListOfNumbersIsInfra) {
  EXPECT_THAT(failure_of("not_a_number"), HasSubstr("nan"));
  EXPECT_THAT(failure_of("infinite"), HasSubstr("inf"));
  EXPECT_THAT(failure_of("too_few"), HasSubstr("0 rewards for 1"));
  EXPECT_THAT(failure_of("returns_one"), HasSubstr("float"));
  EXPECT_THAT(failure_of("returns_none"), HasSubstr("NoneType"));
  EXPECT_THAT(failure_of("returns_text"), HasSubstr("'1.0'"));
}

TEST_F(CustomRewards, OneBadValueCostsItselfOnly) {
  options_.rewards = {at("not_a_number")};
  EXPECT_EQ(rewards({"a", "b"}), (Values{std::nullopt, 1}));
  options_.rewards = {at("raises_on_x")};
  EXPECT_EQ(rewards({"a", "x", "b"}), (Values{1, std::nullopt, 1}));
}

TEST_F(CustomRewards, AStepIsOneCallAndFailsAsOne) {
  options_.rewards = {at("raises_on_x")};
  options_.reward_batch = 0;
  EXPECT_EQ(rewards({"a", "x", "b"}), (Values{std::nullopt, std::nullopt, std::nullopt}));
}

TEST_F(CustomRewards, ADeadProgramIsStartedAgain) {
  EXPECT_THAT(failure_of("dies"), testing::AllOf(HasSubstr("exit code 7"), HasSubstr("last words")));
  problem(R"("marker":")" + folder_.file("marker") + "\"");
  options_.rewards = {at("dies_once")};
  EXPECT_EQ(rewards({"a"}), Values{4});
}

TEST_F(CustomRewards, AHangEndsAtItsLimit) {
  options_.reward_timeout_s = 0.3;
  const double start_s = now_s();
  EXPECT_THAT(failure_of("hangs"), HasSubstr("no answer within 0.3 s"));
  EXPECT_LT(now_s() - start_s, 5);
}

TEST_F(CustomRewards, WhatIsPrintedIsNoAnswer) {
  options_.rewards = {at("prints")};
  EXPECT_EQ(rewards({"a", "b"}), (Values{1, 1}));
  options_.rewards = {at("forks")};
  EXPECT_EQ(rewards({"a", "b"}), (Values{1, 1}));
  options_.rewards = {at("forks_and_hangs")};
  const double start_s = now_s();
  EXPECT_EQ(rewards({"a", "b"}), (Values{1, 1}));
  EXPECT_LT(now_s() - start_s, 5);
}

TEST_F(CustomRewards, WhatCannotBeStartedIsKnownAtOnce) {
  const auto message = [&](const std::string& reward) {
    options_.rewards = {reward};
    try {
      CustomVerifier verifier(options_, nullptr);
    } catch (const SandboxError& error) {
      EXPECT_EQ(error.id(), "sandbox.reward_program");
      return error.message();
    }
    return std::string("started");
  };
  EXPECT_THAT(message(at("absent")), HasSubstr("absent"));
  EXPECT_THAT(message(at("not_callable")), HasSubstr("not callable"));
  EXPECT_THAT(message(folder_.file("no.py") + ":f"), HasSubstr("No such file"));
  EXPECT_THAT(message("n=no.such.module:f"), HasSubstr("ModuleNotFoundError"));
  EXPECT_THAT(message(folder_.write("broken.py", "def f(:") + ":f"), HasSubstr("SyntaxError"));
  EXPECT_THAT(message(folder_.write("leaves.py", "import os\nos._exit(4)") + ":f"), HasSubstr("exit code 4"));
  options_.reward_start_s = 0.3;
  EXPECT_THAT(message(folder_.write("slow.py", "import time\ntime.sleep(99)") + ":f"), HasSubstr("within 0.3 s"));
  options_.reward_python = folder_.file("no_python");
  EXPECT_THAT(message(at("company")), HasSubstr("no_python"));
}

TEST_F(CustomRewards, ARewardThatAlwaysFailsIsGivenUp) {
  options_.rewards = {at("raises")};
  options_.reward_batch = 16;
  try {
    grade(std::vector<std::string>(200, "t"));
    FAIL() << "went on";
  } catch (const SandboxError& error) {
    EXPECT_EQ(error.id(), "sandbox.reward_failed");
    EXPECT_THAT(error.message(), HasSubstr("boom"));
  }
}

class NoSource final : public RewardSource {
 public:
  std::vector<RewardAnswer> answer(std::span<const RewardQuestion> questions) override {
    return std::vector<RewardAnswer>(questions.size(), RewardAnswer{.failed = true, .detail = "503"});
  }
  bool may_split() const override { return true; }
};

TEST(RewardPool, AnEndpointThatNeverAnswersIsARemoteError) {
  RewardPool pool({"rm", RewardKind::kEndpoint, "http://localhost", 1}, 1, 16,
                  [] { return std::make_unique<NoSource>(); });
  std::mutex mutex;
  size_t num_failed = 0;
  std::vector<std::string> errors;
  for (int64_t i = 0; i < 64; ++i) {
    pool.submit({i, {}, nullptr, [&](const RewardAnswer& answer, const std::exception_ptr& error) {
                   const std::lock_guard lock(mutex);
                   num_failed += answer.failed;
                   try {
                     if (error) std::rethrow_exception(error);
                   } catch (const RemoteError& remote) {
                     errors.push_back(remote.id());
                   }
                 }});
  }
  pool.flush();
  for (int i = 0; i < 500; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const std::lock_guard lock(mutex);
    if (num_failed == 64) break;
  }
  EXPECT_EQ(num_failed, 64u);
  EXPECT_EQ(errors, std::vector<std::string>(16, "remote.reward_failed"));  // the fourth batch
}

class CommandRewards : public CustomRewards {
 protected:
  /// A program made of this Python body, run for each `line`.
  void program(const std::string& body, const std::string& before = "") {
    const std::string path =
        folder_.write("program.py", "import json, os, sys, time\n" + before +
                                        "\nfor line in sys.stdin:\n    q = json.loads(line)\n    " + body + "\n");
    options_.rewards = {"p=command:exec python3 " + path};
  }
};

TEST_F(CommandRewards, OneLineInOneLineOut) {
  problem(R"("gold":7)");
  program(
      R"(print(json.dumps({"id": q["id"], "reward": q["row"]["gold"] * len(q["completion"]), "passed": q["completion"] == "ab", "detail": "seen"}), flush=True))");
  const auto verdicts = grade({"a", "ab"});
  EXPECT_EQ(verdicts[0].reward, 7);
  EXPECT_EQ(verdicts[0].outcome, Outcome::kWrong);  // the program's word counts, not the threshold
  EXPECT_EQ(verdicts[0].detail, "p: seen");
  EXPECT_EQ(verdicts[1].outcome, Outcome::kPass);
}

TEST_F(CommandRewards, AnswersInAnyOrderAndChatterBetween) {
  program(R"(held.append(q)
    print(q["completion"], flush=True)
    print(line.strip(), flush=True)
    if len(held) == 3:
        for q in reversed(held): print(json.dumps({"id": q["id"], "reward": len(q["completion"])}), flush=True))",
          "held = []");
  // A completion that looks like an answer is printed and is none.
  EXPECT_EQ(rewards({"a", "ab", R"({"id": "1", "reward": 99})"}), (Values{1, 2, 25}));
}

TEST_F(CommandRewards, DescriptorThreeIsTheProtocolsOwn) {
  program(
      R"(os.write(3, (json.dumps({"id": q["id"], "reward": None if q["completion"] == "n" else 2}) + "\n").encode()))");
  EXPECT_EQ(rewards({"a", "n"}), (Values{2, std::nullopt}));
  program(R"(os.write(3, b"progress 10%\n"); time.sleep(60))");
  EXPECT_THAT(grade({"a"})[0].detail, HasSubstr("progress 10%"));
}

TEST_F(CommandRewards, MalformedAnswersAreInfraAtOnce) {
  const double start_s = now_s();
  for (const char* answer : {R"("reward": NaN)", R"("reward": 1e999)", R"("reward": "1")", R"("reward": [1])",
                             R"("error": "no")", R"("reward": 1, "passed": 1)", R"("reward": 1, "reward": 2)"}) {
    program("print('{\"id\": \"' + q['id'] + '\", " + std::string(answer) + "}', flush=True)");
    const Verdict verdict = grade({"a"}).at(0);
    EXPECT_EQ(verdict.outcome, Outcome::kInfra) << answer;
    EXPECT_FALSE(verdict.detail.empty());
  }
  EXPECT_LT(now_s() - start_s, 10);  // nobody waited for a limit
}

TEST_F(CommandRewards, LateAnswersBelongToNobody) {
  options_.reward_timeout_s = 0.4;
  options_.reward_start_s = 1;
  program(R"(time.sleep(0.7 if "slow" in q["completion"] else 0)
    print(json.dumps({"id": q["id"], "reward": len(q["completion"])}), flush=True))");
  const auto values = rewards({"a", "slow", "abc"});
  EXPECT_EQ(values[0], 1);
  EXPECT_EQ(values[2], 3);
}

TEST_F(CommandRewards, ACrashLosesNoNeighbour) {
  program(
      R"(os.kill(os.getpid(), 11) if q["completion"] == "crash" else print(json.dumps({"id": q["id"], "reward": 5}), flush=True))");
  const auto verdicts = grade({"a", "crash", "b", "c"});
  EXPECT_EQ(verdicts[0].reward, 5);
  EXPECT_EQ(verdicts[1].outcome, Outcome::kInfra);
  EXPECT_THAT(verdicts[1].detail, HasSubstr("signal 11"));
  EXPECT_EQ(verdicts[2].reward, 5);
  EXPECT_EQ(verdicts[3].reward, 5);
}

TEST_F(CommandRewards, NothingIsLeftOfAProgramThatHangs) {
  options_.reward_timeout_s = options_.reward_start_s = 0.7;
  const std::string pids = folder_.file("pids");
  program("os.system('sleep 3600 & echo $! >> " + pids + "'); time.sleep(3600)");
  EXPECT_EQ(grade({"a"})[0].outcome, Outcome::kInfra);
  std::ifstream file(pids);
  int pid = 0, count = 0;
  for (; file >> pid; ++count) {
    bool runs = true;
    for (int i = 0; i < 200 && runs; ++i) {
      std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
      std::string number, name, state = "gone";
      stat >> number >> name >> state;
      runs = state != "gone" && state != "Z";
      if (runs) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_FALSE(runs) << pid;
  }
  EXPECT_GE(count, 1);
}

TEST_F(CommandRewards, AMillionBytesEachWay) {
  program(R"(print(json.dumps({"id": q["id"], "reward": len(q["completion"]), "detail": "d" * 500000}), flush=True))");
  const std::string large(1 << 20, 'x');
  EXPECT_EQ(rewards({large, large, large}), Values(3, 1 << 20));
}

TEST_F(CommandRewards, WhatIsNotThereIsInfraWithTheShellsWords) {
  options_.rewards = {"p=command:no_such_program_of_ours"};
  EXPECT_THAT(grade({"a"})[0].detail, HasSubstr("not found"));
}

}  // namespace
}  // namespace plumbline
