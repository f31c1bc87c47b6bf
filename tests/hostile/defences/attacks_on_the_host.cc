#include "tests/hostile/defences/attack.h"

namespace plumbline {
namespace {

constexpr const char* kFiles = "no file of the host";
constexpr const char* kNext = "nothing passes to the next submission";
constexpr const char* kNetwork = "no network";
constexpr const char* kInherited = "no environment, no descriptors";
constexpr const char* kProcesses = "no process of the host, none left";
constexpr const char* kTogether = "submissions that run together cannot talk";

}  // namespace

std::vector<Attack> attacks_on_the_host() {
  using D = Defence;
  const auto files = [](const char* name, const char* code) { return Attack{kFiles, name, {D::kHostRoot}, code}; };
  const auto tmp = [](const char* name, const std::string& path) {
    return Attack{kNext,
                  name,
                  {D::kPrivateTmp},
                  "import os\ndef attempt():\n    return os.path.exists('" + path + "')",
                  Win::kAttempt,
                  2,
                  2,
                  256,
                  "import os\nopen('" + path + "', 'w').close()"};
  };
  const auto root = [](const char* name, const std::string& path) {
    return Attack{kNext,
                  name,
                  {D::kReadOnlyRoot},
                  "import os\ndef attempt():\n    return os.path.lexists('" + path + "')",
                  Win::kAttempt,
                  2,
                  2,
                  256,
                  "import os\nos.symlink('x', '" + path + "')"};
  };
  const auto network = [](const char* name, const char* code) {
    return Attack{kNetwork, name, {D::kSeccompSockets}, code};
  };
  const auto reach = [](const char* name, const char* code) {
    return Attack{kNetwork, name, {D::kSeccompSockets, D::kNetNamespace}, code};
  };
  const auto environment = [](const char* name, const char* code) {
    return Attack{kInherited, name, {D::kEmptyEnvironment}, code};
  };
  const auto descriptors = [](const char* name, const char* code) {
    return Attack{kInherited, name, {D::kClosedDescriptors}, code};
  };
  const auto processes = [](const char* name, const char* code) {
    return Attack{kProcesses, name, {D::kPidNamespace}, code};
  };
  const auto locks = [](const char* name, const char* code) {
    return Attack{kTogether, name, {D::kSeccompLocks}, code};
  };
  return {
      files("reads a file of the host", "def attempt():\n    return open('PLACE').read() == 'host'"),
      files("finds it by walking",
            "import os\ndef attempt():\n    return os.path.basename('PLACE') in "
            "os.listdir(os.path.dirname('PLACE'))"),
      files("reaches it through /proc", "def attempt():\n    return open('/proc/self/rootPLACE').read() == 'host'"),
      files("reaches it through a link",
            "import os\ndef attempt():\n    os.symlink('PLACE', 'here')\n    return open('here').read() == 'host'"),
      files("reads the accounts of the host", "def attempt():\n    return 'root' in open('/etc/passwd').read()"),

      tmp("through /tmp", "/tmp/left"),
      tmp("through /dev/shm", "/dev/shm/left"),
      tmp("through /var/tmp", "/var/tmp/left"),
      tmp("through its own folder", "left"),
      root("through the root", "/left"),
      root("through /etc", "/etc/left"),
      root("through /var", "/var/left"),
      root("through /dev", "/dev/left"),

      network("makes a TCP socket", "import socket\ndef attempt():\n    return socket.socket()"),
      network("makes a UDP socket", "import socket\ndef attempt():\n    return socket.socket(2, 2)"),
      network("makes a unix socket", "import socket\ndef attempt():\n    return socket.socket(1, 1)"),
      network("asks netlink", "import socket\ndef attempt():\n    return socket.socket(16, 3, 0)"),
      network("sends descriptors",
              "import socket\ndef attempt():\n    a, b = socket.socketpair()\n"
              "    return socket.send_fds(a, [b'x'], [0])"),
      reach("connects to a service of the host",
            "import socket\ndef attempt():\n    socket.create_connection(('127.0.0.1', PORT), 1)\n    return True"),
      reach("connects by IPv4 bytes",
            "import socket\ndef attempt():\n    s = socket.socket()\n"
            "    return s.connect_ex(('127.0.0.1', PORT)) == 0"),
      reach("sees the interfaces",
            "import socket\ndef attempt():\n    return any(name != 'lo' for _, name in socket.if_nameindex())"),
      reach("meets an abstract socket of the host",
            "import socket\ndef attempt():\n    s = socket.socket(1, 1)\n"
            "    s.connect('\\0ABSTRACT')\n    return True"),

      environment("reads what the server started with",
                  "def attempt():\n    return b'PLUMBLINE_SECRET' in open('/proc/self/environ', 'rb').read()"),
      environment("asks Python", "import os\ndef attempt():\n    return 'PLUMBLINE_SECRET' in os.environ"),
      environment("asks the C library",
                  "import ctypes\ndef attempt():\n    c = ctypes.CDLL(None)\n"
                  "    c.getenv.restype = ctypes.c_char_p\n    return c.getenv(b'PLUMBLINE_SECRET')"),
      environment("asks a child",
                  "import subprocess\ndef attempt():\n    return b'SECRET' in "
                  "subprocess.run(['/usr/bin/env'], capture_output=True).stdout"),
      descriptors("finds descriptors",
                  "import os\ndef attempt():\n    return any(n not in (0, 1, 2, 3, 200) for n in map(int, "
                  "os.listdir('/proc/self/fd')[:-1]))"),
      descriptors("loads a library that is none of its own",
                  "import os\ndef attempt():\n    return os.pread(4, 4, 0) == b'\\x7fELF'"),
      {kInherited,
       "writes the report itself",
       {D::kClosedDescriptors},
       "import marshal, os\nfor n in range(4, 64):\n    try:\n        os.write(n, marshal.dumps(('setup', 0, 0.0, 0.0, "
       "'x'), 2))\n    except OSError:\n        pass\nimport time\ntime.sleep(0.2)",
       Win::kInfra},
      {kInherited,
       "shuts the grader's socket",
       {D::kClosedDescriptors},
       "import os, socket, time\nfor n in range(4, 64):\n    try:\n        "
       "socket.socket(fileno=os.dup(n)).shutdown(2)\n"
       "    except OSError:\n        pass\ntime.sleep(0.2)",
       Win::kInfra},

      processes("sees processes of the host",
                "import os\ndef attempt():\n    return sum(n.isdigit() for n in os.listdir('/proc')) > 4"),
      processes("reads what the grader was called with", R"(
import os
def attempt():
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and b"hostile_defences" in open(f"/proc/{name}/cmdline", "rb").read():
                return True
        except OSError:
            pass)"),
      processes("has a number of the host's", "import os\ndef attempt():\n    return os.getpid() > 64"),
      processes("has a parent of the host's", "import os\ndef attempt():\n    return os.getppid() > 1"),

      {kProcesses,
       "leaves one that the next submission finds",
       {D::kEndWithFirst},
       "import os\ndef attempt():\n    for name in os.listdir('/proc'):\n        try:\n"
       "            if name.isdigit() and b'sleep\\0' + b'57.913' in open(f'/proc/{name}/cmdline', 'rb').read():\n"
       "                return True\n        except OSError:\n            pass",
       Win::kAttempt,
       2,
       2,
       256,
       "import os\nif os.fork() == 0:\n    os.setsid()\n    os.execvp('sleep', ['sleep', '57.913'])\n",
       IsolationLevel::kLimits},

      locks("by flock", "import fcntl, os\ndef attempt():\n    return fcntl.flock(os.open(os.__file__, 0), 1) is None"),
      locks("by a record lock",
            "import fcntl, os\ndef attempt():\n    return fcntl.lockf(os.open(os.__file__, 0), "
            "fcntl.LOCK_SH) is not 0"),
      locks("by watching who reads",
            "import ctypes\ndef attempt():\n    return ctypes.CDLL(None).inotify_init1(0) >= 0"),
      locks("by a lock of an open file",
            "import fcntl, os, struct\ndef attempt():\n    fcntl.fcntl(os.open(os.__file__, "
            "0), 37, struct.pack('hhlli4x', 0, 0, 0, 0, 0))\n    return True"),
  };
}

}  // namespace plumbline
