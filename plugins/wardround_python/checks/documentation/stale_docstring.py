"""PY012."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround_python.docdrift.docstring_check import DocstringCheck

if TYPE_CHECKING:
    from wardround.semantics.docdrift.model import DocumentedPair
    from wardround.semantics.docdrift.stale_phrases import Quote


def _module(docstring: str, body: str, signature: str = "row") -> str:
    return f'def load({signature}):\n    """{docstring}"""\n{body}'


_BY_ID = "Load one row.\n\n    The row is looked up by its fetch_id.\n    "
_LISTS = "Load the rows.\n\n    Returns:\n        list: the rows\n    "
_YIELDS = "    for one in row:\n        yield one\n"
_RAISES = "Load one row.\n\n    :raises LookupError: there is none\n    "


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
    TRIED_ON = (
        "history of 12 repositories, 12,955 commits with 23,937 changed functions that have a docstring: 119 "
        "hits, of which the author changed the docstring in 78; the 41 left were read: 23 right, 13 wrong, 3 "
        "in doubt, and 2 on errors of which another kind is raised, which a review passes over. Of 16 "
        "others, 35,411 changed functions: 196 hits, 145 changed; of 50 left, read by two, 34 are right, 13 "
        "wrong, 3 in doubt: 24 of 26 that name a parameter, a default or a kind of result, 10 of 24 that "
        "name anything else. Results named beside the kind returned now, and addresses, are passed over "
        "since: so a note"
    )
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
            _module(_RAISES, "    raise NoRow(row)\n"),
            base=_module(_RAISES, "    raise LookupError(row)\n"),
            others={"errors.py": "class NoRow(LookupError):\n    pass\n"},
        ),
        Valid(
            _module("Load a row.\n\n    Returns:\n        dict or list of dict\n    ", "    return [row]\n"),
            base=_module(
                "Load a row.\n\n    Returns:\n        dict or list of dict\n    ", "    return {}\n"
            ),
        ),
        Valid(
            f"@as_list\n{_module(_LISTS, _YIELDS)}",
            base=_module(_LISTS, "    return [one for one in row]\n"),
        ),
        Valid(
            f"@functools.cache\n@contextmanager\n{_module(_LISTS, _YIELDS)}",
            base=f"@contextmanager\n{_module(_LISTS, '    return [one for one in row]' + chr(10))}",
        ),
        Valid(
            _module("Load a row, see https://rows.dev/#fetch_id.", "    return find(row.load_id)\n"),
            base=_module("Load a row, see https://rows.dev/#fetch_id.", "    return find(row.fetch_id)\n"),
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
            _module(_RAISES, "    if row not in rows:\n        raise KeyError(row)\n    return rows[row]\n"),
            base=_module(
                _RAISES, "    if row not in rows:\n        raise LookupError(row)\n    return rows[row]\n"
            ),
            line=4,
            column=13,
        ),
        Invalid(
            f"@functools.cache\n{_module(_LISTS, _YIELDS)}",
            base=f"@functools.cache\n{_module(_LISTS, '    return [one for one in row]' + chr(10))}",
            line=6,
            column=9,
        ),
        Invalid(
            _module("Load at most 30 rows.", "    return rows[:50]\n"),
            base=_module("Load at most 30 rows.", "    return rows[:30]\n"),
            line=2,
            column=21,
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
