from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_PLAIN = LazyPattern(
    r"(?i)^ws://(?!localhost|127\.|0\.0\.0\.0|\[|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|[\w-]+\.(local"
    r"|internal|test)\b)"
    r"([\w-]+\.)+[a-z]{2,}([:/?]|$)"
)
_OWN_HOST = LazyPattern(r"^`ws://\$\{\s*(window\.|document\.|self\.)?location\.(host|hostname)\b")
_PLAIN_PAGE = LazyPattern(
    r"(?i)^http://(?!localhost|127\.|0\.0\.0\.0|\[|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\."
    r"|[\w-]+\.(local|internal|test)\b)"
    r"([\w-]+\.)+[a-z]{2,}([:/?]|$)"
)
_SENDS = LazyPattern(
    r"^(fetch|axios(\.(post|put|get|patch|request))?|got(\.\w+)?|superagent\.post|ky\.post|\$\.post"
    r"|\$\.ajax)$"
)
_CLIENTS = LazyPattern(
    r"^(axios\.(default\.)?create|got\.extend|ky\.(create|extend)|ofetch\.create|\$fetch\.create)$"
)
_SECRET = LazyPattern(r"(?i)passw|secret|\btoken|[a-z]Token|authorization|api_?key|credential|\bbearer\b")
_SOCKETS = frozenset({"WebSocket", "ws", "ReconnectingWebSocket"})


class UnencryptedConnection(TreeCheck):
    """A connection to another machine is not encrypted.

    Anyone on the network path, for example in the same wireless network, can read the traffic with its tokens
    and alter the responses. Use ``wss:`` and ``https:``.
    """

    ID = "TS352"
    NAME = "unencrypted-connection"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    DEFECT_CLASS = "insecure-transport"
    WORDS = ("ws://", "http://")
    VALID = [
        code("""
            import axios from 'axios';
            export const api = axios.create({ baseURL: 'http://localhost:3000' });
            export const other = axios.create({ baseURL: 'http://orders/v1' });
        """),
        code("""
            const socket = new WebSocket('wss://quotes.example.com/stream');
        """),
    ]
    INVALID = [
        code("""
            import axios from 'axios';
            export const api = «axios.create({ baseURL: 'http://api.shop.com/v1' })»;
        """),
        code("""
            const socket = «new WebSocket('ws://quotes.example.com/stream')»;
        """),
    ]

    def check(self) -> None:
        for name, node, arguments in self.reader.calls():
            if not arguments:
                continue
            is_socket = node.type == "new_expression" and name.rpartition(".")[2] in _SOCKETS
            if is_socket and self._is_plain(arguments[0]):
                self.report_node(
                    node, "connection is not encrypted, so others can read and alter it; use wss: or https:"
                )
            elif _CLIENTS.search(name) and self._has_plain_base(arguments[-1]):
                self.report_node(node, "all requests of this client are sent unencrypted; use https:")
            elif self._sends_secret(name, arguments):
                self.report_node(node, "secret is sent unencrypted; use https:")

    def _has_plain_base(self, options: Node) -> bool:
        """Return True if the base URL of a client is an unencrypted address on the internet."""
        bases = [self.reader.option(options, key) for key in ("baseURL", "prefixUrl", "baseUrl")]
        return any(base is not None and _PLAIN_PAGE.search(self._start(base)) for base in bases)

    def _sends_secret(self, name: str, arguments: list[Node]) -> bool:
        if len(arguments) < 2 or not _SENDS.search(name) or not _PLAIN_PAGE.search(self._start(arguments[0])):
            return False
        return _SECRET.search(" ".join(self.text(argument)[:600] for argument in arguments[1:])) is not None

    def _is_plain(self, node: Node) -> bool:
        found = self.reader.scope.resolve(node)
        if _OWN_HOST.search(self.text(found)):
            return True
        return _PLAIN.search(self._start(found)) is not None

    def _start(self, node: Node) -> str:
        """Return the start of an address if it is a constant."""
        found = self.reader.scope.resolve(node)
        while found.type == "binary_expression":
            left = found.child_by_field_name("left")
            if left is None:
                break
            found = self.reader.scope.resolve(left)
        text = self.text(found)[1:] if found.type in {"string", "template_string"} else ""
        return text.partition("${")[0].rstrip("'\"`")
