"""Comments next to code that still describe what a change removed from it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from wardround.checks.lazy import LazyPattern
from wardround.semantics.docdrift.cli_values import stated_default
from wardround.semantics.docdrift.comment_lines import CommentedSource, CommentSyntax
from wardround.semantics.docdrift.numbers import numbers_in_prose, value_of
from wardround.semantics.docdrift.references import TELLS_HISTORY
from wardround.semantics.semdiff.replacements import Replacement, SwapKind, swaps
from wardround.text.stemming import stem
from wardround.text.tokens import NAME, QUOTED, STOP_WORDS, parts

_SWEEP = 4
"""The limit on repetitions of a replacement; above it, no comment is specifically about it."""
_PHRASE = 60
_NAME_PARTS = 5
_LONGEST_VALUE = 40
_SMALL = 2
_DEFAULT = LazyPattern(
    r"(?i)@default(?:value)?\b|\bdefault(?:s|ed)?\b|\bunless\b|\bif (?:unset|not (?:set|given)|omitted)\b"
)
_EXAMPLE = LazyPattern(r"(?i)\be\.g\.|\bfor example\b|\bexample:|\bi\.e\.|https?://|\bTODO\b|\bFIXME\b|>>>")
_TOO_COMMON = frozenset(
    """
    data value values name names item items list result results index config options option params args
    input output key keys type types string number object array default test text line file path code
    info state status user request response error errors message event handler callback function method
    class module new old true false
    """.split()  # noqa: SIM905  (a list of quoted words is harder to read)
)
_ONCE = LazyPattern(r"(?i)\b(?:was|were|originally|initially|up(?:ped)? from|down from|changed from)\b")
_OPTION = LazyPattern(r"add_argument\(|[oO]ption\(|addoption\(")
_CONDITION = LazyPattern(
    r"(?i)[=!]==?|\bin\b|\bwhere\b|\bfilter|\bexclude|\bcase\b|\bwhen\b|<>|\b(?:and|or|not)\b|\bincludes\("
)
_SORTS = LazyPattern(
    r"(?i)\bsort\w*\b|\border[ _]?by\b|\bgroup\w*\b|\bkey\s?=|\bpartition by\b|\bmin\(|\bmax\("
)
_TARGET_NAME = LazyPattern(
    r"\s*(?:(?:export|const|let|var|final|static|readonly)\s+)*([A-Za-z_]\w*)\s*(?::[^=]{1,60})?=(?!=)"
)
_DATE = LazyPattern(r"(?i)\bdate(?:time)?\s*\(|\bversion")
_SHORTEST = 5
_INCLUSIVE = LazyPattern(
    r"(?i)\binclusive(?:ly)?\b|\b(?:both|end|ends|bounds?|limits?) (?:is |are )?included\b"
    r"|\bincluding\b|\bup to and\b|\bno more than\b|\bat most\b"
)
_EXCLUSIVE = LazyPattern(
    r"(?i)\bexclusive(?:ly)?\b|\bexcluded\b|\bnot included\b|\bexcluding\b|\bhalf-?open\b|\bless "
    r"than\b|\bfewer than\b|\bbelow\b|\bshorter than\b|\bsmaller than\b"
)
_AT_LEAST = LazyPattern(
    r"(?i)\bat least\b|\binclusive(?:ly)?\b|\bor more\b|\bboth included\b|\bno (?:less|fewer) "
    r"than\b|\bfrom .{1,30} on\b"
)
_MORE_THAN = LazyPattern(
    r"(?i)\bmore than\b|\bgreater than\b|\blonger than\b|\blarger than\b|\bolder than\b|\babove\b"
    r"|\bexceed\w*\b|\bexclusive(?:ly)?\b"
)
_SMALLEST = LazyPattern(
    r"(?i)\b(?:min(?:imum|imal)?|smallest|lowest|cheapest|earliest|oldest|shortest|fewest)\b"
)
_LARGEST = LazyPattern(
    r"(?i)\b(?:max(?:imum|imal)?|largest|highest|latest|newest|longest|biggest|most recent)\b"
)
_ANY = LazyPattern(r"(?i)\bany\b|\bat least one\b|\bone of\b")
_ALL = LazyPattern(r"(?i)\ball\b|\bevery\b")
_UP = LazyPattern(
    r"(?i)\bascending\b|\b(?:oldest|smallest|lowest|cheapest|earliest) first\b|\balphabetical(?:ly)?\b"
)
_DOWN = LazyPattern(r"(?i)\bdescending\b|\b(?:newest|latest|largest|highest|biggest|most recent) first\b")
_FLOOR, _CEIL = LazyPattern(r"(?i)\bround(?:s|ed|ing)? down\b"), LazyPattern(r"(?i)\bround(?:s|ed|ing)? up\b")
_START = LazyPattern(r"(?i)\b(?:start|begin)(?:s|ning)?\b|\bprefix")
_END = LazyPattern(r"(?i)\bend(?:s|ing)\b|\bsuffix")
_UPPER, _LOWER = LazyPattern(r"(?i)\bupper[- ]?case"), LazyPattern(r"(?i)\blower[- ]?case")
_SUM = LazyPattern(r"(?i)\bsum\b|\btotal\b")
_MEAN = LazyPattern(r"(?i)\bmean\b|\baverage")
_OPPOSITES: dict[tuple[str, str], LazyPattern] = {
    ("min", "max"): _SMALLEST, ("max", "min"): _LARGEST, ("any", "all"): _ANY, ("all", "any"): _ALL,
    ("some", "every"): _ANY, ("every", "some"): _ALL, ("asc", "desc"): _UP, ("desc", "asc"): _DOWN,
    ("ASC", "DESC"): _UP, ("DESC", "ASC"): _DOWN, ("floor", "ceil"): _FLOOR, ("ceil", "floor"): _CEIL,
    ("startswith", "endswith"): _START, ("endswith", "startswith"): _END,
    ("startsWith", "endsWith"): _START, ("endsWith", "startsWith"): _END,
    ("upper", "lower"): _UPPER, ("lower", "upper"): _LOWER,
    ("toUpperCase", "toLowerCase"): _UPPER, ("toLowerCase", "toUpperCase"): _LOWER,
    ("sum", "mean"): _SUM, ("mean", "sum"): _MEAN, ("mean", "median"): _MEAN, ("SUM", "AVG"): _SUM,
    ("AVG", "SUM"): _MEAN, ("MIN", "MAX"): _SMALLEST, ("MAX", "MIN"): _LARGEST, ("sum", "max"): _SUM,
    ("avg", "sum"): _MEAN, ("sum", "avg"): _SUM,
}  # fmt: skip
_REFUSED = {
    ">": LazyPattern(r"(?i)\bat most\b|\bno more than\b|\bnot more than\b|\bup to\b|\bmore than\b|\bexceed"),
    ">=": LazyPattern(r"(?i)\b(?:less|fewer|smaller|shorter) than\b|\bbelow\b|\bunder\b"),
    "<": LazyPattern(r"(?i)\bat least\b|\b(?:no|not) less than\b|\bminimum\b|\bless than\b"),
    "<=": LazyPattern(r"(?i)\b(?:more|greater|larger|longer) than\b|\babove\b|\bpositive\b|\bover\b"),
}
_REFUSES = LazyPattern(
    r"\b(?:raise|throw|reject|abort|fail|error|panic|errors?\.\w+)\b|Error\(|errors?\.(?:add|push"
    r"|append)|\.addIssue"
)
_OF_SIGN = {"<=": (_INCLUSIVE, "<"), "<": (_EXCLUSIVE, "<="), ">=": (_AT_LEAST, ">"), ">": (_MORE_THAN, ">=")}


@dataclass(frozen=True, slots=True)
class StalePhrase:
    """A phrase that states what was true before the change.

    Attributes:
        line, column, end: its position, 1-based; ``end`` is exclusive.
        phrase: the words around it.
    """

    line: int
    column: int
    end: int
    phrase: str
    swap: Replacement


def is_historical(prose: str) -> bool:
    """Return True if a text is about the past."""
    return TELLS_HISTORY.search(prose) is not None or _ONCE.search(prose) is not None


@lru_cache(maxsize=8)
def replacements(base: str, text: str) -> tuple[Replacement, ...]:
    """Return the replacements in a file, except widespread ones."""
    found = swaps(base, text)
    often = Counter((one.old, one.new) for one in found)
    return tuple(one for one in found if often[one.old, one.new] <= _SWEEP)


@lru_cache(maxsize=4)
def comment_lines(text: str, marks: CommentSyntax) -> CommentedSource:
    """Split a text into code and comments; called if something was replaced."""
    return CommentedSource(text, marks)


def stale_values(
    base: str, text: str, marks: CommentSyntax, is_added: Callable[[int], bool]
) -> list[StalePhrase]:
    """Return the old numbers and comparisons that comments next to the code still state."""
    found = [s for s in replacements(base, text) if _is_value(s)]
    if not found:
        return []
    lines = comment_lines(text, marks)
    stale: dict[tuple[int, int], StalePhrase] = {}
    for swap in found:
        if not lines.code[swap.line - 1].strip():
            continue
        for one in _looks(lines, swap):
            if not is_added(one.line) or one.line == swap.line:
                stale.setdefault((one.line, one.column), one)
                break
    return [stale[place] for place in sorted(stale)]


def _is_value(swap: Replacement) -> bool:
    if (swap.old, swap.new) in _OPPOSITES:
        return True
    if swap.kind in (SwapKind.STRING, SwapKind.TRUTH):
        return bool(swap.key) and 1 < len(swap.old) < _LONGEST_VALUE and bool(swap.new.strip())
    return swap.kind is SwapKind.COMPARISON or _is_number(swap)


def _looks(lines: CommentedSource, swap: Replacement) -> Iterator[StalePhrase]:
    """Return the positions at which texts state the removed code, the most reliable first."""
    if swap.kind is SwapKind.NUMBER:
        return _number_looks(lines, swap)
    if swap.kind is SwapKind.COMPARISON:
        said, became = _OF_SIGN[swap.old]
        if became != swap.new:
            return iter(())
        return (
            one for looks in (_phrase_looks(lines, swap, said), _guard_looks(lines, swap)) for one in looks
        )
    if (swap.old, swap.new) in _OPPOSITES:
        said = _OPPOSITES[swap.old, swap.new]
        return (
            one
            for looks in (_phrase_looks(lines, swap, said), _name_looks(lines, swap, said))
            for one in looks
        )
    return _default_looks(lines, swap)


def _declares_option(lines: CommentedSource, number: int) -> bool:
    code = " ".join(lines.code[n - 1] for n in lines.statement(number))
    return _OPTION.search(code) is not None


def _default_looks(lines: CommentedSource, swap: Replacement) -> Iterator[StalePhrase]:
    """Return the positions at which texts state a string or a boolean as the default of its target."""
    places = [(number, 0, lines.words[number - 1]) for number in lines.adjacent_comments(swap.line)]
    places += [(number, 0, lines.words[number - 1]) for number in _words_about(lines, swap)]
    strings = () if _declares_option(lines, swap.line) else _strings_beside(lines, swap)
    for number, column, said in (*places, *strings):
        phrase = stated_default(said, swap.old)
        if phrase is None or stated_default(said, swap.new) is not None or is_historical(said):
            continue
        match = re.search(rf"(?i)\bdefault.{{0,24}}?(?<!\w)({re.escape(swap.old)})(?!\w)", said)
        if match:
            start, end = match.span(1)
            yield StalePhrase(number, column + start + 1, column + end + 1, phrase_at(said, start, end), swap)


def _is_number(swap: Replacement) -> bool:
    return (
        swap.kind is SwapKind.NUMBER
        and value_of(swap.old) not in (None, 0, 1)
        and value_of(swap.new) is not None
    )


def _number_looks(lines: CommentedSource, swap: Replacement) -> Iterator[StalePhrase]:
    old, new = value_of(swap.old), value_of(swap.new)
    if old is None or new is None or old == new or old in (0, 1) or _DATE.search(swap.was):
        return
    for number in lines.adjacent_comments(swap.line):
        yield from _says_number(lines, swap, number, lines.words[number - 1], 0, old, new)
    for number, column, said in _strings_beside(lines, swap):
        if stated_default(said, swap.old) is not None and _declares_option(lines, swap.line):
            continue  # the check of options reports it
        yield from _says_number(lines, swap, number, said, column, old, new)
    if swap.key:
        for number in _words_about(lines, swap):
            prose = lines.words[number - 1]
            yield from _says_number(lines, swap, number, prose, 0, old, new, by_default=True)
    yield from _named_numbers(lines, swap, old, new)


def _named_numbers(
    lines: CommentedSource, swap: Replacement, old: float, new: float
) -> Iterator[StalePhrase]:
    """Return the positions at which the name of the function, or of the number's target, has the number."""
    function = lines.function(swap.line)
    names = [(function[0], function[1])] if function else []
    target = _TARGET_NAME.match(lines.code[swap.line - 1])
    names += [(swap.line, target[1])] if target else []
    for number, name in names:
        said = {value for one in numbers_in_prose(" ".join(parts(name))) for value in one.values}
        if old in said and new not in said and old > _SMALL:
            column = lines.lines[number - 1].find(name) + 1
            yield StalePhrase(number, column, column + len(name), name, swap)


