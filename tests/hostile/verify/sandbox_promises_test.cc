/// One test a promise of docs/reference/isolation.md, each run at every level that makes it. The submissions here try
/// to break the promise; the truth is what the host shows afterwards, or a verdict that only a broken promise could
/// change.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "plumbline/base/error.h"
#include "plumbline/sandbox/python_server.h"
#include "plumbline/verify/code_verifier.h"

namespace plumbline {
namespace {

constexpr const char* kSleep = "93.117";  // marks processes of these tests on the host

Problem problem_expecting(const std::string& expected, int num_tests = 1) {
  Problem problem;
  problem.id.text = "p";
  problem.entry_point = "f";
  problem.reference = "def f(x):\n    return x\n";
  for (int i = 0; i < num_tests; ++i) {
    problem.tests.push_back({{PythonValue::of_int(std::to_string(i))}, {}, PythonValue::of_str(expected)});
  }
  return problem;
}

GradeOptions limited(double cpu_s, double wall_factor = 3, int64_t memory_mib = 1024) {
  GradeOptions options;
  options.cpu_s = cpu_s;
  options.wall_factor = wall_factor;
  options.memory_mib = memory_mib;
  return options;
}

int num_marked_processes() {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();  // a process that ends meanwhile is a short read, and no exception
    const std::string words = content.str();
    found += words.find(std::string("sleep\0", 6) + kSleep) != std::string::npos;
  }
  return found;
}

class Promise : public testing::TestWithParam<IsolationLevel> {
 protected:
  void SetUp() override {
    try {
      probe_isolation(GradeOptions{}.python, IsolationLevel::kLimits, GetParam());
    } catch (const SandboxError& error) {
      GTEST_SKIP() << "this machine does not offer the level: " << error.message();
    }
  }
  /// `code` defines f(x); it passes when it returns "fine" for 0, 1 and 2.
  Verdict grade(const std::string& code, GradeOptions options = limited(2)) {
    options.workers = 1;
    options.min_isolation = "limits";
    CodeVerifier verifier(options, GetParam());
    const Problem problem = problem_expecting("fine", 3);
    const GradeRequest request{&problem, 0, "```python\n" + code + "\n```"};
    return verifier.grade({&request, 1}).at(0);
  }
  Outcome outcome(const std::string& code, GradeOptions options = limited(2)) {
    return grade(code, std::move(options)).outcome;
  }
};

/// What a system-call filter and a view of the disk add: not promised by `limits`.
class Confinement : public Promise {};
/// What only namespaces give.
class Separation : public Promise {};

TEST_P(Promise, HonestCodePasses) {
  const Verdict verdict = grade("def f(x):\n    return 'fine'");
  EXPECT_EQ(verdict.outcome, Outcome::kPass) << verdict.detail;
  EXPECT_EQ(verdict.tests_passed, 3);
  EXPECT_EQ(verdict.isolation.find(to_string(GetParam())), 0u);
}

TEST_P(Promise, ForgedFramesOnEveryDescriptorAreNoAnswer) {
  EXPECT_EQ(outcome(R"(
import os, marshal
body = marshal.dumps("fine", 2)
forms = [(9 + len(body)).to_bytes(4, "little") + b"\0" * 8 + b"V" + body, b'{"outcome": "pass"}\n', b"\0" * 64]
def spray():
    for fd in range(256):
        for form in forms:
            try:
                os.write(fd, form)
            except OSError:
                pass
spray()
def f(x):
    spray()
    return "no")"),
            Outcome::kError);
}

TEST_P(Promise, StolenNoncesNeedTheRightAnswerToo) {
  // It reads the calls from the channel itself and answers them with the right nonces: still only what it knows.
  EXPECT_NE(outcome(R"(
import os, marshal
def f(x):
    data = b""
    os.set_blocking(200, False)
    try:
        while True:
            data += os.read(200, 65536)
    except OSError:
        pass
    body = marshal.dumps("guess", 2)
    os.set_blocking(200, True)
    while len(data) > 12:
        size = int.from_bytes(data[:4], "little")
        os.write(200, (9 + len(body)).to_bytes(4, "little") + data[4:12] + b"V" + body)
        data = data[4 + size:]
    return "guess")"),
            Outcome::kPass);
}

TEST_P(Promise, ExitIsNoPass) {
  for (const char* code : {"import os\nos._exit(0)", "raise SystemExit(0)", "def f(x):\n    import os\n    os._exit(0)",
                           "def f(x):\n    raise SystemExit", "def f(x):\n    raise KeyboardInterrupt",
                           "import os\nos.kill(os.getpid(), 9)"}) {
    EXPECT_EQ(outcome(code), Outcome::kError) << code;
  }
}

TEST_P(Promise, ObjectsThatEqualEverythingAreNoData) {
  EXPECT_EQ(outcome(R"(
class Same:
    def __eq__(self, other): return True
    def __hash__(self): return 0
def f(x):
    return Same())"),
            Outcome::kWrong);
  EXPECT_EQ(outcome(R"(
class Text(str):
    def __eq__(self, other): return True
    def __str__(self): return "fine"
    def __getitem__(self, key): return "fine"
    def encode(self, *a): return b"fine"
    __hash__ = str.__hash__
def f(x):
    return Text("no"))"),
            Outcome::kWrong);
}

TEST_P(Promise, PatchedBuiltinsChangeNothing) {
  EXPECT_EQ(outcome(R"(
import builtins, marshal, sys
yes = lambda *a, **k: True
for name in ("isinstance", "len", "type", "bytes", "int", "eval", "exec", "compile"):
    setattr(builtins, name, yes)
marshal.dumps = lambda *a: b"T"
for name in list(vars(sys.modules["__main__"])):
    if name in ("values_match", "passed", "expected", "result"):
        setattr(sys.modules["__main__"], name, True)
def f(x):
    return "no")"),
            Outcome::kWrong);
}

TEST_P(Promise, ExpectedValuesAreNowhereInTheProcess) {
  // Looks through frames, the garbage collector's objects and its own memory for the answer.
  EXPECT_EQ(outcome(R"(
import gc, sys
wanted = "".join(["fi", "ne"])
def hunt():
    frame = sys._getframe()
    while frame:
        for value in list(frame.f_locals.values()) + list(frame.f_globals.values()):
            if type(value) is str and value == wanted and value is not wanted:
                return value
        frame = frame.f_back
    for thing in gc.get_objects():
        if type(thing) in (list, tuple) and any(type(v) is str and v == wanted and v is not wanted for v in thing):
            return wanted
    return "none"
def f(x):
    return hunt())"),
            Outcome::kWrong);
}

TEST_P(Promise, ProcessStormEndsWithTheSubmission) {
  outcome(std::string(R"(
import os
for _ in range(300):
    try:
        if os.fork() == 0:
            os.execvp("sleep", ["sleep", ")") +
          kSleep + R"("])
    except OSError:
        break
def f(x):
    return "fine")");
  EXPECT_EQ(num_marked_processes(), 0);
}

TEST_P(Promise, NumberOfProcessesIsBounded) {
  EXPECT_EQ(outcome(R"(
import os, time
count = 0
try:
    for _ in range(200):
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        count += 1
except OSError:
    pass
def f(x):
    return "fine" if count <= 40 else str(count))"),
            Outcome::kPass);
}

TEST_P(Promise, DoubleForkedDaemonIsKilled) {
  EXPECT_EQ(outcome(std::string(R"(
import os, signal
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        os.execvp("sleep", ["sleep", ")") +
                    kSleep + R"("])
    os._exit(0)
def f(x):
    return "fine")"),
            Outcome::kPass);
  EXPECT_EQ(num_marked_processes(), 0);
}

TEST_P(Promise, PreamblesRunNothingInTheServer) {
  // Each would end the process that runs it: the submission's (an error), never the warm server (infra).
  const char* preambles[] = {
      "import os\nos._exit(3)",
      "import os\ndef float(x):\n    os._exit(3)\ninf = float('inf')",
      "from os import _exit as float\ninf = float(3)",
      "import os\ndef g(x=os._exit(3)):\n    pass",
      "import os\ndef g(*, x=os._exit(3)):\n    pass",
      "import os\ndef g(x: os._exit(3)):\n    pass",
      "import os\ndef g() -> os._exit(3):\n    pass",
      "import os\n@os._exit\ndef g():\n    pass",
      "import os\nclass A:\n    os._exit(3)",
      "import os\nclass A:\n    x = [os._exit(3)]",
      "import os\nclass A:\n    class B:\n        os._exit(3)",
      "import os\nclass M(type):\n    def __new__(*a):\n        os._exit(3)\nclass A(metaclass=M):\n    pass",
      "import os\nclass A:\n    def __init_subclass__(c):\n        os._exit(3)\nclass B(A):\n    pass",
      "import os\nclass A:\n    def __class_getitem__(c, i):\n        os._exit(3)\ndef g(x: A[0]):\n    pass",
      "import os\nx = f'{os._exit(3)}'",
      "import os\nx = -(os._exit(3) or 1)",
      "import os\nx: os._exit(3) = 1",
      "import os\nx = [0, os._exit(3)]",
      "import os\nx = lambda y=os._exit(3): y",
  };
  GradeOptions options = limited(2);
  options.workers = 1;
  options.min_isolation = "limits";
  CodeVerifier verifier(options, GetParam());
  for (const char* preamble : preambles) {
    Problem problem = problem_expecting("fine");
    problem.setup_code = preamble;
    const GradeRequest request{&problem, 0, "```python\ndef f(x):\n    return 'fine'\n```"};
    EXPECT_EQ(verifier.grade({&request, 1}).at(0).outcome, Outcome::kError) << preamble;
  }
}

TEST_P(Promise, APreambleIsTheSubmissionsOwn) {
  // Run once in the server where it only defines things; what a submission does to it is gone with the submission.
  Problem problem = problem_expecting("fine", 2);
  problem.setup_code =
      "import math\nfrom math import *\nlimit = float('inf')\nclass Node:\n    kept = []\n"
      "def helper(x):\n    return Node.kept + [limit, name()]\n";
  GradeOptions options = limited(2);
  options.workers = 1;
  options.min_isolation = "limits";
  CodeVerifier verifier(options, GetParam());
  const std::string code =
      "```python\nfresh = not Node.kept and limit == inf and Node.__module__ == __name__\n"
      "Node.kept.append(1)\nlimit = 2\ndef name():\n    return 'fine'\n"
      "def f(x):\n    return helper(x)[-1] if fresh and helper(x)[:2] == [1, 2] else 'stale'\n```";
  for (int i = 0; i < 2; ++i) {
    const GradeRequest request{&problem, i, code};
    const Verdict verdict = verifier.grade({&request, 1}).at(0);
    EXPECT_EQ(verdict.outcome, Outcome::kPass) << verdict.detail;
  }
}

TEST_P(Promise, EndlessLoopIsATimeout) {
  EXPECT_EQ(outcome("import signal\nfor n in range(1, 64):\n    try:\n        signal.signal(n, signal.SIG_IGN)\n"
                    "    except (OSError, ValueError):\n        pass\ndef f(x):\n    while True: pass",
                    limited(0.5)),
            Outcome::kTimeout);
}

TEST_P(Promise, SleepingOrStoppedIsATimeout) {
  EXPECT_EQ(outcome("import time\ndef f(x):\n    time.sleep(1000)", limited(0.5, 2)), Outcome::kTimeout);
  EXPECT_EQ(outcome("import os, signal\ndef f(x):\n    os.kill(os.getpid(), signal.SIGSTOP)\n    return 'fine'",
                    limited(0.5, 2)),
            Outcome::kTimeout);
}

TEST_P(Promise, CpuTimeIsSummedOverChildren) {
  EXPECT_EQ(outcome(R"(
import os
children = []
for _ in range(8):
    pid = os.fork()
    if pid == 0:
        n = 0
        for i in range(12_000_000):
            n += i
        os._exit(0)
    children.append(pid)
for pid in children:
    os.waitpid(pid, 0)
def f(x):
    return "fine")",
                    limited(1, 20)),
            Outcome::kTimeout);
}

