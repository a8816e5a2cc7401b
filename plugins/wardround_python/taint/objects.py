"""Which function of the project a call leads to, and which objects of the project's classes there are."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from wardround_python.module import FunctionNode
from wardround_python.taint.classes import Instance, ProjectClass
from wardround_python.taint.dangers import CLEAN, PARAMETER, PASSED, SELF, Summary, Value, united
from wardround_python.taint.shapes import bound_arguments, key_of, last_name, passed_on
from wardround_python.taint.texts import Texts

if TYPE_CHECKING:
    from wardround_python.taint.flow import ModuleFlow

Named = Sequence[tuple[ast.keyword, Value]]


class Callee(NamedTuple):
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


class Objects(Texts):
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

    def _callee(self, node: ast.Call) -> Callee | None:
        """The function of the project that is called, if it is one."""
        func = node.func
        if isinstance(func, ast.Name):
            if func.id in self._values:
                return None
            if func.id not in self._module.imported:
                function = self._owner.functions.get(func.id)
                return Callee(self._owner, function) if function is not None else None
            return self._imported(func)
        if not isinstance(func, ast.Attribute):
            return None
        return self._method_called(func) or self._imported(func)

    def _imported(self, func: ast.expr) -> Callee | None:
        dotted = self._module.imported_name(func)
        found = self._owner.modules.find(self._module.path, dotted) if dotted else None
        if found is None or not found.names:
            return None
        function = found.flow.functions.get(found.names[0])
        return Callee(found.flow, function) if function is not None and len(found.names) == 1 else None

    def _method_called(self, func: ast.Attribute) -> Callee | None:
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

    def _called_like(self, func: ast.Attribute) -> Callee | None:
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
    ) -> Callee | None:
        found = cls.method(name, above)
        if found is None:
            return None
        holder, function = found
        positional = [*function.args.posonlyargs, *function.args.args]
        skips = bool(positional) and positional[0].arg in {"self", "cls"}
        return Callee(holder.flow, function, receiver, is_own, skips)

    def _construct(self, cls: ProjectClass, node: ast.Call, given: Sequence[Value], named: Named) -> Instance:
        """Make an object: what its constructor, or its declared fields, keep of the arguments."""
        made = Instance(cls, {})
        found = cls.method("__init__")
        if found is not None:
            holder, function = found
            callee = Callee(holder.flow, function, made, skips=True)
            self._enter(callee, holder.flow.summary(function), node, given, named)
            return made
        fields = dict(zip(cls.fields, given, strict=False))
        fields.update({keyword.arg: value for keyword, value in named if keyword.arg is not None})
        spread = united(*(value for keyword, value in named if keyword.arg is None))
        if spread:
            fields.update({name: united(fields.get(name, CLEAN), spread) for name in cls.fields})
        made.fields = fields
        return made

    def _enter(
        self, callee: Callee, summary: Summary, node: ast.Call, given: Sequence[Value], named: Named
    ) -> dict[str, Value]:
        """Hand values to a function: note what they reach inside and what is left in the object.

        Returns:
            what its parameters, and the attributes of its object, stand for.
        """
        bound = bound_arguments(callee.function, node, given, named, callee.skips)
        bound.update(self._attributes(callee, summary, node))
        for name, value in bound.items():
            for place in summary.reaches.get(name, {}):
                self._reach_at(place, value, node)
        receiver = callee.receiver
        for name, value in summary.stores.items():
            left = passed_on(value, bound)
            if name.startswith("session."):
                self._remember(name.removeprefix("session."), left)
                continue
            if callee.is_own and left:
                self._add(f"self.{name}", left)
            elif receiver is not None and receiver.fields is not None and left:
                receiver.fields[name] = united(receiver.fields.get(name, CLEAN), left)
        return bound

    def _attributes(self, callee: Callee, summary: Summary, node: ast.Call) -> dict[str, Value]:
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
