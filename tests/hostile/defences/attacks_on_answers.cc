#include "tests/hostile/defences/attack.h"

namespace plumbline {
namespace {

constexpr const char* kSecrets = "expected values stay with the grader";
constexpr const char* kWhole = "missing and malformed answers fail";
constexpr const char* kBound = "an answer belongs to its call";
constexpr const char* kInfra = "no submission escapes its verdict";
constexpr const char* kTests = "code tests hear values, not control flow";
constexpr const char* kObjects = "code tests see what a call does to their objects";
constexpr const char* kSame = "the same verdict again";

/// Frames as the grader expects them, with a made-up random number: compiled, loaded, one value.
const std::string kForged = R"(
import os, marshal, threading, atexit
def frame(status, value):
    body = marshal.dumps(value, 2)
    return (9 + len(body)).to_bytes(4, "little") + b"\0" * 8 + status + body
answers = frame(b"V", None) + frame(b"V", "won")
)";

/// An interpreter whose seeds are known says what is right.
const std::string kKnownSeed = R"(
import random, subprocess, sys
def differs(expression):
    program = 'import random; random.seed(0); print(' + expression + ')'
    known = subprocess.run([sys.executable, "-S", "-c", program], env={"PYTHONHASHSEED": "0"}, capture_output=True)
    return str(eval(expression)) + "\n" != known.stdout.decode()
)";

const std::string kSleepThenLose = R"(
import time
def f(x):
    time.sleep(0.1)
    return "lost"
)";

}  // namespace

