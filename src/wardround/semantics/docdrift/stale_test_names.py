"""Names of tests that contradict the changed tests."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import takewhile

from wardround.checks.lazy import LazyPattern
from wardround.semantics.docdrift.numbers import numbers_in_prose
from wardround.text.tokens import parts

_PYTHON = LazyPattern(r"^([ \t]*)(?:async[ \t]+)?def[ \t]+(test\w*)[ \t]*\(")
_SCRIPT = LazyPattern(r"^([ \t]*)(?:it|test|specify)(?:\.\w+)*\([ \t]*([\"'`])((?:\\.|(?!\2).)+)\2")
_RAISES = LazyPattern(
    r"\braises\b|assertRaises|\bfails?\b\(|toThrow|\.rejects\b|rejectedWith|to\.throw|assertThrows"
    r"|throws\(|\bthrown?\b|expectError"
    r"|\b(?:status\w*|code)\b\D{0,24}[45]\d\d|\bexcept\b|\bcatch\b|ERROR|[eE]rror|Exception|xfail"
)
_EXPECTS_ERROR = LazyPattern(
    r"\bpytest\.raises\(|assertRaises\w*\(|\.toThrow\w*\(|\.rejects\b|rejectedWith|\.to\.throw"
    r"|assert\.throws\("
)
_SAYS_ERROR = LazyPattern(
    r"\b(?:raises?|throws?|rejects?|rejected|fails?|failing|failure|errors?|refus\w+|forbid\w*"
    r"|forbidden|den(?:y|ies|ied)"
    r"|exceptions?|aborts?)\b"
)
_SAYS_TROUBLE = LazyPattern(
    r"\b(?:in?valid\w*|not|never|no|non|without|cannot|cant|can t|doesn t|must|requires?|required"
    r"|missing|unknown|bad|wrong|exceed\w*|too"
    r"|illegal|unauthori\w+|expired?|limit\w*|only|prevents?|blocks?|blocked|guards?|checks?"
    r"|validat\w+|unsupported|disallow\w*|negative"
    r"|unexpected|malformed|broken|corrupt\w*|conflict\w*|duplicate\w*|strict\w*|\d{3}|timeout"
    r"|times|cancel\w*|empty|none|null)\b"
)
_SAYS_OUTCOME = LazyPattern(
    r"\b(?:is|are|gets?|returns?|gives?|makes?|creates?|allow(?:s|ed)?|accept(?:s|ed)?|succeeds?"
    r"|works?|passes|ok|can|may|yields?"
    r"|keeps?|adds?|sends?|falls back|defaults?|split|merged?|ignored?|ignores|skipped|skips|uses"
    r"|counts?|stays?|becomes?)\b"
)
_ASSERTS = LazyPattern(r"\bassert\b|\bassert[A-Z]\w*\(|\bexpect\(|\.should\b|\bassert\.\w+\(")
_WORDS = {
    "true": LazyPattern(r"\b[tT]rue\b|toBeTruthy|assertTrue"),
    "false": LazyPattern(r"\b[fF]alse\b|toBeFalsy|assertFalse|\bnot\b|!"),
    "null": LazyPattern(r"\bnull\b|toBeNull|\bNone\b|assertIsNone"),
    "none": LazyPattern(r"\bNone\b|\bnull\b|assertIsNone|toBeNull|\bnot\b|\b0\b|\[\]"),
    "undefined": LazyPattern(r"\bundefined\b|toBeUndefined|toBeDefined"),
}
_CODE_NUMBER = LazyPattern(r"(?<![\w.])\d[\d_]*(?![\w.])")
_RETURNS = LazyPattern(
    r"\b(?:returns?|is|gives?|yields?|equals?|to be|be)\s+(true|false|null|none|undefined)\b"
)


@dataclass(frozen=True, slots=True)
class Titled:
    """One test: its name, and its body.

    Attributes:
        words: the name, as words in lower case.
        line, column: the position of the name, 1-based.
    """

    title: str
    words: str
    line: int
    column: int
    body: str


@dataclass(frozen=True, slots=True)
class StaleTitle:
    """A test whose name states what it no longer tests; ``said`` is the word, ``why`` the change."""

    test: Titled
    said: str
    why: str


def titled(text: str) -> list[Titled]:
    """Return the tests of a file, by their names and indentation."""
    lines = text.split("\n")
    found = []
    for number, line in enumerate(lines):
        match = _PYTHON.match(line) or _SCRIPT.match(line)
        if match is None:
            continue
        title = match.group(match.re.groups)
        below = map(lines.__getitem__, range(number + 1, len(lines)))
        body = takewhile(partial(_is_inside, len(match[1])), below)
        words = (
            " ".join(parts(title)) if title.isidentifier() else re.sub(r"[^\w]+", " ", title.lower()).strip()
        )
        found.append(Titled(title, words, number + 1, line.find(title) + 1, "\n".join(body)))
    return found


def _is_inside(depth: int, line: str) -> bool:
    """Return True if a line belongs to the block of a test whose name is indented by some characters."""
    code = line.lstrip()
    return not code or len(line) - len(code) > depth or code[0] in ")]}"


def stale_titles(base: str, text: str) -> Iterator[StaleTitle]:
    """Return the tests with an unchanged name and a changed subject."""
    before, after = titled(base), titled(text)
    often = Counter(one.title for one in after)
    old = {one.title: one for one in before if often[one.title] == 1}
    if len(old) != len([one for one in before if one.title in old]):
        old = {title: one for title, one in old.items() if sum(other.title == title for other in before) == 1}
    for one in after:
        was = old.get(one.title)
        if was is not None and was.body != one.body:
            stale = _stale(was, one)
            if stale is not None:
                yield stale


def _stale(was: Titled, now: Titled) -> StaleTitle | None:
    expected, expects = _EXPECTS_ERROR.search(was.body), _EXPECTS_ERROR.search(now.body)
    error = _SAYS_ERROR.search(now.words)
    if error and expected and not expects and not _RAISES.search(now.body) and _ASSERTS.search(now.body):
        return StaleTitle(now, error[0], "it no longer expects an error")
    promises = _SAYS_OUTCOME.search(now.words) is not None and _SAYS_TROUBLE.search(now.words) is None
    if expects and not expected and not error and promises:
        plain = [
            line for line in now.body.split("\n") if _ASSERTS.search(line) and not _EXPECTS_ERROR.search(line)
        ]
        kept = [line for line in plain if line in was.body.split("\n")]
        if _ASSERTS.search(was.body) and not kept and not _RAISES.search(was.body):
            return StaleTitle(now, now.title, "it now expects an error")
    return _stale_number(was, now) or _stale_value(was, now)


def _stale_number(was: Titled, now: Titled) -> StaleTitle | None:
    """Return a number in the name that was replaced in the test."""
    had, has = _numbers(was.body), _numbers(now.body)
    gone, come = had - has, has - had
    if not gone or not come or len(gone) > 2:
        return None
    for said in numbers_in_prose(now.words):
        value = min(said.values)
        if value in gone and value > 2 and not said.values & (has | come):
            return StaleTitle(
                now, now.words[said.start : said.end], f"{_plain(value)} no longer occurs in it"
            )
    return None


def _numbers(body: str) -> set[float]:
    return {float(match[0].replace("_", "")) for match in _CODE_NUMBER.finditer(body)}


def _plain(value: float) -> str:
    return f"{value:g}" if value < 1e6 else str(int(value))


def _stale_value(was: Titled, now: Titled) -> StaleTitle | None:
    """Return a boolean or null in the name as the result that the test no longer asserts."""
    match = _RETURNS.search(now.words)
    if match is None:
        return None
    stands = _WORDS[match[1]]
    others = [word for word in _WORDS if word != match[1] and _WORDS[word].search(now.body)]
    if stands.search(was.body) and not stands.search(now.body) and others:
        return StaleTitle(now, match[0], f"it asserts no {match[1]} since this change")
    return None
