"""PY332: secret in log."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.languages.python.module import last_name
from wardround.languages.python.tree import unparse, walk
from wardround_python.analysis.url_secrets import holds_secret
from wardround_python.analysis.whole_environment import contains_environment
from wardround_python.check import PythonCheck

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
"""Requests that send data in the URL alone."""
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
        if _is_log(node):
            self._check_logged(node)
        elif last_name(node.func) in _SENDS and self._has_client():
            self._check_sent((*node.args, *(keyword.value for keyword in node.keywords)))
        elif last_name(node.func) in _READS and self._has_client():
            named = (keyword.value for keyword in node.keywords if keyword.arg in ("params", "url"))
            self._check_sent((*node.args[:1], *named))
        elif (self.module.dotted(node.func) or "").startswith("subprocess."):
            self._check_sent(node.args[:1])

    def _check_logged(self, node: ast.Call) -> None:
        for argument in (*node.args, *(k.value for k in node.keywords if k.arg == "extra")):
            for value in _logged_values(argument):
                if self._is_secret(value, node):
                    self._report_logged(value, _called(value))
                    return
            if contains_environment(self.module, argument):
                self._report_logged(argument, "the complete environment")
                return
        for argument, filling in _logged_texts(node):
            if holds_secret(self.module, argument, filling):
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
            _SECRET.search(_called(value)) is not None
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
        values = [
            inner.value
            for inner in walk(function)
            if isinstance(inner, ast.Assign) and any(getattr(t, "id", "") == node.id for t in inner.targets)
        ]
        if len(values) != 1 or not isinstance(values[0], ast.Dict):
            return False
        pairs = zip(values[0].keys, values[0].values, strict=True)
        return any(
            isinstance(key, ast.Constant)
            and _SECRET.search(str(key.value)) is not None
            and not isinstance(value, ast.Constant)
            for key, value in pairs
        )


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
    """Return the values whose text becomes part of the text of an expression."""
    if isinstance(node, ast.JoinedStr):
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                yield from _logged_values(part.value)
    elif isinstance(node, ast.BinOp):
        yield from _logged_values(node.left)
        yield from _logged_values(node.right)
    elif isinstance(node, (ast.Tuple, ast.List)):
        for element in node.elts:
            yield from _logged_values(element)
    elif isinstance(node, ast.Dict):
        for value in node.values:
            yield from _logged_values(value)
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in {"format", "strip", "decode", "get"}:
            if node.func.attr == "get":
                yield node
            for element in (node.func.value, *node.args):
                yield from _logged_values(element)
    elif isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        yield node


def _called(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        return str(node.args[0].value)
    return node.id if isinstance(node, ast.Name) else ""
