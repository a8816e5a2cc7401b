"""TS003."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Severity
from wardround_typescript.docdrift.jsdoc_check import JsDocCheck

if TYPE_CHECKING:
    from wardround.semantics.docdrift.stale_phrases import Quote
    from wardround_typescript.docdrift.documented_functions import ComparedFunction


def _load(comment: str, code: str, parameters: str = "row") -> str:
    return f"/**\n * Loads one row.\n * {comment}\n */\nexport function load({parameters}) {{\n  {code}\n}}\n"


def _valid(now: str, before: str, others: dict[str, str] | None = None) -> Valid:
    return Valid(now, path="load.ts", base=before, others=others or {})


_BY_ID = "It is found by its `fetchId`."
_STEPS = "@returns {RowStep[]} what was done"
_RANGE = "@param rowRange the range of the rows"
_DEFAULT = "@param {object} row\n * @param {number} [most=30] how many"


class StaleJsdoc(JsDocCheck):
    """A JSDoc comment names something that this change gave another name or value.

    It is a name or a text that no plain word can be, and that is nowhere in the code any more, a type that is
    declared as another, or a default that is another now. Read that phrase again, and change it or leave it.
    """

    ID = "TS003"
    NAME = "stale-jsdoc"
    DEFECT_CLASS = "stale-words"
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "2,500 newest commits of each of 12 repositories, 16,887 with scripts: 10 hits, of which the "
        "author changed the comment in 9; the one left is right. Names that only went were right once "
        "in 13 and are passed over. Up to 1,500 of each of 50 others, 42,275 with scripts: 49 hits, 44 "
        "told, 5 left, 2 of them of one change; of 4 read 3 are right and 1 was wrong, a parameter that "
        "became its parts, and is passed over since. So few that it stays a note"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        Valid(_load(_BY_ID, "return find(row.loadId)"), path="load.ts"),
        _valid(_load(_BY_ID, "return find(row.fetchId, 1)"), _load(_BY_ID, "return find(row.fetchId)")),
        _valid(
            _load(_BY_ID, "return find(row.loadId)") + "const fetchId = 1;\n",
            _load(_BY_ID, "return find(row.fetchId)") + "const fetchId = 1;\n",
        ),
        _valid(_load("By its loadId.", "return row.loadId"), _load(_BY_ID, "return row.fetchId")),
        _valid(_load("By its number.", "return row.loadId"), _load("By its number.", "return row.number")),
        _valid(
            _load("@deprecated since fetchId went", "return row.loadId"),
            _load("@deprecated since fetchId went", "return row.fetchId"),
        ),
        _valid(_load(_BY_ID, "return idOf(row)"), _load(_BY_ID, "return row.fetchId")),
        _valid(
            _load(_BY_ID, "const text = `${row.fetchId}`; return text"), _load(_BY_ID, "return row.fetchId")
        ),
        _valid(
            _load("See https://example.org/rows#fetchId.", "return find(row.loadId)"),
            _load("See https://example.org/rows#fetchId.", "return find(row.fetchId)"),
        ),
        _valid(
            _load(_RANGE, "const lowest = low(min);", "row, { min, max }"),
            _load(_RANGE, "const lowest = low(rowRange.min);", "row, rowRange"),
        ),
        _valid(
            _load(_BY_ID, "return find(row.loadId)"),
            _load(_BY_ID, "return find(row.fetchId)"),
            {"row.ts": "export class Row {\n  fetchId = 1;\n}\n"},
        ),
        _valid(
            _load("@typedef {object} Row\n * @property {number} fetchId", "return find(row.loadId)"),
            _load("@typedef {object} Row\n * @property {number} fetchId", "return find(row.fetchId)"),
        ),
        _valid(
            "/** @typedef {import('rows').Step} RowStep */\n" + _load(_STEPS, "return [new LoadStep()]"),
            "/** @typedef {import('rows').Step} RowStep */\n" + _load(_STEPS, "return [new RowStep()]"),
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            _load(_BY_ID, "return find(row.loadId)"),
            base=_load(_BY_ID, "return find(row.fetchId)"),
            line=3,
            column=24,
            path="load.ts",
        ),
        Invalid(
            _load("@param {number} most how many; defaults to 30.", "return rows", "row, most = 50"),
            base=_load("@param {number} most how many; defaults to 30.", "return rows", "row, most = 30"),
            line=3,
            column=47,
            path="load.ts",
        ),
        Invalid(
            _load(_DEFAULT, "return rows", "row, most = 50"),
            base=_load(_DEFAULT, "return rows", "row, most = 30"),
            line=4,
            column=26,
            path="load.ts",
        ),
    ]

    def look_at(self, one: ComparedFunction) -> None:
        from wardround_typescript.docdrift.doc_code_mismatch import (
            gone,
            names_nothing,
            stale_quotes,
            undocumented,
        )

        if gone(one) or undocumented(one):
            return
        quotes = (q for q in stale_quotes(one) if names_nothing(q, one.compared.change, self.source))
        for quote in islice(quotes, 1):
            self.report(self.words_span(one, quote.token, quote.line, quote.column), _message(quote))


def _message(quote: Quote) -> str:
    return f'the comment says "{quote.phrase}", but this change made "{quote.token}" into "{quote.now}"'
