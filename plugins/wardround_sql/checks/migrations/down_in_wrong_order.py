from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.statements import SqlFragment, parse_fragment
from wardround_sql.project import migration_files
from wardround_sql.schema.builder import build
from wardround_sql.schema.model import Schema

_ROLLBACK = LazyPattern(
    r"^[ \t]*(?:export\s+|public\s+|static\s+)*(?:const\s+|async\s+|function\s+|def\s+|exports\.|"
    r"module\.exports\.)*"
    r"(?:down|downgrade)\b|^--\s*(?:\+goose\s+Down|migrate:down|\+migrate\s+Down)",
    re.MULTILINE,
)
_FORWARD = LazyPattern(
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


class DownInWrongOrder(SqlCheck):
    """Rollback of a migration that drops a table while another table of the migration still references it.

    The database rejects the drop, so the migration cannot be rolled back. Drop the tables in the reverse
    order of their creation.
    """

    ID = "SQ079"
    NAME = "down-in-wrong-order"
    MATURITY = Maturity.PREVIEW
    READS = "code"
    WORDS = ("drop",)

    CASE_PATH = "migrations/1.ts"
    VALID = [
        code(
            """
            from alembic import op
            import sqlalchemy as sa
            def upgrade():
                op.create_table('a', sa.Column('id', sa.Integer()))
                op.create_table('b', sa.Column('a_id', sa.Integer(), sa.ForeignKey('a.id')))
            def downgrade():
                op.drop_table('b')
                op.drop_table('a')
            """,
            path="alembic/versions/1.py",
        ),
        code(
            """
            -- +goose Up
            create table a (id bigint primary key);
            create table b (id bigint primary key, a_id bigint references a (id));
            -- +goose Down
            drop table a cascade;
            drop table b;
            """,
            path="migrations/1.sql",
        ),
    ]
    INVALID = [
        code(
            """
            from alembic import op
            import sqlalchemy as sa
            def upgrade():
                op.create_table('a', sa.Column('id', sa.Integer()))
                op.create_table('b', sa.Column('a_id', sa.Integer(), sa.ForeignKey('a.id')))
            def downgrade():
                op.«drop_table('a»')
                op.drop_table('b')
            """,
            path="alembic/versions/1.py",
        ),
        code(
            """
            -- +goose Up
            create table a (id bigint primary key);
            create table b (id bigint primary key, a_id bigint references a (id));
            -- +goose Down
            «drop table if exists a»;
            drop table b;
            """,
            path="migrations/1.sql",
        ),
    ]

    def run(self) -> None:
        start = self._rollback_start() if self._is_relevant() else None
        if start is None or "drop" not in self.source.text[start:].lower():
            return
        drops = list(_dropped_tables(self.source.text, start))
        if len(drops) > 1 and not _LOOSENS.search(self.source.text, start):
            self._check_order(drops)

    def _check_order(self, drops: list[tuple[str, int, int]]) -> None:
        keys = self._foreign_keys()
        for number, (name, begin, end) in enumerate(drops):
            later = (other for other, _, _ in drops[number + 1 :] if other != name)
            referencing = next((other for other in later if (other, name) in keys), None)
            if referencing is not None:
                self.report(
                    self.script.locations.span_of(begin, end),
                    f"{referencing} still references {name} here; drop {referencing} first",
                )
                break

    def _is_relevant(self) -> bool:
        if self.script.is_non_production or self.script.dialect == "sqlite":
            return False
        return migration_files.is_migration(self.source.path, self.script.options.migrations)

    def _foreign_keys(self) -> set[tuple[str, str]]:
        """Return the referencing and the referenced table of each foreign key."""
        keys = {
            (key.table.name, key.target.name)
            for table_keys in self._forward_schema().foreign_keys.values()
            for key in table_keys
        }
        return keys | set(_sequelize_keys(self.source.text))

    def _rollback_start(self) -> int | None:
        """Return the start of the rollback section; None if there is none."""
        path, text = self.source.path, self.source.text
        if migration_files.is_down(path):
            return 0
        match = _ROLLBACK.search(text)
        if match is None or _FORWARD.search(text, match.end()):
            return None
        return match.start()

    def _forward_schema(self) -> Schema:
        """Return the schema of the forward migration."""
        path = self.source.path
        if not migration_files.is_down(path):
            return self.script.own_schema
        adjacent = re.sub(r"\bdown(?=\.sql$|/)", "up", path)
        text = self.source.project.read(adjacent) if adjacent != path else None
        return build(parse_fragment(SqlFragment(text), adjacent).statements) if text else Schema()


def _dropped_tables(text: str, start: int) -> Iterator[tuple[str, int, int]]:
    """Yield the dropped tables, in order, with their locations; without those dropped with CASCADE."""
    for match in _DROP.finditer(text, start):
        rest = match["rest"] or match["more"] or ""
        if "cascade" not in rest.lower():
            yield match["called"] or match["said"], match.start(), match.end()


_CREATED = LazyPattern(r"\bcreateTable\(\s*['\"`](?P<name>\w+)")
_MODEL = LazyPattern(
    r"\breferences\s*:\s*\{\s*model\s*:\s*(?:\{[^{}]{0,80}tableName\s*:\s*)?['\"`](?P<name>\w+)"
)


def _sequelize_keys(text: str) -> Iterator[tuple[str, str]]:
    """Yield the tables of Sequelize's ``createTable``, each with a table it references."""
    matches = list(_CREATED.finditer(text)) if "references" in text else []
    for result, after in zip(matches, [*(item.start() for item in matches[1:]), len(text)], strict=False):
        for key in _MODEL.finditer(text, result.end(), after):
            yield result["name"], key["name"]
