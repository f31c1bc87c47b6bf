# What the syntax tree of a response says, before anything of it runs: where the tester is bound, what a reviewer should
# look at, and how to run the tester apart from the solution.
import ast

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def is_main_guard(node):
    return isinstance(node, ast.If) and any(isinstance(n, ast.Name) and n.id == "__name__" for n in ast.walk(node.test))


def statements_that_run(body):
    """Statements of a block in order, those inside if, for, while, try and with included; never a main guard's."""
    for node in body:
        if is_main_guard(node):
            continue
        yield node
        if isinstance(node, FUNCTIONS + (ast.ClassDef,)):
            continue
        for block in ("body", "orelse", "finalbody"):
            yield from statements_that_run(getattr(node, block, ()))
        for handler in getattr(node, "handlers", ()):
            yield from statements_that_run(handler.body)
        for case in getattr(node, "cases", ()):
            yield from statements_that_run(case.body)


def names_in_target(target):
    return {n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def names_bound_by(node):
    """Names that one statement binds in its block (not in the blocks below it)."""
    if isinstance(node, FUNCTIONS + (ast.ClassDef,)):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    bound = set()
    for field in ("targets", "target", "optional_vars"):
        value = getattr(node, field, None)
        for target in value if isinstance(value, list) else [value] if isinstance(value, ast.AST) else []:
            bound |= names_in_target(target)
    for item in getattr(node, "items", ()):
        if isinstance(item, ast.withitem) and item.optional_vars is not None:
            bound |= names_in_target(item.optional_vars)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            bound |= {n.target.id for n in ast.walk(child) if isinstance(n, ast.NamedExpr)}
    return bound


def binds_attribute(node, owner, name):
    """Solution.F = ..., or setattr(Solution, "F", ...)."""
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    if any(isinstance(t, ast.Attribute) and t.attr == name and isinstance(t.value, ast.Name) and t.value.id == owner
           for t in targets):
        return True
    call = getattr(node, "value", None) if isinstance(node, ast.Expr) else None
    return (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "setattr"
            and len(call.args) == 3 and isinstance(call.args[0], ast.Name) and call.args[0].id == owner
            and isinstance(call.args[1], ast.Constant) and call.args[1].value == name)


class TesterBinding:
    """Where F is bound: `node` its statement; `in_class` the owner class, or None at the top level."""

    def __init__(self, node, in_class):
        self.node, self.in_class = node, in_class


def find_tester(tree, name, owner):
    """The first binding of F that runs, in source order; None where the source shows none."""
    for node in statements_that_run(tree.body):
        if name in names_bound_by(node):
            return TesterBinding(node, None)
        if isinstance(node, ast.ClassDef) and node.name == owner:
            for member in statements_that_run(node.body):
                if name in names_bound_by(member):
                    return TesterBinding(member, node)
        if owner and binds_attribute(node, owner, name):
            return TesterBinding(node, node)
    return None


def names_used_by(node):
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def other_names_of(tree, entry_name):
    """Names that the response gives its solution beside the one it was asked for: f, where it says `solve = f`."""
    return {node.value.id for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name)
            and any(isinstance(target, ast.Name) and target.id == entry_name for target in node.targets)}


def dependencies(tree, tester, entry_name):
    """Top-level statements that F needs, directly or through others, in source order; the solution is not among them,
    under whatever name."""
    solution = {entry_name} | other_names_of(tree, entry_name)
    candidates = [n for n in tree.body if n is not tester.node and n is not tester.in_class and not is_main_guard(n)]
    bound = [(n, set().union(*(names_bound_by(s) for s in statements_that_run([n])))) for n in candidates]
    bound = [(n, names) for n, names in bound if names and not names & solution]
    wanted, chosen = names_used_by(tester.node), set()
    grew = True
    while grew:
        grew = False
        for index, (node, names) in enumerate(bound):
            if index not in chosen and names & wanted:
                chosen.add(index)
                wanted |= names_used_by(node)
                grew = True
    return [node for index, (node, _) in enumerate(bound) if index in chosen]


# What a reviewer should look at. Names are resolved through imports, `__import__`, getattr and vars with constant names, so
# that `from os import _exit as bye` is found and a method of the response's own that is called `exit` is not.
EXIT_PATHS = {"sys.exit", "os._exit", "os.abort", "os.kill", "os.killpg", "os.execv", "os.execve", "signal.raise_signal",
              "signal.pthread_kill", "posix._exit", "posix.kill", "builtins.exit", "builtins.quit"}
