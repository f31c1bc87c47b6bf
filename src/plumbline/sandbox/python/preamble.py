# Which preambles may be run in the warm server, where no filter and no limit holds: those that import standard modules and
# define things, and cannot run anything of their own while they do.
INERT = (ast.Constant, ast.Name)


def is_inert(node):
    """An expression that runs nothing but builtins."""
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(map(is_inert, node.elts))
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.operand, ast.Constant)
    if isinstance(node, ast.Call):  # float("inf")
        return (isinstance(node.func, ast.Name) and node.func.id == "float" and not node.keywords and len(node.args) == 1
                and isinstance(node.args[0], ast.Constant))
    return isinstance(node, INERT)


def is_plain_function(node):
    arguments = node.args
    parts = arguments.defaults + [d for d in arguments.kw_defaults if d] + [node.returns]
    named = arguments.posonlyargs + arguments.args + arguments.kwonlyargs + [arguments.vararg, arguments.kwarg]
    parts += [argument.annotation for argument in named if argument]
    return not node.decorator_list and all(is_inert(part) for part in parts if part)


def is_standard_import(node):
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
    return not getattr(node, "level", 0) and all(
        name.split(".")[0] in STANDARD_MODULES and name.split(".")[0] not in NEVER_WARM for name in names)


def is_definition(node, inside_class=False):
    if isinstance(node, ast.FunctionDef):
        return is_plain_function(node)
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Name) for target in node.targets) and is_inert(node.value)
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.ClassDef) and not inside_class:
        return not (node.bases or node.keywords or node.decorator_list) and all(
            is_definition(member, inside_class=True) for member in node.body)
    return isinstance(node, ast.Pass) or isinstance(node, (ast.Import, ast.ImportFrom)) and is_standard_import(node)


def only_defines(tree):
    bound = set().union(*(names_bound_by(node) for node in tree.body)) if tree.body else set()
    return "float" not in bound and all(map(is_definition, tree.body))
