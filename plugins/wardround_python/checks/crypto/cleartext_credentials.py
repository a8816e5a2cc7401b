from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity
from wardround.languages.python.literals import literal, single_assignment
from wardround.languages.python.module import names_in
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck
from wardround_python.syntax.calls import passed_values

_OPEN = LazyPattern(r"(?i)^(http|ws|ldap|ftp|mqtt|amqp)://(?:[^/@\s]*@)?([^/:?\s]+|\[[^]]*\])")
# Addresses of this machine or of a private network: a single word is also a name in such a network.
_NEAR = LazyPattern(
    r"(?i)^(localhost|127\.|0\.0\.0\.0|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|\[|[\w-]+$)|"
    r"\.(local|internal|localhost|test|svc|lan|cluster|consul|intranet|home|docker)(\.|$)|\{"
)
_SECRET = LazyPattern(
    r"(?i)\bauth\b|authorization|bearer|\btoken\b|_token\b|api_?key|x-api-key|passw|\bpwd\b|secret|credential|"
    r"\bcard|\bcvv\b|\biban\b|session_?id"
)
_CALLS = LazyPattern(
    r"(?i)(^|\.)(get|post|put|patch|delete|head|request|stream|urlopen|Request|connect|ws_connect|"
    r"create_connection|Client|AsyncClient|ClientSession|WebSocketApp|websocket_connect|Session)$"
)
_OPEN_PLACES = LazyPattern(r"(?i)(^|[/_.])(tests?|testing|examples?|docs?|benchmarks?)([/_.]|$)")
_CLIENTS = ("requests", "httpx", "aiohttp", "urllib", "websocket", "tornado", "http.client", "niquests")
_MAIL = {
    "smtplib.SMTP": ("login", ("starttls",)),
    "imaplib.IMAP4": ("login", ("starttls",)),
    "poplib.POP3": ("pass_", ("stls",)),
    "ftplib.FTP": ("login", ("prot_p", "FTP_TLS")),
    "ldap3.Connection": ("bind", ("start_tls", "use_ssl=True", "AUTO_BIND_TLS", "ldaps")),
    "ldap.initialize": ("simple_bind_s", ("start_tls", "ldaps")),
    "paho.mqtt.client.Client": ("username_pw_set", ("tls_set", "8883")),
}
"""Constructor of a connection -> the method that sends a password, and what enables encryption."""