def _says_number(
    lines: CommentedSource,
    swap: Replacement,
    number: int,
    prose: str,
    column: int,
    old: float,
    new: float,
    *,
    by_default: bool = False,
) -> Iterator[StalePhrase]:
    """Return the position in a text that states the old number and not the new one."""
    if not prose.strip() or is_historical(prose) or _EXAMPLE.search(prose):
        return
    said = list(numbers_in_prose(prose))
    if any(new in one.values for one in said):
        return
    is_default = _DEFAULT.search(prose) is not None
    if by_default and not is_default:
        return
    for one in said:
        has_unit = len(one.values) > 1  # "2 days" is a quantity, while a lone 2 may count anything
        if old in one.values and (old > _SMALL or one.is_spoken or has_unit or is_default):
            start, end = one.start + column, one.end + column
            yield StalePhrase(number, start + 1, end + 1, phrase_at(prose, one.start, one.end), swap)
            return


def _strings_beside(lines: CommentedSource, swap: Replacement) -> Iterator[tuple[int, int, str]]:
    """Return line, column and text of the sentences in strings of the statement and of what it guards."""
    numbers = list(lines.statement(swap.line))
    code = lines.code[swap.line - 1].strip()
    if code.startswith(("if ", "if(", "elif ", "} else if", "assert ")):
        numbers += [n for n in range(swap.line + 1, swap.line + 4) if n <= len(lines.code)]
    if swap.key.isupper() and len(swap.key) > _SMALL:
        numbers += [
            n + more
            for n, one in enumerate(lines.code, 1)
            if n != swap.line and swap.key in one and re.search(rf"\b{swap.key}\b", one)
            for more in (0, 1)
            if n + more <= len(lines.code)
        ]
    for number in dict.fromkeys(numbers):
        for match in QUOTED.finditer(lines.code[number - 1]):
            if match["text"].count(" ") >= 2 and re.search(r"[A-Za-z]{3}", match["text"]):
                yield number, match.start("text"), match["text"]


