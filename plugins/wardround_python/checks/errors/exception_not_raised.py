from __future__ import annotations

import ast
from functools import cached_property

from wardround.findings import SuggestedFix
from wardround.languages.python.module import FunctionNode, last_name
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

_NAMED = LazyPattern(r"^(?:[A-Z]\w*(?:Error|Exception|NotFound|Timeout|Forbidden|Unauthorized)|Http404)$")
_FIELD = LazyPattern(r"%[sdrif]|\{\w*\}")
_ROUTES = frozenset({"get", "post", "put", "patch", "delete", "api_route", "route", "websocket", "head"})
_BUILTIN = frozenset(
    {
        "Exception", "ValueError", "TypeError", "RuntimeError", "KeyError", "LookupError", "AssertionError",
        "NotImplementedError", "AttributeError", "IndexError", "ArithmeticError",
    }
)  # fmt: skip


class ExceptionNotRaised(PythonCheck):
    """An exception is created and not raised, or raised with a message that is never formatted.

    Creating an exception has no effect: the validation it belongs to accepts everything. In a FastAPI
    route a returned ``HTTPException`` is sent as a response with status 200. ``ValueError("no %s",
    name)`` does not format its message; only logging does. Write ``raise``, and an f-string.
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
        created = node.value
        if isinstance(created, ast.Call) and self._is_exception(created.func):
            fix = self.fix(node, lambda rewrite: rewrite.raise_value(node), "raise it")
            message = f"{last_name(created.func)} is created but not raised; raise it"
            self.report(self.module.span(created), message, fix)

    def visit_Return(self, node: ast.Return) -> None:
        created = node.value
        if not isinstance(created, ast.Call):
            return
        name = last_name(created.func)
        if name == "NotImplementedError" or (
            name == "HTTPException"
            and (self.module.imported_name(created.func) or "").startswith(("fastapi", "starlette"))
            and self._is_in_route(node)
        ):
            fix = self.fix(
                node, lambda rewrite: rewrite.raise_value(node), "raise it", safe=name == "HTTPException"
            )
            self.report(self.module.span(created), f"{name} is returned as a result; raise it", fix)

    def visit_Raise(self, node: ast.Raise) -> None:
        created = node.exc
        if not isinstance(created, ast.Call) or len(created.args) < 2 or created.keywords:
            return
        text = created.args[0]
        if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
            return
        if isinstance(created.func, ast.Name) and created.func.id in _BUILTIN - set(self.module.imported):
            fields = _FIELD.findall(text.value)
            if len(fields) == len(created.args) - 1:
                message = f"{created.func.id} does not format {fields[0]}; format the message"
                self.report(self.module.span(text), message, self._format_fix(created, fields))

    def _format_fix(self, created: ast.Call, fields: list[str]) -> SuggestedFix | None:
        """Return the fix that formats the message; only the text of the exception changes."""
        names = [f"a{n}" for n in range(len(created.args))]
        values = ", ".join(f"{{{name}}}" for name in names[1:])
        if all(field == "{}" for field in fields):
            formatted = f"{{a0}}.format({values})"
        elif all(field.startswith("%") for field in fields):
            formatted = f"{{a0}} % ({values}{',' if len(fields) == 1 else ''})"
        else:
            return None
        parts = dict(zip(names, created.args, strict=True))
        return self.fix(
            created, lambda rewrite: rewrite.only_argument(created, formatted, **parts),
            "fill in the values", safe=all(field in ("{}", "%s", "%r") for field in fields),
        )  # fmt: skip

    def _is_exception(self, func: ast.expr) -> bool:
        called = last_name(func)
        if isinstance(func, ast.Name) and called in self._exception_classes:
            return True
        if not called[:1].isupper() or not _NAMED.search(called):
            return False
        if isinstance(func, ast.Name):
            return func.id in self.module.imported or func.id in self._own_exceptions
        name = self.module.imported_name(func)
        return name is not None and not name.startswith("wx.")

    @cached_property
    def _exception_classes(self) -> set[str]:
        """Exception classes of the module, by their bases."""
        return {
            statement.name
            for statement in self.module.tree.body
            if isinstance(statement, ast.ClassDef)
            and any(_NAMED.search(last_name(base)) for base in statement.bases)
        }

    @cached_property
    def _own_exceptions(self) -> set[str]:
        return {
            statement.name
            for statement in self.module.tree.body
            if isinstance(statement, ast.ClassDef) and statement.bases
        }

    def _is_in_route(self, node: ast.AST) -> bool:
        function = self.module.function_of(node)
        return isinstance(function, FunctionNode) and any(
            isinstance(decorator, ast.Call)
            and isinstance(decorator.func, ast.Attribute)
            and decorator.func.attr in _ROUTES
            for decorator in function.decorator_list
        )
