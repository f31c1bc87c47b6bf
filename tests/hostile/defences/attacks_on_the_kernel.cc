#include "tests/hostile/defences/attack.h"

namespace plumbline {
namespace {

constexpr const char* kOthers = "no tracing, no other process's memory";
constexpr const char* kSpaces = "no mounts, no namespaces of its own";
constexpr const char* kHidden = "no memory that nobody counts";
constexpr const char* kMachine = "no keyrings, no kernel programs";
constexpr const char* kSettings = "no settings that others feel";

const std::string kCalls = R"(
import ctypes, os, struct
libc = ctypes.CDLL(None, use_errno=True)
def call(*numbers):
    return libc.syscall(*[ctypes.c_long(n) if isinstance(n, int) else n for n in numbers])
)";

}  // namespace

std::vector<Attack> attacks_on_the_kernel() {
  using D = Defence;
  const auto kernel = [](const char* promise, D defence, const char* name, const char* attempt) {
    return Attack{promise, name, {defence}, kCalls + "def attempt():\n    " + attempt};
  };
  return {
      kernel(kOthers, D::kSeccompTrace, "ptrace", "return libc.ptrace(0, 0, 0, 0) == 0"),
      kernel(kOthers, D::kSeccompTrace, "process_vm_readv",
             "b = ctypes.create_string_buffer(8)\n    v = struct.pack('QQ', ctypes.addressof(b), 8)\n"
             "    return call(310, os.getpid(), v, 1, v, 1, 0) == 8"),
      kernel(kOthers, D::kSeccompTrace, "kcmp", "return call(312, os.getpid(), os.getpid(), 0, 0, 0) == 0"),
      kernel(kOthers, D::kSeccompTrace, "pidfd_getfd", "return call(438, os.pidfd_open(os.getpid()), 1, 0) >= 0"),
      kernel(kSpaces, D::kSeccompNamespaces, "unshare", "return libc.unshare(0x10000000) == 0"),
      kernel(kSpaces, D::kSeccompNamespaces, "clone with a namespace",
             "p = call(56, 0x10000000 | 17, 0, 0, 0, 0)\n    if p == 0:\n        os._exit(0)\n    return p > 0"),
      kernel(kSpaces, D::kSeccompNamespaces, "clone3, whose flags no filter sees",
             "libc.syscall(435, None, 0)\n    return ctypes.get_errno() == 22"),
      kernel(kSpaces, D::kSeccompNamespaces, "mounts in a namespace of its own",
             "return libc.unshare(0x10020000) == 0 and libc.mount(b'x', b'/tmp', b'tmpfs', 0, None) == 0"),
      {kSpaces,
       "mounts with the rights of its namespace",
       {D::kSeccompNamespaces, D::kNoCapabilities},
       kCalls +
           "def attempt():\n    libc.syscall(56, 0)\n    return libc.mount(b'x', b'/proc', b'tmpfs', 0, None) == 0"},
      kernel(kHidden, D::kSeccompIpc, "shared memory", "return libc.shmget(0, 4096, 0o1600) >= 0"),
      kernel(kHidden, D::kSeccompIpc, "message queues", "return libc.msgget(0, 0o1600) >= 0"),
      kernel(kHidden, D::kSeccompIpc, "semaphores", "return libc.semget(0, 1, 0o1600) >= 0"),
      kernel(kHidden, D::kSeccompIpc, "memory files", "return libc.memfd_create(b'x', 0) >= 0"),
      kernel(kHidden, D::kSeccompShared, "shared mappings", "import mmap\n    return mmap.mmap(-1, 4096)"),
      kernel(kHidden, D::kSeccompBuffers, "larger socket buffers",
             "import socket\n    a, b = socket.socketpair()\n    a.setsockopt(1, 7, 1 << 22)\n    return True"),
      kernel(kMachine, D::kSeccomp, "32-bit calls, whose numbers no rule means",
             "import mmap\n    m = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)\n"
             "    m.write(bytes.fromhex('b814000000cd80c3'))\n"  // mov eax, 20 (getpid); int 0x80; ret
             "    start = ctypes.addressof(ctypes.c_char.from_buffer(m))\n"
             "    return ctypes.CFUNCTYPE(ctypes.c_int)(start)() == os.getpid()"),
      kernel(kMachine, D::kSeccompKernel, "keyrings", "return call(248, b'user', b'k', b'v', 1, -3) >= 0"),
      kernel(kMachine, D::kSeccompKernel, "keyctl", "return call(250, 0, -3, 1) >= 0"),
      kernel(kMachine, D::kSeccompKernel, "personality", "return libc.personality(0x0040000) >= 0"),
      kernel(kMachine, D::kSeccompKernel, "io_uring", "call(425, 1, None)\n    return ctypes.get_errno() == 14"),
      kernel(kSettings, D::kSeccompDumpable, "hides from its supervisor", "return libc.prctl(4, 0, 0, 0, 0) == 0"),
      kernel(kSettings, D::kSeccompPriority, "changes its scheduling class",
             "os.sched_setscheduler(0, 3, os.sched_param(0))\n    return True"),
      kernel(kSettings, D::kSeccompPriority, "changes its priority", "os.setpriority(0, 0, 5)\n    return True"),
      kernel(kSettings, D::kSeccompPrlimit, "changes limits by number",
             "import resource\n    resource.prlimit(os.getpid(), resource.RLIMIT_CORE, (0, 0))\n    return True"),
      kernel(kSettings, D::kSeccompSigchld, "lets its children vanish",
             "import signal\n    signal.signal(17, signal.SIG_IGN)\n    p = os.fork()\n    if p == 0:\n        "
             "os._exit(0)\n"
             "    try:\n        os.waitpid(p, 0)\n    except ChildProcessError:\n        return True"),
  };
}

}  // namespace plumbline
