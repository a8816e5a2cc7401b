"""Which function of the project a call leads to, and which objects of the project's classes there are."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from wardround.languages.python.module import FunctionNode, last_name
from wardround.semantics.dataflow.domain import PARAMETER, join
from wardround_python.dataflow.classes import Instance, ProjectClass
from wardround_python.dataflow.domain import CLEAN, PASSED, SELF, Summary, Value
from wardround_python.dataflow.expression_shapes import bound_arguments, key_of, passed_on
from wardround_python.dataflow.iteration import Elements
from wardround_python.dataflow.known_value import Fields, Held, Runs
from wardround_python.dataflow.state import OUTSIDE

if TYPE_CHECKING:
    from wardround_python.dataflow.analysis import ModuleFlow

Named = Sequence[tuple[ast.keyword, Value]]


class ResolvedCallee(NamedTuple):
    """A function of the project that is called.

    Attributes:
        receiver: the object it is called on; None for a plain function.
        is_own: whether that is the object the calling method is called on itself.
        skips: whether its first parameter is that object.
    """

    flow: ModuleFlow
    function: FunctionNode
    receiver: Instance | None = None
    is_own: bool = False
    skips: bool = False


class Objects(Elements):
    """Finds the functions and the classes of the project that names and calls stand for."""

    def _instance(self, node: ast.expr) -> Instance | None:
        if isinstance(node, ast.Await):
            node = node.value
        if isinstance(node, ast.Call):
            if node not in self._fresh:
                self.value(node)
            return self._fresh.get(node)
        key = key_of(node)
        if key is None:
            return None
        if key in self._instances:
            return self._instances[key]
        if isinstance(node, ast.Name):
            return self._declared(node)
        if key.startswith("self.") and key.count(".") == 1 and self._class is not None:
            cls = self._class.class_of_attribute(key.removeprefix("self."))
            return Instance(cls) if cls is not None else None
        return self._of_module(node)

    def _declared(self, node: ast.Name) -> Instance | None:
        """The object behind a parameter that is declared to be of a class, or behind a name of the module."""
        if self._function is not None:
            arguments = self._function.args
            for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
                if one.arg == node.id:
                    cls = self._owner.class_of_name(one.annotation) if one.annotation is not None else None
                    return Instance(cls) if cls is not None else None
        return self._of_module(node)

    def _of_module(self, node: ast.expr) -> Instance | None:
        if isinstance(node, ast.Name) and node.id not in self._module.imported:
            cls = self._owner.class_of_top(node.id)
        else:
            dotted = self._module.imported_name(node)
            found = self._owner.modules.find(self._module.path, dotted) if dotted else None
            cls = found.flow.class_of_top(found.names[0]) if found and len(found.names) == 1 else None
        return Instance(cls, {}) if cls is not None else None

    def _class_called(self, node: ast.Call) -> ProjectClass | None:
        func = node.func
        if isinstance(func, ast.Name) and func.id in {"cls"} and self._class is not None:
            return self._class
        if isinstance(func, ast.Name) and func.id in self._values:
            return None
        return self._owner.class_of_name(func) if isinstance(func, (ast.Name, ast.Attribute)) else None

    def _tuple_fields(self, node: ast.Call) -> tuple[str, ...] | None:
        known = self._values.known.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if isinstance(known, Fields):
            return known.names
        if not self._owner.has_named_tuples:
            return None
        cls = self._class_called(node)
        is_tuple = cls is not None and any(last_name(base) == "NamedTuple" for base in cls.node.bases)
        return cls.fields if cls is not None and is_tuple else None

    def _callee(self, node: ast.Call) -> ResolvedCallee | None:
        """The function of the project that is called, if it is one."""
        func = node.func
        if isinstance(func, ast.Lambda):
            return ResolvedCallee(self._owner, self._owner.nested.of_lambda(func))
        if isinstance(func, ast.Name):
            known = self._values.known.get(func.id)
            if isinstance(known, Runs):
                return self._callee_of(known.function)
            function = self._named_function(func.id)
            if function is not None:
                return ResolvedCallee(self._owner, function)
            return self._imported(func) if func.id not in self._values else None
        if isinstance(func, ast.Subscript):  # handlers[name](value)
            held = self._table(func.value)
            entry = self._entry(held, func.slice) if held is not None else None
            runs = entry.known if entry is not None else None
            return self._callee_of(runs.function) if isinstance(runs, Runs) else None
        if not isinstance(func, ast.Attribute):
            return None
        return self._method_called(func) or self._imported(func)

    def _callee_of(self, function: FunctionNode) -> ResolvedCallee | None:
        """A function a name stands for that was given to it here; of another module's, nothing is known."""
        return ResolvedCallee(self._owner, function) if self._owner.nested.has(function) else None

    def _imported(self, func: ast.expr) -> ResolvedCallee | None:
        dotted = self._module.imported_name(func)
        found = self._owner.modules.find(self._module.path, dotted) if dotted else None
        if found is None or not found.names:
            return None
        function = found.flow.functions.get(found.names[0])
        return (
            ResolvedCallee(found.flow, function) if function is not None and len(found.names) == 1 else None
        )

    def _method_called(self, func: ast.Attribute) -> ResolvedCallee | None:
        on = func.value
        if isinstance(on, ast.Call) and last_name(on.func) == "super" and self._class is not None:
            return self._of(self._class, func.attr, None, is_own=True, above=True)
        if isinstance(on, ast.Name) and on.id in {"self", "cls"} and self._class is not None:
            return self._of(self._class, func.attr, None, is_own=True)
        receiver = self._instance(on)
        if receiver is not None:
            return self._of(receiver.cls, func.attr, receiver)
        if isinstance(on, (ast.Name, ast.Attribute)) and key_of(on) not in self._values:
            cls = self._owner.class_of_name(on)
            if cls is not None:
                return self._of(cls, func.attr, None)
        return self._called_like(func)

    def _called_like(self, func: ast.Attribute) -> ResolvedCallee | None:
        """The method of an object that was handed in, by the name it goes by."""
        on = func.value
        is_handed = isinstance(on, ast.Attribute) or (
            isinstance(on, ast.Name) and on.id in self._values and on.id not in self._module.imported
        )
        name = last_name(on)
        cls = self._owner.modules.called(name, func.attr) if is_handed and name else None
        return self._of(cls, func.attr, Instance(cls)) if cls is not None else None

    def _of(
        self,
        cls: ProjectClass,
        name: str,
        receiver: Instance | None,
        is_own: bool = False,
        above: bool = False,
    ) -> ResolvedCallee | None:
        found = cls.method(name, above)
        if found is None:
            return None
        holder, function = found
        positional = [*function.args.posonlyargs, *function.args.args]
        skips = bool(positional) and positional[0].arg in {"self", "cls"}
        return ResolvedCallee(holder.flow, function, receiver, is_own, skips)

    def _enter(
        self,
        callee: ResolvedCallee,
        summary: Summary,
        node: ast.Call,
        given: Sequence[Value],
        named: Named,
    ) -> dict[str, Value]:
        """Hand values to a function: note what they reach inside and what is left in the object.

        Returns:
            what its parameters, and the attributes of its object, stand for.
        """
        bound = bound_arguments(callee.function, node, given, named, callee.skips)
        bound.update(self._attributes(callee, summary, node))
        if callee.flow is self._owner:
            bound.update(
                {name: self._values.get(name, CLEAN) for name in self._owner.nested.free(callee.function)}
            )
        for name, value in bound.items():
            for place in summary.reaches.get(name, {}):
                self._reach_at(place, value, node)
        receiver = callee.receiver
        if receiver is not None:
            receiver.held.clear()
        elif callee.is_own:
            self._forget_self()
        for name, value in summary.stores.items():
            left = passed_on(value, bound)
            if name.startswith("session."):
                self._remember(name.removeprefix("session."), left)
                continue
            if name.startswith(OUTSIDE):
                self._add(name.removeprefix(OUTSIDE), left)
                continue
            if callee.is_own and left:
                self._add(f"self.{name}", left)
            elif receiver is not None and receiver.fields is not None and left:
                receiver.fields[name] = join(receiver.fields.get(name, CLEAN), left)
        return bound

    def _forget_self(self) -> None:
        """Know nothing more of the attributes of the object this method is called on."""
        for key in [key for key in self._values.known if key.startswith("self.")]:
            held = self._values.known.pop(key)
            if isinstance(held, Held):
                self._let_go(held)

    def _attributes(self, callee: ResolvedCallee, summary: Summary, node: ast.Call) -> dict[str, Value]:
        """What the attributes carry that a method reads."""
        asked = {name for name in summary.reaches if name.startswith("self.")}
        kept: dict[str, Value] = {name: {PARAMETER + name: PASSED} for name in summary.kept()}
        values = (summary.returned, *summary.stores.values())
        asked |= {o.removeprefix(PARAMETER) for value in values for o in value if o.startswith(SELF)}
        if summary.made is not None:
            inside = (summary.made.fields or {}).values()
            asked |= {o.removeprefix(PARAMETER) for value in inside for o in value if o.startswith(SELF)}
        if callee.is_own:
            return {**kept, **{name: self._attribute_of_self(name) for name in asked}}
        receiver = callee.receiver
        if receiver is None:
            return kept
        if receiver.fields is None:
            whole = self.value(node.func.value) if isinstance(node.func, ast.Attribute) else CLEAN
            return kept | dict.fromkeys(asked, whole)
        return kept | {name: receiver.fields.get(name.removeprefix("self."), CLEAN) for name in asked}

    def _attribute_of_self(self, key: str) -> Value:
        """What an attribute of the object carries whose method this is."""
        if key in self._values:
            return self._values[key]
        name = key.removeprefix("self.")
        if self._class is None or name not in self._class.attributes:
            return CLEAN
        return {PARAMETER + key: PASSED}
