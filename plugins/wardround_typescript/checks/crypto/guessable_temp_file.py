"""TS341: guessable temp file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.rules.maturity import Maturity
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_WRITES = frozenset(
    {
        "writeFile",
        "writeFileSync",
        "createWriteStream",
        "appendFile",
        "appendFileSync",
        "outputFile",
        "outputFileSync",
        "toFile",
    }
)
_COMMON = LazyPattern(r"['\"`]/(var/)?tmp/|tmpdir\(\)")
_OWN = LazyPattern(
    r"(?i)mkdtemp|random|uuid|nanoid|\bulid|cuid|tmp\.(file|dir|name)|process\.pid|hash|digest"
)
_NAME = LazyPattern(r"(?<![\w$.'\"])[A-Za-z_$][\w$]*(?![\w$]*\()")


class GuessableTempFile(TreeCheck):
    """A file in the shared temporary folder has a predictable name.

    Another program can create a link under that name first, so that this one writes through it or reads the
    other's data; two runs at once overwrite each other. Create a private folder with ``fs.mkdtemp`` and write
    into it.
    """

    ID = "TS341"
    NAME = "guessable-temp-file"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "insecure-temp-file"
    SEVERITY = Severity.INFO
    WORDS = ("tmp/", "tmpdir(")
    VALID = [
        code("""
            const dir = await fs.mkdtemp(path.join(os.tmpdir(), 'labels-'));
            await fs.writeFile(path.join(dir, 'a.pdf'), data);
        """),
        code("""
            const file = path.join(os.tmpdir(), `${crypto.randomUUID()}.pdf`);
            await fs.writeFile(file, data);
        """),
    ]
    INVALID = [
        code("""
            async function print(labels) {
              const spool = '/tmp/labels.pdf';
              await «fs.writeFile(spool, render(labels))»;
            }
        """),
        code("""
            function scratch(kind, id) {
              return path.join(os.tmpdir(), `${kind}-${id}.xlsx`);
            }

            async function book(id) {
              const file = scratch('invoices', id);
              await «workbook.xlsx.writeFile(file)»;
            }
        """),
    ]

    def check(self) -> None:
        for name, node, arguments in self.reader.calls():
            last = name.rpartition(".")[2]
            if (
                last in _WRITES
                and arguments
                and self._is_guessable(arguments[0])
                and not self._is_exclusive(arguments)
            ):
                self.report_node(
                    node, "temporary file has a predictable name that others can create first; use fs.mkdtemp"
                )

    def _is_guessable(self, node: Node) -> bool:
        text = self._meaning(node)
        return _COMMON.search(text) is not None and not _OWN.search(text)

    def _meaning(self, node: Node, depth: int = 0) -> str:
        found = self.reader.scope.resolved(node)
        text = self.text(found)[:500]
        if found.type == "call_expression" and depth < 3:
            helper = self.reader.scope.functions.get(self.code.field(found, "function"))
            text += self.text(helper)[:500] if helper is not None else ""
        for name in dict.fromkeys(_NAME.findall(text)) if depth < 2 else ():
            value = self.reader.scope.declared.get(name)
            if value is not None and value.id != node.id and value.end_byte - value.start_byte < 300:
                text += " " + self._meaning(value, depth + 1)
        return text

    def _is_exclusive(self, arguments: list[Node]) -> bool:
        return any("wx" in self.text(self.reader.scope.resolved(one)) for one in arguments[1:])
