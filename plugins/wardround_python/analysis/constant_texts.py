"""Texts that contain no value from outside."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from wardround.languages.python.module import FunctionNode, PythonModule, last_name, names_in
from wardround.languages.python.tree import children, unparse, walk

_DEEPEST = 12
_QUOTING = frozenset(
    {"quote", "join", "Identifier", "Literal", "quote_ident", "quote_name", "quote_identifier"}
)
_NUMBERS = frozenset({"int", "float", "len", "round", "abs", "bool", "id", "hash", "ord"})
_KEEPING = frozenset({"strip", "lower", "upper", "format", "join", "replace", "removeprefix", "removesuffix",
                      "rstrip", "lstrip", "title", "splitlines", "split", "dedent", "str", "sorted", "tuple",
                      "list", "set", "reversed", "dict", "values", "keys", "items", "get",
                      "copy"})  # fmt: skip

_ADDING = frozenset({"append", "extend", "insert", "add", "update", "setdefault"})
_UNKNOWN = ast.Attribute(ast.Name("?", ast.Load()), "unknown", ast.Load())
"""The placeholder of an unknown value."""


def is_constant_text(module: PythonModule, node: ast.expr, place: ast.AST) -> bool:
    """Return True if an expression consists of text of the module, numbers and quoted values.

    Args:
        place: the position of the use; the function around it determines the values of names.
    """
    return _Texts(module, module.function_of(place)).is_constant(node, _DEEPEST)


class _Bound:
    """The assignments and lookups of names below one node; each list in the order of ``walk``."""

    def __init__(self, tree: ast.AST) -> None:
        self._tree = tree

    @cached_property
    def _nodes(self) -> Sequence[ast.AST]:
        return list(walk(self._tree))

    @cached_property
    def given(self) -> Mapping[str, Sequence[ast.expr | None]]:
        """Name -> the values of the targets it is part of; None for an unknown value."""
        return _by_name(self._nodes)

    @cached_property
    def added(self) -> Mapping[str, Sequence[ast.expr]]:
        """Name -> the values that calls add to the list, set or mapping it is bound to."""
        result: dict[str, list[ast.expr]] = {}
        for node in self._nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                func = node.func
                if func.attr in _ADDING and isinstance(func.value, ast.Name):
                    result.setdefault(func.value.id, []).extend(node.args)
        return result

    @cached_property
    def members_of(self) -> Mapping[str, Sequence[ast.expr]]:
        """Name -> the tables in which it is searched with ``in`` or ``not in``."""
        result: dict[str, list[ast.expr]] = {}
        for node in self._nodes:
            if not isinstance(node, ast.Compare) or not isinstance(node.left, ast.Name):
                continue
            if isinstance(node.ops[0], (ast.In, ast.NotIn)):
                result.setdefault(node.left.id, []).append(node.comparators[0])
        return result


class _Index:
    """The names of a module and their values, collected once for all checks."""

    def __init__(self, module: PythonModule) -> None:
        self._module = module
        self._inside: dict[FunctionNode, _Bound] = {}

    @classmethod
    def of(cls, module: PythonModule) -> _Index:
        result = module.notes.get(cls)
        if not isinstance(result, cls):
            result = module.notes[cls] = cls(module)
        return result

    def inside(self, function: FunctionNode) -> _Bound:
        result = self._inside.get(function)
        if result is None:
            result = self._inside[function] = _Bound(function)
        return result

    @cached_property
    def top(self) -> Mapping[str, Sequence[ast.expr | None]]:
        """Name -> the values that statements at the top of the module assign to it."""
        return _by_name(self._module.tree.body)

    @cached_property
    def functions(self) -> Mapping[str, ast.FunctionDef]:
        """The functions at the top of the module; of two with one name the first."""
        values = [statement for statement in self._module.tree.body if isinstance(statement, ast.FunctionDef)]
        return {item.name: item for item in reversed(values)}

    @cached_property
    def calls(self) -> Mapping[str, Sequence[ast.Call]]:
        """Name -> the calls of it, in source order."""
        result: dict[str, list[ast.Call]] = {}
        for node in self._module.nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                result.setdefault(node.func.id, []).append(node)
        return result

    @cached_property
    def mentions(self) -> Mapping[str, int]:
        """Name -> the number of its occurrences."""
        return Counter(node.id for node in self._module.nodes if isinstance(node, ast.Name))

    @cached_property
    def last_names(self) -> Mapping[str, Sequence[ast.expr | None]]:
        """The last part of a target -> the values assigned to it anywhere in the module."""
        result: dict[str, list[ast.expr | None]] = {}
        for node in self._module.nodes:
            for target, value in _bound(node):
                if isinstance(target, (ast.Attribute, ast.Name)):
                    result.setdefault(last_name(target), []).append(value)
        return result


class _Texts:
    """The values of the names of one function, and of the module around it."""

    def __init__(self, module: PythonModule, function: ast.AST | None) -> None:
        self._module = module
        self._index = _Index.of(module)
        self._function = function if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) else None
        self._asked: set[str] = set()

    def is_constant(self, node: ast.expr | None, deep: int) -> bool:
        if node is None or isinstance(node, ast.Constant):
            return True
        if not deep:
            return False
        if isinstance(node, ast.Name):
            return self._is_constant_name(node, deep - 1)
        if isinstance(node, ast.Call):
            return self._is_constant_call(node, deep - 1)
        if isinstance(node, ast.FormattedValue):
            return _is_number_format(node) or self.is_constant(node.value, deep - 1)
        if isinstance(node, ast.Attribute):
            return node.attr.isupper() or self._is_own_constant(node, deep - 1)
        if isinstance(node, ast.Subscript):
            return self.is_constant(node.value, deep - 1)
        if isinstance(node, (ast.BinOp, ast.JoinedStr, ast.IfExp, ast.BoolOp, ast.Tuple, ast.List, ast.Set,
                             ast.Dict, ast.Starred, ast.ListComp, ast.GeneratorExp)):  # fmt: skip
            return all(self.is_constant(part, deep - 1) for part in _parts(node))
        return isinstance(node, (ast.Compare, ast.UnaryOp))

    def _is_constant_name(self, node: ast.Name, deep: int) -> bool:
        if node.id in self._asked:
            return True
        self._asked.add(node.id)
        origin = self._module.imported.get(node.id)
        if origin is not None:
            return node.id.isupper()
        if self._is_one_of_few(node.id):
            return True
        values = list(self._values_of(node.id))
        return bool(values) and all(self.is_constant(value, deep) for value in values)

    def _is_one_of_few(self, name: str) -> bool:
        """Return True if the function tests a value for membership in constants of the source."""
        tables = self._index.inside(self._function).members_of if self._function is not None else {}
        return any(self.is_constant(table, _DEEPEST // 2) for table in tables.get(name, ()))

    def _values_of(self, name: str) -> Iterator[ast.expr | None]:
        """Return all values of a name; the name itself if they are unknown."""
        inside = False
        if self._function is not None:
            arguments = self._function.args
            extra = [item for item in (arguments.vararg, arguments.kwarg) if item is not None]
            for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *extra):
                if argument.arg == name:
                    inside = True
                    yield from self._passed_arguments(self._function, argument)
            bound = self._index.inside(self._function)
            inside = inside or name in bound.given
            yield from (_UNKNOWN if value is None else value for value in bound.given.get(name, ()))
            yield from bound.added.get(name, ())
        if not inside:
            yield from (_UNKNOWN if value is None else value for value in self._index.top.get(name, ()))

    def _passed_arguments(self, function: FunctionNode, one: ast.arg) -> Iterator[ast.expr | None]:
        """Return the arguments that calls in this module pass for a parameter of a private function."""
        if one.annotation is not None and unparse(one.annotation) in {
            "int",
            "float",
            "bool",
            "int | None",
        }:
            yield None
            return
        calls = self._index.calls.get(function.name, ())
        is_called_alone = self._index.mentions.get(function.name, 0) == len(calls)
        if not function.name.startswith("_") or not calls or not is_called_alone:
            yield _UNKNOWN
            return
        at = [a.arg for a in function.args.args].index(one.arg) if one in function.args.args else -1
        for call in calls:
            arguments = [k.value for k in call.keywords if k.arg == one.arg] or (
                call.args[at : at + 1] if at >= 0 else []
            )
            outer = _Texts(self._module, self._module.function_of(call))
            yield from (None if outer.is_constant(v, _DEEPEST // 2) else _UNKNOWN for v in arguments)

    def _is_constant_call(self, node: ast.Call, deep: int) -> bool:
        last = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        dotted = self._module.dotted(node.func) or ""
        if _returns_harmless(dotted, last):
            return True
        if last == "get" and isinstance(node.func, ast.Attribute) and node.args:
            return all(self.is_constant(argument, deep) for argument in (node.func.value, *node.args[1:]))
        if last in _KEEPING:
            on = [node.func.value] if isinstance(node.func, ast.Attribute) else []
            values = [*on, *node.args, *(k.value for k in node.keywords)]
            return all(self.is_constant(value, deep) for value in values)
        function = self._index.functions.get(node.func.id) if isinstance(node.func, ast.Name) else None
        return function is not None and self._is_constant_result(function, node, deep)

    def _is_constant_result(self, function: FunctionNode, node: ast.Call, deep: int) -> bool:
        """Return True if a function of the module returns constants, or parts of constant arguments."""
        returned = [n.value for n in walk(function) if isinstance(n, ast.Return)]
        inner = _Texts(self._module, function)
        if returned and all(_Texts(self._module, function).is_constant(value, deep) for value in returned):
            return True
        inner._asked = {a.arg for a in function.args.args}
        arguments = [*node.args, *(k.value for k in node.keywords)]
        return all(inner.is_constant(value, deep) for value in returned) and all(
            self.is_constant(argument, deep) for argument in arguments
        )

    def _is_own_constant(self, node: ast.Attribute, deep: int) -> bool:
        """Return True for an attribute to which the class assigns one constant and nothing else."""
        value = self._index.last_names.get(node.attr, ())
        return bool(value) and all(isinstance(item, ast.Constant) for item in value)


def _returns_harmless(dotted: str, last: str) -> bool:
    """Return True for a function that quotes text, or returns a number, a digest or a time."""
    if dotted in {"shlex.quote", "shlex.join"} or last in _NUMBERS or last == "hexdigest":
        return True
    if last in _QUOTING and last != "join":
        return True
    return dotted.startswith(("datetime.", "time.", "uuid.", "secrets.", "os.getpid", "ipaddress."))


def _parts(node: ast.expr) -> Iterator[ast.expr | None]:
    if isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
    elif isinstance(node, ast.Dict):
        yield from node.values
    elif isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        yield node.elt
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.right, ast.Dict):
        yield from (node.left, *node.right.values)
    else:
        yield from (item for item in children(node) if isinstance(item, ast.expr))


def _by_name(nodes: Iterable[ast.AST]) -> Mapping[str, Sequence[ast.expr | None]]:
    """Map a name to the values of the targets it is part of, in the order of the nodes."""
    result: dict[str, list[ast.expr | None]] = {}
    for node in nodes:
        for target, value in _bound(node):
            for name in names_in(target):
                result.setdefault(name, []).append(value)
    return result


def _bound(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign)) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        yield node.target, node.iter
    elif isinstance(node, ast.NamedExpr):
        yield node.target, node.value
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        yield from ((item.optional_vars, None) for item in node.items if item.optional_vars is not None)


def _is_number_format(node: ast.FormattedValue) -> bool:
    spec = unparse(node.format_spec)[2:-1] if node.format_spec is not None else ""
    return spec[-1:] in set("dxXobeEfFgGn") or spec.startswith("%")
