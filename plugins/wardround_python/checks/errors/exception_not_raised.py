"""PY069."""

from __future__ import annotations

import ast
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import SuggestedFix
from wardround.languages.python.module import FunctionNode, last_name
from wardround_python.check import PythonCheck

_NAMED = LazyPattern(r"^(?:[A-Z]\w*(?:Error|Exception|NotFound|Timeout|Forbidden|Unauthorized)|Http404)$")
_FIELD = LazyPattern(r"%[sdrif]|\{\w*\}")
_ROUTES = frozenset({"get", "post", "put", "patch", "delete", "api_route", "route", "websocket", "head"})
_PLAIN = frozenset(
    {
        "Exception", "ValueError", "TypeError", "RuntimeError", "KeyError", "LookupError", "AssertionError",
        "NotImplementedError", "AttributeError", "IndexError", "ArithmeticError",
    }
)  # fmt: skip


class ExceptionNotRaised(PythonCheck):
    """An exception is made and not raised, or raised with a text that nobody fills in.

    The call by itself only makes an object: the check it stands in lets everything through. In a route of
    FastAPI a returned ``HTTPException`` goes out as an answer with status 200. ``ValueError("no %s",
    name)`` keeps the two apart, as logging takes them and exceptions do not. Write ``raise``, and an
    f-string.
    """

    ID = "PY069"
    NAME = "exception-not-raised"
    WORDS = (
        "Error(",
        "Exception(",
        "Error)",
        "Exception)",
        "Http404(",
        "NotFound(",
        "Timeout(",
        "Forbidden(",
        "Unauthorized(",
    )
    DEFECT_CLASS = "exception-not-raised"
    VALID = [
        code("""
            from shop import OrderError
            def f():
                raise OrderError('x')
        """),
        code("""
            from shop import OrderError
            def f():
                return OrderError('x')
        """),
    ]
    INVALID = [
        code("""
            class LateError(ValueError):
                pass
            def f(x):
                if x:
                    «LateError('x')»
        """),
        code(
            """
            class Late(ValueError):
                pass
            def f(x):
                if x:
                    «Late('x')»
            """,
            fixed="""
            class Late(ValueError):
                pass
            def f(x):
                if x:
                    raise Late('x')
            """,
        ),
    ]

    def visit_Expr(self, node: ast.Expr) -> None:
        made = node.value
        if isinstance(made, ast.Call) and self._is_exception(made.func):
            fix = self.fix(node, lambda one: one.raised(node), "raise it")
            self.report(self.module.span(made), f"{last_name(made.func)} is made and not raised", fix)

    def visit_Return(self, node: ast.Return) -> None:
        made = node.value
        if not isinstance(made, ast.Call):
            return
        name = last_name(made.func)
        if name == "NotImplementedError" or (
            name == "HTTPException"
            and (self.module.imported_name(made.func) or "").startswith(("fastapi", "starlette"))
            and self._is_in_route(node)
        ):
            fix = self.fix(node, lambda one: one.raised(node), "raise it", safe=name == "HTTPException")
            message = f"{name} is returned as if it were a result, and not raised"
            self.report(self.module.span(made), message, fix)

    def visit_Raise(self, node: ast.Raise) -> None:
        made = node.exc
        if not isinstance(made, ast.Call) or len(made.args) < 2 or made.keywords:
            return
        text = made.args[0]
        if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
            return
        if isinstance(made.func, ast.Name) and made.func.id in _PLAIN - set(self.module.imported):
            fields = _FIELD.findall(text.value)
            if len(fields) == len(made.args) - 1:
                message = f"{made.func.id} does not fill in {fields[0]}: the text stays as it is"
                self.report(self.module.span(text), message, self._filled(made, fields))

    def _filled(self, made: ast.Call, fields: list[str]) -> SuggestedFix | None:
        """Return the fix that fills the arguments in; it changes the text alone."""
        names = [f"a{n}" for n in range(len(made.args))]
        values = ", ".join(f"{{{name}}}" for name in names[1:])
        if all(field == "{}" for field in fields):
            filled = f"{{a0}}.format({values})"
        elif all(field.startswith("%") for field in fields):
            filled = f"{{a0}} % ({values}{',' if len(fields) == 1 else ''})"
        else:
            return None
        parts = dict(zip(names, made.args, strict=True))
        return self.fix(
            made, lambda one: one.only_argument(made, filled, **parts), "fill in the values",
            safe=all(field in ("{}", "%s", "%r") for field in fields),
        )  # fmt: skip

    def _is_exception(self, func: ast.expr) -> bool:
        called = last_name(func)
        if isinstance(func, ast.Name) and called in self._kinds:
            return True
        if not called[:1].isupper() or not _NAMED.search(called):
            return False
        if isinstance(func, ast.Name):
            return func.id in self.module.imported or func.id in self._own
        name = self.module.imported_name(func)
        return name is not None and not name.startswith("wx.")

    @cached_property
    def _kinds(self) -> set[str]:
        """The classes of the module that are exceptions, by their bases."""
        return {
            one.name
            for one in self.module.tree.body
            if isinstance(one, ast.ClassDef) and any(_NAMED.search(last_name(base)) for base in one.bases)
        }

    @cached_property
    def _own(self) -> set[str]:
        return {one.name for one in self.module.tree.body if isinstance(one, ast.ClassDef) and one.bases}

    def _is_in_route(self, node: ast.AST) -> bool:
        function = self.module.function_of(node)
        return isinstance(function, FunctionNode) and any(
            isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr in _ROUTES
            for one in function.decorator_list
        )