def _words_about(lines: CommentedSource, swap: Replacement) -> list[int]:
    """Return the comment lines, anywhere in the file, about the target of a number."""
    names = re.compile(rf"(?<![\w.-]){re.escape(swap.key)}(?!\w)")
    found: list[int] = []
    for number, code in enumerate(lines.code, 1):
        if number != swap.line and re.match(
            rf"\s*(?:readonly\s+)?[\"']?{re.escape(swap.key)}[\"']?\??\s*:", code
        ):
            found += lines.words_above(number)
            found += [number] if lines.words[number - 1].strip() else []
    found += [
        n for n, words in enumerate(lines.words, 1) if words and swap.key in words and names.search(words)
    ]
    return list(dict.fromkeys(found))


def _phrase_looks(lines: CommentedSource, swap: Replacement, said: LazyPattern) -> Iterator[StalePhrase]:
    """Return the positions at which texts about a line, or its function, mention the removed code."""
    numbers = lines.adjacent_comments(swap.line)
    function = lines.function(swap.line)
    numbers += lines.documentation(function[0]) if function else []
    for number in dict.fromkeys(numbers):
        prose = lines.words[number - 1]
        match = said.search(prose)
        if match and not is_historical(prose):
            start, end = match.span()
            yield StalePhrase(number, start + 1, end + 1, phrase_at(prose, start, end), swap)
            return


