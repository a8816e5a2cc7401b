"""SQ204: money in a binary fraction, in a model of TypeScript or JavaScript."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
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


def _drizzle(column: str) -> str:
    """A table of Drizzle."""
    head = "import { numeric, pgTable, real } from 'drizzle-orm/pg-core';"
    return "\n".join((head, "const a = pgTable('a', {", f"  {column},", "});", ""))


def _typeorm(*lines: str) -> str:
    """An entity of TypeORM."""
    return "\n".join(("import { Column } from 'typeorm';", "class A {", *lines, "}", ""))


class MoneyInFloatModel(SqlCheck):
    """A model keeps an amount of money in a column of binary floating point numbers.

    0.1 has no exact binary form, so sums come out a fraction off and equal amounts compare unequal. Use
    ``numeric`` or ``decimal`` with a precision and a scale, or whole cents in an integer.
    """

    ID = "SQ204"
    NAME = "money-in-float-model"
    DEFECT_CLASS = "money-in-float"
    READS = "code"
    TRIED_ON = "24 trees: no hit"
    WORDS = ("drizzle-orm", "typeorm", "mikro-orm", "sequelize")

    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(_drizzle("price: numeric('price')"), path="src/schema.ts"),
        Valid(_drizzle("score: real('score')"), path="src/schema.ts"),
        Valid(
            _typeorm("  @Column({ type: 'decimal', precision: 12, scale: 2 })", "  price: string;"),
            path="src/a.entity.ts",
        ),
        Valid(
            _typeorm("  @Column('float')", "  weight: number;", "  price: number;"), path="src/a.entity.ts"
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(_drizzle("unitPrice: real('price')"), line=3, column=3, path="src/schema.ts"),
        Invalid(
            _typeorm("  @Column({ nullable: true, type: 'double precision' })", "  price?: number;"),
            line=4,
            column=3,
            path="src/a.entity.ts",
        ),
        Invalid(
            _typeorm("  @Column('float', { default: 0 })", "  readonly amountDue!: number;"),
            line=4,
            column=12,
            path="src/a.entity.ts",
        ),
        Invalid(
            "const { DataTypes } = require('sequelize');\nmodule.exports = (db) => db.define('Order', {\n"
            "  total_price: { allowNull: false, type: DataTypes.DOUBLE },\n});\n",
            line=3,
            column=3,
            path="src/order.js",
        ),
    ]

    def run(self) -> None:
        if self.script.is_spare or not self.source.path.endswith(_SCRIPTS):
            return
        for library, pattern in _PATTERNS:
            for found in pattern.finditer(self.source.text) if library in self.source.text else ():
                if is_money(found["name"]) and not in_comment(self.source.text, found.start("name")):
                    place = self.script.span_of(*found.span("name"))
                    name, kind = found["name"], found["type"]
                    says = f"{name} is money in a {kind}, which has no exact cents; use numeric"
                    self.report(place, says)
