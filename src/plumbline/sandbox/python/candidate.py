# Runs inside the confined process. Nothing here knows an expected value or decides anything: it loads code, calls it
# and sends back what came out. Whatever a submission does to it can only spoil the submission's own answers.
dumps, loads = marshal.dumps, marshal.loads
read_bytes, write_bytes, leave = os.read, os.write, os._exit
WIRE_VERSION = 2  # no references: every value is a tree
MAX_DEPTH = 100
BASES = (bool, int, float, str, list, tuple, dict, set, frozenset)
mro_of = type.__dict__["__mro__"].__get__


class Channel:
    """Frames: four bytes of length, little-endian, then the payload. An empty frame ends the job."""

    def __init__(self, descriptor):
        self.descriptor, self.buffer = descriptor, bytearray()

    def read_exactly(self, size):
        while len(self.buffer) < size:
            block = read_bytes(self.descriptor, 1 << 16)
            if not block:
                leave(0)
            self.buffer += block
        block = bytes(self.buffer[:size])
        del self.buffer[:size]
        return block

    def receive(self):
        return self.read_exactly(int.from_bytes(self.read_exactly(4), "little"))

    def send(self, nonce, status, body):
        frame = (9 + len(body)).to_bytes(4, "little") + nonce + status + body
        while frame:
            frame = frame[write_bytes(self.descriptor, frame):]


def plain(value, depth=0):
    """The value with instances of subclasses taken for their builtin base, by the base's own methods only."""
    if depth > MAX_DEPTH:
        raise ValueError("nested too deeply")
    if value is None:
        return None
    for base in mro_of(type(value)):
        if base in BASES:
            break
    else:
        raise TypeError("not a builtin value: " + type(value).__name__)
    if base is bool:
        return value
    if base is int:
        return int.__add__(value, 0)
    if base is float:
        return float.__pos__(value)
    if base is str:
        return str.__getitem__(value, slice(None))
    if base is dict:
        return {plain(k, depth + 1): plain(v, depth + 1) for k, v in dict.items(value)}
    return base([plain(item, depth + 1) for item in base.__iter__(value)])


def encoded(value):
    try:
        return dumps(value, WIRE_VERSION)
    except ValueError:
        return dumps(plain(value), WIRE_VERSION)


BUILTIN_ERRORS = {id(kind): kind for kind in __builtins__.values()
                  if isinstance(kind, type) and issubclass(kind, BaseException)}


def describe(error):
    """(builtin kind, message, missing name) of an exception; its own methods may be hostile and are not called."""
    kind = next(BUILTIN_ERRORS[id(k)] for k in mro_of(type(error)) if id(k) in BUILTIN_ERRORS)
    try:
        message = kind.__str__(error)[:300]
        missing = getattr(error, "name", "") if type(error) is NameError else ""
        return dumps((kind.__name__, str.__getitem__(message, slice(None)), missing or ""), WIRE_VERSION)
    except BaseException:  # the arguments of an exception may be hostile objects
        return dumps((kind.__name__, "", ""), WIRE_VERSION)


def is_data(value):
    return value is None or any(base in BASES for base in mro_of(type(value)))


def answer(channel, nonce, function, call, limit):
    """Calls and answers with a value (V), an exception (E) or a value that is no data (R). The third item of a call says
    that a result which can only be walked through (a generator, a view) is to be sent as a list."""
    try:
        value = function()(*call[0], **call[1])
        if len(call) > 2 and call[2] and not is_data(value):
            value = list(value)
    except BaseException as error:
        channel.send(nonce, b"E", describe(error))
        return
    try:
        body = encoded(value)
        if len(body) > limit:
            raise ValueError("the returned value is too large")
    except MemoryError as error:
        channel.send(nonce, b"E", describe(error))
    except BaseException as error:
        channel.send(nonce, b"R", describe(error))
    else:
        channel.send(nonce, b"V", body)


PREPARED = {}  # preamble -> the module that the server made by running it before the fork


def new_namespace(setup):
    """A module of its own, so that dataclasses and pickles find it, with the preamble to be run in it, if any is left;
    its name keeps main guards from running."""
    module = PREPARED.get(setup)
    if module is not None:
        setup = ""
    else:
        module = types.ModuleType("solution")
    sys.modules["solution"] = module
    return module.__dict__, setup


def execute(source, namespace):
    exec(compile(source, "<solution>", "exec", 0, True), namespace)