TEST_P(Confinement, ChildrenThatVanishAreCounted) {
  // With SIGCHLD ignored the kernel would drop the CPU time of ended children.
  EXPECT_EQ(outcome(R"(
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(60):
    if os.fork() == 0:
        end = time.process_time() + 0.05
        while time.process_time() < end: pass
        os._exit(0)
    try:
        os.wait()
    except OSError:
        pass
def f(x):
    return "fine")",
                    limited(1, 20)),
            Outcome::kTimeout);
}

TEST_P(Promise, MemoryIsBounded) {
  EXPECT_EQ(outcome("def f(x):\n    return [0] * (1 << 33)"), Outcome::kMemory);
}

TEST_P(Promise, MemoryIsSummedOverChildren) {
  EXPECT_EQ(outcome(R"(
import os, time
for _ in range(4):
    if os.fork() == 0:
        block = bytearray(90 << 20)
        time.sleep(60)
        os._exit(0)
time.sleep(60)
def f(x):
    return "fine")",
                    limited(2, 3, 256)),
            Outcome::kMemory);
}

TEST_P(Promise, ASumThatLastsAMomentIsSeen) {
  // Each child stays below the limit, all four together do not, and they leave soon after the last one has filled up.
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(outcome(R"(
import os, time
def f(x):
    full, go = os.pipe(), os.pipe()
    for _ in range(4):
        if os.fork() == 0:
            block = b"x" * (50 << 20)
            os.write(full[1], b"f")
            os.read(go[0], 1)
            os._exit(0)
    for _ in range(4):
        os.read(full[0], 1)
    time.sleep(0.1)
    os.write(go[1], b"gggg")
    for _ in range(4):
        os.wait()
    return "fine")",
                      limited(5, 3, 128)),
              Outcome::kMemory);
  }
}

