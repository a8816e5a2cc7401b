from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.syntax.nodes import child, parts

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_OPENS = ("openExternal", "openPath")
_ADDS = frozenset({"handle", "on", "once", "handleOnce"})
_NAVIGATES = LazyPattern(r"^['\"](new-window|will-navigate|did-create-window|will-redirect)['\"]$")
_ASKED = LazyPattern(
    r"startsWith\(|\.protocol\b|\.origin\b|\.host(name)?\b|includes\(|\.has\(|\.test\(|\.match\(|"
    r"(?i:allow|valid|safe|trust|known|check|isHttp|isExternal|isWeb)"
)


class UnvalidatedOpenExternal(TreeCheck):
    """A URL from a page is opened with a program of the system.

    The system starts whichever program handles the URL: ``file:`` runs programs on some systems, and other
    handlers have vulnerabilities. Open only ``https:`` URLs, or those on a list.
    """

    ID = "TS356"
    NAME = "unvalidated-open-external"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    DEFECT_CLASS = "electron-open-external"
    WORDS = ("openExternal", "openPath")
    VALID = [
        code("""
            ipcMain.handle('open', (event, url) => {
              if (new URL(url).protocol === 'https:') return shell.openExternal(url);
            });
        """),
        code("""
            ipcMain.handle('help', () => shell.openExternal('https://example.com/help'));
        """),
    ]
    INVALID = [
        code("""
            ipcMain.handle('open', (event, url) => «shell.openExternal(url)»);
        """),
        code("""
            win.webContents.setWindowOpenHandler(({ url }) => {
              void «shell.openExternal(url)»;
              return { action: 'deny' };
            });
        """),
    ]

    def check(self) -> None:
        for called, node in self.code.calls:
            arguments = parts(child(node, "arguments"))
            if not arguments or not self._receives_urls(called, self.text(arguments[0])):
                continue
            function = self.code.referenced_function(arguments[-1])
            if function is not None:
                self._check_handler(function)

    def _receives_urls(self, called: str, event: str) -> bool:
        """Return True for a call that adds a handler of messages, windows or navigation of a page."""
        owner, _, method = called.rpartition(".")
        if method == "setWindowOpenHandler":
            return True
        if method not in _ADDS:
            return False
        return owner.endswith("ipcMain") or _NAVIGATES.search(event) is not None

    def _check_handler(self, function: Node) -> None:
        from wardround.languages.script.code import argument

        if _ASKED.search(self.text(function).replace("openExternal", "")):
            return
        names = set(self._parameter_names(function))
        for call in self._opening_calls(function):
            start = self.text(argument(call, 0)).partition(".")[0].partition("?")[0]
            if start in names:
                self.report_node(call, "URL from a page is opened with a system program; allow https: only")

    def _parameter_names(self, function: Node) -> Iterator[str]:
        parameters = child(function, "parameters") or child(function, "parameter")
        yield from self.code.names_in(parameters)
        for parameter in parts(parameters):
            yield from self.code.names_in(child(parameter, "pattern") or parameter)

    def _opening_calls(self, function: Node) -> Iterator[Node]:
        from wardround.languages.script.code import own_nodes

        for node in own_nodes(function):
            if node.type == "call_expression" and self.code.callee(node).endswith(_OPENS):
                yield node