std::vector<Attack> attacks_on_answers() {
  const auto secret = [](const char* name, const char* code) {
    return Attack{kSecrets, name, {Defence::kComparisonInGrader}, code, Win::kSecret};
  };
  const auto whole = [](const char* name, const char* code) {
    return Attack{kWhole, name, {Defence::kCompleteAnswers}, code, Win::kPass};
  };
  const auto bound = [](const char* name, const std::string& code) {
    return Attack{kBound, name, {Defence::kNonce}, kForged + code, Win::kPass};
  };
  const auto proven = [](const char* name, const char* code) {
    return Attack{kInfra, name, {Defence::kOursIsProven}, code, Win::kInfra};
  };
  const auto quiet = [](const char* name, const char* code) {
    return Attack{kInfra, name, {Defence::kQuietSupervisor}, code, Win::kInfra};
  };
  const auto tests = [](const char* name, const char* code) {
    return Attack{kTests, name, {Defence::kNoStopIteration}, code, Win::kCodeTests};
  };
  const auto objects = [](const char* name, const char* code, const char* asserts) {
    Attack attack{kObjects, name, {Defence::kArgumentsComeBack}, code, Win::kCodeTests};
    attack.tests = asserts;
    return attack;
  };
  const auto same = [](const char* name, const std::string& expression) {
    return Attack{
        kSame, name, {Defence::kHashSeed}, kKnownSeed + "def attempt():\n    return differs('" + expression + "')"};
  };
  return {
      objects("sorts what it was given", "def f(x):\n    x.sort()\n    return x[:]",
              "l = [3, 1, 2]\nassert f(l) == [1, 2, 3] and l == [3, 1, 2]"),
      objects("returns what it was given", "def f(x):\n    return x",
              "l = [3, 1]\nr = f(l)\nassert r == l and r is not l"),
      objects("changes what lies inside", "def f(x):\n    x['k'][0].add(4)\n    return len(x)",
              "d = {'k': [{1, 2}]}\nassert f(d) == 1 and d == {'k': [{1, 2}]}"),
      objects("changes it and fails as it should", "def f(x):\n    x.clear()\n    raise ValueError",
              "d = {1: 2}\ntry:\n    f(d)\n    assert False\nexcept ValueError:\n    assert d == {1: 2}"),
      objects("returns one row many times", "def f(n):\n    return [[0] * n] * n",
              "g = f(2)\ng[0][0] = 1\nassert g == [[1, 0], [0, 0]]"),

      same("by the hash of a string", "hash(str(1))"),
      same("by the hash of bytes", "hash(bytes(3))"),
      same("by the order of a set", "list({str(n) for n in range(40)})"),
      same("by random numbers", "random.random()"),

      secret("walks frames", R"(
import sys
def attempt():
    frame = sys._getframe()
    while frame:
        for value in list(frame.f_locals.values()):
            if type(value) is dict and str(value.get("prelude", "")).startswith("secret-"):
                return value["prelude"]
        frame = frame.f_back)"),
      secret("inspects the stack", R"(
import inspect
def attempt():
    for entry in inspect.stack(0):
        job = entry.frame.f_locals.get("job")
        if job:
            return job["prelude"])"),
      secret("reads its own memory", R"(
import re
def attempt():
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
        for line in maps:
            if "rw-p" in line:
                low, high = (int(n, 16) for n in line.split()[0].split("-"))
                try:
                    memory.seek(low)
                    found = re.search(b"secret" + b"-[0-9a-f]{16}", memory.read(high - low))
                except OSError:
                    continue
                if found:
                    return found.group().decode())"),
      secret("walks a traceback", R"(
import sys
def attempt():
    try:
        raise ValueError
    except ValueError as error:
        frame = error.__traceback__.tb_frame
    while frame:
        job = frame.f_locals.get("job")
        if job:
            return job["prelude"]
        frame = frame.f_back)"),
      secret("looks through all threads' frames", R"(
import sys
def attempt():
    for frame in sys._current_frames().values():
        while frame:
            if "job" in frame.f_locals:
                return frame.f_locals["job"].get("prelude")
            frame = frame.f_back)"),

      whole("exits while loading", "import os\nos._exit(0)"),
      whole("exits when called", "import os\ndef f(x):\n    os._exit(0)"),
      whole("closes the channel", "import os\ndef f(x):\n    os.close(200)\n    return 'lost'"),
      whole("kills itself", "import os\ndef f(x):\n    os.kill(os.getpid(), 9)"),
      whole("sends half a frame", "import os\ndef f(x):\n    os.write(200, b'\\x20\\0\\0\\0half')\n    os._exit(0)"),
      whole("execs a program that succeeds", "import os\ndef f(x):\n    os.execv('/bin/true', ['true'])"),

      {kWhole,
       "is longer than allowed",
       {Defence::kFrameLimit},
       "import marshal, os, sys\ndef f(x):\n    ours = sys._getframe(1).f_locals\n"
       "    ours['channel'].send(ours['nonce'], b'V', marshal.dumps('x' * (2 << 20), 2))\n    os._exit(0)",
       Win::kLong},

      bound("answers while loading", "os.write(200, answers)\nos._exit(0)"),
      bound("answers from a thread",
            "t = threading.Thread(target=os.write, args=(200, answers))\nt.start()\nt.join()" + kSleepThenLose),
      bound(
          "answers from a child",
          "p = os.fork()\nif p == 0:\n    os.write(200, answers)\n    os._exit(0)\nos.waitpid(p, 0)" + kSleepThenLose),
      bound("answers when called", "def f(x):\n    os.write(200, frame(b'V', 'won'))\n    os._exit(0)"),

      proven("exits as an unconfined process would", "import os\nos._exit(99)"),
      proven("does so when called", "import os\ndef f(x):\n    os._exit(99)"),
      proven("does so from a thread",
             "import os, threading, time\nthreading.Thread(target=os._exit, args=(99,)).start()\ntime.sleep(5)"),
      proven("does so from a program", "import os\nos.execv('/bin/sh', ['sh', '-c', 'exit 99'])"),
      quiet("interrupts the supervisor",
            "import os, time\ndef f(x):\n    os.kill(os.getppid(), 2)\n    time.sleep(0.3)\n"
            "    return 'lost'"),
      quiet("interrupts it from a child",
            "import os, time\ndef f(x):\n    if os.fork() == 0:\n        os.kill(1, 2)\n        os._exit(0)\n"
            "    time.sleep(0.3)\n    return 'lost'"),
      quiet("interrupts it while loading", "import os, time\nos.kill(1, 2)\ntime.sleep(0.3)"),
      quiet("interrupts it by a queue of signals",
            "import os, signal, time\nfor _ in range(50):\n"
            "    os.kill(1, signal.SIGINT)\ntime.sleep(0.3)"),
      {kInfra,
       "signals the group that it was born in",
       {Defence::kOwnSession, Defence::kNobody},
       "import os\ndef f(x):\n    os.kill(0, 9)",
       Win::kInfra,
       2,
       2,
       256,
       "",
       IsolationLevel::kLimits},
      {kInfra,
       "signals that group by its number",
       {Defence::kOwnSession, Defence::kNobody},
       "import os\nos.killpg(os.getpgrp(), 9)",
       Win::kInfra,
       2,
       2,
       256,
       "",
       IsolationLevel::kLimits},

      tests("ends map()", "def f(x):\n    raise StopIteration"),
      tests("ends it from a generator's throw", "def f(x):\n    (y for y in ()).__next__()"),
      tests("ends it by next()", "def f(x):\n    return next(iter(()))"),
      tests("ends it by a subclass", "class Done(StopIteration):\n    pass\ndef f(x):\n    raise Done('done')"),
  };
}

}  // namespace plumbline
