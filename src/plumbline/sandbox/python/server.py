# The warm server of one worker: an interpreter that has its modules loaded and does nothing but fork. It never sees
# code, arguments or expected values; those travel between the grader and the submission's own process.
CONTROL, NATIVE = 3, 4  # descriptors that the grader hands over
NAMESPACES = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS  # a submission's own; the others are the worker's


THROWAWAY_UIDS = ((1_900_000_000, 1 << 22), (60_000, 5000))  # first, how many; the second where few ids are mapped


def throwaway_uids():
    """(first, how many) of the ids that root may give away: a container may know only some, or its own alone."""
    if os.geteuid() != 0:
        return 0, 0
    ranges = []
    for kind in "uid", "gid":
        with open(f"/proc/self/{kind}_map") as file:
            ranges.append([(int(inside), int(inside) + int(count)) for inside, _, count in map(str.split, file)])
    for first, count in THROWAWAY_UIDS:
        if all(any(low <= first and first + count <= high for low, high in known) for known in ranges):
            return first, count
    return 0, 0


class Worker:
    """What stays the same from one submission to the next."""

    def __init__(self, hello, native):
        self.level, self.seccomp, self.off = hello["level"], hello["seccomp"], hello.get("off", 0)
        self.native, self.seed = native, hello.get("seed", 0)
        self.landlock = landlock_version() if self.level == "container" else 0
        self.uids = throwaway_uids() if self.level in ("container", "limits") else (0, 0)

    def plan(self, limits):
        """The fields of LaunchPlan (sandbox/native/launch_plan.h), in order."""
        cpu_s, wall_s, memory_bytes, processes = limits
        separate = self.level == "namespaces"
        own_space = separate or self.level == "bubblewrap"
        return (ctypes.c_int64 * 10)(NAMESPACES if separate else 0, own_space, int(cpu_s * 1e6), int(wall_s * 1e6),
                                     memory_bytes, processes, *self.uids, -1, self.off)

    def start(self, limits, channel, status):
        # Python is not told of this fork: with one thread there is nothing to mend, and mending costs pages.
        pid = self.native.plumbline_launch(self.plan(limits), channel, status)
        if pid == 0:
            be_the_submission(self)
        if pid < 0:
            report_failure(status, "clone: " + os.strerror(-pid))


def report_failure(status, message):
    os.write(status, marshal.dumps(("setup", 0, 0.0, 0.0, message[:500]), WIRE_VERSION))


def be_the_submission(worker):
    """The last layers, then the submission. Never returns."""
    code = NOT_CONFINED
    try:
        if worker.landlock:
            load_landlock(worker.landlock, os.getcwd())
        if worker.level != "limits" and on("seccomp"):
            code = worker.native.plumbline_filter(worker.seccomp, len(worker.seccomp))
            if code:
                raise OSError(-code, "seccomp")
        code = 1
        if on("hash_seed"):
            random.seed(worker.seed)
        run_candidate(CHANNEL)
    except BaseException as error:
        if code != 1:
            worker.native.plumbline_not_confined(repr(error).encode()[:500])
    finally:
        os._exit(1)


# Most graded code uses some of these; a fork finds them loaded.
COMMON_MODULES = ("typing", "collections", "math", "itertools", "functools", "re", "string", "heapq", "bisect", "operator")
# Python 3.9 has no list of its standard modules; only the common ones are imported ahead of time there.
STANDARD_MODULES = getattr(sys, "stdlib_module_names", ())
NEVER_WARM = {"antigravity", "this", "turtle", "idlelib", "tkinter", "test"}
MOST_PREPARED = 32


def warm_up(program):
    """Imports the standard modules that a trusted program names, so that forks find them loaded. A preamble that
    does nothing but import them and define things is run here, once; nothing else is."""
    try:
        tree = ast.parse(program)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in tree.body:
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in getattr(node, "names", ())]
        for name in names:
            if isinstance(name, str) and name.split(".")[0] in STANDARD_MODULES and name not in NEVER_WARM:
                load_module(name)
    if len(PREPARED) < MOST_PREPARED and only_defines(tree):
        prepare(program)
    settle()


def settle():
    """What is here now stays: the collector leaves it alone, and forks have no free pages to copy."""
    gc.collect()
    gc.freeze()
    libc.malloc_trim(ctypes.c_size_t(0))


def prepare(program):
    module = sys.modules["solution"] = types.ModuleType("solution")
    try:
        execute(program, module.__dict__)
        PREPARED[program] = module
    except Exception:  # a name that is not there: every submission will say so
        pass
    del sys.modules["solution"]


def load_module(name):
    try:
        __import__(name)
    except ImportError:
        pass


def become_worker(hello, native):
    """Confines this process as far as all submissions share it."""
    level = hello["level"]
    if level in ("namespaces", "bubblewrap") and on("nobody"):
        drop_root()
    if level == "namespaces":
        enter_worker_namespaces()
    if on("empty_environment"):
        os.environ.clear()
    native.plumbline_forget_children()
    checked(prctl(PR_SET_DUMPABLE, 0), "dumpable")  # supervisors share our memory: no submission opens it
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # last: the kernel forgets it with every change of identity
    return BubblewrapWorker(hello, native) if level == "bubblewrap" else Worker(hello, native)


def serve():
    control = socket.socket(fileno=CONTROL)
    os.closerange(NATIVE + 1, 1 << 16)
    native = load_native(NATIVE)
    keeper = os.getpid()
    server = os.fork()
    if server:
        native.plumbline_keep(server)
    hello = marshal.loads(control.recv(1 << 18))
    switch_off(hello)
    try:
        worker = become_worker(hello, native)
        if os.getppid() != keeper:
            os._exit(1)
        for name in COMMON_MODULES:
            load_module(name)
        settle()
        control.send(marshal.dumps(("ready", worker.landlock, sys.version.split()[0], worker.uids[1] > 0), WIRE_VERSION))
    except BaseException as error:
        control.send(marshal.dumps(("failed", 0, repr(error)[:500], False), WIRE_VERSION))
        os._exit(1)
    while True:
        data, descriptors, _, _ = socket.recv_fds(control, 1 << 18, 2)
        if not data:
            os._exit(0)
        message = marshal.loads(data)
        if message[0] == "warm":
            warm_up(message[1])
        else:
            worker.start(message[1], *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


if __name__ == "__main__":
    serve()
else:
    serve_once()