class CleartextCredentials(PythonCheck):
    """A password, a token or personal data is sent over an unencrypted connection.

    Anyone on the network path, including a shared wireless network, can read it and reuse it. Use the
    encrypted form of the protocol (``https``, ``wss``, ``ldaps``, ``SMTP.starttls()``) and leave certificate
    verification on.
    """

    ID = "PY351"
    NAME = "cleartext-credentials"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "cleartext-transport"
    WORDS = ("http://", "ws://", "ldap://", "ftp://", "smtplib", "imaplib", "poplib", "ldap3", "paho",
             "insecure_channel", "sslmode=disable", "use_ssl")  # fmt: skip
    VALID = [
        code("""
            import requests
            requests.get('http://localhost:8080/me', auth=('a', b), timeout=5)
        """),
        code("""
            import requests
            requests.get('http://billing:8080/me', headers={'Authorization': t}, timeout=5)
        """),
    ]
    INVALID = [
        code("""
            import requests
            «requests.post('http://pay.example.com/charge', json={'card': c}, timeout=5)»
        """),
        code("""
            import requests
            API = 'http://api.example.com/v1'
            def me(token):
                headers = {'Authorization': 'Bearer ' + token}
                return «requests.get(f'{API}/me', headers=headers, timeout=5)»
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return super().wants(source) and not _OPEN_PLACES.search(source.path)

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.qualified_name(node.func) or ""
        if name.endswith("insecure_channel"):
            address = f"http://{literal(self.module, node.args[0])}" if node.args else ""
            if self._is_far(address):
                self.report(
                    self.module.span(node),
                    "this channel is unencrypted; use a secure channel with TLS credentials",
                )
        elif isinstance(node.func, ast.Attribute) and self._is_open_login(node, node.func):
            self.report(
                self.module.span(node), "the password is sent over an unencrypted connection; use TLS"
            )
        elif self._is_client(name, node):
            addresses = self._addresses(node)
            if any(self._is_far(item) for item in addresses):
                self._check_sent(node)

    def _check_sent(self, node: ast.Call) -> None:
        if self._carries_secret(node):
            self.report(self.module.span(node), "secret data is sent over an unencrypted connection; use TLS")
        else:
            message = "the connection is unencrypted: anyone on the network path can change the data; use TLS"
            self.report(self.module.span(node), message, None, Severity.INFO)

    def visit_keyword(self, node: ast.keyword) -> None:
        call = self.module.parents[node]
        called = self.module.qualified_name(call.func) or "" if isinstance(call, ast.Call) else ""
        is_off = isinstance(node.value, ast.Constant) and node.value.value is False
        is_client = called.endswith((".client", ".resource", "ldap3.Server"))
        if node.arg == "use_ssl" and is_off and is_client and "endpoint_url" not in unparse(call):
            self.report(
                self.module.span(node), "use_ssl=False disables encryption of the connection; leave TLS on"
            )

    def _is_client(self, name: str, node: ast.Call) -> bool:
        last = node.func.attr if isinstance(node.func, ast.Attribute) else name
        return _CALLS.search(last) is not None and any(
            value.startswith(_CLIENTS) for value in self.module.imported.values()
        )

    def _addresses(self, node: ast.Call) -> Iterator[str]:
        named = [k.value for k in node.keywords if k.arg in {"url", "base_url", "uri"}]
        for argument in [*node.args[:2], *named]:
            yield self._start_of(argument)

    def _start_of(self, node: ast.expr, deep: int = 3) -> str:
        """Return the prefix of a string, if the module determines it."""
        match node:
            case ast.Name() | ast.Attribute() if deep:
                value = single_assignment(self.module, node)
                return self._start_of(value, deep - 1) if value is not None else ""
            case ast.Constant(value=str(text)):
                return text
            case ast.BinOp():
                return self._start_of(node.left, deep)
            case ast.JoinedStr():
                return self._start_of_template(node, deep)
        return ""

    def _start_of_template(self, node: ast.JoinedStr, deep: int) -> str:
        """Return the start of an f-string up to the first unknown value, which is a brace."""
        text = ""
        for part in node.values:
            value = part.value if isinstance(part, ast.FormattedValue) else part
            known = self._start_of(value, deep)
            if not known:
                return text + "{"
            text += known
        return text

    def _is_far(self, address: str) -> bool:
        """Return True if an address uses an unencrypted protocol outside this machine and network."""
        match = _OPEN.search(address)
        return match is not None and _NEAR.search(match.group(2)) is None

    def _carries_secret(self, node: ast.Call) -> bool:
        arguments = passed_values(node)[len(node.args[:1]) :]
        names = [keyword.arg or "" for keyword in node.keywords]
        text = " ".join([*names, *map(unparse, arguments)])
        if _SECRET.search(text) or self._has_name_and_password(node):
            return True
        passed = set().union(*map(names_in, arguments))
        return any(_SECRET.search(unparse(statement)) for statement in self._assignments(node, passed))

    def _assignments(self, node: ast.AST, names: set[str]) -> Iterator[ast.Assign]:
        """Yield the assignments around a node that have one of the names in their targets."""
        function = self.module.function_of(node)
        for statement in walk(function) if function is not None else self.module.tree.body:
            if isinstance(statement, ast.Assign) and names & set().union(*map(names_in, statement.targets)):
                yield statement

    def _has_name_and_password(self, node: ast.Call) -> bool:
        return any("@" in address.partition("//")[2].partition("/")[0] for address in self._addresses(node))

    def _is_open_login(self, node: ast.Call, func: ast.Attribute) -> bool:
        client = self._maker(func.value)
        if client is None or not node.args:
            return False
        method, encrypting = _MAIL.get(self.module.qualified_name(client.func) or "", ("", ()))
        if func.attr != method or any(word in self.source.text for word in encrypting):
            return False
        host = self._start_of(client.args[0]) if client.args else "localhost"
        return self._is_open_address(host if "://" in host else f"http://{host or 'far.example.com'}")

    def _is_open_address(self, address: str) -> bool:
        return _OPEN.search(address) is not None and self._is_far(address)

    def _maker(self, node: ast.expr) -> ast.Call | None:
        """Return the only call that creates the value of a name or attribute, also in a ``with``."""
        value = single_assignment(self.module, node)
        return value if isinstance(value, ast.Call) else None
