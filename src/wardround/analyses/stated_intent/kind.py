"""The agreement of a change with the kind that its messages state: rules over paths and changed code.

A change that states documentation, tests, style, refactoring, CI or a version bump, and changes product code
in a way that the diff shows, gets a note. Code counts without comments, docstrings, texts, imports and
layout.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from wardround.analyses.criterion.added_code import Language, language_of, outline
from wardround.analyses.stated_intent.notes import KindNote
from wardround.analyses.stated_intent.stated_kind import StatedKind, stated_kinds
from wardround.change.diff import Hunk
from wardround.change.encoding import escape_undecodable
from wardround.lazy import LazyPattern
from wardround.retrieval.file_search import is_accompanying_file, is_source

MOST_FILES = 100
_LONGEST = 400_000
FEWEST_WORDS = 3
"""Number of added and removed words of code below which a file may only follow from the stated change."""
_MOST_NOTES = 5
_NOT_PRODUCT = LazyPattern(
    r"(?:^|/)(?:\.[\w-]+|scripts?|tools?|bin|ci|config|configs|locales?|i18n|lang|translations|site|website|www|landing|marketing"
    r"|examples?|playground|storybook|migrations|testing|mocks?|stubs|typings|types|e2e|test-utils|benches"
    r"|[\w-]*tests?|docs?[\w-]*|open-?api)/"
    r"|(?:^|/)(?:setup|conf|noxfile|conftest|version|__version__|_version|__about__)\.py$"
    r"|\.config\.\w+$|\.setup\.\w+$|\.d\.ts$|[\w.-]*(?:mock|fixture|stub|test|spec|version)[\w.-]*\.\w+$",
    re.IGNORECASE,
)
"""Files that are not the product: its build, its tests, its documentation, its translations."""
_WITH_CODE = frozenset({StatedKind.REFACTOR, StatedKind.BUMP})
"""Kinds of changes to code: only a changed value shows another behaviour."""
_LANGUAGES = frozenset({Language.PYTHON, Language.SCRIPT})
_IMPORT = LazyPattern(
    r"^[ \t]*(?:from[ \t]+\S+[ \t]+import[ \t]*(?:\([^)]*\)|[^\n(]*)|import\b[ \t]*(?!\()(?:type\b[ \t]*)?"
    r"(?:[\w$*, \t]*\{[^}]*\}[ \t]*from)?[^\n]*|export[ \t]+(?:type[ \t]*)?(?:\{[^}]*\}|\*)[^\n]*"
    r"|__all__[^\n\[(]*[\[(][^\])]*[\])])",
    re.MULTILINE,
)
_PROSE_SUFFIXES = (".tsx", ".jsx", ".vue", ".svelte")
_PROSE = LazyPattern(r"[^={}<>\[\];]*$")
_ENTITY = LazyPattern(r"&\w+;")
_LABEL = LazyPattern(
    r"@?(?:Api\w+|Doc\w*)\(.*|\b(?:help|description|summary|title|label|placeholder|doc|docs|deprecated|"
    r"response_description|responses|example|examples|openapi_extra|include_in_schema|verbose_name|help_text)\s*[:=]\s*\x00?,?"
)
"""Descriptions for the documentation of an API or a command."""
_TEST_HOOK = LazyPattern(r"\bdata-(?:testid|test|cy)=(?:\x00|\{[^}]*\})|\baria-\w+=\x00")
_TEXT_OF_ELEMENT = LazyPattern(r">[^<>{}=;()]+(?=<|$)")
_LAYOUT = LazyPattern(r"[\s;,()\"'`\x00]+")
_WORD = LazyPattern(r"[\w$]+")
_VALUE = LazyPattern(
    r"(?<![\w.])-?\d+(?:[._]\d+)*\b|\b(?:[Tt]rue|[Ff]alse)\b|[<>]=?|[!=]==?|\b(?:and|or|not)\b|&&|\|\|"
)
_ANNOTATION = LazyPattern(
    r"\bexport\s+(?:default\s+)?|\b(?:readonly|public|private|protected)\s+|\?:|:\s*[A-Z][\w.$]*(?=\s*[,)=;|]|$)"
    r"|^\s*\w+\??:\s*[\w\[\]|<>., ]+;?$"
)
_MOST_IN_PAIR = 3
"""Lines of a replaced block up to which its lines are compared in pairs."""


class KindFile(msgspec.Struct, frozen=True):
    """A changed file with its text at base and head; None for a version that does not exist or is not
    text.
    """

    path: str
    base: str | None
    head: str | None
    hunks: tuple[Hunk, ...] = ()
    is_test: bool = False


def kind_notes(messages: Sequence[str], files: Sequence[KindFile]) -> tuple[KindNote, ...]:
    """Return the positions at which a change does more than its messages state; pure."""
    kinds = stated_kinds(messages)
    if not kinds or len(files) > MOST_FILES:
        return ()
    stated = " and ".join(sorted(kinds))
    found = [
        KindNote(escape_undecodable(file.path), line, stated, reason)
        for file in files
        if _is_product(file)
        for line, reason in _mismatch(file, kinds)
    ]
    return tuple(sorted(found))[:_MOST_NOTES]


def _is_product(file: KindFile) -> bool:
    return (
        not file.is_test
        and language_of(file.path) in _LANGUAGES
        and is_source(file.path)
        and not is_accompanying_file(file.path)
        and not _NOT_PRODUCT.search(file.path)
    )


def _mismatch(file: KindFile, kinds: Collection[StatedKind]) -> Iterator[tuple[int, str]]:
    """Yield the first line of product code that contradicts the stated kinds, with the reason."""
    if file.base is None or file.head is None or max(len(file.base), len(file.head)) > _LONGEST:
        return
    base, head = (_outline(file.path, text) for text in (file.base, file.head))
    if value := _changed_value(file.hunks, base, head):
        yield value
    elif not _WITH_CODE & set(kinds):
        yield from _changed_code(file.hunks, base, head)


def _outline(path: str, text: str) -> list[str]:
    """Return the lines of code without comments, the contents of strings, imports and texts of elements."""
    code = _IMPORT.sub(lambda match: "\n" * match[0].count("\n"), outline(text, language_of(path)))
    lines = code.split("\n")
    if not path.endswith(_PROSE_SUFFIXES):
        return lines
    return ["" if _is_prose(line) else line for line in lines]


def _is_prose(line: str) -> bool:
    return len(line.split()) > 2 and _PROSE.match(_ENTITY.sub("", line)) is not None


def _changed_code(
    hunks: Sequence[Hunk], base: Sequence[str], head: Sequence[str]
) -> Iterator[tuple[int, str]]:
    """Yield the first line whose code is not in the base, if enough of the code differs.

    Code that was moved or laid out again has the same words; a name that is replaced everywhere is renamed.
    """
    if len(_WordDifference.of(base, head, _WORD.findall)) < FEWEST_WORDS:
        return
    difference = _WordDifference.of(base, head, _line_words)
    if len(difference) < FEWEST_WORDS or difference.is_renaming:
        return
    changed = (
        (number, line)
        for hunk in hunks
        for number, line in enumerate(head[hunk.head_start - 1 :][: hunk.head_length], hunk.head_start)
    )
    lines = (number for number, line in changed if difference.added.keys() & set(_line_words(line)))
    reason = f"{len(difference)} words of code differ, apart from comments, texts and layout"
    yield next(lines, max(hunks[0].head_start, 1) if hunks else 1), reason


@dataclass(frozen=True, slots=True)
class _WordDifference:
    """The words of base and head with their counts, and those that only one of them contains."""

    old: Counter[str]
    new: Counter[str]
    gone: Counter[str]
    added: Counter[str]

    @classmethod
    def of(
        cls, base: Sequence[str], head: Sequence[str], words: Callable[[str], list[str]]
    ) -> _WordDifference:
        old, new = (Counter(word for line in side for word in words(line)) for side in (base, head))
        return cls(old, new, old - new, new - old)

    def __len__(self) -> int:
        return self.gone.total() + self.added.total()

    @property
    def is_renaming(self) -> bool:
        """True if each removed name has a new name that occurs as often."""
        are_other_names = not (self.gone.keys() & self.new.keys() or self.added.keys() & self.old.keys())
        return are_other_names and sorted(self.gone.values()) == sorted(self.added.values())


def _line_words(line: str) -> list[str]:
    """Return the words of the code of a line, without documentation."""
    for pattern in (_TEST_HOOK, _LABEL, _TEXT_OF_ELEMENT, _ANNOTATION):
        line = pattern.sub(" ", line)
    return _WORD.findall(line)


def _changed_value(hunks: Sequence[Hunk], base: Sequence[str], head: Sequence[str]) -> tuple[int, str] | None:
    """Return the first line that only differs in a number or an operator from the one it replaces."""
    for hunk in hunks:
        if hunk.base_length != hunk.head_length or hunk.head_length > _MOST_IN_PAIR:
            continue
        start, length = hunk.base_start - 1, hunk.base_length
        pairs = zip(base[start : start + length], head[hunk.head_start - 1 :], strict=False)
        for number, (old, new) in enumerate(pairs, hunk.head_start):
            before, after = _VALUE.findall(old), _VALUE.findall(new)
            if before != after and len(before) == len(after) and _shape(old) == _shape(new):
                return number, "a number, a truth value or an operator differs"
    return None


def _shape(line: str) -> str:
    return _LAYOUT.sub("", _VALUE.sub("#", line))
