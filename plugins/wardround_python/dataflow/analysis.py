"""The taint analysis of one module.

Each function is analysed once, and its effect in terms of its parameters becomes a summary. By summaries data
is followed into helper functions and back: of the same module, and of imported modules if the project can be
read. Functions of libraries that no catalogue names return clean data.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from wardround.checks.lazy import LazyPattern
from wardround.languages.python.module import FunctionNode, PythonModule, statements_in
from wardround.languages.python.tree import walk
from wardround.semantics.dataflow.domain import PARAMETER, join
from wardround_python.dataflow.closures import NestedFunctions
from wardround_python.dataflow.domain import CLEAN, ENCODED, Hit, Place, SinkKind, Taint
from wardround_python.dataflow.expression_shapes import key_of
from wardround_python.dataflow.function_analysis import FunctionAnalysis
from wardround_python.dataflow.modules import Modules, nothing, top_names
from wardround_python.dataflow.observers import UNOBSERVED, Observers
from wardround_python.dataflow.project import FunctionSummary, ModuleFinder, ProjectClass
from wardround_python.dataflow.regex_dos import slow_names

_DEEPEST_CALL = 12
"""The maximum depth of calls through which data is followed."""

_LOOKUP = LazyPattern(
    r"(\.objects\.|\.query\.)(a?get|first|get_or_404|filter)$|get_object_or_404$|session\.get$"
)


class ModuleFlow:
    """The functions of one module, their summaries and the hits."""

    def __init__(
        self, module: PythonModule, modules: ModuleFinder, observers: Observers = UNOBSERVED
    ) -> None:
        self.module = module
        self.modules = modules
        self.observers = observers
        self.nested = NestedFunctions(module)
        self._summaries: dict[FunctionNode, FunctionSummary] = {}
        self._hits: dict[Place, Hit] = {}

    def run(self) -> Sequence[Hit]:
        """Analyse everything and return the hits, those in other modules that are reached from here included.

        Raises:
            RecursionError: the module is nested too deep, so it is not analysed.
        """
        self.modules.depth = 0
        for statement in statements_in(self.module.tree):
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.summary(statement)
        FunctionAnalysis(self, None, self.observers).walk(self.module.tree.body)
        for made in self._classes.values():
            self._hit_by_attributes(made)
        self._hit_by_session()
        return sorted(
            self._hits.values(),
            key=lambda hit: (
                hit.path,
                hit.node.lineno,
                hit.node.col_offset,
                hit.kind,
            ),
        )

    def _hit_by_attributes(self, made: ProjectClass) -> None:
        """Report a sink that one method reaches through an attribute tainted by another method."""
        if not any(made.content.values()):
            return
        for cls in made.lineage:
            for method in cls.flow.methods[cls.node].values():
                for name, places in cls.flow.summary(method).reaches.items():
                    stored = (
                        made.content.get(name.removeprefix("self."), CLEAN) if name[:5] == "self." else CLEAN
                    )
                    for kind, node, path in places:
                        for origin, left in stored.items():
                            if left & kind and not origin.startswith(ENCODED):
                                self.hit(kind, node, path, origin, None)

    def _hit_by_session(self) -> None:
        """Report a sink that is reached through a session entry tainted by another call."""
        stored: dict[str, Taint] = {}
        for summary in self._summaries.values():
            for name, value in summary.stores.items():
                if name.startswith("session."):
                    stored[name] = join(stored.get(name, CLEAN), value)
        for summary in list(self._summaries.values()) if stored else ():
            for name, places in summary.reaches.items():
                for kind, node, path in places if name in stored else ():
                    for origin, left in stored[name].items():
                        if left & kind and not origin.startswith((PARAMETER, ENCODED)):
                            self.hit(kind, node, path, origin, None)

    def summary(self, function: FunctionNode) -> FunctionSummary:
        """Return the summary of a function; an empty one while it is being analysed."""
        known = self._summaries.get(function)
        if known is None:
            if self.modules.depth > _DEEPEST_CALL:
                return FunctionSummary()
            self.modules.depth += 1
            self._summaries[function] = FunctionSummary()
            known = self._summaries[function] = FunctionAnalysis(self, function, self.observers).run()
            self.modules.depth -= 1
        return known

    def hit(
        self,
        kind: SinkKind,
        node: ast.expr,
        path: str,
        origin: str,
        call: ast.expr | None,
    ) -> None:
        self._hits.setdefault((kind, node, path), Hit(kind, node, origin, path, call))

    @cached_property
    def top(self) -> frozenset[str]:
        return top_names(self.module.tree)

    @cached_property
    def _classes(self) -> dict[ast.ClassDef, ProjectClass]:
        return {node: ProjectClass(self, node) for node in self.methods}

    def class_around(self, function: FunctionNode) -> ProjectClass | None:
        node = self.module.class_of(function)
        return self._classes.get(node) if node is not None else None

    def class_of_name(self, node: ast.expr) -> ProjectClass | None:
        """Return the class of the project that a name or attribute refers to."""
        if isinstance(node, ast.Subscript):
            node = node.value
        dotted = self.module.dotted(node)
        if dotted is None:
            return None
        if isinstance(node, ast.Name) and node.id not in self.module.imported:
            return self._by_class_name.get(node.id)
        if isinstance(node, ast.Attribute) and self.module.imported_name(node) is None:
            outer = dotted.split(".")[-2]
            is_inside = outer in {"self", "cls"} or outer in self._by_class_name
            return self._by_class_name.get(node.attr) if is_inside else None
        result = self.modules.find(self.module.path, dotted)
        return (
            result.flow.top_class(result.names[0]) if result is not None and len(result.names) == 1 else None
        )

    def classes(self) -> Iterable[ProjectClass]:
        return self._classes.values()

    def top_class(self, name: str) -> ProjectClass | None:
        return self._by_class_name.get(name)

    @cached_property
    def _by_class_name(self) -> dict[str, ProjectClass]:
        return {value.node.name: value for value in self._classes.values()}

    def class_of_top(self, name: str) -> ProjectClass | None:
        """Return the class of the object that a name of the module is bound to."""
        value = self._top_values.get(name)
        if not isinstance(value, ast.Call):
            return None
        result = self.class_of_name(value.func)
        if result is None and isinstance(value.func, ast.Attribute):
            result = self.class_of_name(value.func.value)  # Config.from_env()
        return result

    @cached_property
    def _top_values(self) -> dict[str, ast.expr]:
        return {
            target.id: node.value
            for node in self.module.tree.body
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name)
        }

    @cached_property
    def functions(self) -> Mapping[str, FunctionNode]:
        """The functions of the module by name; without names that are defined twice."""
        result = dict(_by_name(self.module.tree.body))
        for name, made in self._top_values.items() if "lambda" in self.module.text else ():
            if isinstance(made, ast.Lambda) and name not in result:
                result[name] = self.nested.of_lambda(made)
        return result

    @cached_property
    def numbers(self) -> Mapping[str, int | float]:
        """The names of the module that are bound to one number."""
        return constant_numbers(self.module.tree)

    @cached_property
    def calls_objects(self) -> bool:
        """True if a class of the module may define ``__call__``."""
        return "def __call__(" in self.module.text

    @cached_property
    def converts_objects(self) -> bool:
        """True if a class of the module may define ``__str__``."""
        return "def __str__(" in self.module.text

    @cached_property
    def has_named_tuples(self) -> bool:
        return "NamedTuple" in self.module.text

    @cached_property
    def slow(self) -> Mapping[str, str]:
        return slow_names(self.module)

    @cached_property
    def methods(self) -> Mapping[ast.ClassDef, Mapping[str, FunctionNode]]:
        return {
            node: _by_name(node.body)
            for node in statements_in(self.module.tree)
            if isinstance(node, ast.ClassDef)
        }

    @cached_property
    def lookups(self) -> frozenset[str]:
        """The functions that return records: ``Company.objects.get``, ``session.get``."""
        names = {name for found in self.makers.values() for name in found}
        return frozenset(name for name in names if _LOOKUP.search(name))

    @cached_property
    def makers(self) -> Mapping[str, frozenset[str]]:
        """Key of a name or attribute -> the functions whose results it is bound to, imports resolved."""
        result: dict[str, set[str]] = {}
        for node in statements_in(self.module.tree):
            for target, value in _bindings(node):
                call = value.value if isinstance(value, ast.Await) else value
                key = key_of(target)
                if key is not None and isinstance(call, ast.Call):
                    result.setdefault(key, set()).add(self.module.dotted(call.func) or "")
        return {key: frozenset(names) for key, names in result.items()}


def project_modules(read: Callable[[str], str | None] = nothing) -> Modules:
    """Return the modules of a project, each analysed once it is requested.

    Args:
        read: path -> the text of a file of the project.
    """
    return Modules(ModuleFlow, read)


def constant_numbers(tree: ast.Module) -> Mapping[str, int | float]:
    """Return the names that a module binds to one number and that no function rebinds."""
    result: dict[str, int | float] = {}
    again: set[str] = set()
    for node in statements_in(tree):
        if isinstance(node, ast.Global):
            again.update(node.names)
    for node in tree.body:
        names = [
            inner.id for target, _ in _bindings(node) for inner in walk(target) if isinstance(inner, ast.Name)
        ]
        again.update(name for name in names if name in result)
        value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
        is_number = isinstance(value, ast.Constant) and type(value.value) in (
            int,
            float,
        )
        result.update(dict.fromkeys(names, value.value if is_number else 0))  # type: ignore[union-attr]
        again.update(() if is_number else names)
    return {name: value for name, value in result.items() if name not in again}


def _by_name(body: Iterable[ast.stmt]) -> Mapping[str, FunctionNode]:
    named: dict[str, FunctionNode] = {}
    twice: set[str] = set()
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if node.name in named:
                twice.add(node.name)
            named[node.name] = node
    return {name: node for name, node in named.items() if name not in twice}


def _bindings(node: ast.stmt) -> Iterable[tuple[ast.expr, ast.expr]]:
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        yield from ((item.optional_vars, item.context_expr) for item in node.items if item.optional_vars)
