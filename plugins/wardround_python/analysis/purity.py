"""Pure functions: a call whose result is unused can be removed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.languages.python.module import FunctionNode, PythonModule, binds, nodes_run_by
from wardround.languages.python.tree import walk
from wardround_python.analysis.call_resolution import CallResolver, FunctionDefinition

_DEEPEST = 2
"""The depth of callees to which purity is verified."""
_BUILTINS = frozenset(
    """
    abs all any bool bytes chr dict divmod enumerate filter format frozenset hash isinstance issubclass len
    list
    map max min ord pow range repr reversed round set sorted str sum tuple zip
    """.split()  # noqa: SIM905
)
_LIBRARY = frozenset(
    {
        "copy.copy", "copy.deepcopy", "dataclasses.replace", "dataclasses.asdict", "datetime.timedelta",
        "datetime.datetime.now", "html.escape", "json.dumps", "os.path.basename", "os.path.dirname",
        "os.path.join", "os.path.splitext", "re.escape", "re.sub", "textwrap.dedent", "urllib.parse.quote",
        "urllib.parse.quote_plus", "urllib.parse.urlencode", "urllib.parse.urljoin", "urllib.parse.urlsplit",
        "collections.Counter", "collections.defaultdict", "collections.OrderedDict", "itertools.chain",
        "pathlib.Path", "pathlib.PurePath", "math.ceil", "math.floor", "math.sqrt", "math.prod",
        "math.isclose",
    }
)  # fmt: skip
_METHODS = frozenset(
    """
    strip lstrip rstrip lower upper title capitalize casefold swapcase removeprefix removesuffix zfill replace
    startswith endswith split rsplit splitlines partition rpartition join format encode get items keys values
    count isdigit isalpha isalnum isdecimal quantize isoformat strftime astimezone date total_seconds
    as_posix with_suffix with_name hex difference intersection issubset issuperset isdisjoint ljust rjust
    center
    filter exclude filter_by where order_by select_related prefetch_related annotate
    """.split()  # noqa: SIM905
)
_FILLING = frozenset({"append", "add", "extend", "update", "setdefault", "insert", "sort", "reverse"})
_PLAIN = frozenset(
    {
        "int",
        "float",
        "str",
        "bool",
        "bytes",
        "complex",
        "Decimal",
        "Fraction",
        "date",
        "datetime",
        "timedelta",
    }
)
_UNCHANGED = frozenset({"staticmethod", "classmethod", "override", "final"})
_ACTING = (
    ast.Yield, ast.YieldFrom, ast.Await, ast.Raise, ast.Assert, ast.Global, ast.Nonlocal, ast.Delete,
    ast.With,
    ast.AsyncWith, ast.AsyncFor, ast.Try, ast.Import, ast.ImportFrom, ast.While, ast.FunctionDef,
    ast.ClassDef,
    ast.AsyncFunctionDef, ast.NamedExpr,
)  # fmt: skip
_MADE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_MAKERS = frozenset({"list", "dict", "set", "collections.Counter", "collections.defaultdict", "sorted"})


def only_computes(
    found: FunctionDefinition, module: PythonModule, callees: CallResolver, deep: int = _DEEPEST
) -> bool:
    """Return True if a function has no visible effect, raises nothing itself and returns a value.

    Args:
        module: the module it is called in; functions of other modules are not inspected.
    """
    node = found.node
    if not isinstance(node, FunctionNode) or found.path != module.path:
        return False
    if any(getattr(decorator, "id", "") not in _UNCHANGED for decorator in node.decorator_list):
        return False
    body = list(nodes_run_by(node.body))
    answers = [statement.value for statement in body if isinstance(statement, ast.Return)]
    if not any(map(_is_computed_result, answers)) or None in answers:
        return False
    return all(_is_harmless(item, node, module, callees, deep) for item in body)


def _is_computed_result(value: ast.expr | None) -> bool:
    """Return True if a computed value is returned; a function that returns a constant may be overridden."""
    return value is not None and any(isinstance(node, ast.Name) for node in walk(value))


def _is_harmless(
    node: ast.AST, function: FunctionNode, module: PythonModule, callees: CallResolver, deep: int
) -> bool:
    if isinstance(node, _ACTING):
        return False
    if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
        return isinstance(node, ast.Subscript) and _is_own(node.value, function, module)
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, (ast.Slice, ast.Constant)):
        return _is_own(node.value, function, module)  # another mapping may lack the key
    if isinstance(node, ast.AugAssign):
        return isinstance(node.target, ast.Name) and _stays(node.target.id, function, module)
    return not isinstance(node, ast.Call) or _call_is_harmless(node, function, module, callees, deep)


def _call_is_harmless(
    call: ast.Call, function: FunctionNode, module: PythonModule, callees: CallResolver, deep: int
) -> bool:
    name = module.dotted(call.func) or ""
    if name in _BUILTINS or name in _LIBRARY:
        return True
    func = call.func
    if isinstance(func, ast.Attribute) and module.imported_name(func) is None:
        if func.attr in _FILLING:
            return _is_own(func.value, function, module)
        if func.attr in _METHODS:
            return not (func.attr == "get" and not _is_mapping(func.value))
    result = callees.definition_of(call)
    if result is None or not deep:
        return False
    if isinstance(result.node, ast.ClassDef):
        return _is_plain_record(result.node) or _only_stores(result.node)
    return result.node is not function and only_computes(result, module, callees, deep - 1)


def _is_mapping(node: ast.expr) -> bool:
    """Return True if ``get`` is a lookup without effects: not of a session, a client or a queue."""
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return not any(
        word in name.lower() for word in ("session", "client", "queue", "request", "http", "cache")
    )


def _is_plain_record(node: ast.ClassDef) -> bool:
    """Return True for a dataclass or named tuple without code in its constructor."""
    named = {getattr(getattr(decorator, "func", decorator), "id", "") for decorator in node.decorator_list}
    bases = {getattr(base, "id", "") for base in node.bases}
    own = {getattr(statement, "name", "") for statement in node.body}
    return ("dataclass" in named or "NamedTuple" in bases) and not own & {"__post_init__", "__new__"}


def _only_stores(node: ast.ClassDef) -> bool:
    """Return True for a class whose constructor only stores its arguments."""
    if node.bases or node.keywords or node.decorator_list:
        return False
    making = [
        statement for statement in node.body if getattr(statement, "name", "") in ("__init__", "__new__")
    ]
    first = making[0] if len(making) == 1 else None
    return isinstance(first, ast.FunctionDef) and all(
        isinstance(item, ast.Assign) and isinstance(item.value, (ast.Name, ast.Constant))
        for item in first.body
    )


def _values(name: str, function: FunctionNode) -> Iterator[ast.expr | None]:
    """Return the values that statements of a function assign to a name; None for an unknown value."""
    for node in nodes_run_by(function.body):
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name) and target.id == name:
                    yield node.value
                elif binds(target, name):
                    yield None
        elif isinstance(node, (ast.For, ast.comprehension)) and binds(node.target, name):
            yield None


def _is_own(node: ast.expr, function: FunctionNode, module: PythonModule) -> bool:
    """Return True if an expression is a container that the function created itself."""
    if not isinstance(node, ast.Name) or _parameter(node.id, function) is not None:
        return False
    values = list(_values(node.id, function))
    return bool(values) and all(
        isinstance(value, _MADE) or (isinstance(value, ast.Call) and module.dotted(value.func) in _MAKERS)
        for value in values
    )


def _stays(name: str, function: FunctionNode, module: PythonModule) -> bool:
    """Return True if ``name += x`` rebinds the name to a new value and leaves the old one unchanged."""
    parameter = _parameter(name, function)
    if parameter is not None:
        return getattr(parameter.annotation, "id", getattr(parameter.annotation, "attr", "")) in _PLAIN
    kinds = (*_MADE, ast.Constant, ast.BinOp, ast.JoinedStr, ast.UnaryOp)
    values = list(_values(name, function))
    return bool(values) and all(
        isinstance(value, kinds) or (isinstance(value, ast.Call) and module.dotted(value.func) in _BUILTINS)
        for value in values
    )


def _parameter(name: str, function: FunctionNode) -> ast.arg | None:
    arguments = function.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return next((item for item in every if item.arg == name), None)
