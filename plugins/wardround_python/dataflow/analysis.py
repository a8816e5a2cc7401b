"""The taint analysis of one module.

Each function is analysed once, and its effect in terms of its parameters becomes a summary. By summaries data
is followed into helper functions and back: of the same module, and of imported modules if the project can be
read. Functions of libraries that no catalogue names return clean data.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from wardround.languages.python.module import FunctionNode, PythonModule, names_in, statements_in
from wardround.lazy import LazyPattern
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
        """Analyse all functions and return the hits, including those in other modules reached from here.

        Raises:
            RecursionError: the module is nested too deep, so it is not analysed.
        """
        self.modules.depth = 0
        for statement in statements_in(self.module.tree):
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.summary(statement)
        FunctionAnalysis(self, None, self.observers).walk(self.module.tree.body)
        for created in self._classes.values():
            self._hit_by_attributes(created)
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

    def _hit_by_attributes(self, created: ProjectClass) -> None:
        """Report a sink that one method reaches through an attribute tainted by another method."""
        if not any(created.content.values()):
            return
        for cls in created.lineage:
            for method in cls.flow.methods[cls.node].values():
                for name, locations in cls.flow.summary(method).reaches.items():
                    stored = (
                        created.content.get(name.removeprefix("self."), CLEAN)
                        if name[:5] == "self."
                        else CLEAN
                    )
                    for kind, node, path in locations:
                        for origin, left in stored.items():
                            if left & kind and not origin.startswith(ENCODED):
                                self.hit(kind, node, path, origin, None)

    def _hit_by_session(self) -> None:
        """Report a sink that is reached through a session entry tainted by another call."""
        stored = self._session_entries()
        for summary in list(self._summaries.values()) if stored else ():
            for name, locations in summary.reaches.items():
                for kind, node, path in locations if name in stored else ():
                    for origin in _harmful_origins(stored[name], kind):
                        self.hit(kind, node, path, origin, None)

    def _session_entries(self) -> dict[str, Taint]:
        """Return what the functions of the module store in the session."""
        stored: dict[str, Taint] = {}
        for summary in self._summaries.values():
            for name, value in summary.stores.items():
                if name.startswith("session."):
                    stored[name] = join(stored.get(name, CLEAN), value)
        return stored

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
        name = node.value if isinstance(node, ast.Subscript) else node
        dotted = self.module.qualified_name(name)
        if dotted is None:
            return None
        match name:
            case ast.Name(id=own) if own not in self.module.imported:
                return self._classes_by_name.get(own)
            case ast.Attribute(attr=inner) if self.module.imported_name(name) is None:
                outer = dotted.split(".")[-2]
                is_inside = outer in {"self", "cls"} or outer in self._classes_by_name
                return self._classes_by_name.get(inner) if is_inside else None
            case _:
                return self._imported_class(dotted)

    def _imported_class(self, dotted: str) -> ProjectClass | None:
        result = self.modules.find(self.module.path, dotted)
        if result is None or len(result.names) != 1:
            return None
        return result.flow.top_class(result.names[0])

    def classes(self) -> Iterable[ProjectClass]:
        return self._classes.values()

    def top_class(self, name: str) -> ProjectClass | None:
        return self._classes_by_name.get(name)

    @cached_property
    def _classes_by_name(self) -> dict[str, ProjectClass]:
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
        result = dict(_functions_by_name(self.module.tree.body))
        for name, created in self._top_values.items() if "lambda" in self.module.text else ():
            if isinstance(created, ast.Lambda) and name not in result:
                result[name] = self.nested.of_lambda(created)
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
            node: _functions_by_name(node.body)
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
                    result.setdefault(key, set()).add(self.module.qualified_name(call.func) or "")
        return {key: frozenset(names) for key, names in result.items()}


def project_modules(read: Callable[[str], str | None] = nothing) -> Modules:
    """Return the modules of a project; each is analysed on first access.

    Args:
        read: path -> the content of a file of the project.
    """
    return Modules(ModuleFlow, read)


def constant_numbers(tree: ast.Module) -> Mapping[str, int | float]:
    """Return the names that a module binds to one number and that no function rebinds."""
    numbers: dict[str, int | float] = {}
    rebound = {name for node in statements_in(tree) if isinstance(node, ast.Global) for name in node.names}
    for statement in tree.body:
        names = set().union(*(names_in(target) for target, _ in _bindings(statement)))
        number = _assigned_number(statement)
        rebound |= names & numbers.keys() if number is not None else names
        numbers |= dict.fromkeys(names, number or 0)
    return {name: number for name, number in numbers.items() if name not in rebound}


def _assigned_number(statement: ast.stmt) -> int | float | None:
    """Return the number that a statement assigns; True and False are none."""
    value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
    number = value.value if isinstance(value, ast.Constant) else None
    return number if isinstance(number, (int, float)) and not isinstance(number, bool) else None


def _functions_by_name(body: Iterable[ast.stmt]) -> Mapping[str, FunctionNode]:
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


def _harmful_origins(value: Taint, kind: SinkKind) -> list[str]:
    """Return the origins outside the function whose data harms a kind of sink."""
    harmful = [origin for origin, kinds in value.items() if kinds & kind]
    return [origin for origin in harmful if not origin.startswith((PARAMETER, ENCODED))]
