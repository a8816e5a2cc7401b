"""Findings of ty that depend on a definition which the repository does not show, or shows only in part.

ty derives the arguments of a class from its body: it does not know how an unknown decorator or metaclass
changes it, and for a call through a declared type it knows the declaration, not the function that runs.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from pathlib import Path

from wardround.findings import Span
from wardround.languages.python.cache import cached_module
from wardround.languages.python.module import FunctionNode, PythonModule, last_name, statements_in
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround_python.analysis.call_resolution import CallResolver, FunctionDefinition
from wardround_python.tools.false_positives.function_ends import never_ends
from wardround_python.tools.false_positives.outer_variables import is_set_outside
from wardround_python.tools.false_positives.plain_classes import is_plain, may_have_abstract_methods
from wardround_python.tools.false_positives.snapshot_classes import SnapshotClasses, base_names, method_of
from wardround_python.tools.false_positives.version_floors import is_member_of_newer

_BOUND_METHOD = LazyPattern(r"bound method `(\w+)\.(\w+)`")
_NAMED = LazyPattern(r" (?:of|to) (?:function |bound method |constructor )?`(?!object\.__)")
"""A message that names the function whose signature it checks."""
_NAME = LazyPattern(r"^Name `(\w+)`")
_WITH = LazyPattern(r"^Object of type `(\w+)[`\[].* does not correctly implement (.*)")
_METHOD_NAME = LazyPattern(r"`(__a?(?:enter|exit)__)`")
_PASSED = {"__enter__": 0, "__aenter__": 0, "__exit__": 3, "__aexit__": 3}
"""The arguments that a ``with`` statement passes, without the object."""
_OF_UNIONS = ("missing-union-attribute", "not-callable", "not-iterable", "not-subscriptable")
"""Codes for an operation that one of the possible types of a value does not support."""
_ABSTRACT = frozenset({"AbstractEventLoop", "Traversable", "TraversableResources"})
"""Classes of the standard library whose objects are of other classes, with further parameters."""
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


class CallsByLine:
    """The calls of a module by their lines: a tool may report each of thousands."""

    def __init__(self, module: PythonModule) -> None:
        self._of_one_line: dict[int, list[ast.Call]] = {}
        self._longer: list[ast.Call] = []
        for node in module.nodes:
            if isinstance(node, ast.Call):
                is_long = node.end_lineno != node.lineno
                location = self._longer if is_long else self._of_one_line.setdefault(node.lineno, [])
                location.append(node)

    def at(self, line: int) -> list[ast.Call]:
        """Return the calls that a line is a part of, an outer call before its arguments."""
        around = [node for node in self._longer if node.lineno <= line <= (node.end_lineno or node.lineno)]
        return [*around, *self._of_one_line.get(line, ())]


class Signatures:
    """The definitions that the files of a snapshot call."""

    def __init__(self, root: Path, version: str) -> None:
        """Read a snapshot.

        Args:
            version: the version of Python whose standard library ty reads: ``3.10``.
        """
        self._minor = int(version.rpartition(".")[2])
        self._classes = SnapshotClasses(root)
        self._binding_counts: dict[PythonModule, frozenset[str] | None] = {}
        self._calls: dict[PythonModule, CallsByLine] = {}
        self._judges: dict[str, Callable[[str, PythonModule, Span], bool]] = {
            "missing-argument": self._rejects_arguments,
            "parameter-already-assigned": self._rejects_arguments,
            "positional-only-parameter-as-kwarg": self._rejects_arguments,
            "too-many-positional-arguments": self._rejects_arguments,
            "unknown-argument": self._rejects_arguments,
            "abstract-class-instantiation": self._may_be_instantiated,
            "invalid-context-manager": self._may_be_entered,
            "invalid-implicit-return": self._never_ends,
            "missing-module-member": self._is_of_newer,
            **dict.fromkeys(_OF_UNIONS, is_set_outside),
            "pydantic-discarded-extra-argument": self._has_other_fields,
            "unresolved-reference": self._may_be_bound,
        }

    def is_unknown(self, code: str, message: str, file: str, span: Span) -> bool:
        """Return True if a code's message depends on a definition that the repository does not show."""
        judge = self._judges.get(code)
        text = self._classes.read(file) if judge is not None else None
        if judge is None or text is None:
            return False
        try:
            return judge(message, cached_module(file, text), span)
        except _UNREADABLE:
            return False

    def _rejects_arguments(self, message: str, module: PythonModule, span: Span) -> bool:
        method = _BOUND_METHOD.search(message)
        if method is not None:
            return self._is_overridden(method[1], method[2])
        return _NAMED.search(message) is None and not self._is_plain(module, span, frozenset())

    def _has_other_fields(self, message: str, module: PythonModule, span: Span) -> bool:
        return not self._is_plain(module, span, frozenset({"pydantic.BaseModel"}))

    def _may_be_instantiated(self, message: str, module: PythonModule, span: Span) -> bool:
        definition = self._definition(module, span)
        return definition is not None and may_have_abstract_methods(definition, self._classes)

    def _may_be_bound(self, message: str, module: PythonModule, span: Span) -> bool:
        """Return True if a name may come from a star import that ty cannot follow, or from a branch that it
        considers unreachable: the run-time branch of ``if TYPE_CHECKING``.
        """
        if module not in self._binding_counts:
            self._binding_counts[module] = self._bound_out_of_sight(module)
        names = self._binding_counts[module]
        return names is None or ((match := _NAME.search(message)) is not None and match[1] in names)

    def _bound_out_of_sight(self, module: PythonModule) -> frozenset[str] | None:
        """Return the names that a module binds where ty does not look; None if they may be any."""
        statements = list(statements_in(module.tree))
        if any(self._imports_unknown_names(statement) for statement in statements):
            return None
        names: set[str] = set()
        for statement in statements:
            if isinstance(statement, ast.If) and _is_for_types(statement):
                names.update(*map(_bound_by, statement.orelse))
        return frozenset(names)

    def _imports_unknown_names(self, statement: ast.AST) -> bool:
        """Return True for ``from ... import *`` of a module that is not found."""
        return (
            isinstance(statement, ast.ImportFrom)
            and statement.names[0].name == "*"
            and not self._is_found(statement)
        )

    def _is_found(self, node: ast.ImportFrom) -> bool:
        """Return True if ty finds a module: from the root, from ``src``, or next to the file."""
        stem = (node.module or "").replace(".", "/")
        locations = [f"{root}{stem}{end}" for root in ("", "src/") for end in (".py", "/__init__.py", ".pyi")]
        is_standard = (node.module or "").partition(".")[0] in sys.stdlib_module_names
        return (
            node.level > 0
            or is_standard
            or any(self._classes.read(location) is not None for location in locations)
        )

    def _is_plain(self, module: PythonModule, span: Span, known_bases: frozenset[str]) -> bool:
        """Return True if the call at a span constructs a class that the repository shows entirely."""
        definition = self._definition(module, span)
        return definition is not None and is_plain(definition, self._classes, known_bases)

    def _definition(self, module: PythonModule, span: Span) -> FunctionDefinition | None:
        """Return the definition that the innermost call around the start of a span reaches."""
        if module not in self._calls:
            self._calls[module] = CallsByLine(module)
        near = self._calls[module].at(span.line)
        around = [node for node in near if module.span(node).contains(span.start)]
        return CallResolver(module, self._classes).definition_of(around[-1]) if around else None

    def _is_overridden(self, name: str, method: str) -> bool:
        """Return True if objects declared as a class may be of a subclass with other parameters."""
        declared = [found for node in self._classes.named(name) if (found := method_of(node, method))]
        if not declared:
            return name in _ABSTRACT
        is_abstract = any("abstract" in unparse(decorator) for decorator in declared[0].decorator_list)
        known = {_parameters(function) for function in declared}
        return any(
            _parameters(function) not in known
            for node in self._classes.with_method(method)
            if (function := method_of(node, method)) and (is_abstract or name in base_names(node))
        )

    def _may_be_entered(self, message: str, module: PythonModule, span: Span) -> bool:
        return self._accepts_any_arguments(message) or is_set_outside(message, module, span)

    def _accepts_any_arguments(self, message: str) -> bool:
        """Return True if the methods take all that is passed: only their annotations are too narrow."""
        match = _WITH.search(message)
        if match is None:
            return False
        return all(
            _accepts_count(function, _PASSED[name])
            for node in self._classes.named(match[1])
            for name in _METHOD_NAME.findall(match[2])
            if (function := method_of(node, name))
        )

    def _is_of_newer(self, message: str, module: PythonModule, span: Span) -> bool:
        return is_member_of_newer(message, module, span, self._minor)

    def _never_ends(self, message: str, module: PythonModule, span: Span) -> bool:
        return never_ends(module, span, CallResolver(module, self._classes))


def _is_for_types(node: ast.If) -> bool:
    return last_name(node.test) == "TYPE_CHECKING"


def _bound_by(statement: ast.stmt) -> set[str]:
    """Return the names that an import, an assignment or a definition binds."""
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    return {last_name(target) for target in statement.targets} if isinstance(statement, ast.Assign) else set()


def _parameters(function: FunctionNode) -> str:
    """Return the parameters of a method, without annotations and the values of defaults."""
    given = function.args
    names = [
        [argument.arg for argument in group] for group in (given.posonlyargs, given.args, given.kwonlyargs)
    ]
    return f"{names} {given.vararg is None} {given.kwarg is None} {len(given.defaults)}"


def _accepts_count(method: FunctionNode, count: int) -> bool:
    """Return True if a method can be called with so many positional arguments after the object."""
    given = method.args
    locations = len(given.posonlyargs) + len(given.args) - 1
    required = locations - len(given.defaults)
    return required <= count and (given.vararg is not None or locations >= count)
