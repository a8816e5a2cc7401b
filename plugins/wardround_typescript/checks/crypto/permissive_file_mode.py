"""TS340: permissive file mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround.rules.maturity import Maturity
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_MODE_SECOND = frozenset({"chmod", "chmodSync", "fchmod", "fchmodSync", "lchmod", "mkdir", "mkdirSync"})
_WITH_OPTIONS = frozenset(
    [
        "mkdir",
        "mkdirSync",
        "writeFile",
        "writeFileSync",
        "createWriteStream",
        "appendFile",
        "appendFileSync",
        "outputFile",
        "ensureDir",
        "ensureDirSync",
        "mkdirp",
    ]
)
_WIDE = LazyPattern(
    r"^(0o?|['\"]0?o?)[0-7]?[0-7][0-7][2367]['\"]?$|^(511|438|['\"](a|o|go|ugo)?\+r?wx?['\"])$"
)
_SAID = "file mode lets every user write; use 0o750 for folders, 0o640 for files"


class PermissiveFileMode(TreeCheck):
    """A file or folder is writable by every user of the machine.

    Any other program there can put its own code or data into it. Grant write access to the owner and at most
    read access to the group: 0o750 for folders, 0o640 for files.
    """

    ID = "TS340"
    NAME = "permissive-file-mode"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "permissive-file-mode"
    WORDS = ("777", "666", "0o", "S_IWOTH", "umask(0")
    VALID = [
        code("""
            fs.chmodSync(file, 0o755);
        """),
        code("""
            fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
        """),
    ]
    INVALID = [
        code("""
            const MODES = { dir: «0o777», entry: 0o755 };
            await chmod(target, MODES.dir);
        """),
        code("""
            const WIDE = 0o777;
            function ensure(folder) {
              const mode = process.platform === 'win32' ? undefined : WIDE;
              if (mode !== undefined) {
                fs.chmodSync(folder, «mode»);
              }
            }
        """),
    ]

    def check(self) -> None:
        for name, _, arguments in self.reader.calls():
            last = name.rpartition(".")[2]
            if last in _MODE_SECOND and len(arguments) > 1:
                self._mode(arguments[1])
            if last in _WITH_OPTIONS:
                for one in arguments[1:]:
                    text = self.reader.options(one)
                    value = self.reader.scope.property(text, "mode") if text is not None else None
                    if value is not None:
                        self._mode(value)
            if name == "process.umask" and arguments and self.text(arguments[0]) in {"0", "0o0", "0o000"}:
                self.report_node(arguments[0], _SAID)

    def _mode(self, node: Node) -> None:
        found = self.reader.scope.resolved(node)
        options = [found]
        if found.type == "ternary_expression":
            options = [self.reader.scope.resolved(one) for one in found.named_children[1:]]
        wide = next((one for one in options if _WIDE.search(self.text(one))), None)
        if wide is None:
            return
        # A mode in a table is reported there; one in a plain name where it is used.
        is_listed = (
            wide.parent is not None and wide.parent.type == "pair" and node.type == "member_expression"
        )
        self.report_node(wide if is_listed else node, _SAID)
