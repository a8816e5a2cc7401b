"""What calls come to: ``getattr(x, "y")`` to ``x.y``, ``partial(f, 1)(2)`` to ``f(1, 2)``."""

from __future__ import annotations

import ast

from wardround.languages.python.module import last_name
from wardround_python.dataflow.domain import Value
from wardround_python.dataflow.inlining import Walks
from wardround_python.dataflow.known_value import Fields, Known, Prepared

_MAKERS = frozenset(
    {"functools.partial", "operator.itemgetter", "operator.attrgetter", "operator.methodcaller"}
)
_NAMED_TUPLE = "collections.namedtuple"
_LAST_NAMES = frozenset({"partial", "itemgetter", "attrgetter", "methodcaller", "namedtuple"})


class Rewriting(Walks):
    """Says what a call comes to, where it is made by way of the library's own detours."""

    def _rewritten(self, node: ast.Call) -> ast.expr | None:
        """The plainer expression that gives the same; None for other calls."""
        func = node.func
        if isinstance(func, ast.Name):
            if func.id == "getattr" and "getattr" not in self._values:
                return self._attribute_got(node)
            known = self._values.known.get(func.id)
            if isinstance(known, Prepared):
                return self._finished(known.made, node)
            return self._special(node, func, "__call__") if known is None else self._as_text(node)
        if isinstance(func, ast.Call) and (self._module.dotted(func.func) or "") in _MAKERS:
            return self._finished(func, node)
        if isinstance(func, ast.Call) and isinstance(func.func, ast.Name):
            return self._special(node, func, "__call__")
        return None

    def _prepared(self, node: ast.Call) -> Known | None:
        """What is certain of a call that only prepares another."""
        if last_name(node.func) not in _LAST_NAMES:
            return None
        name = self._module.dotted(node.func) or ""
        if name in _MAKERS:
            return Prepared(node)
        if name == _NAMED_TUPLE and len(node.args) == 2:
            return self._fields_named(node.args[1])
        return None

    def _fields_named(self, node: ast.expr) -> Fields | None:
        if isinstance(node, (ast.List, ast.Tuple)):
            names = self._exacts(node.elts)
        else:
            exact = self._exact(node)
            text = exact.value if exact is not None else None
            names = list(text.replace(",", " ").split()) if isinstance(text, str) else None
        return Fields(tuple(map(str, names))) if names else None

    def _attribute_got(self, node: ast.Call) -> ast.expr | None:
        """``getattr(thing, "name")``; with a default only where it is known if the name is there."""
        name = self._exact(node.args[1]) if len(node.args) > 1 else None
        if name is None or not isinstance(name.value, str) or not name.value.isidentifier():
            return None
        held = self._table(node.args[0]) if isinstance(node.args[0], (ast.Name, ast.Call)) else None
        if len(node.args) == 3 and held is not None and held.kind == "namespace":
            if isinstance(held.entries, dict) and name.value not in held.entries:
                return node.args[2]
        elif len(node.args) == 3:
            return None
        return ast.copy_location(ast.Attribute(node.args[0], name.value, ast.Load()), node)

    def _finished(self, made: ast.Call, node: ast.Call) -> ast.expr | None:
        """What comes of a prepared call that is given the rest of its arguments."""
        name = last_name(made.func)
        if name == "partial" and made.args:
            func, *first = made.args
            call = ast.Call(func, [*first, *node.args], [*made.keywords, *node.keywords])
            return ast.copy_location(call, node)
        if len(node.args) != 1 or not made.args:
            return None
        found: ast.expr
        if name == "methodcaller":
            method = self._exact(made.args[0])
            found = ast.Attribute(node.args[0], str(method.value) if method else "?", ast.Load())
            found = ast.Call(found, made.args[1:], made.keywords)
        elif len(made.args) != 1:
            return None
        elif name == "itemgetter":
            found = ast.Subscript(node.args[0], made.args[0], ast.Load())
        else:
            path = self._exact(made.args[0])
            if path is None or not isinstance(path.value, str):
                return None
            found = node.args[0]
            for part in path.value.split("."):
                found = ast.copy_location(ast.Attribute(found, part, ast.Load()), node)
        return ast.copy_location(found, node)

    def _special(self, node: ast.Call, on: ast.Name | ast.Call, name: str) -> ast.expr | None:
        """A call of an object of the project: ``thing(value)`` to ``thing.__call__(value)``."""
        if f"def {name}(" not in self._module.text:
            return self._as_text(node)
        made = self._instances.get(on.id) if isinstance(on, ast.Name) else self._instance(on)
        if made is None or made.cls.method(name) is None:
            return self._as_text(node)
        func = ast.copy_location(ast.Attribute(on, name, ast.Load()), node)
        return ast.copy_location(ast.Call(func, node.args, node.keywords), node)

    def _as_text(self, node: ast.Call) -> ast.expr | None:
        """``str(thing)`` to ``thing.__str__()``."""
        if last_name(node.func) != "str" or len(node.args) != 1 or "def __str__(" not in self._module.text:
            return None
        made = self._instance(node.args[0]) if isinstance(node.args[0], (ast.Name, ast.Call)) else None
        if made is None or made.cls.method("__str__") is None:
            return None
        func = ast.copy_location(ast.Attribute(node.args[0], "__str__", ast.Load()), node)
        return ast.copy_location(ast.Call(func, [], []), node)

    def _give_attribute(self, node: ast.Call, value: Value) -> None:
        """``setattr(thing, "name", value)``."""
        name = self._exact(node.args[1])
        if name is not None and isinstance(name.value, str) and name.value.isidentifier():
            target = ast.copy_location(ast.Attribute(node.args[0], name.value, ast.Store()), node)
            self._bind(target, value, node.args[2], self._knowledge(node.args[2]))

    def _rewritten_value(self, node: ast.Call) -> Value | None:
        """What a call carries that comes to something plainer; None for other calls."""
        other = self._rewritten(node)
        if other is None:
            return None
        value = self.value(other)
        known = self._knowledge(other)
        if known is not None:
            self._answers[node] = known
        return value