EXIT_BUILTINS = {"exit", "quit"}
PATCHED_MODULES = {"builtins", "__builtins__", "unittest", "pytest", "_pytest", "doctest"}
PATCHED_PATHS = {"sys.modules", "sys.exit", "sys.excepthook", "sys.meta_path", "sys.path_hooks", "os._exit", "os.write",
                 "json.dumps", "json.loads", "marshal.dumps", "marshal.loads", "math.isclose", "operator.eq"}
MUTATORS = {"update", "__setitem__", "setdefault", "pop", "clear", "__setattr__"}
WATCHED_IMPORTS = {
    "process_import": {"subprocess", "multiprocessing", "ctypes", "_ctypes", "signal", "resource", "pty", "atexit",
                       "_posixsubprocess", "posix"},
    "network_import": {"socket", "_socket", "ssl", "http.client", "http.server", "urllib.request", "ftplib", "smtplib",
                       "poplib", "imaplib", "telnetlib", "xmlrpc", "socketserver", "requests", "urllib3", "aiohttp"},
    "introspection_import": {"gc", "inspect", "tracemalloc", "dis"},
}
FRAME_ATTRIBUTES = {"f_back", "f_locals", "f_globals", "f_builtins", "tb_frame", "gi_frame", "cr_frame", "ag_frame",
                    "__subclasses__", "__globals__", "__closure__", "cell_contents"}
FRAME_PATHS = {"sys._getframe", "sys._current_frames", "inspect.currentframe", "inspect.stack", "inspect.getouterframes",
               "inspect.trace", "gc.get_objects", "gc.get_referrers", "gc.get_referents", "traceback.walk_stack",
               "sys.settrace", "sys.setprofile"}
BLANKET = {"Exception", "BaseException"}
LONGEST_SCANNED = 1 << 20


class Names:
    """What names of the response stand for: modules and members that it imports, and what it defines itself."""

    def __init__(self, tree):
        self.paths, self.own = {}, set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    self.paths[alias.asname or alias.name.split(".")[0]] = (
                        alias.name if alias.asname else alias.name.split(".")[0])
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self.paths[alias.asname or alias.name] = (node.module or "") + "." + alias.name
            elif isinstance(node, FUNCTIONS + (ast.ClassDef,)):
                self.own.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self.own.add(node.id)
            elif isinstance(node, ast.arg):
                self.own.add(node.arg)

    def path(self, node):
        """The dotted path of an expression, or "" for one that names nothing from outside."""
        parts = []
        while True:
            if isinstance(node, ast.Attribute):
                if node.attr != "__dict__":
                    parts.append(node.attr)
                node = node.value
            elif isinstance(node, ast.Subscript):
                key = constant_text(node.slice)
                base = self.path(node.value)
                if base in ("sys.modules", "globals", "vars", "locals") and key:
                    return ".".join([key] + parts[::-1])
                parts.append(key or "[]")
                node = node.value
            elif isinstance(node, ast.Call):
                called = self.path(node.func)
                first = constant_text(node.args[0]) if node.args else None
                if called in ("__import__", "importlib.import_module") and first:
                    return ".".join([first] + parts[::-1])
                if called == "getattr" and len(node.args) > 1 and constant_text(node.args[1]):
                    parts.append(constant_text(node.args[1]))
                    node = node.args[0]
                elif called == "vars" and node.args:
                    node = node.args[0]
                elif called in ("globals", "vars", "locals"):
                    return ".".join([called] + parts[::-1])
                else:
                    return ""
            elif isinstance(node, ast.Name):
                if node.id in self.own and node.id not in self.paths:
                    return ""
                return ".".join([self.paths.get(node.id, node.id)] + parts[::-1])
            else:
                return ""


def constant_text(node):
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def is_patched_path(path):
    return path.split(".")[0] in PATCHED_MODULES or any(path == p or path.startswith(p + ".") for p in PATCHED_PATHS)


def is_patched_target(target, names):
    if isinstance(target, ast.Subscript) and names.path(target.value) == "sys.modules":
        return True
    return isinstance(target, (ast.Attribute, ast.Subscript)) and is_patched_path(names.path(target))


def is_true_constant(node):
    return isinstance(node, ast.Constant) and bool(node.value) and node.value is not NotImplemented


