"""PY077: unreachable route."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.languages.python.module import FunctionNode, last_name
from wardround.languages.python.tree import unparse
from wardround_python.check import PythonCheck

_VERBS = frozenset({"get", "post", "put", "patch", "delete", "head", "options", "route", "api_route"})
_PLACE = LazyPattern(r"\{(\w+)(?::(\w+))?\}|<(?:(\w+):)?(\w+)>")
_WHOLE = frozenset({"path", "re_path", "url"})
_GUARDS = LazyPattern(
    r"(?i)login_required|permission|auth|roles?_(required|accepted)|(admin|staff|member)_(only|required)"
)
_NARROW = frozenset({"int", "float", "uuid"})


@dataclass(frozen=True, eq=False)
class _Way:
    node: ast.expr
    path: str
    verbs: frozenset[str]
    function: FunctionNode | None
    server: str

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(self.path.strip("/").split("/"))


class UnreachableRoute(PythonCheck):
    """A route is never reached, or its guard never runs.

    The first matching route handles a path: a second one for the same path is never called, nor is ``/me``
    after ``/{name}``. A decorator above ``@app.route`` wraps a function that the router does not know, so the
    login it requires is never checked. Put the specific path first, and the guard below the route.
    """

    ID = "PY077"
    NAME = "unreachable-route"
    WORDS = ("fastapi", "flask", "starlette", "sanic", "quart", "litestar", "bottle", "urlpatterns")
    DEFECT_CLASS = "unreachable-route"
    VALID = [
        code("""
            from fastapi import FastAPI
            app = FastAPI()
            @app.get('/u/me')
            def me(): ...
            @app.get('/u/{name}')
            def one(name): ...
        """),
        code("""
            from fastapi import FastAPI
            app = FastAPI()
            @app.get('/u')
            def me(): ...
            @app.post('/u')
            def one(): ...
        """),
    ]
    INVALID = [
        code("""
            from fastapi import FastAPI
            app = FastAPI()
            @app.get('/a')
            def a(): ...
            @«app.get('/a')»
            def b(): ...
        """),
        code("""
            from fastapi import FastAPI
            app = FastAPI()
            @app.get('/u/{name}')
            def one(name): ...
            @«app.get('/u/me')»
            def me(): ...
        """),
    ]

    def visit_Module(self, node: ast.Module) -> None:
        roots = {name.partition(".")[0] for name in self.module.imported.values()}
        if roots & {"fastapi", "flask", "starlette", "sanic", "quart", "litestar", "bottle"}:
            results = list(self._ways(node))
            self._check(results, in_order="fastapi" in roots or "starlette" in roots or "bottle" in roots)
            self._check_guards(node)
        elif "django" in roots:
            self._check(list(self._patterns(node)), in_order=False)

    def _ways(self, tree: ast.Module) -> Iterator[_Way]:
        for function in tree.body:
            if not isinstance(function, FunctionNode):
                continue
            for decorator in function.decorator_list:
                if _is_route(decorator):
                    assert isinstance(decorator, ast.Call)
                    assert isinstance(decorator.func, ast.Attribute)
                    path = decorator.args[0]
                    assert isinstance(path, ast.Constant)
                    server = unparse(decorator.func.value)
                    yield _Way(
                        decorator, str(path.value), _verbs(decorator), function, server + _narrowed(decorator)
                    )

    def _patterns(self, tree: ast.Module) -> Iterator[_Way]:
        for statement in tree.body:
            value = statement.value if isinstance(statement, (ast.Assign, ast.AugAssign)) else None
            if isinstance(value, ast.List):
                for call in value.elts:
                    if isinstance(call, ast.Call) and last_name(call.func) in _WHOLE and len(call.args) > 1:
                        first, second = call.args[:2]
                        is_whole = not (isinstance(second, ast.Call) and last_name(second.func) == "include")
                        if isinstance(first, ast.Constant) and is_whole:
                            yield _Way(
                                call, str(first.value), frozenset({"any"}), None, str(statement.lineno)
                            )

    def _check(self, ways: Sequence[_Way], in_order: bool) -> None:
        for place, way in enumerate(ways):
            for other in ways[:place]:
                if (
                    way.server != other.server
                    or not way.verbs & other.verbs
                    or way.function is other.function is not None
                ):
                    continue
                if way.path == other.path or (in_order and _covers(other, way)):
                    line = other.node.lineno
                    self.report(
                        self.module.span(way.node),
                        f'"{other.path}" on line {line} handles this path first; move this route before it',
                    )
                    break

    def _check_guards(self, tree: ast.Module) -> None:
        for function in tree.body:
            if not isinstance(function, FunctionNode):
                continue
            above: list[ast.expr] = []
            for decorator in function.decorator_list:
                if _is_route(decorator):
                    for guard in above:
                        named = guard.func if isinstance(guard, ast.Call) else guard
                        if _GUARDS.search(last_name(named)):
                            self.report(
                                self.module.span(guard),
                                "the router does not run a decorator above the route; put it below",
                            )
                            return
                above.append(decorator)


def _is_route(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return False
    first = node.args[0]
    return node.func.attr in _VERBS and isinstance(first, ast.Constant) and str(first.value).startswith("/")


def _verbs(node: ast.Call) -> frozenset[str]:
    assert isinstance(node.func, ast.Attribute)
    if node.func.attr not in ("route", "api_route"):
        return frozenset({node.func.attr})
    arguments = next((keyword.value for keyword in node.keywords if keyword.arg == "methods"), None)
    if isinstance(arguments, (ast.List, ast.Tuple, ast.Set)):
        return frozenset(
            str(element.value).lower() for element in arguments.elts if isinstance(element, ast.Constant)
        )
    return frozenset({"get"}) if arguments is None else frozenset()


def _narrowed(node: ast.Call) -> str:
    """Return the conditions of a route other than path and verb: its host, its version."""
    known = [
        keyword
        for keyword in node.keywords
        if keyword.arg in ("host", "subdomain", "version", "strict_content_type")
    ]
    return "".join(map(unparse, known))


def _covers(first: _Way, second: _Way) -> bool:
    """Return True if a path with a parameter matches one with a fixed segment there."""
    if len(first.parts) != len(second.parts) or "{" in second.path:
        return False
    for mine, theirs in zip(first.parts, second.parts, strict=True):
        place = _PLACE.fullmatch(mine)
        if place is None and mine != theirs:
            return False
        if place is not None and place[2] in _NARROW:
            return False
    return "{" in first.path
