"""Findings of ruff for harmless habits, if the module shows."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

from wardround.findings import Span
from wardround.languages.python.module import FunctionNode, PythonModule, last_name
from wardround.languages.python.tree import walk
from wardround.lazy import LazyPattern

# Names whose mention is their purpose.
_DEEDS = frozenset(
    {
        "close", "commit", "rollback", "flush", "start", "stop", "join", "save", "shutdown", "cleanup",
        "clear", "release", "acquire", "refresh", "delete", "disconnect", "terminate", "kill", "quit",
        "cancel", "reset", "unlock", "unlink", "truncate", "raise_for_status", "full_clean", "wait",
        "logout", "aclose", "unsubscribe",
    }
)  # fmt: skip
_HASHED_IN = frozenset({"set", "frozenset", "Set", "FrozenSet", "fromkeys", "Counter", "lru_cache", "cache"})
_MAPPINGS = frozenset({"dict", "Dict", "defaultdict", "Mapping", "MutableMapping"})
_LISTS = frozenset({"list", "List", "tuple", "Tuple", "Iterable", "Sequence", "Collection", "Iterator"})


def returns_none(module: PythonModule, span: Span) -> bool:
    """PLE0101: return True if the value that ``__init__`` returns may be None after all."""
    text = next(
        (item for item in _nodes_starting_at(module, span, ast.Return) if isinstance(item, ast.Return)), None
    )
    if text is None or text.value is None:
        return True
    retained = (ast.Constant, ast.Name, ast.Tuple, ast.List, ast.Dict, ast.JoinedStr, ast.Compare, ast.BinOp)
    return not isinstance(text.value, retained) or getattr(text.value, "value", 0) is None


def is_no_deed(module: PythonModule, span: Span) -> bool:
    """B018: return True if an attribute is read for its effect, or to test its existence."""
    for node in _nodes_starting_at(module, span, ast.Attribute):
        held = module.parents[node]
        if isinstance(held, ast.Expr) and isinstance(node, ast.Attribute) and node.attr in _DEEDS:
            return any(isinstance(inner, ast.Try) for inner in module.ancestors(held))
    return True


def is_converted_default(module: PythonModule, span: Span) -> bool:
    """PLW1508: return True if a default is converted like the text: ``int(getenv(NAME, 3))``."""
    for node in _nodes_starting_at(
        module, span, ast.Constant, ast.List, ast.Dict, ast.Tuple, ast.UnaryOp, ast.BinOp
    ):
        call = module.parents[node]
        if isinstance(node, ast.Constant) and not isinstance(node.value, (int, float)):
            return True
        if isinstance(node, ast.Constant) and isinstance(node.value, bool):
            return True
        if not isinstance(call, ast.Call):
            continue
        around = module.parents[call]
        return isinstance(
            around, (ast.Call, ast.Compare, ast.BoolOp, ast.IfExp, ast.If, ast.UnaryOp, ast.JoinedStr)
        )
    return True


def is_exported_name(module: PythonModule, span: Span) -> bool:
    """PLW0127: return True outside a function, where ``name = name`` exports a name."""
    for node in _nodes_starting_at(module, span, ast.Name):
        held = module.parents[node]
        if isinstance(held, ast.Assign) and len(held.targets) == 1:
            return module.function_of(held) is None
    return True


def is_never_hashed(module: PythonModule, span: Span) -> bool:
    """PLW1641: return True if no object of the class is put into a set or used as a key in the module."""
    holder = next(
        (
            statement
            for statement in module.tree.body
            if isinstance(statement, ast.ClassDef) and statement.lineno <= span.line <= _end(statement)
        ),
        None,
    )
    return holder is None or not any(_hashes_objects(module, node, holder.name) for node in module.nodes)


def is_read_no_more(module: PythonModule, span: Span) -> bool:
    """PLW2901: return True if the outer loop does not read the name after the inner loop rebinds it."""
    for node in _nodes_starting_at(module, span, ast.Name):
        assert isinstance(node, ast.Name)
        inner = next((parent for parent in module.ancestors(node) if isinstance(parent, ast.For)), None)
        if inner is None or inner.target is not node:
            continue
        outer = _scope_around(module, inner)
        if not isinstance(outer, ast.For) or not isinstance(outer.target, ast.Name):
            return True
        return node.id == "_" or not _reads_first(outer, node.id, inner.end_lineno or inner.lineno)
    return True


def _scope_around(module: PythonModule, node: ast.AST) -> ast.AST | None:
    """Return the innermost loop, function or module around a node."""
    kinds = (ast.For, *FunctionNode.__args__, ast.Module)
    return next((parent for parent in module.ancestors(node) if isinstance(parent, kinds)), None)


def _reads_first(loop: ast.For, name: str, line: int) -> bool:
    """Return True if the first use of a name in a loop after a line reads it."""
    uses = [node for statement in loop.body for node in walk(statement) if isinstance(node, ast.Name)]
    later = [use for use in uses if use.id == name and use.lineno > line]
    first = min(later, key=lambda use: (use.lineno, use.col_offset), default=None)
    return first is not None and isinstance(first.ctx, ast.Load)


def is_of_a_query(module: PythonModule, span: Span) -> bool:
    """E711: return True for a comparison of columns in a filter or a frame, which only ``==`` can build."""
    for node in _nodes_starting_at(module, span, ast.Constant):
        for inner in module.ancestors(node):
            if isinstance(inner, (ast.Subscript, ast.Call)):
                return True
            if isinstance(inner, ast.Compare) and _is_column(inner.left):
                return True
            if isinstance(inner, ast.stmt):
                return False
    return False


def is_of_a_lambda(module: PythonModule, span: Span) -> bool:
    """S108: return True for a Lambda, which can write only to ``/tmp``, shared with no other user."""
    value = module.text.split("\n")[span.line - 1][span.column :]
    return value.startswith("/tmp") and any(  # noqa: S108 (no file, what is looked for)
        isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef))
        and statement.name in {"handler", "lambda_handler"}
        and [given.arg.lstrip("_") for given in (*statement.args.posonlyargs, *statement.args.args)]
        == ["event", "context"]
        for statement in module.tree.body
    )


def joins_sentences(module: PythonModule, span: Span) -> bool:
    """ISC004: return True if the joined strings are parts of a long text, not items of a list."""
    if span.line == span.end_line:
        return False
    lines = module.text.split("\n")[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return not all(_WORD_ALONE.fullmatch(line.strip()) for line in lines)


_WORD_ALONE = LazyPattern(r"""(["'])[^\s"']+\1""")


def _is_column(node: ast.expr) -> bool:
    """Return True for ``User.deleted``, an attribute of a class."""
    return isinstance(node, ast.Attribute) and last_name(node.value)[:1].isupper()


HABITS: Mapping[str, Callable[[PythonModule, Span], bool]] = {
    "B018": is_no_deed,
    "E711": is_of_a_query,
    "ISC004": joins_sentences,
    "PLE0101": returns_none,
    "PLW0127": is_exported_name,
    "PLW1508": is_converted_default,
    "PLW1641": is_never_hashed,
    "PLW2901": is_read_no_more,
    "S108": is_of_a_lambda,
}


def _nodes_starting_at(module: PythonModule, span: Span, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes of a type that start at a position."""
    return (node for node in module.starting_at(span.line, span.column) if isinstance(node, kinds))


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _hashes_objects(module: PythonModule, node: ast.AST, name: str) -> bool:
    """Return True if an expression hashes objects of a class, by a call or by its declared types."""
    match node:
        case ast.Call(args=[argument]) if last_name(node.func) in _HASHED_IN:
            is_constructed = any(_constructs_class(inner, name) for inner in walk(argument))
            return is_constructed or _is_list_of(module, argument, name)
        case ast.Set():
            return any(_constructs_class(element, name) for element in node.elts)
        case ast.Dict():
            return any(_constructs_class(key, name) for key in filter(None, node.keys))
        case ast.SetComp(elt=key) | ast.DictComp(key=key):
            return _constructs_class(key, name)
        case ast.Subscript() if last_name(node.value) in _HASHED_IN | _MAPPINGS:
            return _name_of_node(_types_in(node)[0]) == name
    return False


def _types_in(annotation: ast.Subscript) -> list[ast.expr]:
    """Return the types in ``dict[str, int]`` and ``list[int]``."""
    types = annotation.slice
    return types.elts if isinstance(types, ast.Tuple) and types.elts else [types]


def _constructs_class(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and _name_of_node(node.func) == name


def _is_list_of(module: PythonModule, given: ast.expr, name: str) -> bool:
    """Return True if a name is a parameter or variable declared as a list of objects of a class."""
    if not isinstance(given, ast.Name):
        return False
    scope = module.function_of(given) or module.tree
    for annotation in _annotations(scope, given.id):
        if isinstance(annotation, ast.Subscript) and last_name(annotation.value) in _LISTS:
            return any(_name_of_node(part) == name for part in _types_in(annotation))
    return False


def _annotations(scope: ast.AST, name: str) -> Iterator[ast.expr | None]:
    """Yield the declared types of a parameter or variable."""
    for node in walk(scope):
        match node:
            case ast.arg() if node.arg == name:
                yield node.annotation
            case ast.AnnAssign() if _name_of_node(node.target) == name:
                yield node.annotation


def _name_of_node(node: ast.AST) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    return node.id if isinstance(node, ast.Name) else ""
