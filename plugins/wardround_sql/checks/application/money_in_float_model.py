"""SQ204: money in a floating-point column of a TypeScript or JavaScript model."""

from __future__ import annotations

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.rules.maturity import Maturity
from wardround_sql.check import SqlCheck
from wardround_sql.frontends.script import in_comment
from wardround_sql.schema.money_names import is_money

_PATTERNS = (
    (
        "drizzle-orm",
        LazyPattern(r"\b(?P<name>\w+)\s*:\s*(?P<type>real|doublePrecision|double|float)\s*\((?![^()]*=>)"),
    ),
    (
        "typeorm",
        LazyPattern(
            r"@Column\(\s*(?:\{[^{}]*?\btype\s*:\s*)?['\"]"
            r"(?P<type>float|float4|float8|double|double precision|real)['\"][^()]*\)\s*"
            r"(?:(?:public|protected|private|readonly|declare)\s+)*(?P<name>\w+)[!?]?\s*:"
        ),
    ),
    (
        "mikro-orm",
        LazyPattern(
            r"@Property\(\s*\{[^{}]*?\b(?:type|columnType)\s*:\s*(?:types\.|['\"])"
            r"(?P<type>float|double|real)\b[^()]*\)\s*(?:(?:public|protected|private|readonly)\s+)*(?P<name>\w+)[!?]?\s*:"
        ),
    ),
    (
        "sequelize",
        LazyPattern(
            r"\b(?P<name>\w+)\s*:\s*(?:\{\s*(?:\w+\s*:\s*[\w.'\"]+\s*,\s*)*?type\s*:\s*)?"
            r"(?:DataTypes|DataType|Sequelize)\.(?P<type>FLOAT|DOUBLE|REAL)\b"
        ),
    ),
)
_SCRIPTS = (".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs")


class MoneyInFloatModel(SqlCheck):
    """Amount of money in a floating-point column of a TypeScript or JavaScript model.

    0.1 has no exact binary representation, so sums are off by fractions and equal amounts compare unequal.
    Use ``numeric`` or ``decimal`` with a precision and a scale, or an integer number of cents.
    """

    ID = "SQ204"
    NAME = "money-in-float-model"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "money-in-float"
    READS = "code"
    WORDS = ("drizzle-orm", "typeorm", "mikro-orm", "sequelize")

    CASE_PATH = "src/a.entity.ts"
    VALID = [
        code(
            """
            import { numeric, pgTable, real } from 'drizzle-orm/pg-core';
            const a = pgTable('a', {
              price: numeric('price'),
            });
            """,
            path="src/schema.ts",
        ),
        code(
            """
            import { numeric, pgTable, real } from 'drizzle-orm/pg-core';
            const a = pgTable('a', {
              score: real('score'),
            });
            """,
            path="src/schema.ts",
        ),
    ]
    INVALID = [
        code(
            """
            import { numeric, pgTable, real } from 'drizzle-orm/pg-core';
            const a = pgTable('a', {
              «unitPrice»: real('price'),
            });
            """,
            path="src/schema.ts",
        ),
        code("""
            import { Column } from 'typeorm';
            class A {
              @Column({ nullable: true, type: 'double precision' })
              «price»?: number;
            }
        """),
    ]

    def run(self) -> None:
        if self.script.is_non_production or not self.source.path.endswith(_SCRIPTS):
            return
        for library, pattern in _PATTERNS:
            for match in pattern.finditer(self.source.text) if library in self.source.text else ():
                if is_money(match["name"]) and not in_comment(self.source.text, match.start("name")):
                    name, column_type = match["name"], match["type"]
                    self.report(
                        self.script.locations.span_of(*match.span("name")),
                        f"{name} is money in a {column_type}, which cannot store cents exactly; use numeric",
                    )
