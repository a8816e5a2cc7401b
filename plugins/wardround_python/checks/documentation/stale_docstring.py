"""PY012."""

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
    """A docstring names something that this change took out of the function.

    There is a phrase to point at: a name that was renamed, a parameter that went, a number, text or default
    that became another one, an error or kind of result in whose place another came. Read that phrase again,
    and change it or leave it.
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
    """The phrases that name something gone; an error is not gone where a kind of it is raised."""
    from wardround.semantics.docdrift.stale_phrases import QuoteKind, quotes
    from wardround_python.analysis.return_types import may_change_result

    found = [quote for quote in quotes(one.change) if not _is_kind_of(quote.now, quote.token, source)]
    if may_change_result(one.change.new.wrappers):
        return [quote for quote in found if quote.kind is not QuoteKind.RESULT]
    return found


def _is_kind_of(error: str | None, other: str, source: SourceFile) -> bool:
    """Whether a class is defined, here or elsewhere in the project, as a kind of another."""
    if error is None or not error.isidentifier() or not other[:1].isupper() or not error[:1].isupper():
        return False
    definition = re.compile(rf"\bclass {re.escape(error)}\([^)\n]*\b{re.escape(other)}\b")
    if definition.search(source.text):
        return True
    others = source.project.files_with_word([f"class {error}("], ("*.py",))
    return any(definition.search(source.project.read(path) or "") for path in others)


def _message(quote: Quote) -> str:
    said = f'the docstring says "{quote.phrase}"'
    if quote.kind.value == "result":
        became = "a generator" if quote.now == "yield" else "return something else"
        return f"{said}, but this change made the function {became}"
    if quote.now is None:
        return f'{said}, but this change took "{quote.token}" out of the function'
    return f'{said}, but this change made "{quote.token}" into "{quote.now}"'
