from __future__ import annotations

import ast

from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity
from wardround.languages.python.literals import single_assignment
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck
from wardround_python.syntax.calls import called_method, keyword_values, spreads_keywords

# Function -> the position of its timeout.
_WAITING = {
    "urllib.request.urlopen": 2, "smtplib.SMTP": 3, "smtplib.SMTP_SSL": 3,
    "imaplib.IMAP4_SSL": 9, "http.client.HTTPSConnection": 9, "http.client.HTTPConnection": 9,
    "ftplib.FTP": 4, "ftplib.FTP_TLS": 4, "poplib.POP3_SSL": 4, "socket.create_connection": 1,
}  # fmt: skip
_SESSIONS = frozenset({"requests.Session", "requests.session", "requests.sessions.Session"})
_VERBS = frozenset({"get", "post", "put", "patch", "delete", "head", "request"})
_NO_LIMIT = LazyPattern(r"(^|\.)(ClientTimeout|Timeout)$")
_MESSAGE = "this network call has no timeout and can block forever; pass timeout="
_SECONDS = "30"
"""The limit that a fix suggests; as long as gunicorn lets a worker be silent."""
_OPEN_PLACES = LazyPattern(
    r"(?i)(^|[/_.])(tests?|testing|examples?|docs?|scripts?|benchmarks?|tools|setup)([/_.]|$)"
)


class NoTimeout(PythonCheck):
    """A network call has no timeout.

    A server that accepts the connection and never responds blocks this worker until it is restarted. Pass
    ``timeout=``, in seconds.
    """

    ID = "PY355"
    NAME = "no-timeout"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "missing-timeout"
    WORDS = ("urlopen(", "SMTP", "Session(", "requests.session(", "IMAP4_SSL(", "HTTPSConnection(",
             "HTTPConnection(", "create_connection(", "ClientTimeout(", "FTP", "Timeout(")  # fmt: skip
    VALID = [
        code("""
            from urllib.request import urlopen
            urlopen(address, timeout=5).read()
        """),
        code("""
            import requests
            session = requests.Session()
            def load(url):
                return session.get(url, timeout=5)
        """),
    ]
    INVALID = [
        code(
            """
            from urllib.request import urlopen
            def load(url):
                return «urlopen(url)».read()
            """,
            fixed="""
            from urllib.request import urlopen
            def load(url):
                return urlopen(url, timeout=30).read()
            """,
        ),
        code("""
            import requests
            class Api:
                def __init__(self):
                    self._http = requests.Session()
                def load(self, url):
                    return «self._http.get(url)»
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        is_set = "setdefaulttimeout" in source.text
        return super().wants(source) and not is_set and not _OPEN_PLACES.search(source.path)

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func) or ""
        if name in _WAITING:
            if not _has_limit(node) and len(node.args) <= _WAITING[name]:
                self._report(node)
        elif name.startswith(("aiohttp.", "httpx.")) and _NO_LIMIT.search(name) and self._is_endless(node):
            self.report(self.module.span(node), _MESSAGE)
        elif called_method(node) in _VERBS and self._is_unlimited_session(node):
            self._report(node)

    def _is_unlimited_session(self, node: ast.Call) -> bool:
        """Return True if a call is a method of a session with an address, and neither has a limit."""
        if not node.args or not isinstance(node.func, ast.Attribute):
            return False
        if _has_limit(node) or ".mount(" in self.source.text:
            return False
        session = single_assignment(self.module, node.func.value)
        return isinstance(session, ast.Call) and self.module.qualified_name(session.func) in _SESSIONS

    def _report(self, node: ast.Call) -> None:
        fix = self.fix(node, lambda edit: edit.keyword(node, "timeout", _SECONDS), f"wait {_SECONDS} seconds")
        self.report(self.module.span(node), _MESSAGE, fix)

    def _is_endless(self, node: ast.Call) -> bool:
        first = node.args[0] if node.args else None
        arguments = {k.arg: k.value for k in node.keywords}
        ends = [
            item for item in (first, arguments.get("total"), arguments.get("timeout")) if item is not None
        ]
        is_open = bool(ends) and all(isinstance(end, ast.Constant) and end.value is None for end in ends)
        return is_open and not {"connect", "sock_read", "read", "sock_connect"} & {str(k) for k in arguments}


def _has_limit(call: ast.Call) -> bool:
    return spreads_keywords(call) or bool(keyword_values(call, "timeout"))
