"""Texts that contain no value from outside."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from wardround.languages.python.module import FunctionNode, PythonModule, last_name, names_in
from wardround.languages.python.tree import children, unparse, walk
from wardround_python.syntax.calls import passed_values
from wardround_python.syntax.parameters import all_parameters, arguments_for

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
    return _StringValues(module, module.function_of(place)).is_constant(node, _DEEPEST)


class _Bindings:
    """The assignments and lookups of names below one node; each list in the order of ``walk``."""

    def __init__(self, tree: ast.AST) -> None:
        self._tree = tree

    @cached_property
    def _nodes(self) -> Sequence[ast.AST]:
        return list(walk(self._tree))

    @cached_property
    def given(self) -> Mapping[str, Sequence[ast.expr | None]]:
        """Name -> the values of the targets it is part of; None for an unknown value."""
        return _values_by_name(self._nodes)

    @cached_property
    def added(self) -> Mapping[str, Sequence[ast.expr]]:
        """Name -> the values that calls add to the list, set or mapping bound to it."""
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
        self._inside: dict[FunctionNode, _Bindings] = {}

    @classmethod
    def of(cls, module: PythonModule) -> _Index:
        result = module.notes.get(cls)
        if not isinstance(result, cls):
            result = module.notes[cls] = cls(module)
        return result

    def inside(self, function: FunctionNode) -> _Bindings:
        result = self._inside.get(function)
        if result is None:
            result = self._inside[function] = _Bindings(function)
        return result

    @cached_property
    def top(self) -> Mapping[str, Sequence[ast.expr | None]]:
        """Name -> the values that statements at the top of the module assign to it."""
        return _values_by_name(self._module.tree.body)

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
            for target, value in _bindings(node):
                if isinstance(target, (ast.Attribute, ast.Name)):
                    result.setdefault(last_name(target), []).append(value)
        return result


_NUMBER_TYPES = frozenset({"int", "float", "bool", "int | None"})
_COMPOSED = (ast.BinOp, ast.JoinedStr, ast.IfExp, ast.BoolOp, ast.Tuple, ast.List, ast.Set, ast.Dict,
             ast.Starred, ast.ListComp, ast.GeneratorExp)  # fmt: skip


class _StringValues:
    """The string values of the names of one function, and of the enclosing module."""

    def __init__(self, module: PythonModule, function: ast.AST | None) -> None:
        self._module = module
        self._index = _Index.of(module)
        self._function = function if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) else None
        self._asked: set[str] = set()

    def is_constant(self, node: ast.expr | None, deep: int) -> bool:
        if node is None or isinstance(node, ast.Constant):
            return True
        return deep > 0 and self._is_constant_expression(node, deep)

    def _is_constant_expression(self, node: ast.expr, deep: int) -> bool:
        match node:
            case ast.Name():
                return self._is_constant_name(node, deep - 1)
            case ast.Call():
                return self._is_constant_call(node, deep - 1)
            case ast.FormattedValue():
                return _is_number_format(node) or self.is_constant(node.value, deep - 1)
            case ast.Attribute():
                return node.attr.isupper() or self._is_class_constant(node, deep - 1)
            case ast.Subscript():
                return self.is_constant(node.value, deep - 1)
            case _:
                return self._is_constant_composition(node, deep - 1)

    def _is_constant_composition(self, node: ast.expr, deep: int) -> bool:
        if isinstance(node, _COMPOSED):
            return all(self.is_constant(part, deep) for part in _parts(node))
        return isinstance(node, (ast.Compare, ast.UnaryOp))

    def _is_constant_name(self, node: ast.Name, deep: int) -> bool:
        if node.id in self._asked:
            return True
        self._asked.add(node.id)
        origin = self._module.imported.get(node.id)
        if origin is not None:
            return node.id.isupper()
        if self._is_tested_for_membership(node.id):
            return True
        values = list(self._values_of(node.id))
        return bool(values) and all(self.is_constant(value, deep) for value in values)

    def _is_tested_for_membership(self, name: str) -> bool:
        """Return True if the function tests a value for membership in constants of the source."""
        tables = self._index.inside(self._function).members_of if self._function is not None else {}
        return any(self.is_constant(table, _DEEPEST // 2) for table in tables.get(name, ()))

    def _values_of(self, name: str) -> Iterator[ast.expr | None]:
        """Return all values of a name; the name itself if they are unknown."""
        is_local = False
        if self._function is not None:
            for parameter in all_parameters(self._function.args):
                if parameter.arg == name:
                    is_local = True
                    yield from self._passed_arguments(self._function, parameter)
            bound = self._index.inside(self._function)
            is_local = is_local or name in bound.given
            yield from _known_or_unknown(bound.given.get(name, ()))
            yield from bound.added.get(name, ())
        if not is_local:
            yield from _known_or_unknown(self._index.top.get(name, ()))

    def _passed_arguments(self, function: FunctionNode, parameter: ast.arg) -> Iterator[ast.expr | None]:
        """Return the arguments that calls in this module pass for a parameter of a private function."""
        if parameter.annotation is not None and unparse(parameter.annotation) in _NUMBER_TYPES:
            yield None
            return
        calls = self._index.calls.get(function.name, ())
        is_called_alone = self._index.mentions.get(function.name, 0) == len(calls)
        if not function.name.startswith("_") or not calls or not is_called_alone:
            yield _UNKNOWN
            return
        for call in calls:
            outer = _StringValues(self._module, self._module.function_of(call))
            for value in arguments_for(call, function, parameter):
                yield None if outer.is_constant(value, _DEEPEST // 2) else _UNKNOWN

    def _is_constant_call(self, node: ast.Call, deep: int) -> bool:
        last = last_name(node.func)
        if _returns_harmless(self._module.qualified_name(node.func) or "", last):
            return True
        receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        if last == "get" and receiver and node.args:
            return self.are_constant([*receiver, *node.args[1:]], deep)
        if last in _KEEPING:
            return self.are_constant([*receiver, *passed_values(node)], deep)
        function = self._index.functions.get(node.func.id) if isinstance(node.func, ast.Name) else None
        return function is not None and self._is_constant_result(function, node, deep)

    def _is_constant_result(self, function: FunctionNode, node: ast.Call, deep: int) -> bool:
        """Return True if a function of the module returns constants, or parts of constant arguments."""
        returned = [inner.value for inner in walk(function) if isinstance(inner, ast.Return)]
        if returned and _StringValues(self._module, function).are_constant(returned, deep):
            return True
        inner = _StringValues(self._module, function)
        inner._asked = {parameter.arg for parameter in function.args.args}
        return inner.are_constant(returned, deep) and self.are_constant(passed_values(node), deep)

    def are_constant(self, values: Iterable[ast.expr | None], deep: int) -> bool:
        return all(self.is_constant(value, deep) for value in values)

    def _is_class_constant(self, node: ast.Attribute, deep: int) -> bool:
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


def _values_by_name(nodes: Iterable[ast.AST]) -> Mapping[str, Sequence[ast.expr | None]]:
    """Map a name to the assigned values whose targets contain it, in the order of the nodes."""
    result: dict[str, list[ast.expr | None]] = {}
    for node in nodes:
        for target, value in _bindings(node):
            for name in names_in(target):
                result.setdefault(name, []).append(value)
    return result


def _bindings(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None]]:
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


def _known_or_unknown(values: Iterable[ast.expr | None]) -> Iterator[ast.expr]:
    return (_UNKNOWN if value is None else value for value in values)
