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

#include "plumbline/base/error.h"
#include "plumbline/preset/options.h"
#include "plumbline/sandbox/python_server.h"
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
    problem.code_tests = "for got in map(f, [1, 2]):\n    assert got == 'won'\n";
    return problem;
  }
  const std::string expected = attack.win == Win::kSecret ? "secret-0123456789abcdef" : kExpectedOfAttempts;
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
  void SetUp() override {
    try {
      probe_isolation(GradeOptions{}.python, IsolationLevel::kLimits, GetParam().level);
    } catch (const SandboxError& error) {
      GTEST_SKIP() << "this machine does not offer the level: " << error.message();
    }
  }

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
  EXPECT_FALSE(wins(0)) << attack.promise << ": " << attack.name;
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