def report_source(channel, nonce, job):
    """Compiles the response and tells what its tree says, before any of it runs. Returns (code, tree)."""
    try:
        code = compile(job["code"], "<solution>", "exec", 0, True)
    except BaseException as error:
        channel.send(nonce, b"S", describe(error))
        leave(0)
    source, tester = job["code"], job["tester"]
    is_tester_run = job["kind"] == "tester"
    tree, findings, is_read = ast.Module(body=[], type_ignores=[]), [], False
    if len(source) > LONGEST_SCANNED:
        findings = ["not_scanned"]
    elif tester or may_have_findings(source):
        try:
            tree, is_read = ast.parse(source), True
            if not is_tester_run and may_have_findings(source):  # the trusted run's are what is reported
                findings = integrity_findings(tree)
        except (RecursionError, MemoryError):  # compiles, but is too deep to look at
            findings = ["not_scanned"]
    static = bool(tester) and find_tester(tree, tester, job["owner"]) is not None
    absent = is_read and bool(tester) and not static and cannot_bind(tree, tester, job["setup"])
    channel.send(nonce, b"F", dumps((static, absent, findings), WIRE_VERSION))
    return code, tree


def cannot_bind(tree, name, setup):
    """Whether running the module certainly leaves `name` unbound, in it and in the classes it makes. The tree binds it
    nowhere, and every statement only defines something; a preamble that was not run ahead of time may bind anything."""
    if name.startswith("__") or hasattr(type, name):  # what every module or class has of itself
        return False
    if setup and (setup not in PREPARED or name in PREPARED[setup].__dict__):
        return False
    takes_all = any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in ast.walk(tree))
    return not takes_all and only_defines(tree)


def require_entry(entry, namespace):
    """A response without the function that it was asked for fails here, not inside a test that expects an exception."""
    owner, _, method = entry.partition("().")
    if owner not in namespace:
        raise NameError("name %r is not defined" % owner)
    if method and not hasattr(namespace[owner], method):
        raise AttributeError("%s has no attribute %r" % (owner, method))


def serve_calls(channel, nonce, job):
    """The trusted grade's half: load the response, then answer calls as they come."""
    reply = answer_mirrored if job["mirrored"] else answer
    code, _ = report_source(channel, nonce, job)
    namespace, setup = new_namespace(job["setup"])
    try:
        execute(setup, namespace)
        exec(code, namespace)
        entry = compile(job["entry"], "<entry>", "eval", 0, True)
        require_entry(job["entry"], namespace)
        channel.send(nonce, b"V", dumps(None, WIRE_VERSION))
    except BaseException as error:
        channel.send(nonce, b"E", describe(error))
        leave(0)
    while True:
        frame = channel.receive()
        if not frame:
            leave(0)
        reply(channel, frame[:8], lambda: eval(entry, namespace), loads(frame[8:]), job["limit"])


def run_apart(work):
    """work(writing) in a process of its own that has no channel, to its end. Returns (exit status, CPU seconds, what it
    wrote): a short text at most, all that fits a pipe."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    pid = os.fork()
    if pid == 0:
        try:
            os.setpgid(0, 0)
            os.close(CHANNEL)
            work(writing)
        finally:
            leave(0)
    _, status, usage = os.wait4(pid, 0)
    try:
        os.killpg(pid, signal.SIGKILL)
    except OSError:
        pass
    try:
        written = read_bytes(reading, 1 << 12)
    except BlockingIOError:
        written = b""
    os.close(reading)
    os.close(writing)
    return status, usage.ru_utime + usage.ru_stime, written


def be_the_program(code, setup, source, sink, errors):
    """The response as the program `__main__`."""
    try:
        os.dup2(source, 0)
        os.dup2(sink, 1)
        sys.stdin = sys.__stdin__ = open(0, "r", encoding="utf-8", errors="surrogateescape", closefd=False)
        sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)
        module = sys.modules["__main__"] = types.ModuleType("__main__")
        try:
            execute(setup, module.__dict__)
            exec(code, module.__dict__)
        except SystemExit:
            pass
        if "threading" in sys.modules:
            sys.modules["threading"]._shutdown()
        if "atexit" in sys.modules:
            sys.modules["atexit"]._run_exitfuncs()
        sys.stdout.flush()
    except BaseException as error:
        write_bytes(errors, describe(error))


def open_unnamed(name):
    descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    os.unlink(name)
    return descriptor


def run_program(channel, nonce, code, job, text):
    """One input: answers with what the program wrote (V) or the exception that it ended with (E)."""
    source, sink = open_unnamed(".input"), open_unnamed(".output")
    block = text.encode("utf-8", "surrogatepass")
    while block:
        block = block[write_bytes(source, block):]
    os.lseek(source, 0, os.SEEK_SET)
    status, _, error = run_apart(lambda errors: be_the_program(code, job["setup"], source, sink, errors))
    size = os.fstat(sink).st_size
    if os.WIFSIGNALED(status):
        error = dumps(("SystemError", "the program was killed by signal %d" % os.WTERMSIG(status), ""), WIRE_VERSION)
    if error:
        channel.send(nonce, b"E", error)
    elif size > job["limit"]:
        channel.send(nonce, b"R", dumps(("ValueError", "the output is too large", ""), WIRE_VERSION))
    else:
        written = os.pread(sink, size, 0).decode("utf-8", "replace")
        channel.send(nonce, b"V", dumps(written, WIRE_VERSION))
    for descriptor in (source, sink):
        os.close(descriptor)


def serve_programs(channel, nonce, job):
    """The trusted grade's half for solutions that read their input: one process for each input."""
    code, _ = report_source(channel, nonce, job)
    channel.send(nonce, b"V", dumps(None, WIRE_VERSION))
    while True:
        frame = channel.receive()
        if not frame:
            leave(0)
        run_program(channel, frame[:8], code, job, loads(frame[8:]))


