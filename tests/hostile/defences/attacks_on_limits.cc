#include "tests/hostile/defences/attack.h"

namespace plumbline {
namespace {

constexpr const char* kCpu = "CPU time, summed over the tree";
constexpr const char* kMemory = "memory, summed over the tree";
constexpr const char* kCounts = "processes, files, descriptors";
constexpr const char* kWall = "the wall clock guards";

/// The whole tree may use 0.4 s; each of these uses about twice that.
const std::string kBurn = R"(
import os, time, threading
def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end: pass
)";

}  // namespace

std::vector<Attack> attacks_on_limits() {
  using D = Defence;
  const auto cpu = [](const char* name, std::vector<D> defences, const std::string& attempt) {
    return Attack{kCpu, name, std::move(defences), kBurn + "def attempt():\n" + attempt, Win::kAttempt, 0.4, 20};
  };
  const auto memory = [](const char* name, std::vector<D> defences, const std::string& attempt) {
    return Attack{kMemory, name, std::move(defences), "import os, time\ndef attempt():\n" + attempt, Win::kAttempt, 5,
                  4,       128};
  };
  const auto counts = [](const char* name, D defence, const std::string& attempt) {
    return Attack{kCounts,       name, {defence}, "import os, resource, threading, time\ndef attempt():\n" + attempt,
                  Win::kAttempt, 5,    4,         512};
  };
  const auto wall = [](const char* name, const std::string& attempt) {
    return Attack{
        kWall, name, {D::kWallClock}, "import os, signal, threading, time\ndef attempt():\n" + attempt, Win::kAttempt,
        0.3,   1};
  };
  return {
      cpu("children one after another", {D::kCpuSum},
          "    for _ in range(4):\n        p = os.fork()\n        if p == 0:\n            burn(0.2)\n            "
          "os._exit(0)\n"
          "        os.waitpid(p, 0)\n    return True"),
      cpu("children at once", {D::kCpuSum},
          "    ps = []\n    for _ in range(4):\n        p = os.fork()\n        if p == 0:\n            burn(0.2)\n"
          "            os._exit(0)\n        ps.append(p)\n    for p in ps: os.waitpid(p, 0)\n    return True"),
      cpu("grandchildren that nobody waits for", {D::kCpuSum},
          "    for _ in range(4):\n        if os.fork() == 0:\n            if os.fork() == 0:\n                "
          "burn(0.2)\n"
          "            os._exit(0)\n        os.wait()\n    time.sleep(1.2)\n    return True"),
      cpu("a little more than allowed", {D::kCpuSum}, "    burn(0.7)\n    return True"),
      cpu("threads", {D::kCpuSum},
          "    t = threading.Thread(target=burn, args=(0.4,))\n    t.start()\n    burn(0.4)\n    t.join()\n    return "
          "True"),

      memory("one block", {D::kMemorySum, D::kMemoryRlimit},
             "    block = b'x' * (200 << 20)\n    time.sleep(0.3)\n    return True"),
      memory("children", {D::kMemorySum},
             "    for _ in range(4):\n        if os.fork() == 0:\n            block = b'x' * (60 << 20)\n"
             "            time.sleep(0.6)\n            os._exit(0)\n    for _ in range(4): os.wait()\n    return True"),
      memory("files in /tmp beside it", {D::kTmpIsMemory},
             "    open('big', 'wb').write(b'x' * (31 << 20))\n    block = b'x' * (120 << 20)\n    time.sleep(0.4)\n    "
             "return True"),
      memory("names in /tmp", {D::kTmpIsMemory},
             "    for n in range(40000): os.symlink('x' * 100, str(n))\n    time.sleep(0.2)\n    return True"),
      memory("socket buffers", {D::kBuffersAreMemory},
             "    import socket\n    for _ in range(8):\n        if os.fork() == 0:\n            kept = "
             "[socket.socketpair() "
             "for _ in range(110)]\n            time.sleep(0.6)\n            os._exit(0)\n    for _ in range(8): "
             "os.wait()\n"
             "    return True"),

      counts("processes", D::kProcessLimit,
             "    for _ in range(60):\n        if os.fork() == 0:\n            time.sleep(30)\n    return True"),
      counts("threads", D::kProcessLimit,
             "    threading.stack_size(65536)\n    for _ in range(60): threading.Thread(target=time.sleep, args=(1,), "
             "daemon=True).start()\n    return "
             "True"),
      counts("processes as root, whom the limit does not bind", D::kNobody,
             "    for _ in range(60):\n        if os.fork() == 0:\n            time.sleep(30)\n    return True"),
      counts("a large file", D::kFileSize, "    open('f', 'wb').write(b'x' * (70 << 20))\n    return True"),
      counts("descriptors", D::kOpenFiles, "    for _ in range(300): os.dup(1)\n    return True"),
      counts("limits raised again", D::kHardLimits,
             "    resource.setrlimit(resource.RLIMIT_NOFILE, (1000, 1000))\n    return True"),
      counts("limits on memory raised again", D::kHardLimits,
             "    resource.setrlimit(resource.RLIMIT_AS, (1 << 45, 1 << 45))\n    return True"),

      wall("sleeps", "    time.sleep(0.8)\n    return True"),
      wall("waits for a lock", "    threading.Event().wait(0.8)\n    return True"),
      wall(
          "stops itself until a child wakes it",
          "    me = os.getpid()\n    if os.fork() == 0:\n        time.sleep(0.8)\n        os.kill(me, signal.SIGCONT)\n"
          "        os._exit(0)\n    os.kill(me, signal.SIGSTOP)\n    return True"),
      wall("waits for its child with every signal ignored",
           "    for n in (1, 2, 3, 13, 14, 15, 24):\n        signal.signal(n, signal.SIG_IGN)\n    if os.fork() == 0:\n"
           "        time.sleep(0.8)\n        os._exit(0)\n    os.wait()\n    return True"),
  };
}

}  // namespace plumbline
