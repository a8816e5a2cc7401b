from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.languages.python.literals import is_true
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck
from wardround_python.syntax.assignments import assigned_values_of, constant_entries, values_of_target
from wardround_python.syntax.calls import keyword_values

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


_CREDENTIALS = ("supports_credentials", "allow_credentials")
_ORIGINS = ("allow_origins", "origins", "allow_origin_regex")
_MESSAGE = "every site can send requests with the visitor's cookies; list the trusted origins"


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
        settings = list(_settings(node))
        switched = {name: setting for name, setting in settings if is_true(setting.value)}
        if "CORS_ALLOW_CREDENTIALS" not in switched:
            return
        for name in sorted(_DJANGO_ALL & switched.keys()):
            self.report(self.module.span(switched[name]), _MESSAGE)
        lists = dict(settings)
        for name in sorted(_DJANGO_LISTS & lists.keys()):
            if self._is_any(lists[name].value):
                self.report(self.module.span(lists[name]), _MESSAGE)

    def visit_keyword(self, node: ast.keyword) -> None:
        """Report Socket.IO, which sends cookies independently of the credentials setting."""
        if node.arg == "cors_allowed_origins" and self._is_any(node.value):
            self.report(
                self.module.span(node),
                "every site can open this socket with the visitor's cookies; list the trusted origins",
            )

    def visit_Call(self, node: ast.Call) -> None:
        spread = (keyword.value for keyword in node.keywords if keyword.arg is None)
        if any(map(self._is_open_spread, spread)) or self._is_open_call(node):
            self.report(self.module.span(node), _MESSAGE)

    def _is_open_call(self, node: ast.Call) -> bool:
        """Return True if a call allows credentials and every origin in a way only this rule reports."""
        if not any(map(is_true, keyword_values(node, *_CREDENTIALS))):
            return False
        if any(_is_plain_any(keyword) for keyword in node.keywords):
            return False
        if unparse(node.func).endswith("ResourceOptions") and self._is_value_for_any(node):
            return True
        origins = keyword_values(node, "origins", "resources", "allow_origins", "allow_origin_regex")
        return any(map(self._is_any, origins))

    def _is_value_for_any(self, node: ast.Call) -> bool:
        """Return True if a call is a value of a dict that has ``"*"`` among its keys."""
        owner = self.module.parents[node]
        keys = owner.keys if isinstance(owner, ast.Dict) else []
        return "'*'" in [unparse(key) for key in keys if key]

    def _is_open_spread(self, node: ast.expr) -> bool:
        """Return True if a dict that is spread into a call allows every origin and credentials."""
        options = self._options(unparse(node))
        credentials = options.get("allow_credentials") or options.get("supports_credentials")
        if not is_true(credentials):
            return False
        return any(self._is_any(options[key]) for key in _ORIGINS if key in options)

    def _options(self, name: str) -> dict[str, ast.expr]:
        """Return the entries of the only dict that a name or attribute is assigned."""
        values = values_of_target(self.module.nodes, name)
        if len(values) != 1 or not isinstance(values[0], ast.Dict):
            return {}
        return dict(constant_entries(values[0]))

    def _is_any(self, node: ast.expr) -> bool:
        match node:
            case ast.Constant(value=str(text)):
                return _ANY.search(text) is not None
            case ast.List() | ast.Tuple() | ast.Set():
                return any(map(self._is_any, node.elts))
            case ast.Dict():
                return any(map(self._is_any, _origins_of(node)))
            case ast.IfExp():
                return self._is_any(node.body) or self._is_any(node.orelse)
            case ast.Name():
                values = assigned_values_of(self.module.nodes, node.id)
                return len(values) == 1 and not isinstance(values[0], ast.Name) and self._is_any(values[0])
        return False


def _settings(module: ast.Module) -> Iterator[tuple[str, ast.Assign]]:
    """Yield the names that a module assigns at its top level."""
    for statement in module.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            yield statement.targets[0].id, statement


def _origins_of(display: ast.Dict) -> Iterator[ast.expr]:
    """Yield the values of a dict that may contain origins: those of ``origins``, and nested dicts."""
    for key, value in zip(display.keys, display.values, strict=True):
        is_origins = isinstance(key, ast.Constant) and key.value == "origins"
        if is_origins or isinstance(value, ast.Dict):
            yield value


def _is_plain_any(keyword: ast.keyword) -> bool:
    """Return True if the rule about literal wildcards already reports it."""
    return keyword.arg in _ORIGINS and isinstance(keyword.value, (ast.Constant, ast.List, ast.Tuple))
