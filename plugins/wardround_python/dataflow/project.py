"""The project as an analysis reads it: modules, classes, objects, and the summaries of functions."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol

from wardround.languages.python.module import FunctionNode, PythonModule, last_name, statements_in
from wardround.semantics.dataflow import summaries
from wardround.semantics.dataflow.domain import PARAMETER, join
from wardround_python.dataflow.closures import NestedFunctions
from wardround_python.dataflow.domain import CLEAN, SELF, Hit, Place, SinkKind, Taint
from wardround_python.dataflow.known_value import Known
from wardround_python.dataflow.observers import Observers
from wardround_python.dataflow.state import OUTSIDE

_DEEPEST_BASE = 4


class ProjectModule(Protocol):
    """One module under analysis: its names and classes, the summaries of its functions, its hits."""

    modules: ModuleFinder

    @property
    def module(self) -> PythonModule:
        """The parsed module."""

    @property
    def observers(self) -> Observers:
        """The observers of its analysis."""

    @property
    def nested(self) -> NestedFunctions:
        """The functions that other functions of the module define."""

    @property
    def top(self) -> frozenset[str]:
        """The functions, classes and variables the module defines."""

    @property
    def functions(self) -> Mapping[str, FunctionNode]:
        """The functions of the module by name."""

    @property
    def methods(self) -> Mapping[ast.ClassDef, Mapping[str, FunctionNode]]:
        """The methods of each class by name."""

    @property
    def makers(self) -> Mapping[str, frozenset[str]]:
        """Key of a name or attribute -> the functions whose results are assigned to it."""

    @property
    def lookups(self) -> frozenset[str]:
        """The functions that return records of a database."""

    @property
    def numbers(self) -> Mapping[str, int | float]:
        """The names of the module that are bound to one number."""

    @property
    def slow(self) -> Mapping[str, str]:
        """The names of the module that are bound to a regular expression with exponential backtracking."""

    @property
    def calls_objects(self) -> bool:
        """True if a class of the module may define ``__call__``."""

    @property
    def converts_objects(self) -> bool:
        """True if a class of the module may define ``__str__``."""

    @property
    def has_named_tuples(self) -> bool:
        """True if the module may define a ``NamedTuple``."""

    def run(self) -> Sequence[Hit]:
        """Analyse the module and return its hits."""

    def summary(self, function: FunctionNode) -> FunctionSummary:
        """Return the summary of a function."""

    def hit(self, kind: SinkKind, node: ast.expr, path: str, origin: str, call: ast.expr | None) -> None:
        """Record tainted data that reaches a sink."""

    def class_around(self, function: FunctionNode) -> ProjectClass | None:
        """Return the class that defines a method."""

    def class_of_name(self, node: ast.expr) -> ProjectClass | None:
        """Return the class that a name or attribute refers to."""

    def class_of_top(self, name: str) -> ProjectClass | None:
        """Return the class of the object that a name of the module is bound to."""

    def top_class(self, name: str) -> ProjectClass | None:
        """Return a class of the module by name."""

    def classes(self) -> Iterable[ProjectClass]:
        """Return the classes of the module."""


class ModuleFinder(Protocol):
    """Finds the modules and classes of the project that names refer to.

    Attributes:
        depth: the number of nested summaries that are being computed, over all modules.
        walks: the number of inlined calls.
        regions: the number of regions of code so far.
        queries: the ordered queries for other modules of a module analysed on its own: importer and dotted
            name, or variable and method; True for an import.
    """

    depth: int
    walks: int
    regions: int
    queries: dict[tuple[str, str, bool], None]

    def new_region(self) -> int:
        """Return a new number for a region of code that always runs together."""

    def find(self, importer: str, dotted: str) -> ResolvedModule | None:
        """Return the module of the project that an imported dotted name refers to."""

    def class_named_like(self, name: str, method: str) -> ProjectClass | None:
        """Return the class of the change that is named like a variable and has a method."""


class ResolvedModule(NamedTuple):
    """A module of the project, and the names behind it in a dotted name: ``("Store", "open")``."""

    flow: ProjectModule
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ProjectClass:
    """One class, in the module that defines it."""

    flow: ProjectModule
    node: ast.ClassDef

    @cached_property
    def lineage(self) -> tuple[ProjectClass, ...]:
        """The class and its bases, if the project defines them, the nearest first."""
        return tuple(self._ancestor_classes(_DEEPEST_BASE))

    def _ancestor_classes(self, steps: int) -> Iterator[ProjectClass]:
        yield self
        for base in self.node.bases if steps else ():
            result = self.flow.class_of_name(base)
            if result is not None and result.node is not self.node:
                yield from result._ancestor_classes(steps - 1)

    def method(self, name: str, above: bool = False) -> tuple[ProjectClass, FunctionNode] | None:
        """Return a method by name and the class that has it; ``above``: that of a base."""
        for cls in self.lineage[above:]:
            method = cls.flow.methods[cls.node].get(name)
            if method is not None:
                return cls, method
        return None

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The declared fields of a dataclass or a model, in order."""
        result: dict[str, None] = {}
        for cls in reversed(self.lineage):
            for line in cls.node.body:
                if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                    result[line.target.id] = None
        return tuple(result)

    @cached_property
    def attributes(self) -> frozenset[str]:
        """The attributes that methods of the class and of its bases assign."""
        return frozenset(
            target.attr
            for cls in self.lineage
            for node in statements_in(cls.node)
            if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign))
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Attribute)
        ) | frozenset(self.fields)

    def class_of_attribute(self, name: str) -> ProjectClass | None:
        """Return the class of an attribute, by its annotation or by the called constructor."""
        return self._attribute_classes.get(name)

    @cached_property
    def _attribute_classes(self) -> Mapping[str, ProjectClass]:
        result: dict[str, ProjectClass] = {}
        for base in self.lineage:
            for name, node in _attribute_types(base.node):
                cls = base.flow.class_of_name(node)
                if cls is not None:
                    result.setdefault(name, cls)
        return result

    @cached_property
    def content(self) -> Mapping[str, Taint]:
        """The taint that any method leaves in each attribute."""
        result: dict[str, Taint] = {}
        for name, value in self._stores():
            if not name.startswith(("session.", OUTSIDE)):
                result[name] = join(result.get(name, CLEAN), value)
        for _ in range(3):  # chains of attributes derived from attributes
            for name, value in list(result.items()):
                through = [result.get(o.removeprefix(SELF), CLEAN) for o in value if o.startswith(SELF)]
                result[name] = join(value, *through)
        return {name: _without_parameters(value) for name, value in result.items()}

    def _stores(self) -> Iterator[tuple[str, Taint]]:
        """Yield what the methods of the class and its ancestors store."""
        for cls in self.lineage:
            for method in cls.flow.methods[cls.node].values():
                yield from cls.flow.summary(method).stores.items()

    def is_property(self, name: str) -> bool:
        result = self.method(name)
        return result is not None and any(
            last_name(decorator) in {"property", "cached_property"} for decorator in result[1].decorator_list
        )