def attach_members(namespace, owner, nodes):
    """Puts members of the response's class into the class that stands in for it."""
    holder = ast.ClassDef(name="__members", bases=[], keywords=[], body=nodes, decorator_list=[])
    module = ast.fix_missing_locations(ast.Module(body=[holder], type_ignores=[]))
    exec(compile(module, "<tester>", "exec", 0, True), namespace)
    members = namespace.pop("__members").__dict__
    for node in nodes:
        for name in names_bound_by(node):
            setattr(namespace[owner], name, members[name])


def run_statements(namespace, nodes):
    exec(compile(ast.Module(body=nodes, type_ignores=[]), "<tester>", "exec", 0, True), namespace)


def load_tester_apart(job, tree, tester, namespace, with_needs):
    """The tester beside another solution (stub or reference), alone or with what it needs of the response."""
    if with_needs:
        solution = job["owner"] or job["entry"]
        for name in other_names_of(tree, solution):
            namespace[name] = namespace[solution]
        run_statements(namespace, dependencies(tree, tester, solution))
    if tester.in_class is None or tester.in_class is tester.node:
        run_statements(namespace, [tester.node])
        return
    members = [tester.node]
    if with_needs:
        present = vars(namespace[job["owner"]])
        members += [m for m in tester.in_class.body if isinstance(m, FUNCTIONS) and m is not tester.node
                    and m.name not in present]
    attach_members(namespace, job["owner"], members)


def load_whole_response(job, code, namespace, replacement):
    """For a tester that only exists at run time: the whole response, then the other solution in its place."""
    owner, tester = job["owner"], job["tester"]
    exec(code, namespace)
    attached = vars(namespace[owner]).get(tester) if owner in namespace else None
    execute(replacement, namespace)
    if attached is not None:
        setattr(namespace[owner], tester, attached)


def call_tester(job, tester, namespace):
    """F as the environment calls it: a method on an instance, or a plain function."""
    owner, name = job["owner"], job["tester"]
    as_method = tester is not None and tester.in_class is not None
    if not as_method and name not in namespace and owner in namespace and hasattr(namespace[owner], name):
        as_method = True
    if as_method:
        getattr(namespace[owner](), name)()
    else:
        namespace[name]()


def run_tester(job, code, tree, replacement, with_needs):
    """The hinted grade (replacement empty: the response as it is), or F against a stub or the reference: (letter, body)."""
    tester = find_tester(tree, job["tester"], job["owner"])
    namespace, setup = new_namespace(job["setup"])
    bound = False
    try:
        execute(setup, namespace)
        if not replacement:
            exec(code, namespace)
        elif tester is None:
            load_whole_response(job, code, namespace, replacement)
        else:
            execute(replacement, namespace)
            load_tester_apart(job, tree, tester, namespace, with_needs)
        owner = namespace.get(job["owner"])
        bound = job["tester"] in namespace or owner is not None and hasattr(owner, job["tester"])
        call_tester(job, tester, namespace)
    except BaseException as error:
        return b"E" if bound else b"U", describe(error)
    return b"V", dumps(None, WIRE_VERSION)


def nothing_is_left():
    """No other process of this space but its first, and no file: another run finds what a fresh sandbox has. Where
    others can be seen (no space of our own) something always is."""
    try:
        os.kill(-1, 0)
    except ProcessLookupError:
        return not os.listdir()
    except OSError:
        pass
    return False


