#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "plumbline/base/error.h"
#include "plumbline/preset/options.h"
#include "plumbline/sandbox/python_server.h"
#include "plumbline/verify/code_verifier.h"
#include "plumbline/verify/trusted_run.h"
#include "tests/hostile/defences/attack.h"

namespace plumbline {
namespace {

constexpr const char* kExpectedOfAttempts = "won";

/// What an attacker might find on the host, if it got out: a file, a service, a variable.
class Host {
 public:
  Host() {
    std::ofstream(place_) << "host";
    std::filesystem::permissions(place_, std::filesystem::perms::all);
    ::setenv("PLUMBLINE_SECRET", "1", 1);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(service_, reinterpret_cast<sockaddr*>(&address), size);
    ::listen(service_, 64);
    ::getsockname(service_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = std::to_string(::ntohs(address.sin_port));
    sockaddr_un named{};
    named.sun_family = AF_UNIX;
    std::memcpy(named.sun_path + 1, abstract_.data(), abstract_.size());
    ::bind(local_, reinterpret_cast<sockaddr*>(&named),
           static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + abstract_.size()));
    ::listen(local_, 64);
  }
  ~Host() {
    std::filesystem::remove(place_);
    ::close(service_);
    ::close(local_);
  }
  /// The attack's code with the names of what it is after.
  std::string filled(std::string code) const {
    for (const auto& [word, text] :
         std::map<std::string, std::string>{{"PLACE", place_}, {"PORT", port_}, {"ABSTRACT", abstract_}}) {
      for (size_t at; (at = code.find(word)) != std::string::npos;) code.replace(at, word.size(), text);
    }
    return code;
  }

 private:
  const std::string place_ = "/var/tmp/plumbline-of-the-host-" + std::to_string(::getpid());
  const std::string abstract_ = "plumbline-of-the-host-" + std::to_string(::getpid());
  const int service_ = ::socket(AF_INET, SOCK_STREAM, 0), local_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
  std::string port_;
};

Problem problem_for(const Attack& attack) {
  Problem problem;
  problem.id.text = "p";
  problem.entry_point = "f";
  problem.reference = "def f(x):\n    return x\n";
  if (attack.win == Win::kCodeTests) {
    problem.code_tests = attack.tests.empty() ? "for got in map(f, [1, 2]):\n    assert got == 'won'\n" : attack.tests;
    return problem;
  }
  const std::string expected = attack.win == Win::kSecret ? "secret-0123456789abcdef"
                               : attack.win == Win::kLong ? std::string(size_t{2} << 20, 'x')
                                                          : kExpectedOfAttempts;
  problem.tests.push_back({{PythonValue::of_int("1")}, {}, PythonValue::of_str(expected)});
  return problem;
}

/// Attempts report through a function whose right answer is known; secrets are the right answer.
std::string program_of(const Attack& attack) {
  if (attack.win == Win::kAttempt) {
    return attack.code +
           "\ndef f(x):\n    try:\n        return 'won' if attempt() else 'lost'\n    except BaseException as error:\n"
           "        return 'lost: ' + repr(error)\n";
  }
  if (attack.win == Win::kSecret) return attack.code + "\ndef f(x):\n    return attempt()\n";
  return attack.code;
}

uint64_t mask_of(const std::vector<Defence>& defences) {
  uint64_t mask = 0;
  for (const Defence defence : defences) mask |= uint64_t{1} << static_cast<unsigned>(defence);
  return mask;
}

class Attacks : public testing::TestWithParam<Attack> {
 protected:
  static void SetUpTestSuite() { host_ = new Host; }
  static void TearDownTestSuite() { delete host_; }
  /// Whether the attack wins with these defences off.
  bool wins(uint64_t off) {
    const Attack& attack = GetParam();
    const DefencesOff switched(off);
    PythonServer server(GradeOptions{}.python, attack.level);
    if (!attack.before.empty()) grade(server, attack.before);
    const TrustedRun run = grade(server, host_->filled(program_of(attack)));
    detail_ = run.detail;
    return run.outcome == (attack.win == Win::kInfra ? Outcome::kInfra : Outcome::kPass);
  }

  std::string detail_;

 private:
  TrustedRun grade(PythonServer& server, const std::string& code) {
    const Attack& attack = GetParam();
    SandboxLimits limits;
    limits.cpu_s = attack.cpu_s;
    limits.wall_s = attack.cpu_s * attack.wall_factor;
    limits.memory_bytes = attack.memory_mib << 20;
    const Problem problem = problem_for(attack);
    return run_trusted(server, problem, code, limits);
  }

