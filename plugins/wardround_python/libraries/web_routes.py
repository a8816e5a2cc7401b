"""The functions of a module that handle requests, and their guards."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property

from wardround.languages.python.module import FunctionNode, PythonModule
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround_python.dataflow.request_objects import parameters
from wardround_python.dataflow.request_parameters import decorator_name, is_route

_GUARD = LazyPattern(
    r"(?i)login_required|authenticat|(^|[._])auth(_?required|orized?|orize)?$|protected|permission|jwt_required|"
    r"token_required|(^|[._])(staff|admin|member|owner|user)s?_(only|required)|requires?_(\w+_)?(auth|login|user|role|"
    r"perm|admin|staff|token|scope|session)|roles?_(required|allowed|accepted)|scopes?_required|user_passes_test|verified"
)
_DEPENDS = LazyPattern(r"\b(Depends|Security)\(")
_WHO = LazyPattern(
    r"(?i)user|auth|principal|caller|\bme\b|admin|permission|token|member|identity|account|session_of|own"
)
_WHO_TYPE = LazyPattern(
    r"(?i)^(\w*(current|logged|auth)\w*(user|account|member|principal)?|caller|me|\w*principal)$"
)
_STORE = LazyPattern(r"(?i)\b(db|session|conn|connection|store|settings|repo|client)\b|get_(db|session)")
_WRITING = frozenset({"post", "put", "patch", "delete"})


@dataclass(frozen=True, eq=False)
class Route:
    """One function that handles requests."""

    module: PythonModule
    function: FunctionNode

    @cached_property
    def body(self) -> str:
        return "\n".join(map(unparse, self.function.body))

    @cached_property
    def is_guarded(self) -> bool:
        """Return True if a decorator or a dependency restricts the access."""
        return any(
            _GUARD.search(decorator_name(decorator)) for decorator in self.function.decorator_list
        ) or bool(self.persons or _depends_on_someone(self.function))

    @cached_property
    def persons(self) -> frozenset[str]:
        """Return the parameters that identify the caller, or an object of the caller."""
        results = set()
        for item, text in self._declared_parameters:
            resolved = f"{text} {self._alias(text)}"
            if (
                _DEPENDS.search(resolved) and _WHO.search(resolved) and not _STORE.search(item)
            ) or _WHO_TYPE.search(text):
                results.add(item)
        return frozenset(results)

    @cached_property
    def _declared_parameters(self) -> list[tuple[str, str]]:
        """Return each parameter with its annotation and its default, as text."""
        arguments = self.function.args
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults: list[ast.expr | None] = [
            *[None] * (len(positional) - len(arguments.defaults)), *arguments.defaults, *arguments.kw_defaults
        ]  # fmt: skip
        pairs = zip([*positional, *arguments.kwonlyargs], defaults, strict=True)
        return [
            (
                argument.arg,
                " ".join(unparse(part) for part in (argument.annotation, default) if part is not None),
            )
            for argument, default in pairs
        ]

    def _alias(self, text: str) -> str:
        """Return the value of a name at the top: ``Me = Annotated[User, Depends(current_user)]``."""
        for node in self.module.tree.body:
            if isinstance(node, ast.Assign) and unparse(node.targets[0]) == text:
                return unparse(node.value)
        return ""

    @cached_property
    def writes(self) -> bool:
        return bool(self.verbs & _WRITING)

    @cached_property
    def verbs(self) -> frozenset[str]:
        results: set[str] = set()
        for decorator in self.function.decorator_list:
            name = decorator_name(decorator).rpartition(".")[2]
            text = unparse(decorator).lower()
            results |= {name} if name in _WRITING | {"get"} else {v for v in _WRITING if f"'{v}'" in text}
            if name in {"require_POST", "require_http_methods"}:
                results |= {"post"} if name == "require_POST" else {v for v in _WRITING if f"'{v}'" in text}
        return frozenset(results)

    @cached_property
    def arguments(self) -> frozenset[str]:
        return frozenset(parameter.arg for parameter in parameters(self.function))


def routes_of(module: PythonModule) -> list[Route]:
    """Return the functions at the top of a module that handle requests."""
    is_django = any(name.startswith(("django.", "rest_framework")) for name in module.imported.values())
    return [
        Route(module, node)
        for node in module.tree.body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and (is_route(node) or (is_django and _is_view(node)))
    ]


def _is_view(node: FunctionNode) -> bool:
    declared = parameters(node)
    return bool(declared) and declared[0].arg == "request" and not node.name.startswith("_")


def _depends_on_someone(node: FunctionNode) -> bool:
    return any(
        isinstance(decorator, ast.Call)
        and any(k.arg == "dependencies" and _WHO.search(unparse(k.value)) for k in decorator.keywords)
        for decorator in node.decorator_list
    )