def _guard_looks(lines: CommentedSource, swap: Replacement) -> Iterator[StalePhrase]:
    """Return the positions at which the message of a rejecting condition states its bound."""
    code = lines.code[swap.line - 1]
    refuses = any(
        _REFUSES.search(lines.code[n - 1]) for n in range(swap.line, min(swap.line + 3, len(lines.code)) + 1)
    )
    if not refuses or not re.search(r"\b(?:if|elif|unless|when)\b", code):
        return
    for number, column, prose in _strings_beside(lines, swap):
        match = _REFUSED[swap.old].search(prose)
        if match:
            start, end = match.span()
            yield StalePhrase(
                number, column + start + 1, column + end + 1, phrase_at(prose, start, end), swap
            )
            return


def _name_looks(lines: CommentedSource, swap: Replacement, said: LazyPattern) -> Iterator[StalePhrase]:
    """Return the positions at which the function's name states the removed code: ``sorted_ascending``."""
    function = lines.function(swap.line)
    if function is None or said.search(" ".join(parts(function[1]))) is None:
        return
    number, name = function
    column = lines.lines[number - 1].find(name) + 1
    yield StalePhrase(number, column, column + len(name), name, swap)


def stale_names(
    base: str, text: str, marks: CommentSyntax, is_added: Callable[[int], bool]
) -> list[StalePhrase]:
    """Return the removed names and strings that comments next to the code still mention in other words."""
    found = [s for s in replacements(base, text) if (_is_member(s) and _gone_parts(s)) or _is_sort_key(s)]
    if not found:
        return []
    lines = comment_lines(text, marks)
    stale: dict[tuple[int, int], StalePhrase] = {}
    for swap in found:
        if not lines.code[swap.line - 1].strip():
            continue
        key = _says_key(lines, swap) if _is_sort_key(swap) else None
        if key is not None and not is_added(key.line):
            stale.setdefault((key.line, key.column), key)
        for number in lines.adjacent_comments(swap.line) if _is_member(swap) and _gone_parts(swap) else ():
            if is_added(number) and number != swap.line:
                continue
            one = _says_name(lines, swap, number)
            if one is not None:
                stale.setdefault((one.line, one.column), one)
                break
    return [stale[place] for place in sorted(stale)]


