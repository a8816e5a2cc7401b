from __future__ import annotations

from collections.abc import Iterator

from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck
from wardround_sql.parsing.masking import masked_fragments, span_in
from wardround_sql.queries.dialect_traps import REPLACES, TRAPS, Trap, table_replacements


class DialectTrap(SqlCheck):
    """Syntax with an unexpected meaning in the database that the statement is written for.

    Oracle stores ``''`` as NULL and assigns ROWNUM before it sorts; SQL Server's ``@@IDENTITY`` may be a key
    that a trigger inserted; MySQL ignores foreign keys of MyISAM tables and those declared with a column, and
    its ``utf8`` cannot store emoji; SQLite reads a double-quoted name as a string unless a column has that
    name; BigQuery reads every table of a wildcard. The message explains the effect and the alternative.
    """

    ID = "SQ067"
    NAME = "dialect-trap"
    MATURITY = Maturity.PREVIEW
    WORDS = (
        "''", "rownum", "@@identity", "ident_current", "nolock", "uncommitted", "myisam", "utf8",
        "references", "partitioned", "find_in_set", "||", '"', "*`", "or replace",
    )  # fmt: skip

    VALID = [
        code("""
            BEGIN
              IF a IS NULL THEN
                UPDATE t SET b = '', c = SYSDATE;
              END IF;
            END;
            /
        """),
        code("""
            SELECT * FROM (SELECT a FROM t ORDER BY b) WHERE ROWNUM <= 5;
            SELECT SYSDATE FROM dual;
        """),
    ]
    INVALID = [
        code("""
            CREATE OR REPLACE PROCEDURE p(a IN VARCHAR2) AS
            BEGIN
              IF a «= ''» THEN
                NULL;
              END IF;
            END;
            /
        """),
        code(
            """
            SELECT a FROM t WHERE b «<> ''» AND d > SYSDATE;
            """,
            path="oracle/q.sql",
        ),
    ]

    def run(self) -> None:
        script = self.script
        if script.is_postgres or script.is_non_production:
            return
        for fragment, masked in masked_fragments(script):
            for trap in self._traps(masked, fragment.text, migrates=fragment.migrates):
                location = span_in(script, fragment, trap.start, trap.end)
                self.report(location, trap.says, severity=trap.severity)

    def _traps(self, code: str, text: str, *, migrates: bool) -> Iterator[Trap]:
        dialect = self.script.dialect
        if dialect in TRAPS:
            yield from TRAPS[dialect](code, text)
        if migrates and dialect in REPLACES:
            yield from table_replacements(code, text)
