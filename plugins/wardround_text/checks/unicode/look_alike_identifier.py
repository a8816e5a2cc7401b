from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import ClassVar, NamedTuple

from wardround.checks.base import Check
from wardround.findings import Plane, Severity, Span
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_text.kinds import LONGEST_READ, LinePart, TextKind, is_for_tests, kind_of, part_at

_WORD = LazyPattern(r"\w*[^\W\x00-\x7f]\w*")
_PAIRS = (
    ("\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u0475\u04cf",
     "aeopcyxijshdqwvl"),
    ("\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0405\u0406\u0408\u050c\u051a\u051c\u04ae",
     "ABEKMHOPCTYXSIJGQWY"),
    ("\u03bf\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7",
     "oABEZHIKMNOPTYX"),
    ("\u0585\u057d\u0578\u0570\u0581\u0575\u0566\u0555\u054d\u053c", "ounhgjqOUL"),
    ("\u0251\u0261\u017f\u212a", "agsK"),
    ("\u13a0\u13a1\u13a2\u13aa\u13ab\u13ac\u13b3\u13b7\u13bb\u13c0\u13c3\u13d2\u13da\u13d9\u13de\u13df\u13e2\u13e6\u13f4",
     "DRTAJEWMHGZRSVLCPKB"),
)  # fmt: skip
"""Cyrillic, Greek, Armenian, Latin and Cherokee letters that fonts draw as ASCII (after Unicode TR39)."""
_LATIN = {other: latin for others, latins in _PAIRS for other, latin in zip(others, latins, strict=True)}
_USUAL_ALONE = dict(zip("\u03b1\u03b3\u03b9\u03ba\u03bd\u03c1\u03c4\u03c5\u03c7", "ayikvptux", strict=True))
"""Greek letters that are common in formulas; they count only where the Latin name exists as well."""
_PHONETIC = frozenset("\u0251\u0261")
"""Latin letters of phonetic notation in strings."""
_COMPATIBLE = LazyPattern("[\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff]")
"""Fullwidth and mathematical letters: to Python the same name as in ASCII."""


class LookAlikeIdentifier(Check):
    """An identifier has letters of another script that resemble Latin letters.

    A Cyrillic or Greek letter in an otherwise Latin name, or a name of such letters only if the Latin one is
    used in the same file, makes two identifiers that a reviewer reads as one; Python normalises fullwidth and
    mathematical letters to the ASCII name, and text searches do not find it. Write the name in one script.
    Names, comments and strings in any one script are not reported, nor are single letters, formulas, and the
    ranges of a character class.
    """

    ID = "TX004"
    NAME = "look-alike-identifier"
    PLANE: ClassVar[Plane] = Plane.SECURITY
    SEVERITY: ClassVar[Severity] = Severity.ERROR
    VALID = [
        code("""
            # \u044d\u0442\u043e \u0440\u0430\u0441\u0447\u0451\u0442 API-\u043a\u043b\u044e\u0447\u0430
        """),
        code("""
            \u0441\u0447\u0451\u0442 = 1
            \u8ba1\u6570 = 2
            \u0394t = 3
            \u03bdx = \u03c1_max
            \xb5s = 4
        """),
    ]
    INVALID = [
        code("""
            def «is_\u0430dmin»(): ...
        """),
        code(
            """
            const «\u0441opy» = 1;
            """,
            path="a.ts",
        ),
    ]

    def run(self) -> None:
        if self.source.text.isascii() or kind_of(self.source.path) is not TextKind.CODE:
            return
        for number, line in enumerate(self.source.lines, 1):
            if not line.isascii() and len(line) <= LONGEST_READ:
                self._inspect(number, line)

    def _inspect(self, number: int, line: str) -> None:
        for candidate in _candidates(line):
            part = part_at(self.source.path, line, candidate.start)
            if part is LinePart.COMMENT or self._is_tolerated(part, candidate.word):
                continue
            is_known = part is LinePart.CODE and self._is_known(candidate.word, candidate.skeleton)
            if candidate.is_mixed or is_known:
                self._report(number, candidate, part)

    def _report(self, number: int, candidate: _Candidate, part: LinePart) -> None:
        start, word = candidate.start, candidate.word
        odd = next(sign for sign in word if not sign.isascii())
        name = f"U+{ord(odd):04X} {unicodedata.name(odd, '')}".strip()
        subject = "word in a string" if part is LinePart.STRING else "identifier"
        text = f"{subject} resembles {candidate.skeleton!r} but contains {name}; write it in one script"
        is_weak = part is LinePart.STRING or is_for_tests(self.source.path)
        span = Span(number, start + 1, number, start + len(word) + 1)
        self.report(span, text, severity=Severity.WARN if is_weak else None)

    def _is_tolerated(self, part: LinePart, word: str) -> bool:
        """Return True if a word is in a string of a test, or may be phonetic notation or East Asian text."""
        is_special = is_for_tests(self.source.path) or not _PHONETIC.isdisjoint(word)
        is_special = is_special or _COMPATIBLE.search(word) is not None
        return part is LinePart.STRING and is_special

    def _is_known(self, word: str, skeleton: str) -> bool:
        """Return True if Python treats the Latin name as the same, or the file uses it as well."""
        if _COMPATIBLE.search(word) is not None:
            return True
        return re.search(rf"(?<![^\W_]){re.escape(skeleton)}(?![^\W_])", self.source.text) is not None


class _Candidate(NamedTuple):
    """Word that resembles an ASCII word, at an offset of its line.

    Attributes:
        skeleton: the word in ASCII.
        is_mixed: whether its scripts are certainly mixed.
    """

    start: int
    word: str
    skeleton: str
    is_mixed: bool


def _candidates(line: str) -> Iterator[_Candidate]:
    """Yield the words that read as ASCII."""
    for match in _WORD.finditer(line):
        word = match[0]
        odd = [sign for sign in word if not sign.isascii()]
        if sum(map(str.isalpha, word)) < 2 or not all(map(_has_look_alike, odd)):
            continue
        if line[match.start() - 1 : match.start()] == line[match.end() : match.end() + 1] == "-":
            continue  # the end of one range of a character class and the start of the next, as in a-z0-9
        skeleton = "".join(map(_skeleton, word))
        yield _Candidate(match.start(), word, skeleton, _has_latin(word) and _has_unusual(odd))


def _has_latin(word: str) -> bool:
    return any(sign.isascii() and sign.isalpha() for sign in word)


def _has_unusual(signs: list[str]) -> bool:
    return any(sign not in _USUAL_ALONE for sign in signs)


def _has_look_alike(sign: str) -> bool:
    if sign in _LATIN or sign in _USUAL_ALONE:
        return True
    return _COMPATIBLE.match(sign) is not None and unicodedata.normalize("NFKC", sign).isascii()


def _skeleton(sign: str) -> str:
    return _LATIN.get(sign) or _USUAL_ALONE.get(sign) or unicodedata.normalize("NFKC", sign)