def serve_tester(channel, nonce, job):
    """Calls F on one solution after the other, each time in a process forked from this one, which runs nothing of the
    response but in the last run. Answers with the CPU seconds of the run and what came of it. Leaves when a run ended
    without a word or left something; whoever wants another one starts a fresh sandbox."""
    code, tree = report_source(channel, nonce, job)
    is_bound = find_tester(tree, job["tester"], job["owner"]) is not None
    while True:
        frame = channel.receive()
        if not frame:
            leave(0)
        replacement, with_needs, is_last = loads(frame[8:])
        run = lambda: run_tester(job, code, tree, replacement, with_needs)
        if is_last or not is_bound:
            letter, body = run()
            channel.send(frame[:8], letter, dumps(0.0, WIRE_VERSION) + body)
            leave(0)
        _, cpu_s, written = run_apart(lambda answer: write_bytes(answer, b"".join(run())))
        if written[:1] not in (b"E", b"U", b"V"):
            leave(0)
        channel.send(frame[:8], written[:1], dumps(cpu_s, WIRE_VERSION) + written[1:])
        if not nothing_is_left():
            leave(0)


class NoAnswer(BaseException):
    """What the tests see when the submission left, ran out of something or gave no plain data: an exception that no
    `except Exception` of theirs takes for one of the submission's."""


def ends_iteration(kind):
    """Raised inside map(), filter() or iter() these would end the tests' loop as if all were done."""
    return on("no_stop_iteration") and issubclass(kind, (StopIteration, StopAsyncIteration))


class Remote:
    """The candidate as the test process sees it: calls go out as data, values come back as data."""

    def __init__(self, channel):
        self.channel = channel

    def __call__(self, *args, **kwargs):
        mirror, call = mirror_call(args, kwargs)
        self.channel.send(b"\0" * 8, b"C", dumps(call, WIRE_VERSION))
        frame = self.channel.receive()
        try:
            if frame[:1] == b"M":
                mirror.take(loads(frame[1:]))
                frame = self.channel.receive()
            if frame[:1] == b"V":
                return mirror.value(loads(frame[1:]))
        except Exception:
            raise NoAnswer("its answer was no answer") from None
        kind, message = loads(frame[1:])
        kind = __builtins__.get(kind)
        if not isinstance(kind, type) or not issubclass(kind, Exception) or kind is MemoryError:
            kind = NoAnswer
        elif ends_iteration(kind):
            kind = RuntimeError
        raise kind(message)


def stand_in(entry, remote):
    """(name, object): what code tests call, a function or a class whose one method goes to the submission."""
    owner, _, method = entry.partition("().")
    if not method:
        return entry, remote
    return owner, type(owner, (), {method: lambda self, *args, **kwargs: remote(*args, **kwargs)})


def run_defined_tests(namespace):
    """What a test program only defines: unittest classes, and functions test* that take nothing."""
    for name, member in list(namespace.items()):
        if name.startswith("test") and isinstance(member, types.FunctionType) and not member.__code__.co_argcount:
            member()
    unittest = sys.modules.get("unittest")
    for member in list(namespace.values()) if unittest else ():
        if isinstance(member, type) and issubclass(member, unittest.TestCase) and member.__module__ == "solution":
            result = unittest.TestResult()
            unittest.defaultTestLoader.loadTestsFromTestCase(member).run(result)
            for _, text in result.failures + result.errors:
                raise AssertionError(text.strip().rsplit("\n", 1)[-1])


def run_code_tests(channel, nonce, job):
    """The process that holds tests which are code. It runs the problem's own text only, never the submission."""
    namespace, setup = new_namespace(job["setup"])
    try:
        execute(setup, namespace)
        execute(job["prelude"], namespace)
        name, candidate = stand_in(job["entry"], Remote(channel))
        namespace[name] = candidate
        if "unittest" in job["code"]:
            __import__("unittest").main = lambda *args, **kwargs: None  # run_defined_tests does it
        execute(job["code"], namespace)
        run_defined_tests(namespace)
    except NoAnswer as error:
        channel.send(nonce, b"E", dumps(("RuntimeError", str(error), ""), WIRE_VERSION))
    except BaseException as error:
        channel.send(nonce, b"E", describe(error))
    else:
        channel.send(nonce, b"V", dumps(None, WIRE_VERSION))
    leave(0)


KINDS = {"calls": serve_calls, "programs": serve_programs, "tester": serve_tester, "code_tests": run_code_tests}


def run_candidate(descriptor):
    channel = Channel(descriptor)
    frame = channel.receive()
    job = loads(frame[8:])
    KINDS[job["kind"]](channel, frame[:8], job)
    leave(0)
