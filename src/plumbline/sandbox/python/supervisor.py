# The process between the warm server and the submission: process 1 of the submission's namespace (or a subreaper where
# there are no namespaces). It sums CPU time and memory over the whole process tree, ends everything when a limit is
# reached or the answer is complete, and reports how the run ended. It knows no code and no tests.
TICK_HZ = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
FIRST_TICK_S, LONGEST_TICK_S = 0.02, 0.05
MAX_WALL_STRETCH = 10  # a starved submission may wait this many times its wall-clock limit
NOT_CONFINED = 99  # exit code of a process that could not be confined; no submission ran in it
STACK_BYTES = 64 << 20
FILE_BYTES = 64 << 20


class Job:
    """Limits of one submission, as the server received them."""

    def __init__(self, level, fields, seccomp, landlock):
        self.level, self.seccomp, self.landlock = level, seccomp, landlock
        self.cpu_s, self.wall_s, self.memory_bytes, self.processes = fields
        self.folder, self.uid = "/tmp", None


def read_text(path):
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return os.read(descriptor, 8192).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(descriptor)


def stat_fields(pid):
    """/proc/PID/stat after the name (which may hold anything): state is [0], parent [1]."""
    text = read_text(f"/proc/{pid}/stat")
    return text[text.rfind(")") + 2:].split() if text else []


class Tree:
    """The live processes of the submission."""

    def __init__(self, job):
        self.job = job

    def pids(self):
        numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
        if self.job.level == "namespaces":
            return [pid for pid in numbers if pid != 1]
        parents = {}
        for pid in numbers:
            fields = stat_fields(pid)
            if fields:
                parents.setdefault(int(fields[1]), []).append(pid)
        found, edge = [], [os.getpid()]
        while edge:
            below = parents.get(edge.pop(), [])
            found += below
            edge += below
        return found

    def cpu_s(self, pids):
        """Live processes with the children that they reaped, and those that we reaped."""
        reaped = resource.getrusage(resource.RUSAGE_CHILDREN)
        ticks = sum(sum(map(int, fields[11:15])) for fields in map(stat_fields, pids) if fields)
        return reaped.ru_utime + reaped.ru_stime + ticks / TICK_HZ

    def memory_bytes(self, pids):
        """Upper bound first (pages shared after a fork count once a process); the exact sum only when that is near."""
        pages = 0
        for pid in pids:
            fields = read_text(f"/proc/{pid}/statm").split()
            pages += int(fields[1]) if fields else 0
        files = self.file_bytes()
        if pages * PAGE_BYTES + files <= self.job.memory_bytes:
            return pages * PAGE_BYTES + files
        return files + sum(map(self.exact_bytes, pids))

    def exact_bytes(self, pid):
        lines = read_text(f"/proc/{pid}/smaps_rollup").splitlines()
        if not lines:  # a process that made itself unreadable is taken at its upper bound
            fields = read_text(f"/proc/{pid}/statm").split()
            return int(fields[1]) * PAGE_BYTES if fields else 0
        return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(("Pss_Anon:", "Pss_Shmem:")))

    def file_bytes(self):
        if self.job.level != "namespaces":
            return 0
        usage = os.statvfs("/tmp")
        return (usage.f_blocks - usage.f_bfree) * usage.f_frsize

    def starved_s(self, pids):
        """Longest time that one process stood ready without a core: the load's fault, not the submission's."""
        delays = [read_text(f"/proc/{pid}/schedstat").split() for pid in pids]
        return max((int(fields[1]) / 1e9 for fields in delays if len(fields) == 3), default=0.0)

    def end(self):
        """Kills and reaps everything. A process that is being killed cannot fork, so this ends."""
        while True:
            pids = [1] if self.job.level == "namespaces" else self.pids()
            for pid in pids:
                try:
                    os.kill(-1 if self.job.level == "namespaces" else pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            try:
                while os.waitpid(-1, WALL if self.job.level == "namespaces" else WALL | os.WNOHANG)[0]:
                    pass
            except ChildProcessError:
                return
            time.sleep(0.001)


class Watch:
    """Waits for the submission's first process, for a limit, or for the grader to lose interest."""

    def __init__(self, job, pid, status):
        self.job, self.pid, self.tree = job, pid, Tree(job)
        self.start_s, self.exit_status = time.monotonic(), None
        self.poller = select.poll()
        self.pidfd = os.pidfd_open(pid)
        self.poller.register(self.pidfd, select.POLLIN)
        self.poller.register(status, select.POLLRDHUP)  # the grader let go

    def run(self):
        tick_s = FIRST_TICK_S
        while True:
            events = self.poller.poll(tick_s * 1000)
            if any(fd == self.pidfd for fd, _ in events):
                self.exit_status = os.waitpid(self.pid, WALL)[1]
                return "exited"
            if events:
                return "abandoned"
            reason = self.exceeded()
            if reason:
                return reason
            self.reap_orphans()
            tick_s = min(tick_s * 1.5, LONGEST_TICK_S)

    def exceeded(self):
        pids = self.tree.pids()
        if self.tree.cpu_s(pids) > self.job.cpu_s and self.tree.cpu_s(self.tree.pids()) > self.job.cpu_s:
            return "cpu"  # read twice: a child reaped between two reads may count double for once
        if self.tree.memory_bytes(pids) > self.job.memory_bytes:
            return "memory"
        wall_s = time.monotonic() - self.start_s
        if wall_s > self.job.wall_s:
            if wall_s > self.job.wall_s * MAX_WALL_STRETCH or wall_s - self.tree.starved_s(pids) > self.job.wall_s:
                return "wall"
        return ""

    def reap_orphans(self):
        """Strays handed to us; the submission's own first process is left for its descriptor to announce."""
        while True:
            try:
                waiting = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT | WALL)
            except ChildProcessError:
                return
            if waiting is None or waiting.si_pid == self.pid:
                return
            os.waitpid(waiting.si_pid, WALL)