TEST_P(Promise, ABlockNearTheLimitHasTheSameVerdictEveryTime) {
  for (const auto& [mib, expected] : {std::pair(120, Outcome::kPass), std::pair(136, Outcome::kMemory)}) {
    const std::string code =
        "def f(x):\n    block = b'x' * (" + std::to_string(mib) + " << 20)\n    del block\n    return 'fine'";
    for (int i = 0; i < 3; ++i) EXPECT_EQ(outcome(code, limited(5, 3, 128)), expected) << mib;
  }
}

TEST_P(Promise, ForkingAloneIsNotChargedAsMemory) {
  // Pages shared after a fork count once: 20 children of a 60 MiB parent stay far below 256 MiB.
  EXPECT_EQ(outcome(R"(
import os, time
block = bytearray(60 << 20)
for _ in range(20):
    if os.fork() == 0:
        time.sleep(0.4)
        os._exit(0)
time.sleep(0.3)
def f(x):
    return "fine")",
                    limited(2, 3, 256)),
            Outcome::kPass);
}

TEST_P(Confinement, NoSocketToTheNetwork) {
  EXPECT_EQ(outcome(R"(
import socket
def f(x):
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX):
        try:
            socket.socket(family, socket.SOCK_DGRAM)
            return "open"
        except OSError:
            pass
    return "fine")"),
            Outcome::kPass);
}

