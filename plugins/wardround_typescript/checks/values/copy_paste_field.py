"""TS481: copy paste field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.rules.maturity import Maturity
from wardround.semantics.semdiff.copy_paste import RowField, entry_of, forgotten_edits, may_hold_a_row
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_Row = list[tuple[str, "Node"]]
_AT_LEAST = 2


class CopyPasteField(TreeCheck):
    """One entry of copied lines still reads a field of the original.

    Three lines read ``home...`` and the fourth ``work...``: the types match, so the compiler accepts it, and
    the wrong value is used. Correct the remaining line.
    """

    ID = "TS481"
    NAME = "copy-paste-field"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "copied-value"
    KINDS = (*SCRIPTS, *COMPONENTS)
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            const a = { zip: f.homeZip, city: f.homeCity, street: f.homeStreet, land: f.homeLand };
        """),
        code("""
            const a = { zip: f.homeZip, city: f.homeCity, street: f.homeStreet, land: f.workLand };
        """),
    ]
    INVALID = [
        code("""
            const a = { zip: f.homeZip, city: «f.workCity», street: f.homeStreet, land: f.homeLand };
            use(f.homeCity);
        """),
        code("""
            function f(s: S, row: Row) {
              s.oldName = row.oldName;
              s.oldMail = row.oldMail;
              s.oldCity = «row.newCity»;
              s.oldLand = row.oldLand;
              log(row.oldCity);
            }
        """),
    ]

    def _may_match(self, text: str) -> bool:
        return super()._may_match(text) and may_hold_a_row(self.source.added_text, text)

    def check(self) -> None:
        rows = [row for row in (*self._objects(), *self._assigned()) if len(row) >= _AT_LEAST]
        new = [n for n, row in enumerate(rows) if any(self._is_added(value) for _, value in row)]
        if not new:
            return
        entries = [[entry_of(name, self.code.text(value)) for name, value in row] for row in rows]
        for number in new:
            self._check_row(rows[number], entries[number], entries)

    def _check_row(
        self, row: _Row, fields: list[RowField | None], entries: list[list[RowField | None]]
    ) -> None:
        left = forgotten_edits(fields, entries, self._exists)
        if left is not None:
            name, value = row[left.place]
            self.report_node(
                value,
                f'"{name}" reads {self.code.text(value)}, but the other lines suggest "{left.wanted}"; '
                "correct it",
            )

    def _is_added(self, node: Node) -> bool:
        return self.source.is_added(node.start_point[0] + 1)

    def _exists(self, name: str) -> bool:
        """Return True if the project has a field of a name."""
        if name in self.source.text:
            return True
        return bool(self.source.project.files_with_word([name], ["*.ts", "*.tsx", "*.js", "*.jsx"]))

    def _objects(self) -> Iterator[_Row]:
        """Yield the object literals with the entries that have a value."""
        for node in self.code.kinds("object"):
            row: _Row = []
            for pair in node.named_children:
                key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
                if pair.type == "pair" and key is not None and value is not None:
                    row.append((self.code.text(key).strip("'\""), value))
            yield row

    def _assigned(self) -> Iterator[_Row]:
        """Yield the runs of assignments to fields of one object."""
        row: _Row = []
        of, end = "", None
        for statement in sorted(self.code.kinds("expression_statement"), key=lambda one: one.start_byte):
            node = statement.named_children[0] if statement.named_children else None
            left = node.child_by_field_name("left") if node is not None else None
            right = node.child_by_field_name("right") if node is not None else None
            is_field = left is not None and left.type == "member_expression" and right is not None
            owner = self.code.field(left, "object") if is_field else ""
            if row and (owner != of or statement.prev_named_sibling != end):
                yield row
                row = []
            if is_field and right is not None:
                row.append((self.code.field(left, "property"), right))
                of = owner
            end = statement
        if row:
            yield row