def returns_truth(function):
    """A function or lambda that answers yes whatever it is asked."""
    if isinstance(function, ast.Lambda):
        return is_true_constant(function.body)
    answers = [n.value for n in ast.walk(function) if isinstance(n, ast.Return)]
    return bool(answers) and all(map(is_true_constant, answers))


def answers_always(node):
    """__eq__ = ... that is always true, as a method, an assignment or an entry of type()'s dict."""
    if isinstance(node, FUNCTIONS):
        return node.name == "__eq__" and returns_truth(node)
    if isinstance(node, ast.Assign):
        named = any(getattr(t, "id", getattr(t, "attr", "")) == "__eq__" for t in node.targets)
        return named and isinstance(node.value, ast.Lambda) and returns_truth(node.value)
    if isinstance(node, ast.Dict):
        return any(key is not None and constant_text(key) == "__eq__" and isinstance(value, ast.Lambda)
                   and returns_truth(value) for key, value in zip(node.keys, node.values))
    return False


def catches_everything(handler, names):
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    blanket = any(k is None or names.path(k).split(".")[-1] in BLANKET for k in kinds)
    return blanket and not any(isinstance(n, ast.Raise) and n.exc is None for n in handler.body)


def findings_of_call(node, names):
    path = names.path(node.func)
    member = path.split(".")[-1]
    if path in EXIT_PATHS or path in EXIT_BUILTINS:
        yield "process_exit"
    if path in ("setattr", "delattr") and node.args and is_patched_path(names.path(node.args[0])):
        yield "patched_builtins"
    if member in MUTATORS and is_patched_path(path.rpartition(".")[0]):
        yield "patched_builtins"
    if path.startswith("unittest.mock.patch") and node.args:
        target = constant_text(node.args[0]) or names.path(node.args[0])
        if is_patched_path(target):
            yield "patched_builtins"
    if path in FRAME_PATHS:
        yield "frame_walking"
    if path == "getattr" and len(node.args) > 1 and constant_text(node.args[1]) in FRAME_ATTRIBUTES:
        yield "frame_walking"
    if path == "contextlib.suppress" and any(names.path(a).split(".")[-1] in BLANKET for a in node.args):
        yield "blanket_except"
    if path in ("__import__", "importlib.import_module") and node.args and constant_text(node.args[0]):
        yield from findings_of_module(constant_text(node.args[0]))


def findings_of_module(module):
    for finding, watched in WATCHED_IMPORTS.items():
        if any(module == name or module.startswith(name + ".") for name in watched):
            yield finding


def findings_of_node(node, names):
    if answers_always(node):
        yield "always_equal"
    if isinstance(node, ast.Call):
        yield from findings_of_call(node, names)
    elif isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete)):
        targets = node.targets if hasattr(node, "targets") else [node.target]
        if any(is_patched_target(t, names) for t in targets):
            yield "patched_builtins"
    elif isinstance(node, ast.ExceptHandler):
        if catches_everything(node, names):
            yield "blanket_except"
    elif isinstance(node, ast.Attribute):
        if node.attr in FRAME_ATTRIBUTES:
            yield "frame_walking"
    elif isinstance(node, ast.Raise):
        if node.exc is not None and names.path(getattr(node.exc, "func", node.exc)) in ("SystemExit", "builtins.SystemExit"):
            yield "process_exit"
    elif isinstance(node, ast.Import):
        for alias in node.names:
            yield from findings_of_module(alias.name)
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield from findings_of_module((node.module or "") + "." + alias.name)


# A source without any of these words has no finding, whatever its tree. (Identifiers beyond ASCII may be other spellings
# of them, so such sources are always looked at.)
TRIGGERS = sorted({part for path in EXIT_PATHS | PATCHED_PATHS | FRAME_PATHS | PATCHED_MODULES for part in path.split(".")}
                  | EXIT_BUILTINS | FRAME_ATTRIBUTES | {"except", "suppress", "__eq__", "SystemExit"}
                  | {name.split(".")[0] for watched in WATCHED_IMPORTS.values() for name in watched})


def may_have_findings(source):
    return not source.isascii() or any(word in source for word in TRIGGERS)


def integrity_findings(tree):
    """Patterns that a reviewer should look at. Reported beside the verdict, never part of it."""
    names = Names(tree)
    return sorted({finding for node in ast.walk(tree) for finding in findings_of_node(node, names)})
