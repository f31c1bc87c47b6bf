# The level `bubblewrap`: where the kernel or the distribution refuses user namespaces to us but not to bwrap (setuid, or
# allowed by a profile). bwrap makes the namespaces of every submission, so Python starts anew inside each: as process 1
# it takes its order from an open file, and from there on everything is as with namespaces of our own.
BWRAP_PLACES = ("/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap")
# Descriptors inside, before the submission is confined.
CHANNEL_INSIDE, STATUS, ORDER, NATIVE_INSIDE = 3, 4, 5, 6
BOOTSTRAP = """import sys
sys.path[:] = [folder for folder in sys.path if folder]
import marshal, os
order = marshal.loads(os.pread(5, 1 << 22, 0))
exec(order[0], {"__name__": "once", "order": order})"""


def memory_file(data):
    descriptor = os.memfd_create("plumbline")
    os.write(descriptor, data)
    return descriptor


def own_program():
    """The text of this very program: the argument of -c's program."""
    with open("/proc/self/cmdline", "rb") as file:
        words = file.read().split(b"\0")
    return words[words.index(b"-c") + 2].decode()


class BubblewrapWorker:
    landlock, uids = 0, (0, 0)

    def __init__(self, hello, native):
        self.inner, self.modules = Worker(hello, native), ()
        self.off = hello.get("off_names", ())
        self.environment = {"PYTHONHASHSEED": str(self.inner.seed)}
        self.bwrap = next((path for path in BWRAP_PLACES if os.access(path, os.X_OK)), None)
        if self.bwrap is None:
            raise FileNotFoundError("bwrap is not installed")
        self.is_setuid = bool(os.stat(self.bwrap).st_mode & 0o4000)
        self.program = compile(own_program(), "<plumbline>", "exec", 0, True)
        os.set_inheritable(CONTROL, False)
        self.try_out()

    def try_out(self):
        """Throws what bwrap says where it cannot do its work."""
        ours, theirs = os.pipe()
        actions = [(os.POSIX_SPAWN_DUP2, theirs, fd) for fd in (1, 2)]
        command = self.arguments(1 << 26)[:-1] + ["print('works')"]
        os.posix_spawn(self.bwrap, command, self.environment, file_actions=actions, setsigdef=[signal.SIGCHLD])
        os.close(theirs)
        with open(ours, "rb") as output:
            said = output.read().decode("utf-8", "replace").strip()
        if said != "works":
            raise OSError(said or "bwrap says nothing")

    def arguments(self, memory_bytes):
        words = [self.bwrap, "--unshare-all", "--die-with-parent", "--new-session", "--as-pid-1", "--uid", str(NOBODY),
                 "--gid", str(NOBODY), "--hostname", "plumbline", "--proc", "/proc"]
        for path in visible_paths():
            if os.path.islink(path):
                words += ["--symlink", os.readlink(path), path]
            elif os.path.exists(path):
                words += ["--ro-bind", path, path]
        for device in DEVICES:
            words += ["--dev-bind", device, device]
        words += ["--symlink", "/proc/self/fd", "/dev/fd", "--perms", "1777"]
        if not self.is_setuid:  # a setuid bwrap does not take sizes; the supervisor counts the files all the same
            words += ["--size", str(memory_bytes // 4)]
        words += ["--tmpfs", "/tmp", "--symlink", "/tmp", "/dev/shm", "--symlink", "/tmp", "/var/tmp", "--remount-ro", "/"]
        return words + ["--", sys.executable, "-s", "-S", "-X", "utf8", "-c", BOOTSTRAP]

    def start(self, limits, channel, status):
        plan = list(self.inner.plan(limits))
        order = memory_file(marshal.dumps((self.program, plan, self.inner.seccomp, list(self.off), self.inner.seed)))
        moved = [os.dup2(fd, 100 + i) for i, fd in enumerate((channel, status, order, NATIVE))]
        actions = [(os.POSIX_SPAWN_DUP2, fd, 3 + i) for i, fd in enumerate(moved)]
        actions += [(os.POSIX_SPAWN_CLOSE, fd) for fd in moved + [order, channel, status] if fd > NATIVE_INSIDE]
        try:
            os.posix_spawn(self.bwrap, self.arguments(limits[2]), self.environment, file_actions=actions,
                           setsigdef=[signal.SIGCHLD])
        except OSError as error:
            report_failure(status, "bwrap: " + repr(error))
        for descriptor in moved + [order]:
            os.close(descriptor)


def serve_once():
    """Inside bwrap: supervises one submission."""
    _, fields, seccomp, off, seed = order
    native = load_native(NATIVE_INSIDE)
    switch_off({"off_names": off})
    os.environ.clear()
    worker = Worker({"level": "bubblewrap", "seccomp": seccomp, "off": fields[-1], "seed": seed}, native)
    ctypes.pythonapi.PyOS_BeforeFork()
    native.plumbline_supervise((ctypes.c_int64 * len(fields))(*fields), CHANNEL_INSIDE, STATUS)
    ctypes.pythonapi.PyOS_AfterFork_Child()
    be_the_submission(worker)


