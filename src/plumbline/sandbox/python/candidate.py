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


def answer(channel, nonce, function, args, kwargs, limit):
    """Calls and answers with a value (V), an exception (E) or a value that is no data (R)."""
    try:
        value = function()(*args, **kwargs)
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


def new_namespace():
    """A module of its own, so that dataclasses and pickles find it; its name keeps main guards from running."""
    module = types.ModuleType("solution")
    sys.modules["solution"] = module
    return module.__dict__


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
    tree, findings = ast.Module(body=[], type_ignores=[]), []
    if tester or may_have_findings(source):
        try:
            tree = ast.parse(source)
            findings = integrity_findings(tree)
        except (RecursionError, MemoryError):  # compiles, but is too deep to look at
            pass
    static = bool(tester) and find_tester(tree, tester, job["owner"]) is not None
    channel.send(nonce, b"F", dumps((static, findings), WIRE_VERSION))
    return code, tree


def serve_calls(channel, nonce, job):
    """The trusted grade's half: load the response, then answer calls as they come."""
    code, _ = report_source(channel, nonce, job)
    namespace = new_namespace()
    try:
        execute(job["setup"], namespace)
        exec(code, namespace)
        entry = compile(job["entry"], "<entry>", "eval", 0, True)
        channel.send(nonce, b"V", dumps(None, WIRE_VERSION))
    except BaseException as error:
        channel.send(nonce, b"E", describe(error))
        leave(0)
    while True:
        frame = channel.receive()
        if not frame:
            leave(0)
        args, kwargs = loads(frame[8:])
        answer(channel, frame[:8], lambda: eval(entry, namespace), args, kwargs, job["limit"])


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


def load_tester_apart(job, tree, tester, namespace):
    """The tester beside another solution (stub or reference), alone or with what it needs of the response."""
    if job["with_needs"]:
        run_statements(namespace, dependencies(tree, tester, job["owner"] or job["entry"]))
    if tester.in_class is None or tester.in_class is tester.node:
        run_statements(namespace, [tester.node])
        return
    members = [tester.node]
    if job["with_needs"]:
        present = vars(namespace[job["owner"]])
        members += [m for m in tester.in_class.body if isinstance(m, FUNCTIONS) and m is not tester.node
                    and m.name not in present]
    attach_members(namespace, job["owner"], members)


def load_whole_response(job, code, namespace):
    """For a tester that only exists at run time: the whole response, then the other solution in its place."""
    owner, tester = job["owner"], job["tester"]
    exec(code, namespace)
    attached = vars(namespace[owner]).get(tester) if owner in namespace else None
    execute(job["replacement"], namespace)
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


def run_tester(channel, nonce, job):
    """The hinted grade (replacement empty: the response as it is), or F against a stub or the reference."""
    code, tree = report_source(channel, nonce, job)
    tester = find_tester(tree, job["tester"], job["owner"])
    namespace = new_namespace()
    bound = False
    try:
        execute(job["setup"], namespace)
        if not job["replacement"]:
            exec(code, namespace)
        elif tester is None:
            load_whole_response(job, code, namespace)
        else:
            execute(job["replacement"], namespace)
            load_tester_apart(job, tree, tester, namespace)
        owner = namespace.get(job["owner"])
        bound = job["tester"] in namespace or owner is not None and hasattr(owner, job["tester"])
        call_tester(job, tester, namespace)
    except BaseException as error:
        channel.send(nonce, b"E" if bound else b"U", describe(error))
    else:
        channel.send(nonce, b"V", dumps(None, WIRE_VERSION))
    leave(0)


class Remote:
    """The candidate as the test process sees it: calls go out as data, values come back as data."""

    def __init__(self, channel):
        self.channel = channel

    def __call__(self, *args, **kwargs):
        self.channel.send(b"\0" * 8, b"C", encoded((args, kwargs)))
        frame = self.channel.receive()
        status, body = frame[:1], loads(frame[1:])
        if status == b"V":
            return body
        kind = __builtins__.get(body[0])
        raise (kind if isinstance(kind, type) and issubclass(kind, Exception) else RuntimeError)(body[1])


def stand_in(entry, remote):
    """(name, object): what code tests call, a function or a class whose one method goes to the submission."""
    owner, _, method = entry.partition("().")
    if not method:
        return entry, remote
    return owner, type(owner, (), {method: lambda self, *args, **kwargs: remote(*args, **kwargs)})


def run_code_tests(channel, nonce, job):
    """The process that holds tests which are code. It runs the problem's own text only, never the submission."""
    namespace = new_namespace()
    try:
        execute(job["setup"], namespace)
        execute(job["prelude"], namespace)
        name, candidate = stand_in(job["entry"], Remote(channel))
        namespace[name] = candidate
        execute(job["code"], namespace)
    except BaseException as error:
        channel.send(nonce, b"E", describe(error))
    else:
        channel.send(nonce, b"V", dumps(None, WIRE_VERSION))
    leave(0)


KINDS = {"calls": serve_calls, "tester": run_tester, "code_tests": run_code_tests}


def run_candidate(descriptor):
    channel = Channel(descriptor)
    frame = channel.receive()
    job = loads(frame[8:])
    KINDS[job["kind"]](channel, frame[:8], job)
    leave(0)
