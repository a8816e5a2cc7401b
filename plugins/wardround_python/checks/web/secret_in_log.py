from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.languages.python.module import last_name
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.analysis.url_secrets import contains_secret
from wardround_python.analysis.whole_environment import contains_environment
from wardround_python.check import PythonCheck
from wardround_python.syntax.assignments import assigned_values_of, constant_entries
from wardround_python.syntax.calls import called_method, keyword_values, passed_values

_LEVELS = frozenset({"debug", "info", "warning", "warn", "error", "critical", "exception"})
_LOG = LazyPattern(r"(?i)(^|[._])(log|logger|logging|audit_?log)$")
_SECRET = LazyPattern(
    r"(?i)^((raw|plain|plaintext|user|new|old|current|db|database|admin|smtp|ldap|root)_?)?"
    r"(password|passwd|passphrase|pwd)$|^(client|app|shared|webhook|signing|jwt|session)_?secret$|"
    r"^(secret|private|api|signing|encryption|access)_?key$|^(access|refresh|bearer|auth|reset|session|id)_?token$|"
    r"^(authorization|card_?number|cvv|cvc|ssn)$"
)
_SENDS = frozenset(
    {"post", "put", "patch", "request", "urlopen", "Request", "send", "sendall", "sendto", "stream"}
)
_READS = frozenset({"delete", "get", "head", "options"})
"""Requests that only send data in the URL."""
_CLIENTS = (
    "requests", "httpx", "aiohttp", "urllib", "urllib3", "http.client", "socket", "websocket", "websockets",
    "niquests",
)  # fmt: skip
_LETS_IN = LazyPattern(r"(?i)bearer|authorization|reset|invit|session")


class SecretInLog(PythonCheck):
    """A password, a key or the complete environment is written to the log or sent to a host.

    Logs are stored for long, copied to other systems and read by people who may not know the secret. Log the
    subject, or that the secret was wrong, and never the secret itself; of a URL, log the path without the
    query that contains the key. The environment contains every secret of the process: pass on only the
    variables that are needed, by name.
    """

    ID = "PY332"
    NAME = "secret-in-log"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "secret-in-log"
    WORDS = (".debug(", ".info(", ".warning(", ".warn(", ".error(", ".critical(", ".exception(", "environ")
    VALID = [
        code("""
            def login(log, name, password):
                log.info('wrong password for %s', name)
        """),
        code("""
            def login(log, password):
                log.info('a password of %d characters', len(password))
        """),
    ]
    INVALID = [
        code("""
            def login(log, name, password):
                log.info('%s with %s', name, «password»)
        """),
        code("""
            import os
            import requests
            requests.post('https://example.com/hello', json=«dict(os.environ)», timeout=5)
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        lowered = source.text.lower()
        words = (
            "passw",
            "passphrase",
            "pwd",
            "secret",
            "_key",
            "apikey",
            "token",
            "authorization",
            "cvv",
            "card",
            "environ",
            "key=",
            "api-key",
        )
        return super().wants(source) and any(word in lowered for word in words)

    def visit_Call(self, node: ast.Call) -> None:
        last = last_name(node.func)
        if _is_log(node):
            self._check_log_call(node)
        elif last in _SENDS and self._has_client():
            self._check_sent(passed_values(node))
        elif last in _READS and self._has_client():
            self._check_sent((*node.args[:1], *keyword_values(node, "params", "url")))
        elif (self.module.qualified_name(node.func) or "").startswith("subprocess."):
            self._check_sent(node.args[:1])

    def _check_log_call(self, node: ast.Call) -> None:
        for argument in (*node.args, *(k.value for k in node.keywords if k.arg == "extra")):
            for value in _logged_values(argument):
                if self._is_secret(value, node):
                    self._report_logged(value, _called_name(value))
                    return
            if contains_environment(self.module, argument):
                self._report_logged(argument, "the complete environment")
                return
        for argument, filling in _logged_texts(node):
            if contains_secret(self.module, argument, filling):
                self._report_logged(argument, "a URL with a key")
                return

    def _report_logged(self, value: ast.expr, what: str) -> None:
        self.report(self.module.span(value), f"{what} is written to the log; leave it out")

    def _check_sent(self, arguments: Iterable[ast.expr]) -> None:
        for argument in arguments:
            if contains_environment(self.module, argument):
                self.report(
                    self.module.span(argument),
                    "the complete environment, with its secrets, is sent to a host; send chosen variables",
                )
                return

    def _has_client(self) -> bool:
        """Return True if the module imports a library that sends data to hosts."""
        return any(name.startswith(_CLIENTS) for name in self.module.imported.values())

    def _is_secret(self, value: ast.expr, node: ast.Call) -> bool:
        return (
            _SECRET.search(_called_name(value)) is not None
            or self._is_bearer(value)
            or self._contains_secret(value, node)
        )

    def _is_bearer(self, node: ast.expr) -> bool:
        """Return True for an attribute ``token`` where tokens authenticate requests."""
        named = isinstance(node, ast.Attribute) and node.attr in {"token", "_token"}
        return named and _LETS_IN.search(self.source.text) is not None

    def _contains_secret(self, node: ast.expr, place: ast.Call) -> bool:
        """Return True if a name is bound to a mapping that the same function puts a secret into."""
        function = self.module.function_of(place)
        if not isinstance(node, ast.Name) or function is None:
            return False
        values = assigned_values_of(walk(function), node.id)
        if len(values) != 1 or not isinstance(values[0], ast.Dict):
            return False
        computed = (key for key, value in constant_entries(values[0]) if not isinstance(value, ast.Constant))
        return any(map(_SECRET.search, computed))


def _is_log(node: ast.Call) -> bool:
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in _LEVELS:
        return False
    return _LOG.search(unparse(node.func.value)) is not None


def _logged_texts(node: ast.Call) -> Iterator[tuple[ast.expr, Sequence[ast.expr]]]:
    """Return each value, then the message with the values that fill its places."""
    for value in node.args[1:]:
        yield value, ()
    if node.args:
        yield node.args[0], node.args[1:]


def _logged_values(node: ast.expr) -> Iterator[ast.expr]:
    """Return the values whose string form becomes part of an expression's string."""
    is_get = isinstance(node, ast.Call) and called_method(node) == "get"
    if is_get or isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        yield node
    for part in _string_operands(node):
        yield from _logged_values(part)


def _string_operands(node: ast.expr) -> Sequence[ast.expr]:
    """Return the expressions whose strings are parts of an expression's string."""
    match node:
        case ast.JoinedStr():
            return [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
        case ast.BinOp():
            return [node.left, node.right]
        case ast.Tuple() | ast.List():
            return node.elts
        case ast.Dict():
            return node.values
        case ast.Call(func=ast.Attribute(value=receiver, attr="format" | "strip" | "decode" | "get")):
            return [receiver, *node.args]
    return []


def _called_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        return str(node.args[0].value)
    return node.id if isinstance(node, ast.Name) else ""
