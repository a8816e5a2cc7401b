"""The results of a function, before and after a change, and their use by its callers."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence

import msgspec

from wardround.languages.python.module import FunctionNode, PythonModule, nodes_run_by
from wardround.languages.python.tree import unparse, walk
from wardround_python.analysis.return_types import kinds_returned

_NAMED = {
    "Dict": "dict", "Mapping": "dict", "MutableMapping": "dict", "defaultdict": "dict", "List": "list",
    "Sequence": "list", "MutableSequence": "list", "Set": "set", "frozenset": "set", "FrozenSet": "set",
    "Tuple": "tuple", "Iterator": "iterator", "Generator": "iterator",
}  # fmt: skip
_PLAIN = frozenset({"dict", "list", "set", "tuple", "str", "int", "float", "bool", "bytes"})
_KNOWN = _PLAIN | {"iterator", "None"}
_NUMBERS = frozenset({"int", "float", "bool"})


class ReturnShape(msgspec.Struct, frozen=True):
    """The result of a function.

    Attributes:
        kind: ``dict``, ``tuple``, ``None`` ...; ``one``: a single value of any type; ``?``: not known.
        size: of a tuple, if it is fixed.
        or_none: True if it may be None instead.
    """

    kind: str
    size: int | None = None
    or_none: bool = False

    def __str__(self) -> str:
        if self.kind == "None":
            return "nothing"
        if self.kind == "one":
            return "one value"
        if self.kind == "tuple" and self.size is not None:
            return f"a tuple of {self.size}"
        return f"{'an' if self.kind in ('int', 'iterator') else 'a'} {self.kind}"


class ResultUse(msgspec.Struct, frozen=True):
    """One use of a result.

    Attributes:
        action: ``unpack``, ``attribute``, ``key``, ``place``, ``compare``, ``within``, ``loop``, ``len``,
            ``truth``, ``tested``: against None, or ``whole``: passed on unchanged.
        what: the number of targets, the attribute or index, the type it is compared with.
    """

    action: str
    line: int
    what: str = ""


def shapes(old: FunctionNode, new: FunctionNode) -> tuple[ReturnShape, ReturnShape]:
    """Return the old and the new result, by annotation or else by the ``return`` statements."""
    before = msgspec.structs.replace(_shape(old), or_none=_may_be_none(old))
    after = msgspec.structs.replace(_shape(new), or_none=_may_be_none(new))
    if before.kind == "?" and after.kind == "tuple":
        values = {unparse(v) for v in _returned(old)}
        parts = {unparse(e) for v in _returned(new) if isinstance(v, ast.Tuple) for e in v.elts}
        before = ReturnShape("one", None, before.or_none) if values and values <= parts else before
    return before, after


def _may_be_none(function: FunctionNode) -> bool:
    """Return True if the result may also be None, by annotation or else by the ``return`` statements."""
    if function.returns is not None:
        text = unparse(function.returns)
        return text not in ("None", "'None'") and ("None" in text or "Optional[" in text)
    gives = [n.value for n in nodes_run_by(function.body) if isinstance(n, ast.Return)]
    nothing = [v is None or (isinstance(v, ast.Constant) and v.value is None) for v in gives]
    return any(nothing) and not all(nothing)


def taken_apart(uses: Sequence[ResultUse]) -> bool:
    """Return True if a result is used without a test for None."""
    apart = any(use.action in ("unpack", "attribute", "key", "place", "loop", "len", "entry") for use in uses)
    return apart and not any(use.action in ("truth", "tested", "compare") for use in uses)


def _returned(function: FunctionNode) -> list[ast.expr]:
    result = (n.value for n in nodes_run_by(function.body) if isinstance(n, ast.Return))
    return [v for v in result if v is not None and not (isinstance(v, ast.Constant) and v.value is None)]


def _shape(function: FunctionNode) -> ReturnShape:
    if function.returns is not None:
        return _annotated(function.returns)
    values = _returned(function)
    kinds = kinds_returned(function) - {"None"}
    if not values and not kinds:
        gives_up = any(isinstance(n, ast.Raise) for n in function.body) or len(function.body) == 1
        return ReturnShape("?" if gives_up else "None")
    sizes = {len(v.elts) if isinstance(v, ast.Tuple) else None for v in values}
    if (
        None not in sizes
        and len(sizes) == 1
        and not any(isinstance(n, ast.Starred) for v in values for n in walk(v))
    ):
        return ReturnShape("tuple", sizes.pop())
    kind = next(iter(kinds)) if len(kinds) == 1 else "?"
    return ReturnShape(kind if kind in _KNOWN and kind != "tuple" else "?")


def _annotated(node: ast.expr) -> ReturnShape:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return _annotated(ast.parse(node.value, mode="eval").body)
        except SyntaxError:
            return ReturnShape("?")
    if isinstance(node, ast.Constant) and node.value is None:
        return ReturnShape("None")
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        sides = [item for item in (node.left, node.right) if unparse(item) != "None"]
        return _annotated(sides[0]) if len(sides) == 1 else ReturnShape("?")
    outer = node.value if isinstance(node, ast.Subscript) else node
    name = unparse(outer).rpartition(".")[2]
    inner = node.slice if isinstance(node, ast.Subscript) else None
    if name == "Optional" and inner is not None:
        return _annotated(inner)
    kind = _NAMED.get(name, name if name in _KNOWN else "?")
    if kind == "tuple":
        parts = inner.elts if isinstance(inner, ast.Tuple) else [inner] if inner is not None else []
        fixed = bool(parts) and "..." not in map(unparse, parts)
        return ReturnShape("tuple", len(parts)) if fixed else ReturnShape("list")
    return ReturnShape(kind)


def uses_of(module: PythonModule, call: ast.Call) -> Iterator[ResultUse]:
    """Return the uses of the result of a call, through the only name it is bound to."""
    node: ast.expr = call
    parent = module.parents[node]
    if isinstance(parent, ast.Await):
        node, parent = parent, module.parents[parent]
    if isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and parent.value is node:
        targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
        target = targets[0]
        if isinstance(target, (ast.Tuple, ast.List)):
            if not any(isinstance(e, ast.Starred) for e in target.elts):
                yield ResultUse("unpack", call.lineno, str(len(target.elts)))
        elif isinstance(target, ast.Name) and len(targets) == 1:
            yield from _uses_of_name(module, target, call)
        elif isinstance(target, (ast.Attribute, ast.Subscript)):
            yield ResultUse("whole", call.lineno)
        return
    use = _use(module, node)
    if use is not None:
        yield use


def _uses_of_name(module: PythonModule, target: ast.Name, call: ast.Call) -> Iterator[ResultUse]:
    """Return the uses of a name with a single binding in its function."""
    around = module.function_of(call)
    if around is None or isinstance(around, ast.Lambda):
        return
    names = [n for n in walk(around) if isinstance(n, ast.Name) and n.id == target.id]
    if sum(not isinstance(n.ctx, ast.Load) for n in names) != 1 or target.id in {
        a.arg for a in walk(around.args) if isinstance(a, ast.arg)
    }:
        return
    for name in names:
        if isinstance(name.ctx, ast.Load):
            assigned = module.parents[name]
            if isinstance(assigned, ast.Assign) and isinstance(assigned.targets[0], (ast.Tuple, ast.List)):
                yield ResultUse("unpack", name.lineno, str(len(assigned.targets[0].elts)))
            elif (use := _use(module, name)) is not None:
                yield use


def _use(module: PythonModule, node: ast.expr) -> ResultUse | None:
    """Return the direct use of a value; None if it is returned or dropped."""
    parent, line = module.parents[node], node.lineno
    if isinstance(parent, ast.Attribute):
        return ResultUse("attribute", line, parent.attr)
    if isinstance(parent, ast.Subscript) and parent.value is node:
        at = parent.slice
        if isinstance(at, ast.Constant):
            return ResultUse("key" if isinstance(at.value, str) else "place", line, str(at.value))
        return (
            ResultUse("place", line) if isinstance(at, (ast.Slice, ast.UnaryOp)) else ResultUse("entry", line)
        )
    if isinstance(parent, ast.Compare):
        if parent.left is not node and isinstance(parent.ops[0], (ast.In, ast.NotIn)):
            return ResultUse("within", line)
        other = parent.comparators[0] if parent.left is node else parent.left
        if isinstance(other, ast.Constant) and other.value is not None:
            return ResultUse("compare", line, type(other.value).__name__)
        return ResultUse("tested" if isinstance(parent.ops[0], (ast.Is, ast.IsNot)) else "whole", line)
    if isinstance(parent, (ast.For, ast.AsyncFor, ast.comprehension)) and parent.iter is node:
        return ResultUse("loop", line)
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id == "len":
        return ResultUse("len", line)
    if isinstance(parent, (ast.If, ast.While, ast.IfExp, ast.BoolOp, ast.UnaryOp)):
        return ResultUse("truth", line)
    if isinstance(parent, (ast.Expr, ast.Return, ast.Yield, ast.Lambda, ast.Starred)):
        return None
    return ResultUse("whole", line)


def misfit(use: ResultUse, old: ReturnShape, new: ReturnShape, unseen: bool) -> bool:
    """Return the reason for which a use fits the old result and not the new one.

    Args:
        unseen: True if the change left the file of the use as it was, so that nothing in it was adapted:
            a value that is passed on then still goes to code that expects the old type.
    """
    if use.action == "tested":
        return False
    if new.kind == "None":
        return use.action not in ("truth", "whole") or unseen
    if use.action == "unpack":
        return _is_unpack_misfit(use, old, new)
    if old.kind == "tuple" and use.action == "place" and use.what.isdigit():
        return int(use.what) >= new.size if new.kind == "tuple" and new.size else _lacks_index(new)
    if new.kind == "tuple" and new.size is not None and old.kind != "tuple":
        return _is_tuple_misfit(use, old, unseen)
    return _is_kind_misfit(use, old, new, unseen)


def _lacks_index(new: ReturnShape) -> bool:
    return new.kind in _NUMBERS | {"dict"}


def _is_unpack_misfit(use: ResultUse, old: ReturnShape, new: ReturnShape) -> bool:
    """Return True if a tuple was unpacked that has another size now, or is none."""
    if old.kind != "tuple" or str(old.size) != use.what:
        return False
    return str(new.size) != use.what if new.kind == "tuple" else new.kind not in ("list", "?")


def _is_tuple_misfit(use: ResultUse, old: ReturnShape, unseen: bool) -> bool:
    """Return True if a use of the return value breaks once the function returns a tuple."""
    if use.action in ("place", "entry", "loop", "len"):
        return old.kind in ("dict", "list", "set") and unseen
    return use.action in ("attribute", "key", "compare", "within") or unseen


def _is_kind_misfit(use: ResultUse, old: ReturnShape, new: ReturnShape, unseen: bool) -> bool:
    """Return True if a use fits the old type and not the new one."""
    if use.action == "attribute":
        return _has(old.kind, use.what) and not _has(new.kind, use.what)
    if use.action == "key":
        return old.kind == "dict" and new.kind != "dict"
    if use.action == "compare":
        return _is_comparable(use.what, old.kind) and not _is_comparable(use.what, new.kind)
    if use.action in ("len", "place"):
        without_place = _NUMBERS | {"iterator"} | ({"dict", "set"} if use.action == "place" else set())
        return old.kind in _PLAIN - _NUMBERS and new.kind in without_place
    if use.action == "truth":
        return new.kind == "iterator" and unseen
    return use.action in ("entry", "loop") and {old.kind, new.kind} == {"dict", "list"} and unseen


def _is_comparable(first: str, second: str) -> bool:
    return first == second or {first, second} <= _NUMBERS


def _has(kind: str, attribute: str) -> bool:
    if kind in ("iterator", "None"):
        return attribute in ("__next__", "close", "send", "throw")
    return kind in _PLAIN and hasattr(getattr(builtins, kind), attribute)
