"""PY012: stale docstring."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround_python.docdrift.docstring_check import DocstringCheck

if TYPE_CHECKING:
    from wardround.semantics.docdrift.model import DocumentedPair
    from wardround.semantics.docdrift.stale_phrases import Quote


class StaleDocstring(DocstringCheck):
    """A docstring names something that this change removed from the function.

    The report points to the phrase: a renamed or removed parameter, a number, text or default that
    changed, an exception or return type that was replaced. Check the phrase, and update it or keep it.
    """

    ID = "PY012"
    NAME = "stale-docstring"
    DEFECT_CLASS = "stale-words"
    SEVERITY = Severity.INFO
    VALID = [
        code('''
            def load(row):
                """Load one row.

                The row is looked up by its fetch_id.
                """
                return find(row.load_id)
        '''),
        code(
            '''
            def load(row):
                """Load one row by its fetch_id."""
                return find(row.fetch_id, 1)
            ''',
            base='''
            def load(row):
                """Load one row by its fetch_id."""
                return find(row.fetch_id)
            ''',
        ),
    ]
    INVALID = [
        code(
            '''
            def load(row):
                """Load one row.

                The row is looked up by its «fetch_id».
                """
                return find(row.load_id)
            ''',
            base='''
            def load(row):
                """Load one row.

                The row is looked up by its fetch_id.
                """
                return find(row.fetch_id)
            ''',
        ),
        code(
            '''
            def load(row):
                """Load at most «30» rows."""
                return rows[:50]
            ''',
            base='''
            def load(row):
                """Load at most 30 rows."""
                return rows[:30]
            ''',
        ),
    ]

    @classmethod
    def may_speak(cls, one: DocumentedPair, source: SourceFile) -> bool:
        from wardround.semantics.docdrift.parameters import gone_parameters, undocumented_parameters

        if gone_parameters(one.change) or undocumented_parameters(one.change):
            return False
        return bool(_quotes(one, source))

    def look_at(self, one: DocumentedPair) -> None:
        if self.may_speak(one, self.source):
            quote = _quotes(one, self.source)[0]
            self.report(self.words_span(one, quote.token, quote.line, quote.column), _message(quote))


def _quotes(one: DocumentedPair, source: SourceFile) -> list[Quote]:
    """Return the phrases that name something removed; an exception remains if a subclass of it is raised."""
    from wardround.semantics.docdrift.stale_phrases import QuoteKind, quotes
    from wardround_python.analysis.return_types import may_change_result

    found = [quote for quote in quotes(one.change) if not _is_subclass(quote.now, quote.token, source)]
    if may_change_result(one.change.new.wrappers):
        return [quote for quote in found if quote.kind is not QuoteKind.RESULT]
    return found


def _is_subclass(error: str | None, other: str, source: SourceFile) -> bool:
    """Return True if a class is defined in the project as a subclass of another."""
    if error is None or not error.isidentifier() or not other[:1].isupper() or not error[:1].isupper():
        return False
    definition = re.compile(rf"\bclass {re.escape(error)}\([^)\n]*\b{re.escape(other)}\b")
    if definition.search(source.text):
        return True
    others = source.project.files_with_word([f"class {error}("], ("*.py",))
    return any(definition.search(source.project.read(path) or "") for path in others)


def _message(quote: Quote) -> str:
    quoted = f'the docstring states "{quote.phrase}"'
    if quote.kind.value == "result":
        result = "a generator" if quote.now == "yield" else "return another type"
        return f"{quoted}, but this change makes the function {result}"
    if quote.now is None:
        return f'{quoted}, but this change removes "{quote.token}" from the function'
    return f'{quoted}, but this change replaces "{quote.token}" by "{quote.now}"'
