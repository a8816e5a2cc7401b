"""PY328: insecure cors."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.languages.python.literals import is_true
from wardround.languages.python.tree import unparse
from wardround_python.check import PythonCheck

_ANY = LazyPattern(r"^(\*|null|\^?(https\?://|https?://)?\(?\.[*+]\)?\$?)$")
_DJANGO_LISTS = frozenset(
    {
        "CORS_ALLOWED_ORIGIN_REGEXES",
        "CORS_ORIGIN_REGEX_WHITELIST",
        "CORS_ALLOWED_ORIGINS",
        "CORS_ORIGIN_WHITELIST",
    }
)
_DJANGO_ALL = frozenset({"CORS_ALLOW_ALL_ORIGINS", "CORS_ORIGIN_ALLOW_ALL"})


class InsecureCors(PythonCheck):
    """CORS allows every origin to send requests with the visitor's cookies.

    With any origin and credentials together, any page that a logged-in visitor opens can act in their name
    and read the responses. List the trusted origins, or disallow credentials.
    """

    ID = "PY328"
    NAME = "insecure-cors"
    WORDS = ("CORS", "cors_allowed_origins")
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "cors-any-origin"
    VALID = [
        code("""
            CORS_ALLOW_ALL_ORIGINS = True
        """),
        code("""
            CORS_ALLOW_CREDENTIALS = True
            CORS_ALLOWED_ORIGINS = ['https://a.example']
        """),
    ]
    INVALID = [
        code("""
            CORS = {'allow_origins': ['*'], 'allow_credentials': True}
            def install(app):
                «app.add_middleware(CORSMiddleware, **CORS)»
        """),
        code("""
            import socketio
            server = socketio.AsyncServer(«cors_allowed_origins='*'»)
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        if "cors_allowed_origins" in source.text:
            return True
        return "CORS" in source.text and "redentials" in source.text.replace("CREDENTIALS", "redentials")

    def visit_Module(self, node: ast.Module) -> None:
        switched = {
            statement.targets[0].id: statement
            for statement in node.body
            if isinstance(statement, ast.Assign)
            and isinstance(statement.targets[0], ast.Name)
            and is_true(statement.value)
        }
        for name in sorted(_DJANGO_ALL & switched.keys()):
            if "CORS_ALLOW_CREDENTIALS" in switched:
                self.report(
                    self.module.span(switched[name]),
                    "every site can send requests with the visitor's cookies; list the trusted origins",
                )

        lists = {
            item.targets[0].id: item
            for item in node.body
            if isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name)
        }
        for name in sorted(_DJANGO_LISTS & lists.keys()):
            if "CORS_ALLOW_CREDENTIALS" in switched and self._is_any(lists[name].value):
                self.report(
                    self.module.span(lists[name]),
                    "every site can send requests with the visitor's cookies; list the trusted origins",
                )

    def visit_keyword(self, node: ast.keyword) -> None:
        """Report Socket.IO, which sends cookies independently of the credentials setting."""
        if node.arg == "cors_allowed_origins" and self._is_any(node.value):
            self.report(
                self.module.span(node),
                "every site can open this socket with the visitor's cookies; list the trusted origins",
            )

    def visit_Call(self, node: ast.Call) -> None:
        for keyword in node.keywords:
            if keyword.arg is None and self._is_open_spread(keyword.value):
                self.report(
                    self.module.span(node),
                    "every site can send requests with the visitor's cookies; list the trusted origins",
                )
                return
        if not any(
            k.arg in {"supports_credentials", "allow_credentials"} and is_true(k.value) for k in node.keywords
        ):
            return
        if any(_is_plain_any(k) for k in node.keywords):
            return
        owner = self.module.parents[node]
        named = [unparse(key) for key in owner.keys if key] if isinstance(owner, ast.Dict) else []
        if unparse(node.func).endswith("ResourceOptions") and "'*'" in named:
            self.report(
                self.module.span(node),
                "every site can send requests with the visitor's cookies; list the trusted origins",
            )
            return
        arguments = [
            k.value
            for k in node.keywords
            if k.arg in {"origins", "resources", "allow_origins", "allow_origin_regex"}
        ]
        if any(self._is_any(value) for value in arguments):
            self.report(
                self.module.span(node),
                "every site can send requests with the visitor's cookies; list the trusted origins",
            )

    def _is_open_spread(self, node: ast.expr) -> bool:
        """Return True if a dict that is spread into a call allows every origin and credentials."""
        values = [
            inner.value
            for inner in self.module.nodes
            if isinstance(inner, ast.Assign) and any(unparse(t) == unparse(node) for t in inner.targets)
        ]
        if len(values) != 1 or not isinstance(values[0], ast.Dict):
            return False
        pairs = zip(values[0].keys, values[0].values, strict=True)
        assigned = {str(key.value): value for key, value in pairs if isinstance(key, ast.Constant)}
        credentials = assigned.get("allow_credentials") or assigned.get("supports_credentials")
        origins = [
            assigned[name] for name in ("allow_origins", "origins", "allow_origin_regex") if name in assigned
        ]
        return (
            credentials is not None
            and is_true(credentials)
            and any(self._is_any(origin) for origin in origins)
        )

    def _is_any(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Constant):
            return isinstance(node.value, str) and _ANY.search(node.value) is not None
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return any(self._is_any(element) for element in node.elts)
        if isinstance(node, ast.Dict):
            return any(
                self._is_any(value)
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(value, ast.Dict) or (isinstance(key, ast.Constant) and key.value == "origins")
            )
        if isinstance(node, ast.IfExp):
            return self._is_any(node.body) or self._is_any(node.orelse)
        if isinstance(node, ast.Name):
            values = [
                inner.value
                for inner in self.module.nodes
                if isinstance(inner, ast.Assign)
                and any(isinstance(target, ast.Name) and target.id == node.id for target in inner.targets)
            ]
            return len(values) == 1 and not isinstance(values[0], ast.Name) and self._is_any(values[0])
        return False


def _is_plain_any(keyword: ast.keyword) -> bool:
    """Return True if the rule about literal wildcards already reports it."""
    return keyword.arg in {"origins", "allow_origins", "allow_origin_regex"} and isinstance(
        keyword.value, (ast.Constant, ast.List, ast.Tuple)
    )
