"""PY352: bind all interfaces."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity
from wardround.languages.python.literals import literal
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_ALL_INTERFACES = frozenset({"", "0.0.0.0", "::", "[::]"})  # noqa: S104 - the hosts that are reported
_SERVERS = LazyPattern(
    r"(^|\.)(Threading|Forking)?(HTTPServer|TCPServer|UDPServer|UnixStreamServer|SimpleXMLRPCServer|"
    r"ThreadingHTTPServer|WSGIServer|Listener|SMTPServer)$"
)
_INTENDED = LazyPattern(
    r"(?i)multicast|broadcast|MEMBERSHIP|free_port|unused_port|find_port|available_port|in_use"
)
_EXEMPT_PATHS = LazyPattern(r"(?i)(^|[/_.])(tests?|testing|examples?|docs?|scripts?|benchmarks?)([/_.]|$)")


_HOST_POSITIONS = {
    "asyncio.start_server": 1,
    "wsgiref.simple_server.make_server": 0,
    "werkzeug.serving.run_simple": 0,
}


class BindAllInterfaces(PythonCheck):
    """A server listens on all network interfaces.

    Anyone who can reach one of the machine's addresses can connect: other machines, and the internet if
    an address is public. Bind to ``127.0.0.1`` or to an address from the settings.
    """

    ID = "PY352"
    NAME = "bind-all-interfaces"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "bind-all-interfaces"
    WORDS = (".bind(", "HTTPServer(", "TCPServer(", "UDPServer(", "RPCServer(", "Listener(", "start_server(",
             "create_server(", ".run(", "make_server(", "run_simple(")  # fmt: skip
    VALID = [
        code("""
            import socket
            s = socket.socket()
            s.bind(('127.0.0.1', 80))
        """),
        code("""
            import socket
            def free_port():
                s = socket.socket()
                s.bind(('', 0))
                return s
        """),
    ]
    INVALID = [
        code("""
            import socket
            s = socket.socket()
            «s.bind(('0.0.0.0', 80))»
        """),
        code("""
            import socket
            HOST = ''
            def serve(s, port):
                «s.bind((HOST, port))»
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return super().wants(source) and not _EXEMPT_PATHS.search(source.path)

    def visit_Call(self, node: ast.Call) -> None:
        host = self._host(node)
        if host is None or literal(self.module, host) not in _ALL_INTERFACES:
            return
        function = self.module.function_of(node)
        function_text = unparse(function) if function is not None else ""
        if not _INTENDED.search(function_text):
            self.report(
                self.module.span(node), "server listens on all network interfaces; bind to one address"
            )

    def _host(self, node: ast.Call) -> ast.expr | None:
        """Return the host argument of a server or socket."""
        name = self.module.dotted(node.func) or ""
        last = node.func.attr if isinstance(node.func, ast.Attribute) else name
        if (last == "bind" and self._has_sockets()) or _SERVERS.search(name):
            return self._host_of_address(node)
        position = _HOST_POSITIONS.get(name)
        if position is None and last == "run" and len(node.args) < 2:
            position = 0 if "flask.Flask" in self.module.imported.values() else None
        if position is None:
            return None
        named = {k.arg: k.value for k in node.keywords}
        return named.get("host") or (node.args[position] if len(node.args) > position else None)

    def _host_of_address(self, node: ast.Call) -> ast.expr | None:
        """Return the host of a ``(host, port)`` tuple, unless any free port is requested."""
        named = {k.arg: k.value for k in node.keywords}
        address = node.args[0] if node.args else named.get("server_address", named.get("address"))
        if not isinstance(address, ast.Tuple) or not address.elts:
            return None
        return None if literal(self.module, address.elts[-1]) == 0 else address.elts[0]

    def _has_sockets(self) -> bool:
        return any(name.partition(".")[0] == "socket" for name in self.module.imported.values())