TEST_P(Confinement, NothingIsLeftOnTheHost) {
  const std::string name = "plumbline-promise-" + std::to_string(::getpid());
  outcome(R"(
import os
for place in ("/tmp", "/var/tmp", "/dev/shm", "/run", "/etc", "/", "..", ".", os.path.expanduser("~")):
    try:
        open(os.path.join(place, ")" +
          name + R"("), "w").close()
    except OSError:
        pass
def f(x):
    return "fine")");
  for (const char* place : {"/tmp/", "/var/tmp/", "/dev/shm/", "/run/", "/etc/", "/", "./", "../"}) {
    EXPECT_FALSE(std::filesystem::exists(place + name)) << place;
  }
}

TEST_P(Confinement, FilesOfTheHostCannotBeRead) {
  const std::string path = std::filesystem::temp_directory_path() / ("plumbline-secret-" + std::to_string(::getpid()));
  std::ofstream(path) << "fine";
  std::filesystem::permissions(path, std::filesystem::perms::all);
  EXPECT_EQ(outcome("def f(x):\n    return open('" + path + "').read()"), Outcome::kError);
  std::filesystem::remove(path);
}

TEST_P(Promise, EnvironmentIsEmpty) {
  ::setenv("PLUMBLINE_TEST_SECRET", "fine", 1);
  EXPECT_EQ(outcome(R"(
import os
def f(x):
    for path in ("/proc/self/environ", f"/proc/{os.getppid()}/environ"):
        try:
            if b"SECRET" in open(path, "rb").read():
                return "fine"
        except OSError:
            pass
    return os.environ.get("PLUMBLINE_TEST_SECRET", "none"))"),
            Outcome::kWrong);
  ::unsetenv("PLUMBLINE_TEST_SECRET");
}

