"""PY012."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from wardround.checks import Invalid, Source, Valid
from wardround.drift.features import features
from wardround.drift.parameters import gone_parameters, undocumented_parameters
from wardround.drift.quoting import Quote, QuoteKind, quotes
from wardround.drift.rows import Compared
from wardround.findings import Severity
from wardround.models import Models, Ranker, TableModel
from wardround_python.docstring_check import DocstringCheck

MODEL = "python-docstring-drift"


@dataclass(frozen=True, slots=True)
class _Convinced:
    """A model for the cases, which show what can be quoted: it takes every docstring for stale."""

    threshold: float = 0.5

    def score(self, features: Sequence[float]) -> float:
        return 1.0

    def table(self, name: str) -> TableModel | None:
        return self

    def ranker(self, name: str) -> Ranker | None:
        return None


def _module(docstring: str, body: str, signature: str = "row") -> str:
    return f'def load({signature}):\n    """{docstring}"""\n{body}'


_BY_ID = "Load one row.\n\n    The row is looked up by its fetch_id.\n    "
_RAISES = "Load one row.\n\n    :raises LookupError: there is none\n    "


class StaleDocstring(DocstringCheck):
    """A docstring names something that this change took out of the function.

    A model that knows from history when authors change words and code together takes the docstring for stale,
    and there is a phrase to point at. Read that phrase again, and change it or leave it.
    """

    ID = "PY012"
    NAME = "stale-docstring"
    SEVERITY = Severity.INFO
    CASE_MODELS: ClassVar[Models] = _Convinced()
    VALID: ClassVar[Sequence[str | Valid]] = [
        _module(_BY_ID, "    return find(row.load_id)\n"),
        Valid(
            _module("Load one row by its fetch_id.", "    return find(row.fetch_id, 1)\n"),
            base=_module("Load one row by its fetch_id.", "    return find(row.fetch_id)\n"),
        ),
        Valid(
            _module("Load one row.", "    return find(row.load_id)\n"),
            base=_module("Load one row.", "    return find(row.fetch_id)\n"),
        ),
        Valid(
            _module(
                "Load one row.\n\n    .. versionchanged:: 2.0 by fetch_id\n    ", "    return row.load_id\n"
            ),
            base=_module(
                "Load one row.\n\n    .. versionchanged:: 2.0 by fetch_id\n    ", "    return row.fetch_id\n"
            ),
        ),
        Valid(
            _module("Load one row by its load_id.", "    return find(row.load_id)\n"),
            base=_module("Load one row by its fetch_id.", "    return find(row.fetch_id)\n"),
        ),
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            _module(_BY_ID, "    return find(row.load_id)\n"),
            base=_module(_BY_ID, "    return find(row.fetch_id)\n"),
            line=4,
            column=33,
        ),
        Invalid(
            _module(_RAISES, "    return rows.get(row)\n"),
            base=_module(
                _RAISES, "    if row not in rows:\n        raise LookupError(row)\n    return rows[row]\n"
            ),
            line=4,
            column=13,
        ),
        Invalid(
            _module("Load at most 30 rows.", "    return rows[:50]\n"),
            base=_module("Load at most 30 rows.", "    return rows[:30]\n"),
            line=2,
            column=21,
        ),
    ]

    @classmethod
    def may_speak(cls, one: Compared, source: Source) -> bool:
        model = source.models.table(MODEL)
        return (
            model is not None
            and not gone_parameters(one.change)
            and not undocumented_parameters(one.change)
            and bool(quotes(one.change))
            and model.score(features(one.change)) >= model.threshold
        )

    def look_at(self, one: Compared) -> None:
        quote = quotes(one.change)[0]
        self.report(self.words_span(one, quote.token, quote.line, quote.column), _message(quote))


def _message(quote: Quote) -> str:
    said = f'the docstring says "{quote.phrase}"'
    if quote.kind is QuoteKind.RESULT:
        return f"{said}, but this change made the function {_result(quote)}"
    if quote.now is None:
        return f'{said}, but this change took "{quote.token}" out of the function'
    return f'{said}, but this change made "{quote.token}" into "{quote.now}"'


def _result(quote: Quote) -> str:
    return "a generator" if quote.now == "yield" else "return something else"
