from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_MADE = LazyPattern(
    r"^(await\s+)?(path\.|fs\.|fsp\.|posix\.)*(resolve|join|normalize|realpath|realpathSync)(\.native)?\("
)
_FOLDER = LazyPattern(
    r"(?i)(root|base|dir|directory|folder|prefix|parent)$|^[A-Z_]*(ROOT|BASE|DIR|FOLDER|UPLOADS|HOME)[A-Z_]*$"
)
_OTHERS = frozenset({"array", "object", "new_expression", "regex", "number"})
_ENDED = LazyPattern(r"(?i)\bsep\b|['\"`][\\/]+['\"`]|/`|addTrailing|withSlash|trailing")


class PartialPathTraversal(TreeCheck):
    """A path prefix without a trailing separator decides whether a file is in a folder.

    ``/srv/data-old/x`` starts with ``/srv/data`` too, so files of sibling folders pass the test. Append
    ``path.sep`` to the folder, or test whether ``path.relative`` starts with two dots.
    """

    ID = "TS357"
    NAME = "partial-path-traversal"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    DEFECT_CLASS = "path-traversal"
    WORDS = (".startsWith(",)
    ALSO = (("path", "resolve", "join"),)
    VALID = [
        code("""
            const file = path.resolve(root, name);
            if (!file.startsWith(root + path.sep)) throw new Error(name);
        """),
        code("""
            const file = path.resolve(ROOT, name);
            if (file !== ROOT && !file.startsWith(`${ROOT}/`)) throw new Error(name);
        """),
    ]
    INVALID = [
        code("""
            import path from 'path';
            const file = path.resolve(root, name);
            if (!«file.startsWith(root)») throw new Error(name);
        """),
        code("""
            import path from 'path';
            const ROOT = path.join(__dirname, 'uploads');
            export function read(name) {
              const file = path.join(ROOT, name);
              return «file.startsWith(ROOT)» ? load(file) : null;
            }
        """),
    ]

    def check(self) -> None:
        from wardround.languages.script.code import argument

        if "path" not in self.source.text:
            return
        for called, node in self.code.calls:
            if not called.endswith(".startsWith"):
                continue
            function, first = node.child_by_field_name("function"), argument(node, 0)
            owner = function.child_by_field_name("object") if function is not None else None
            if (
                owner is None
                or first is None
                or not _MADE.search(self.text(self.reader.scope.resolve(owner)))
            ):
                continue
            if self._is_folder(first) and not _ENDED.search(self._surrounding_text(node)):
                self.report_node(
                    node, "files of sibling folders with the same prefix pass this test; append path.sep"
                )

    def _is_folder(self, node: Node) -> bool:
        """Return True for the path of a folder that does not visibly end with a separator."""
        found = self.reader.scope.resolve(node)
        text = self.text(found)
        if found.type == "call_expression" and _MADE.search(text):
            return True
        if found.type in {"string", "template_string"}:
            return not text[1:-1].endswith(("/", "\\")) and text[1:2] in {"/", "."}
        is_name = node.type in {"identifier", "member_expression"} and found.type not in _OTHERS
        return is_name and _FOLDER.search(self.text(node)) is not None

    def _surrounding_text(self, node: Node) -> str:
        """Return the statement of a test and the declaration of the folder."""
        from wardround.languages.script.code import argument

        around = node
        while around.parent is not None and not around.type.endswith(("statement", "declaration")):
            around = around.parent
        first = argument(node, 0)
        condition = around.child_by_field_name("condition") or around
        return self.text(condition)[:400] + (
            self.text(self.reader.scope.resolve(first)) if first is not None else ""
        )
