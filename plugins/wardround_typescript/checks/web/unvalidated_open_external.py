"""TS356."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.analysis.call_options import ServerCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_SAYS = frozenset({"handle", "on", "once", "handleOnce"})
_NAVIGATES = LazyPattern(r"^['\"](new-window|will-navigate|did-create-window|will-redirect)['\"]$")
_ASKED = LazyPattern(
    r"startsWith\(|\.protocol\b|\.origin\b|\.host(name)?\b|includes\(|\.has\(|\.test\(|\.match\(|"
    r"(?i:allow|valid|safe|trust|known|check|isHttp|isExternal|isWeb)"
)


class UnvalidatedOpenExternal(ServerCheck):
    """An address that a page chose is given to the system to open.

    The system starts whatever program is there for the address: file: runs programs on some systems,
    others have handlers with holes. Open only https: addresses, or those on a list.
    """

    ID = "TS356"
    NAME = "unvalidated-open-external"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    DEFECT_CLASS = "electron-open-external"
    WORDS = ("openExternal", "openPath")
    TRIED_ON = (
        "the trees of 13 projects (NodeBB, langfuse, hoppscotch, formbricks, documenso, supabase/storage, "
        "redash, chainlit, lerna, biome, NodeGoat among them; 19,000 scripts): no hit"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "ipcMain.handle('open', (event, url) => {\n"
            "  if (new URL(url).protocol === 'https:') return shell.openExternal(url);\n});\n",
            path="case.ts",
        ),
        Valid(
            "ipcMain.handle('help', () => shell.openExternal('https://example.com/help'));\n", path="case.ts"
        ),
        Valid("export const openDocs = (page) => shell.openExternal(DOCS + page);\n", path="case.ts"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "ipcMain.handle('open', (event, url) => shell.openExternal(url));\n",
            line=1,
            column=40,
            path="case.ts",
        ),
        Invalid(
            "win.webContents.setWindowOpenHandler(({ url }) => {\n"
            "  void shell.openExternal(url);\n  return { action: 'deny' };\n});\n",
            line=2,
            column=8,
            path="case.ts",
        ),
        Invalid(
            "contents.on('will-navigate', (event, target) => {\n"
            "  event.preventDefault();\n  shell.openExternal(target);\n});\n",
            line=3,
            column=3,
            path="case.ts",
        ),
        Invalid(
            "function open(details) {\n  shell.openExternal(details.url);\n  return { action: 'deny' };\n}\n"
            "win.webContents.setWindowOpenHandler(open);\n",
            line=2,
            column=3,
            path="case.ts",
        ),
    ]

    def look(self) -> None:
        for called, node in self.code.calls:
            owner, _, method = called.rpartition(".")
            given = node.child_by_field_name("arguments")
            if given is None or not given.named_children:
                continue
            first = self.text(given.named_children[0])
            is_heard = method == "setWindowOpenHandler" or (
                method in _SAYS and (owner.endswith("ipcMain") or _NAVIGATES.search(first) is not None)
            )
            function = self.code.function_meant(given.named_children[-1]) if is_heard else None
            if function is not None:
                self._heard(function)

    def _heard(self, function: Node) -> None:
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
                given = argument(node, 0)
                if given is not None and self.text(given).partition(".")[0].partition("?")[0] in names:
                    self.say(node, "an address that a page chose is given to the system to open")
