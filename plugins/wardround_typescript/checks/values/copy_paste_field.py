"""TS481."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.semantics.semdiff.copy_paste import RowField, entry_of, forgotten_edits, may_hold_a_row
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_Row = list[tuple[str, "Node"]]
_AT_LEAST = 2


class CopyPasteField(TreeCheck):
    """In a row of entries copied from another, one still takes what belongs to that other.

    Three lines read ``home...`` and the fourth ``work...``: the value is of the right type, so the compiler
    says nothing, and the wrong street is printed. Change the line that was left.
    """

    ID = "TS481"
    NAME = "copy-paste-field"
    DEFECT_CLASS = "copied-value"
    KINDS = (*SCRIPTS, *COMPONENTS)
    TRIED_ON = (
        "the newest trees of 24 projects, about 20,000 files: "
        "2 hits, both meant, of when a row was made and changed; that pair is left alone since"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            "const a = { zip: f.homeZip, city: f.homeCity, street: f.homeStreet, land: f.homeLand };\n",
            path="a.ts",
        ),
        Valid(
            "const a = { zip: f.homeZip, city: f.homeCity, street: f.homeStreet, land: f.workLand };\n",
            path="a.ts",
        ),
        Valid(
            "const a = { zip: f.homeZip, city: f.homeCity, street: f.homeStreet, workLand: f.workLand };\n"
            "use(f.homeLand);\n",
            path="a.ts",
        ),
        Valid("const a = { top: o.top, left: o.left, right: o.right, depth: two.depth };\n", path="a.ts"),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "const a = { zip: f.homeZip, city: f.workCity, street: f.homeStreet, land: f.homeLand };\n"
            "use(f.homeCity);\n",
            path="a.ts",
            line=1,
            column=35,
        ),
        Invalid(
            "export const of = (f: Form): Place => ({\n  zip: f.homeZip.trim(),\n  city: f.homeCity.trim(),\n"
            "  street: f.homeStreet.trim(),\n  land: f.workLand ?? '',\n});\n",
            path="src/place.ts",
            line=5,
            column=9,
            others={"src/form.ts": "export interface Form {\n  homeLand?: string;\n}\n"},
        ),
        Invalid(
            "function f(s: S, row: Row) {\n  s.oldName = row.oldName;\n  s.oldMail = row.oldMail;\n"
            "  s.oldCity = row.newCity;\n  s.oldLand = row.oldLand;\n  log(row.oldCity);\n}\n",
            path="a.ts",
            line=4,
            column=15,
        ),
        Invalid("const a = { width: i.width, height: i.width };\n", path="a.ts", line=1, column=37),
        Invalid(
            "const a = { id: u.id, firstName: u.firstName, lastName: u.firstName, mail: u.mail };\n",
            path="a.ts",
            line=1,
            column=57,
        ),
        Invalid(
            "const a = { top: one.top, left: one.left, right: one.right, depth: one.depth };\n"
            "const b = { top: two.top, left: two.left, right: one.right, depth: two.depth };\n",
            path="a.ts",
            line=2,
            column=50,
        ),
    ]

    def _may_speak(self, text: str) -> bool:
        return super()._may_speak(text) and may_hold_a_row(self.source.added_text, text)

    def look(self) -> None:
        rows = [row for row in (*self._objects(), *self._assigned()) if len(row) >= _AT_LEAST]
        new = [n for n, row in enumerate(rows) if any(self._is_added(value) for _, value in row)]
        if not new:
            return
        entries = [[entry_of(name, self.code.text(value)) for name, value in row] for row in rows]
        for number in new:
            self._judge(rows[number], entries[number], entries)

    def _judge(self, row: _Row, made: list[RowField | None], entries: list[list[RowField | None]]) -> None:
        left = forgotten_edits(made, entries, self._exists)
        if left is not None:
            name, value = row[left.place]
            told = f'"{name}" takes {self.code.text(value)}, where all around it speaks for "{left.wanted}"'
            self.say(value, told)

    def _is_added(self, node: Node) -> bool:
        return self.source.is_added(node.start_point[0] + 1)

    def _exists(self, name: str) -> bool:
        """Whether the project has a field of a name."""
        if name in self.source.text:
            return True
        return bool(self.source.project.files_with_word([name], ["*.ts", "*.tsx", "*.js", "*.jsx"]))

    def _objects(self) -> Iterator[_Row]:
        """The literals with entries that are given something."""
        for node in self.code.kinds("object"):
            row: _Row = []
            for pair in node.named_children:
                key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
                if pair.type == "pair" and key is not None and value is not None:
                    row.append((self.code.text(key).strip("'\""), value))
            yield row

    def _assigned(self) -> Iterator[_Row]:
        """The runs of assignments to fields of one thing."""
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