def set_limits(job):
    def limit(which, soft, hard=None):
        resource.setrlimit(which, (soft, soft if hard is None else hard))

    seconds = int(job.cpu_s) + 2
    limit(resource.RLIMIT_CPU, seconds, seconds + 1)
    limit(resource.RLIMIT_AS, job.memory_bytes + PAGE_BYTES * int(read_text("/proc/self/statm").split()[0]))
    limit(resource.RLIMIT_FSIZE, FILE_BYTES)
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_MSGQUEUE, 0)
    limit(resource.RLIMIT_NOFILE, 256)
    hard_stack = resource.getrlimit(resource.RLIMIT_STACK)[1]
    if hard_stack == resource.RLIM_INFINITY or hard_stack >= STACK_BYTES:
        limit(resource.RLIMIT_STACK, STACK_BYTES)
    limit(resource.RLIMIT_NPROC, job.processes + processes_of_user(job))


def processes_of_user(job):
    """What RLIMIT_NPROC counts already: ourselves in a namespace, all threads of the user where the uid is shared."""
    if job.level == "namespaces":
        return 1
    if job.uid is not None:
        return 0
    uid, threads = os.getuid(), 0
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if os.stat("/proc/" + name).st_uid == uid:
                    threads += int((stat_fields(name) + ["0"] * 18)[17])
            except OSError:
                pass
    return threads


def confine(job, channel):
    """The submission's process gives up everything but its channel."""
    os.setsid()
    null = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.dup2(channel, 3)
    os.closerange(4, 1 << 16)
    os.environ.clear()
    os.umask(0o077)
    os.chdir(job.folder)
    set_limits(job)
    if job.level == "namespaces":
        drop_capabilities()
    elif job.uid is not None:
        os.setgroups([])
        os.setresgid(job.uid, job.uid, job.uid)
        os.setresuid(job.uid, job.uid, job.uid)
    checked(prctl(PR_SET_NO_NEW_PRIVS, 1), "no_new_privs")
    checked(prctl(PR_SET_DUMPABLE, 1), "dumpable")
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if job.level == "container" and job.landlock:
        load_landlock(job.landlock, job.folder)
    if job.level != "limits":
        load_seccomp(job.seccomp)
    for number in (signal.SIGINT, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL if number == signal.SIGCHLD else signal.default_int_handler)


def prepare(job):
    """Before the submission's process exists."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if job.level == "namespaces":
        enter_submission_namespaces(job.memory_bytes // 4)
        os.setsid()
        return
    os.setsid()
    checked(prctl(PR_SET_CHILD_SUBREAPER, 1), "subreaper")
    job.folder = tempfile.mkdtemp(prefix="plumbline-")
    if os.geteuid() == 0:
        job.uid = FIRST_THROWAWAY_UID + os.getpid()
        os.chown(job.folder, job.uid, job.uid)


def clean_up(job):
    if job.folder != "/tmp":
        shutil.rmtree(job.folder, ignore_errors=True)


def be_the_submission(job, channel):
    """Never returns."""
    code = NOT_CONFINED
    try:
        confine(job, channel)
        code = 1
        run_candidate(3)
    except BaseException as error:
        if code == NOT_CONFINED:
            os.write(channel, b"\xff\xff\xff\xff" + repr(error).encode()[:500])
    finally:
        os._exit(code)


def supervise(job, channel, status):
    """Never returns. The report is one marshalled tuple: reason, wait status, CPU seconds, wall seconds, message."""
    watch, reason, message = None, "setup", ""
    try:
        prepare(job)
        prctl(PR_SET_DUMPABLE, 0)  # the submission's process sets its own back
        pid = os.fork()
        if pid == 0:
            be_the_submission(job, channel)
        watch = Watch(job, pid, status)
        os.close(channel)
        reason = watch.run()
        watch.tree.end()
        if reason == "exited" and watch.tree.cpu_s([]) > job.cpu_s:
            reason = "cpu"
    except BaseException as error:
        message = repr(error)[:500]
    if watch is not None:
        used_s = watch.tree.cpu_s([])
        report = (reason, watch.exit_status or 0, used_s, time.monotonic() - watch.start_s, message)
    else:
        report = (reason, 0, 0.0, 0.0, message)
    try:
        clean_up(job)
        os.write(status, marshal.dumps(report, WIRE_VERSION))
    finally:
        os._exit(0)
