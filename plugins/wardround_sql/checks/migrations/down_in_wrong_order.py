"""SQ079: a way back that drops a table others refer to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.statements import SqlFragment, parsed
from wardround_sql.project import migration_files
from wardround_sql.schema.model import Schema, build

_BACK = LazyPattern(
    r"^[ \t]*(?:export\s+|public\s+|static\s+)*(?:const\s+|async\s+|function\s+|def\s+|exports\.|"
    r"module\.exports\.)*"
    r"(?:down|downgrade)\b|^--\s*(?:\+goose\s+Down|migrate:down|\+migrate\s+Down)",
    re.MULTILINE,
)
_FORTH = LazyPattern(
    r"^[ \t]*(?:export\s+)?(?:async\s+)?(?:function\s+|def\s+|exports\.)?up(?:grade)?\b", re.MULTILINE
)
_DROP = LazyPattern(
    r"(?i)\bdrop_?table(?:_?if_?exists)?\s*\(?\s*(?:\[?['\":`]+(?:public\.)?|\s)(?P<called>\w+)(?=(?P<rest>[^\n;]*))|"
    r"\bdrop\s+table\s+(?:if\s+exists\s+)?[\"`]?(?:public[\"`]?\.[\"`]?)?(?P<said>\w+)(?=(?P<more>[^\n;]*))"
)
_LOOSENS = LazyPattern(
    r"(?i)drop_?(?:foreign|constraint)|remove_foreign_key|foreign_key_checks|drop\s+constraint|removeConstraint|dropColumn|"
    r"drop_column|remove_reference"
)
_UP = (
    "create table a (id bigint primary key);\ncreate table b (id bigint primary key, a_id bigint "
    "references a (id));\n"
)
_KNEX = (
    "export async function up(knex: Knex) {\n  await knex.schema.createTable('a', (t) => { "
    "t.bigIncrements('id'); });\n"
    "  await knex.schema.createTable('b', (t) => {\n    t.bigIncrements('id');\n"
    "    t.bigInteger('a_id').references('a.id');\n  });\n}\nexport async function down(knex: Knex) {\n"
)
_ALEMBIC = (
    "from alembic import op\nimport sqlalchemy as sa\ndef upgrade():\n    op.create_table('a', "
    "sa.Column('id', sa.Integer()))\n"
    "    op.create_table('b', sa.Column('a_id', sa.Integer(), sa.ForeignKey('a.id')))\ndef downgrade():\n"
)


class DownInWrongOrder(SqlCheck):
    """The way back of a migration drops a table while another of its tables still refers to it.

    The database refuses, so the migration cannot be taken back. Drop the tables in the other order than
    they were made.
    """

    ID = "SQ079"
    NAME = "down-in-wrong-order"
    READS = "code"
    WORDS = ("drop",)
    TRIED_ON = "30 trees: 1 hit, of SQLite, which does not mind; mended: none"

    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(
            _KNEX + "  await knex.schema.dropTable('b');\n  await knex.schema.dropTable('a');\n}\n",
            path="migrations/1.ts",
        ),
        Valid(_ALEMBIC + "    op.drop_table('b')\n    op.drop_table('a')\n", path="alembic/versions/1.py"),
        Valid(
            "-- +goose Up\n" + _UP + "-- +goose Down\ndrop table a cascade;\ndrop table b;\n",
            path="migrations/1.sql",
        ),
        Valid(
            "drop table b;\ndrop table a;\n",
            path="migrations/1_a.down.sql",
            others={"migrations/1_a.up.sql": _UP},
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "module.exports = {\n  async up(queryInterface) {\n    await "
            "queryInterface.createTable('a', { id: {} });\n"
            "    await queryInterface.createTable('b', { a_id: { references: { model: 'a', key: 'id' } "
            "} });\n  },\n"
            "  async down(queryInterface) {\n    await queryInterface.dropTable('a');\n"
            "    await queryInterface.dropTable('b');\n  },\n};\n",
            line=7,
            column=26,
            path="migrations/1.js",
        ),
        Invalid(
            _KNEX + "  await knex.schema.dropTable('a');\n  await knex.schema.dropTable('b');\n}\n",
            line=9,
            column=21,
            path="migrations/1.ts",
        ),
        Invalid(
            _ALEMBIC + "    op.drop_table('a')\n    op.drop_table('b')\n",
            line=7,
            column=8,
            path="alembic/versions/1.py",
        ),
        Invalid(
            "-- +goose Up\n" + _UP + "-- +goose Down\ndrop table if exists a;\ndrop table b;\n",
            line=5,
            column=1,
            path="migrations/1.sql",
        ),
        Invalid(
            "drop table a;\ndrop table b;\n",
            line=1,
            column=1,
            path="migrations/1_a.down.sql",
            others={"migrations/1_a.up.sql": _UP},
        ),
    ]

    def run(self) -> None:
        if (
            self.script.is_spare
            or self.script.dialect == "sqlite"
            or not migration_files.is_migration(self.source.path, self.script.options.migrations)
        ):
            return
        start = self._way_back()
        if start is None or "drop" not in self.source.text[start:].lower():
            return
        drops = list(_dropped(self.source.text, start))
        if len(drops) < 2 or _LOOSENS.search(self.source.text, start):
            return
        keys = {(k.table.name, k.target.name) for held in self._forth().foreign_keys.values() for k in held}
        keys |= set(_sequelize_keys(self.source.text))
        for number, (name, begun, end) in enumerate(drops):
            later = [
                other
                for other, _start, _end in drops[number + 1 :]
                if (other, name) in keys and other != name
            ]
            if later:
                self.report(
                    self.script.span_of(begun, end),
                    f"{later[0]} still refers to {name} here; drop {later[0]} first",
                )
                break

    def _way_back(self) -> int | None:
        """Where the part that takes the migration back begins; None where there is none."""
        path, text = self.source.path, self.source.text
        if migration_files.is_down(path):
            return 0
        found = _BACK.search(text)
        if found is None or _FORTH.search(text, found.end()):
            return None
        return found.start()

    def _forth(self) -> Schema:
        """What the way forth makes."""
        path = self.source.path
        if not migration_files.is_down(path):
            return self.script.own
        beside = re.sub(r"\bdown(?=\.sql$|/)", "up", path)
        text = self.source.project.read(beside) if beside != path else None
        return build(parsed(SqlFragment(text), beside).statements) if text else Schema()


def _dropped(text: str, start: int) -> Iterator[tuple[str, int, int]]:
    """The tables that are dropped, in order, with their places; those with all that refers to them left
    out.
    """
    for found in _DROP.finditer(text, start):
        rest = found["rest"] or found["more"] or ""
        if "cascade" not in rest.lower():
            yield found["called"] or found["said"], found.start(), found.end()


_CREATED = LazyPattern(r"\bcreateTable\(\s*['\"`](?P<name>\w+)")
_MODEL = LazyPattern(
    r"\breferences\s*:\s*\{\s*model\s*:\s*(?:\{[^{}]{0,80}tableName\s*:\s*)?['\"`](?P<name>\w+)"
)


def _sequelize_keys(text: str) -> Iterator[tuple[str, str]]:
    """The tables that Sequelize's ``createTable`` makes, each with one it refers to."""
    made = list(_CREATED.finditer(text)) if "references" in text else []
    for found, after in zip(made, [*(one.start() for one in made[1:]), len(text)], strict=False):
        for key in _MODEL.finditer(text, found.end(), after):
            yield found["name"], key["name"]
