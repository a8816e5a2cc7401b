"""The classes of the project: their methods, the fields their objects hold, and objects themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.semantics.dataflow.domain import PARAMETER, join
from wardround_python.dataflow.domain import CLEAN, SELF, Taint
from wardround_python.dataflow.known_value import Known
from wardround_python.dataflow.state import OUTSIDE

if TYPE_CHECKING:
    from wardround_python.dataflow.analysis import ModuleFlow
import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from wardround.languages.python.module import FunctionNode, last_name, statements_in

_DEEPEST_BASE = 4


@dataclass(frozen=True, eq=False)
class ProjectClass:
    """One class, in the module that defines it."""

    flow: ModuleFlow
    node: ast.ClassDef

    @cached_property
    def lineage(self) -> tuple[ProjectClass, ...]:
        """The class and its bases, as far as the project defines them, the nearest first."""
        return tuple(self._up(_DEEPEST_BASE))

    def _up(self, steps: int) -> Iterator[ProjectClass]:
        yield self
        for base in self.node.bases if steps else ():
            found = self.flow.class_of_name(base)
            if found is not None and found.node is not self.node:
                yield from found._up(steps - 1)

    def method(self, name: str, above: bool = False) -> tuple[ProjectClass, FunctionNode] | None:
        """A method by name and the class that has it; ``above``: that of a base."""
        for one in self.lineage[above:]:
            method = one.flow.methods[one.node].get(name)
            if method is not None:
                return one, method
        return None

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The declared fields of a dataclass or a model, in order."""
        found: dict[str, None] = {}
        for one in reversed(self.lineage):
            for line in one.node.body:
                if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                    found[line.target.id] = None
        return tuple(found)

    @cached_property
    def attributes(self) -> frozenset[str]:
        """The attributes that methods of the class and of its bases assign."""
        return frozenset(
            target.attr
            for one in self.lineage
            for node in statements_in(one.node)
            if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign))
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Attribute)
        ) | frozenset(self.fields)

    def class_of_attribute(self, name: str) -> ProjectClass | None:
        """Return the class of an attribute, by its annotation or by the constructor that is called."""
        return self._attribute_classes.get(name)

    @cached_property
    def _attribute_classes(self) -> Mapping[str, ProjectClass]:
        found: dict[str, ProjectClass] = {}
        for one in self.lineage:
            for name, node in _made_attributes(one.node):
                cls = one.flow.class_of_name(node)
                if cls is not None:
                    found.setdefault(name, cls)
        return found

    @cached_property
    def content(self) -> Mapping[str, Taint]:
        """The taint that any method leaves in each attribute."""
        found: dict[str, Taint] = {}
        for one in self.lineage:
            for method in one.flow.methods[one.node].values():
                for name, value in one.flow.summary(method).stores.items():
                    if name.startswith(("session.", OUTSIDE)):
                        continue
                    found[name] = join(found.get(name, CLEAN), value)
        for _ in range(3):  # one attribute made of another, made of a third
            for name, value in list(found.items()):
                through = [found.get(o.removeprefix(SELF), CLEAN) for o in value if o.startswith(SELF)]
                found[name] = join(value, *through)
        return {
            name: {o: left for o, left in value.items() if PARAMETER not in o}
            for name, value in found.items()
        }

    def is_property(self, name: str) -> bool:
        found = self.method(name)
        return found is not None and any(
            last_name(one) in {"property", "cached_property"} for one in found[1].decorator_list
        )


@dataclass(slots=True)
class Instance:
    """An object whose class is known.

    Attributes:
        fields: the taints of its attributes; None if it was created elsewhere.
        region: the region of code in which it was created.
        known: what is known of its attributes.
    """

    cls: ProjectClass
    fields: dict[str, Taint] | None = None
    region: int = 0
    known: dict[str, Known] = field(default_factory=dict)

    @property
    def total(self) -> Taint:
        return join(*(self.fields or {}).values())


def _made_attributes(node: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    """Yield attributes with their classes: ``self.x = Store(...)``, ``x: Store``, ``x = Store()``."""
    for line in node.body:
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            yield line.target.id, line.annotation
        elif isinstance(line, ast.Assign) and isinstance(line.value, ast.Call):
            yield from ((one.id, line.value.func) for one in line.targets if isinstance(one, ast.Name))
        elif isinstance(line, (ast.FunctionDef, ast.AsyncFunctionDef)):
            declared = {one.arg: one.annotation for one in (*line.args.args, *line.args.kwonlyargs)}
            for inner in statements_in(line):
                if isinstance(inner, ast.Assign):
                    yield from _stored(inner, declared)


def _stored(node: ast.Assign, declared: Mapping[str, ast.expr | None]) -> Iterator[tuple[str, ast.expr]]:
    for target in node.targets:
        if not isinstance(target, ast.Attribute) or getattr(target.value, "id", "") != "self":
            continue
        annotation = declared.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if isinstance(node.value, ast.Call):
            yield target.attr, node.value.func
        elif annotation is not None:
            yield target.attr, annotation
