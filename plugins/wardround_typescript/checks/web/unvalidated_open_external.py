"""TS356: unvalidated open external."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_SAYS = frozenset({"handle", "on", "once", "handleOnce"})
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
            owner, _, method = called.rpartition(".")
            arguments = node.child_by_field_name("arguments")
            if arguments is None or not arguments.named_children:
                continue
            first = self.text(arguments.named_children[0])
            is_heard = method == "setWindowOpenHandler" or (
                method in _SAYS and (owner.endswith("ipcMain") or _NAVIGATES.search(first) is not None)
            )
            function = self.code.function_meant(arguments.named_children[-1]) if is_heard else None
            if function is not None:
                self._check_handler(function)

    def _check_handler(self, function: Node) -> None:
        from wardround.languages.script.code import argument, own_nodes

        text = self.text(function)
        if _ASKED.search(text.replace("openExternal", "")):
            return
        listed = function.child_by_field_name("parameters") or function.child_by_field_name("parameter")
        names = set(self.code.names_in(listed)) | {
            name for one in (listed.named_children if listed is not None else ())
            for name in self.code.names_in(one.child_by_field_name("pattern") or one)
        }  # fmt: skip
        for node in own_nodes(function):
            if node.type == "call_expression" and self.code.called(node).endswith(
                ("openExternal", "openPath")
            ):
                value = argument(node, 0)
                if value is not None and self.text(value).partition(".")[0].partition("?")[0] in names:
                    self.report_node(
                        node, "URL from a page is opened with a system program; allow https: only"
                    )
