"""Documentation and names that contradict the result or the effect of a function after a change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wardround.checks.lazy import LazyPattern
from wardround.semantics.docdrift.comment_lines import CommentSyntax
from wardround.semantics.docdrift.stale_comments import (
    StalePhrase,
    comment_lines,
    is_historical,
    phrase_at,
    replacements,
)
from wardround.semantics.semdiff.replacements import Replacement, SwapKind, changed_lines
from wardround.text.tokens import parts

_HEADER = LazyPattern(
    r"(?:(?:async\s+)?def\s+(?P<def>\w+)\s*\(.*->\s*(?P<to>.+?)\s*:\s*$"
    r"|(?:(?:export|default|public|private|protected|static|async"
    r"|override)\s+)*(?:function\s+)?(?P<name>\w+)\s*"
    r"(?:<[^>]*>)?\(.*\)\s*:\s*(?P<as>[^{=]+?)\s*\{\s*$)"
)
_NOTHING_IN_TYPE = LazyPattern(r"\bnull\b|\bundefined\b|\bNone\b|\bOptional\[")
_NOTHING_RETURNED = LazyPattern(
    r"\breturn\s+(?:null|undefined|None)\b|\?\?\s*null\b|\?\s*null\b|:\s*null\b|\breturn\s*;?\s*$"
)
_NOTHING_SAID = LazyPattern(r"(?<![\w-])`{0,2}(null|undefined|None)`{0,2}(?![\w-])")
_RESULT_SAID = LazyPattern(r"(?i)\breturn|\bor\b|\bif\b|\bwhen\b|\botherwise\b|\belse\b")
_READS = frozenset(
    """
    get is has find list count read load fetch peek check lookup show view inspect describe preview
    validate calculate compute contains exists
    """.split()  # noqa: SIM905  (a list of quoted words is harder to read)
)
"""First words of the names of functions without side effects."""
_LOOKS = frozenset(
    """
    get find first peek read fetch list select query all one get_one findOne findUnique findFirst
    find_one filter hget hgetall lrange smembers getItem get_object head
    """.split()  # noqa: SIM905  (a list of quoted words is harder to read)
)
CHANGES = frozenset(
    """
    getdel getDel getset pop popleft popitem lpop rpop spop remove delete unlink discard take
    findOneAndDelete findOneAndUpdate findOneAndReplace findByIdAndDelete findByIdAndUpdate
    find_one_and_delete find_one_and_update find_one_and_replace get_or_create update_or_create upsert
    update create insert destroy shift splice clear removeItem deleteOne delete_one findOrCreate
    find_or_create_by
    """.split()  # noqa: SIM905  (a list of quoted words is harder to read)
)
_DEED = LazyPattern(r"(?:await )?([A-Za-z_$][\w$.]*)\.([A-Za-z_]\w*)\([^()]*\);?")
"""A line that consists of one call."""
_OWN_STORE = LazyPattern(r"(?i)cache|buffer|temp|tmp|stats|timer|seen|pending|queue|patch|mock|log")
TAKE_AWAY = frozenset(
    """
    purge reset resetstat delete truncate drop destroy revoke kill terminate wipe erase expunge flushall
    flushdb deactivate archive
    """.split()  # noqa: SIM905  (a list of quoted words is harder to read)
)


@dataclass(frozen=True, slots=True)
class StaleName:
    """A function whose name implies that it reads, and which mutates what it reads since the change.

    Attributes:
        line, column: of its name, 1-based.
        was, now: the calls.
    """

    name: str
    line: int
    column: int
    was: str
    now: str


def stale_results(
    base: str, text: str, marks: CommentSyntax, is_added: Callable[[int], bool]
) -> list[StalePhrase]:
    """Return the texts that still mention null where the change removed it from the declared result."""
    pairs = list(_narrowed(base, text))
    if not pairs:
        return []
    lines = comment_lines(text, marks)
    found = []
    for number, was, now in pairs:
        if not lines.code[number - 1].strip():
            continue
        if any(_NOTHING_RETURNED.search(lines.code[n - 1]) for n in lines.body(number)):
            continue
        for place in lines.documentation(number):
            prose = lines.words[place - 1]
            match = _NOTHING_SAID.search(prose)
            if match and _RESULT_SAID.search(prose) and not is_added(place) and not is_historical(prose):
                swap = Replacement(SwapKind.NAME, was, now, number, "", "")
                start, end = match.span(1)
                found.append(StalePhrase(place, start + 1, end + 1, phrase_at(prose, start, end), swap))
                break
    return found


def _narrowed(base: str, text: str) -> Iterator[tuple[int, str, str]]:
    """Return line, old and new result of the functions whose result was optional only before."""
    before, after = changed_lines(base, text)
    old: dict[str, list[str]] = {}
    for _, line in before:
        match = _HEADER.match(line) if "(" in line else None
        if match:
            old.setdefault(match["def"] or match["name"], []).append(match["to"] or match["as"])
    for number, line in after:
        match = _HEADER.match(line) if old and "(" in line else None
        were = old.get(match["def"] or match["name"], []) if match else []
        if match is None or len(were) != 1:
            continue
        now = match["to"] or match["as"]
        if (
            _NOTHING_IN_TYPE.search(were[0])
            and not _NOTHING_IN_TYPE.search(now)
            and _is_narrowed(were[0], now)
        ):
            yield number, were[0].strip(), now.strip()


def _is_narrowed(was: str, now: str) -> bool:
    """Return True if both have a result: one that returned only ``None`` had none."""
    return was.strip() not in ("None", "null", "undefined", "void") and now.strip() not in (
        "void",
        "Promise<void>",
        "any",
    )


def impure_getters(base: str, text: str, marks: CommentSyntax) -> list[StaleName]:
    """Return the functions with a reader's name that delete or write since the change."""
    swapped = [
        one
        for one in replacements(base, text)
        if one.kind is SwapKind.NAME
        and one.old in _LOOKS
        and one.new in CHANGES
        and f".{one.old}(" in one.was
    ]
    deeds = [] if swapped else list(_deeds_added(base, text))
    if not swapped and not deeds:
        return []
    lines, found = comment_lines(text, marks), []
    for number, was, now in [*((one.line, one.old, one.new) for one in swapped), *deeds]:
        function = lines.function(number)
        words = parts(function[1]) if function else []
        if function and words and words[0] in _READS and now not in words:
            if not was and f"{function[1]}(" not in base:
                continue
            column = lines.lines[function[0] - 1].find(function[1]) + 1
            found.append(StaleName(function[1], function[0], column, was, now))
    return found[:1] if deeds else found


def _deeds_added(base: str, text: str) -> Iterator[tuple[int, str, str]]:
    """Return the added lines that do nothing except delete something permanently."""
    for number, line in changed_lines(base, text)[1]:
        match = _DEED.fullmatch(line) if "(" in line else None
        if match and not _OWN_STORE.search(match[1]) and set(parts(match[2])) & TAKE_AWAY:
            yield number, "", match[2]