def _is_member(swap: Replacement) -> bool:
    """Return True if one of several values replaced another: a string in a condition, a member of an enum."""
    if swap.kind is SwapKind.STRING:
        plain = swap.old.replace("_", "").replace("-", "").isalpha() and " " not in swap.new
        return plain and _CONDITION.search(swap.was) is not None
    both = swap.old[:1].isupper() and swap.new[:1].isupper()
    return swap.kind is SwapKind.NAME and both and f".{swap.old}" in swap.was and len(swap.old) > 1


def _gone_parts(swap: Replacement) -> list[str]:
    """Return the words of the old name that the new one lacks; none if one of them is uninformative."""
    old, new = parts(swap.old), parts(swap.new)
    if not new or len(old) > _NAME_PARTS or len(new) > _NAME_PARTS:
        return []
    kept = {stem(other) for other in new}
    gone = [one for one in old if stem(one) not in kept]
    plain = all(len(one) >= _SHORTEST and one not in _TOO_COMMON and one not in STOP_WORDS for one in gone)
    return gone if plain else []


def _is_sort_key(swap: Replacement) -> bool:
    return swap.kind in (SwapKind.NAME, SwapKind.STRING) and _SORTS.search(swap.was) is not None


def _says_key(lines: CommentedSource, swap: Replacement) -> StalePhrase | None:
    """Return the position at which a text states the former sort or group key."""
    old, new = parts(swap.old), parts(swap.new)
    if not old or not new or len(swap.old) < 3:
        return None
    function = lines.function(swap.line)
    numbers = [*lines.adjacent_comments(swap.line), *(lines.documentation(function[0]) if function else [])]
    said = re.compile(rf"(?i)\b(?:by|on) (?:the |its |their )?{'[ _-]?'.join(map(re.escape, old))}\b")
    for number in dict.fromkeys(numbers):
        prose = lines.words[number - 1]
        match = said.search(prose)
        if (
            match
            and not is_historical(prose)
            and not re.search(rf"(?i)\b{'[ _-]?'.join(map(re.escape, new))}\b", prose)
        ):
            start, end = match.span()
            return StalePhrase(number, start + 1, end + 1, phrase_at(prose, start, end), swap)
    return None