  static Host* host_;
};

Host* Attacks::host_ = nullptr;

TEST_P(Attacks, WinOnlyWithoutTheirDefence) {
  const Attack& attack = GetParam();
  try {
    EXPECT_FALSE(wins(0)) << attack.promise << ": " << attack.name;
  } catch (const SandboxError& error) {
    GTEST_SKIP() << "this machine does not offer the level: " << error.message();
  }
  if (attack.defences.size() > 1) {
    for (const Defence defence : attack.defences) {
      EXPECT_FALSE(wins(mask_of({defence}))) << "the other layer should have held without " << to_string(defence);
    }
  }
  EXPECT_TRUE(wins(mask_of(attack.defences))) << attack.promise << ": " << attack.name << " proves nothing about "
                                              << to_string(attack.defences[0]) << ": " << detail_;
}

std::vector<Attack> all_attacks() {
  std::vector<Attack> all;
  for (const auto& some : {attacks_on_answers(), attacks_on_the_host(), attacks_on_the_kernel(), attacks_on_limits()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

TEST(AttackTable, HasFourAttacksForEveryPromise) {
  std::map<std::string, int> counts;
  for (const Attack& attack : all_attacks()) ++counts[attack.promise];
  for (const auto& [promise, count] : counts) EXPECT_GE(count, 4) << promise;
  EXPECT_GE(all_attacks().size(), 60u);
}

TEST(AttackTable, HasAnAttackForEveryDefence) {
  std::set<Defence> named = {Defence::kReferenceTurn};  // two submissions at once: Together, below
  for (const Attack& attack : all_attacks()) named.insert(attack.defences.begin(), attack.defences.end());
  for (size_t i = 0; i < static_cast<size_t>(Defence::kNumDefences); ++i) {
    EXPECT_TRUE(named.contains(static_cast<Defence>(i))) << to_string(static_cast<Defence>(i));
  }
}

/// Two submissions that run together: the tester of one asks the reference and tells by locks on files of the system,
/// the other one listens while it is graded. 16 bits, one lock each.
class Together : public testing::Test {
 protected:
  static constexpr const char* kLocks = R"(
import fcntl, glob, os, time
files = sorted(name for name in glob.glob(os.path.dirname(os.__file__) + "/*.py") if not os.path.islink(name))[:17]
opened = [os.open(name, os.O_RDONLY) for name in files]
)";

  static bool listener_passes(uint64_t off) {
    const DefencesOff switched(off);
    GradeOptions options;
    options.workers = 2;
    options.cpu_s = 2;
    CodeVerifier verifier(options, IsolationLevel::kNamespaces);
    Problem problem;
    problem.id.text = "p";
    problem.entry_point = "f";
    problem.reference = "def f(x):\n    return 48271\n";
    problem.tests.push_back({{PythonValue::of_int("1")}, {}, PythonValue::of_int("48271")});
    problem.hint = Hint{"overwrite_tests", "run_tests"};
    const std::string teller = std::string(kLocks) + R"(
def f(x):
    return 1
def run_tests():
    value = f(0)
    assert value > 1
    for bit in range(16):
        if value >> bit & 1:
            fcntl.flock(opened[bit], fcntl.LOCK_EX)
    fcntl.flock(opened[16], fcntl.LOCK_EX)
    time.sleep(1))",
                      listener = std::string(kLocks) + R"(
def is_locked(number):
    try:
        fcntl.flock(opened[number], fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(opened[number], fcntl.LOCK_UN)
    return False
heard, end = 0, time.monotonic() + 1.5
while not heard and time.monotonic() < end:
    if is_locked(16):
        heard = sum(is_locked(bit) << bit for bit in range(16))
    time.sleep(0.01)
def f(x):
    return heard)";
    const auto fenced = [](const std::string& code) { return "```python\n" + code + "\n```"; };
    const GradeRequest requests[] = {{&problem, 0, fenced(teller)}, {&problem, 1, fenced(listener)}};
    return verifier.grade(requests).at(1).passed();
  }
};

TEST_F(Together, AReferencesAnswersAreNotPassedOnSlow) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one core, one worker: nobody runs together";
  const uint64_t locks = mask_of({Defence::kSeccompLocks}), turns = mask_of({Defence::kReferenceTurn});
  EXPECT_FALSE(listener_passes(0));
  EXPECT_FALSE(listener_passes(locks));
  EXPECT_FALSE(listener_passes(turns));
  bool passed = false;
  for (int i = 0; i < 3 && !passed; ++i) passed = listener_passes(locks | turns);
  EXPECT_TRUE(passed) << "proves nothing about turns";
}

std::string name_of(const testing::TestParamInfo<Attack>& info) {
  std::string name = std::to_string(info.index) + "_" + info.param.name;
  for (char& character : name) {
    if (!std::isalnum(static_cast<unsigned char>(character))) character = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Attacks, testing::ValuesIn(all_attacks()), name_of);

}  // namespace
}  // namespace plumbline