TEST_P(Confinement, OtherProcessesAreOutOfSight) {
  const Verdict verdict = grade(R"(
import os
def f(x):
    try:
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return "fine"
    return "fine" if len(pids) <= 2 else str(len(pids)))");
  EXPECT_EQ(verdict.outcome, Outcome::kPass) << verdict.isolation;
}

/// The supervisor may share the server's memory: whoever could open it would own the worker.
TEST_P(Confinement, TheSupervisorsMemoryIsOutOfReach) {
  const Verdict verdict = grade(R"(
import os
def f(x):
    for pid in (os.getppid(), 1):
        for name, mode in (("mem", os.O_RDWR), ("mem", os.O_RDONLY), ("environ", os.O_RDONLY), ("maps", os.O_RDONLY)):
            try:
                os.open("/proc/%d/%s" % (pid, name), mode)
                return name
            except OSError:
                pass
    return "fine")");
  EXPECT_EQ(verdict.outcome, Outcome::kPass) << verdict.isolation << verdict.detail;
}

TEST_P(Confinement, ParentAndGroupCannotBeKilled) {
  const std::string strike = R"(
import os, signal
def f(x):
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP):
        try:
            os.kill(os.getppid(), number)
        except OSError:
            pass
    return "fine")";
  EXPECT_EQ(outcome(strike), Outcome::kPass);
  EXPECT_EQ(outcome("import os\nos.kill(0, 9)"), Outcome::kError);
}

TEST_P(Confinement, DangerousSystemCallsAreRefused) {
  EXPECT_EQ(outcome(R"(
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def f(x):
    calls = {"ptrace": lambda: libc.ptrace(16, os.getppid(), 0, 0),
             "unshare user": lambda: libc.unshare(0x10000000),
             "unshare mount": lambda: libc.unshare(0x00020000),
             "mount": lambda: libc.mount(b"x", b"/tmp", b"tmpfs", 0, None),
             "keyctl": lambda: libc.syscall(250, 0, -3, 0),
             "shmget": lambda: libc.shmget(0, 4096, 0o1600),
             "memfd": lambda: libc.memfd_create(b"x", 0),
             "io_uring": lambda: libc.syscall(425, 1, ctypes.create_string_buffer(128)),
             "clone user": lambda: libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0),
             "limits of the parent": lambda: libc.prlimit(os.getppid(), 0, ctypes.create_string_buffer(16), None),
             "setuid root": lambda: libc.setuid(0)}
    broken = [name for name, call in calls.items() if call() != -1]
    return ",".join(broken) or "fine")"),
            Outcome::kPass);
}

TEST_P(Promise, LimitsCannotBeRaised) {
  EXPECT_EQ(outcome(R"(
import resource
for which in (resource.RLIMIT_CPU, resource.RLIMIT_AS, resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE):
    try:
        resource.setrlimit(which, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except (OSError, ValueError):
        pass
def f(x):
    while True: pass)",
                    limited(0.5)),
            Outcome::kTimeout);
}

TEST_P(Promise, OutputNeitherBlocksNorPilesUp) {
  EXPECT_EQ(outcome(R"(
import os
block = b"#" * (1 << 20)
for _ in range(50):
    os.write(1, block)
    os.write(2, block)
def f(x):
    return "fine")"),
            Outcome::kPass);
}

TEST_P(Promise, HugeOrEndlessValuesAreRefused) {
  EXPECT_EQ(outcome("def f(x):\n    return 'fine' * 30_000_000"), Outcome::kWrong);
  EXPECT_EQ(outcome("def f(x):\n    y = []\n    y.append(y)\n    return y"), Outcome::kWrong);
  EXPECT_EQ(outcome("def f(x):\n    y = []\n    for _ in range(200000): y = [y]\n    return y"), Outcome::kWrong);
}

TEST_P(Promise, ClosedDescriptorsAreTheSubmissionsFailure) {
  EXPECT_EQ(outcome("import os\nos.closerange(0, 4096)\ndef f(x):\n    return 'fine'"), Outcome::kError);
}