@dataclass(slots=True)
class Instance:
    """An object whose class is known.

    Attributes:
        fields: the taints of its attributes; None if it was created elsewhere.
        region: the region of code in which it was created.
        known: the known values of its attributes.
    """

    cls: ProjectClass
    fields: dict[str, Taint] | None = None
    region: int = 0
    known: dict[str, Known] = field(default_factory=dict)

    @property
    def total(self) -> Taint:
        return join(*(self.fields or {}).values())


@dataclass(slots=True)
class FunctionSummary(summaries.Summary[SinkKind, Place]):
    """The effect of one function in terms of its parameters.

    Attributes:
        instance: the object it returns, if its class is known; its fields in terms of the parameters.
        returns_self: True if it returns its receiver.
        known: the known value of its result, for all arguments.
    """

    instance: Instance | None = None
    returns_self: bool = False
    known: Known | None = None

    def session_keys(self) -> set[str]:
        """Return the session entries that the function reads: ``session.next``."""
        origins = {o.removeprefix(PARAMETER) for v in (self.returned, *self.stores.values()) for o in v}
        return {name for name in (*origins, *self.reaches) if name.startswith("session.")}


def _without_parameters(taint: Taint) -> Taint:
    return {origin: kinds for origin, kinds in taint.items() if PARAMETER not in origin}


def _attribute_types(node: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    """Yield attributes with their classes: ``self.x = Store(...)``, ``x: Store``, ``x = Store()``."""
    for statement in node.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                yield name, annotation
            case ast.Assign(targets=targets, value=ast.Call(func=cls)):
                yield from ((target.id, cls) for target in targets if isinstance(target, ast.Name))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from _attributes_stored_by(statement)


def _attributes_stored_by(method: FunctionNode) -> Iterator[tuple[str, ast.expr]]:
    parameters = (*method.args.args, *method.args.kwonlyargs)
    declared = {parameter.arg: parameter.annotation for parameter in parameters}
    for statement in statements_in(method):
        if isinstance(statement, ast.Assign):
            yield from _stored_attributes(statement, declared)


def _stored_attributes(
    node: ast.Assign, declared: Mapping[str, ast.expr | None]
) -> Iterator[tuple[str, ast.expr]]:
    for target in node.targets:
        if not isinstance(target, ast.Attribute) or getattr(target.value, "id", "") != "self":
            continue
        annotation = declared.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if isinstance(node.value, ast.Call):
            yield target.attr, node.value.func
        elif annotation is not None:
            yield target.attr, annotation
