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


def dependencies(tree, tester, entry_name):
    """Top-level statements that F needs, directly or through others, in source order; the solution is not among them."""
    candidates = [n for n in tree.body if n is not tester.node and n is not tester.in_class and not is_main_guard(n)]
    bound = [(n, set().union(*(names_bound_by(s) for s in statements_that_run([n])))) for n in candidates]
    bound = [(n, names) for n, names in bound if names and entry_name not in names]
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


EXIT_CALLS = {"exit", "quit", "_exit", "abort", "kill", "killpg"}
PATCHED_MODULES = {"builtins", "__builtins__", "unittest", "pytest", "sys", "os", "json", "atexit"}
WATCHED_IMPORTS = {
    "process_import": {"subprocess", "multiprocessing", "ctypes", "signal", "resource", "pty", "atexit", "_posixsubprocess"},
    "network_import": {"socket", "ssl", "http", "urllib", "ftplib", "smtplib", "requests", "asyncio", "_socket"},
    "introspection_import": {"gc", "inspect", "tracemalloc", "dis"},
}
FRAME_ATTRIBUTES = {"f_back", "f_locals", "f_globals", "tb_frame", "gi_frame", "cr_frame", "_getframe", "get_objects",
                    "get_referrers", "__subclasses__", "__globals__", "currentframe"}


def root_name(node):
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def always_true_equality(node):
    return isinstance(node, ast.ClassDef) and any(
        isinstance(m, FUNCTIONS) and m.name in ("__eq__", "__ne__")
        and all(isinstance(r.value, ast.Constant) for r in ast.walk(m) if isinstance(r, ast.Return))
        for m in node.body)


def findings_of_node(node):
    if isinstance(node, ast.Call):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called in EXIT_CALLS:
            yield "process_exit"
        if called == "setattr" and node.args and root_name(node.args[0]) in PATCHED_MODULES:
            yield "patched_builtins"
        if called == "_getframe":
            yield "frame_walking"
    elif isinstance(node, (ast.Assign, ast.AugAssign, ast.Delete)):
        targets = node.targets if hasattr(node, "targets") else [node.target]
        for target in targets:
            if isinstance(target, (ast.Attribute, ast.Subscript)) and root_name(target) in PATCHED_MODULES:
                yield "patched_builtins"
    elif isinstance(node, ast.ExceptHandler):
        kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        if any(k is None or getattr(k, "id", "") in ("Exception", "BaseException") for k in kinds):
            yield "blanket_except"
    elif isinstance(node, ast.Attribute) and node.attr in FRAME_ATTRIBUTES:
        yield "frame_walking"
    elif isinstance(node, ast.Raise) and getattr(getattr(node.exc, "func", node.exc), "id", "") == "SystemExit":
        yield "process_exit"
    elif isinstance(node, ast.ClassDef) and always_true_equality(node):
        yield "always_equal"
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
        for module in modules:
            for finding, watched in WATCHED_IMPORTS.items():
                if module.split(".")[0] in watched:
                    yield finding


# A source without any of these words has no finding, whatever its tree. (Identifiers beyond ASCII may be other spellings
# of them, so such sources are always looked at.)
TRIGGERS = sorted(EXIT_CALLS | PATCHED_MODULES | FRAME_ATTRIBUTES | {"except", "__eq__", "__ne__", "SystemExit"}
                  | set().union(*WATCHED_IMPORTS.values()))


def may_have_findings(source):
    return not source.isascii() or any(word in source for word in TRIGGERS)


def integrity_findings(tree):
    """Patterns that a reviewer should look at. Reported beside the verdict, never part of it."""
    return sorted({finding for node in ast.walk(tree) for finding in findings_of_node(node)})