TEST_P(Separation, HiddenMemoryFilesAreCounted) {
  EXPECT_NE(outcome(R"(
with open("/tmp/big", "wb") as file:
    for _ in range(300):
        file.write(b"x" * (1 << 20))
def f(x):
    return "fine")",
                    limited(2, 3, 128)),
            Outcome::kPass);
}

TEST_P(Promise, WhatIsSaidOfAVerdictReadsAsItIs) {
  // Right-to-left override, line separator, byte order mark, an escape sequence: as text in an exception.
  const Verdict verdict = grade("def f(x):\n    raise ValueError('a\\u202eb\\u2028c\\ufeffd\\x1b[2Je')");
  EXPECT_EQ(verdict.detail, "test 0: ValueError: a\\u202eb\\u2028c\\ufeffd\\x1b[2Je");
}

TEST_P(Promise, NextSubmissionFindsNothingOfTheLast) {
  GradeOptions options;
  options.workers = 1;
  options.min_isolation = "limits";
  CodeVerifier verifier(options, GetParam());
  const Problem problem = problem_expecting("fine");
  const std::vector<GradeRequest> requests = {
      {&problem, 0, "```\nopen('random.py', 'w').write('raise SystemExit')\nimport builtins\nbuiltins.left = 1\n```"},
      {&problem, 1,
       "```\nimport random, os, builtins\ndef f(x):\n    return 'fine' if not os.listdir('.') and not "
       "hasattr(builtins, 'left') else 'no'\n```"}};
  EXPECT_EQ(verifier.grade(requests).at(1).outcome, Outcome::kPass);
}

TEST_P(Promise, TheSameVerdictEveryTime) {
  // Each bit would be a coin toss if a server had a hash seed or a random state of its own.
  for (int bit = 0; bit < 4; ++bit) {
    const std::string code =
        "import random\nBITS = hash('apple') ^ random.getrandbits(8)\ndef f(x):\n    return 'fine' if BITS >> " +
        std::to_string(bit) + " & 1 else 'no'";
    EXPECT_EQ(outcome(code), outcome(code)) << code;
  }
}

TEST_P(Promise, DeepFoldersAreTheSubmissionsOwnTroubleAndAreRemoved) {
  const std::string mark = "deep-" + std::to_string(::getpid());
  EXPECT_EQ(outcome("import os\nfor _ in range(400):\n    os.mkdir('" + mark + "')\n    os.chdir('" + mark +
                    "')\ndef f(x):\n    return 'no'"),
            Outcome::kWrong);
  for (const auto& entry : std::filesystem::directory_iterator("/tmp")) {
    std::error_code other_users_folder;
    EXPECT_FALSE(std::filesystem::exists(entry.path() / mark, other_users_folder)) << entry.path();
  }
}

TEST_P(Confinement, AnInterruptOfTheSupervisorIsNoEscape) {
  EXPECT_EQ(outcome(R"(
import os, time
def f(x):
    for _ in range(20):
        try:
            os.kill(os.getppid(), 2)
        except OSError:
            pass
    time.sleep(0.05)
    return "no")"),
            Outcome::kWrong);
}

TEST_P(Confinement, MemoryThatNoProcessShowsIsRefused) {
  EXPECT_EQ(outcome(R"(
import mmap, socket
def f(x):
    try:
        mmap.mmap(-1, 1 << 20)
        return "mapped"
    except (OSError, ValueError):
        pass
    one, other = socket.socketpair()
    try:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
        return "raised"
    except OSError:
        return "fine")"),
            Outcome::kPass);
}

TEST_P(Confinement, SharedFilesCannotBeLocked) {
  EXPECT_EQ(outcome(R"(
import fcntl, os
def f(x):
    with open(os.__file__) as file:
        for lock in (lambda: fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB),
                     lambda: fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)):
            try:
                lock()
                return "locked"
            except OSError:
                pass
    return "fine")"),
            Outcome::kPass);
}