def _says_name(lines: CommentedSource, swap: Replacement, number: int) -> StalePhrase | None:
    prose = lines.words[number - 1]
    gone = {stem(one): one for one in _gone_parts(swap)}
    around = " ".join(lines.code[max(swap.line - 3, 0) : swap.line + 4])
    if is_historical(prose) or _stems(around) & set(gone):
        return None
    words = {stem(word.lower()): word for name in NAME.findall(prose) for word in (name, *parts(name))}
    come = {stem(one) for one in parts(swap.new)} - {stem(one) for one in parts(swap.old)}
    if any(one not in words for one in gone) or come & set(words):
        return None
    match = re.search(rf"(?<!\w){re.escape(words[next(iter(gone))])}", prose)
    if match is None:
        return None
    return StalePhrase(
        number, match.start() + 1, match.end() + 1, phrase_at(prose, match.start(), match.end()), swap
    )


def _stems(code: str) -> set[str]:
    return {stem(part) for name in NAME.findall(code) for part in parts(name)}


def phrase_at(prose: str, start: int, end: int) -> str:
    """Return the words around a position, in one line."""
    before, after = prose[:start].split(), prose[end:].split()
    glued = before.pop() if before and start and not prose[start - 1].isspace() else ""
    joint = after.pop(0) if after and not prose[end : end + 1].isspace() else ""
    clean = [word for word in before[-5:] if word not in ("#", "//", "--", "*", "/**", "/*")]
    phrase = " ".join([*clean, glued.lstrip("#/*-") + prose[start:end] + joint, *after[:4]])
    return phrase if len(phrase) <= _PHRASE else f"{phrase[: _PHRASE - 1]}…"


def spoken(found: StalePhrase) -> str:
    """Return the message about a stale text."""
    return f'the text says "{found.phrase}", but this change replaced {found.swap.old} with {found.swap.new}'