/// What one submission could leave there for another: times of devices, waits on the mapping of a file, what lies in
/// the cache of files, how many asynchronous requests there are.
TEST_P(Confinement, WhatTheWholeMachineSharesCannotBeMarked) {
  EXPECT_EQ(outcome(R"(
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.syscall.restype = ctypes.c_long
def f(x):
    for path in ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom"):
        before = os.stat(path).st_mtime_ns
        for times in (None, (1, 1)):
            try:
                os.utime(path, times)
                return "times of " + path
            except OSError:
                pass
        if os.stat(path).st_mtime_ns != before:
            return "changed " + path
    file = os.open(os.__file__, os.O_RDONLY)
    for kind in (1, 2):
        page = libc.mmap(None, ctypes.c_size_t(4096), 1, kind, file, ctypes.c_long(0))
        number = {"x86_64": 202, "aarch64": 98}[os.uname().machine]
        if os.fork() == 0:  # waits on the same page of the file; another command than a plain wait wakes it
            for command in (0, 9):
                libc.syscall(ctypes.c_long(number), ctypes.c_void_p(page), command,
                             ctypes.c_uint32.from_address(page).value, (ctypes.c_long * 2)(1 << 40, 0), None, 0xffffffff)
            os._exit(0)
        import time
        time.sleep(0.1)
        for command in (1, 3, 4, 5, 10):
            if libc.syscall(ctypes.c_long(number), ctypes.c_void_p(page), command, 9, 9, ctypes.c_void_p(page),
                            0xffffffff) > 0:
                return "futex %d" % command
        if libc.syscall(ctypes.c_long(454), ctypes.c_void_p(page), ctypes.c_ulong(1), 1, 2) >= 0:
            return "futex_wake"
    try:
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        return "fadvise"
    except OSError:
        pass
    try:
        os.preadv(file, [bytearray(10)], 0, os.RWF_NOWAIT)
        return "cache"
    except OSError:
        pass
    context = ctypes.c_ulong(0)
    number = {"x86_64": 206, "aarch64": 0}[os.uname().machine]
    if libc.syscall(ctypes.c_long(number), ctypes.c_long(100), ctypes.byref(context)) >= 0:
        return "io_setup"
    return "fine")"),
            Outcome::kPass);
}

/// Threads, locks between processes and joins go on as they did.
TEST_P(Confinement, HonestWaitingStillWorks) {
  EXPECT_EQ(outcome(R"(
import os, threading, queue
def f(x):
    numbers, done = queue.Queue(), threading.Barrier(5)
    def work(n):
        numbers.put(n)
        done.wait()
    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads: thread.start()
    done.wait()
    for thread in threads: thread.join()
    import multiprocessing
    try:
        lock = multiprocessing.get_context("fork").Lock()
    except OSError:  # no shared memory at this level
        return "fine" if numbers.qsize() == 4 else "stuck"
    lock.acquire()
    pid = os.fork()
    if pid == 0:
        os._exit(0 if lock.acquire(timeout=5) else 1)
    import time
    time.sleep(0.1)
    lock.release()
    return "fine" if os.waitpid(pid, 0)[1] == 0 and numbers.qsize() == 4 else "stuck")"),
            Outcome::kPass);
}

/// A process shows no memory under its own number once its first thread has ended.
TEST_P(Confinement, MemoryOfAProcessWhoseFirstThreadHasEndedCounts) {
  EXPECT_EQ(outcome(R"(
import ctypes, os, threading, time
def f(x):
    for _ in range(8):
        if os.fork() == 0:
            def hold():
                held = bytearray(b"x") * (150 << 20)
                time.sleep(20)
                os._exit(len(held) & 1)
            threading.Thread(target=hold).start()
            number = {"x86_64": 60, "aarch64": 93}[os.uname().machine]
            ctypes.CDLL(None).syscall(ctypes.c_long(number), ctypes.c_long(0))
    time.sleep(3)
    return "fine")",
                    limited(10, 3, 384)),
            Outcome::kMemory);
}

std::string name_of(const testing::TestParamInfo<IsolationLevel>& info) {
  return std::string(to_string(info.param));
}

INSTANTIATE_TEST_SUITE_P(Levels, Promise,
                         testing::Values(IsolationLevel::kNamespaces, IsolationLevel::kBubblewrap,
                                         IsolationLevel::kContainer, IsolationLevel::kLimits),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Levels, Confinement,
                         testing::Values(IsolationLevel::kNamespaces, IsolationLevel::kBubblewrap,
                                         IsolationLevel::kContainer),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Levels, Separation, testing::Values(IsolationLevel::kNamespaces, IsolationLevel::kBubblewrap),
                         name_of);

}  // namespace
}  // namespace plumbline
