"""The direction of a transfer in comments: from where to where, or reversed on purpose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from wardround.lazy import LazyPattern
from wardround.semantics.argument_order import ArgumentName, Reordering
from wardround.semantics.docdrift.comment_lines import CommentSyntax, comment_lines
from wardround.text.stemming import stem
from wardround.text.tokens import parts

_TURNS = LazyPattern(
    r"(?i)\b(?:swap(?:s|ped|ping)?|flip(?:s|ped|ping)?|transpos\w+|mirror(?:s|ed|ing)?|rotat\w+|revers\w+"
    r"|invert\w*|exchang(?:e|es|ed|ing)|upside down|sideways|upright|inside out"
    r"|(?:quarter|half|full)[- ]turn|turn(?:s|ed|ing)? (?:round|around|over|by)|other way (?:a?round)"
    r"|(?:on purpose|deliberately|intentionally)|opposite (?:order|direction|way)"
    r"|(?:landscape|portrait) (?:to|into|becomes)|(?:width|height) (?:is|becomes) the)\b"
)
_ARTICLE = r"(?:(?:the|an?|its|their|our|his|her|this|that|one|some) )?"
_THING = rf"{_ARTICLE}((?:[\w`]+[ -]){{0,2}}?[\w`]+)"
_FLOWS = (
    LazyPattern(rf"(?i)\b(?:from|out of) {_THING} (?:back |over |on )?(?:in|on)?to {_THING}"),
    LazyPattern(rf"(?i)\b(?:from|out of) {_ARTICLE}(\w+)(?: account| table| store)?,? (?:in|on)?to {_THING}"),
)
_BACKWARD = LazyPattern(rf"(?i)\b(?:in|on)?to {_THING} (?:from|out of) {_THING}")
_ORIGINS = frozenset({"from", "source", "src", "origin", "sender", "payer", "debit", "debtor", "giver"})
_GOALS = frozenset(
    {
        "to",
        "into",
        "target",
        "dest",
        "destination",
        "dst",
        "recipient",
        "receiver",
        "payee",
        "credit",
        "taker",
    }
)


def is_intentional_reversal(text: str, marks: CommentSyntax, line: int) -> bool:
    """Return True if the comments about a line or its function state that it reverses on purpose."""
    return any(_TURNS.search(prose) for prose in _comments_about(text, marks, line))


def against_the_words(
    text: str,
    marks: CommentSyntax,
    line: int,
    arguments: Sequence[ArgumentName | None],
    parameters: Sequence[str],
) -> Reordering | None:
    """Return two arguments whose direction contradicts the comments about the function around them.

    ``Move the stock from the shop to the depot`` over a call that passes the depot as ``source``.
    """
    origin, goal = _only_of(parameters, _ORIGINS), _only_of(parameters, _GOALS)
    if origin is None or goal is None or origin == goal:
        return None
    from_here, to_there = arguments[origin], arguments[goal]
    if from_here is None or to_there is None:
        return None
    flows = [flow for prose in _comments_about(text, marks, line) for flow in _flows(prose)]
    if not _are_reversed(flows, _stems(from_here), _stems(to_there)):
        return None
    moves = sorted([(origin, goal), (goal, origin)])
    return Reordering(tuple(moves), 1.0)


def _are_reversed(
    flows: Sequence[tuple[frozenset[str], frozenset[str]]], first: frozenset[str], last: frozenset[str]
) -> bool:
    """Return True if a described flow goes from the last to the first, and none in the other direction."""
    if any(_is_between(start, end, first, last) for start, end in flows):
        return False
    return any(_is_between(end, start, first, last) for start, end in flows)


def _only_of(parameters: Sequence[str], words: Set[str]) -> int | None:
    """Return the position of the only parameter whose name has one of the words."""
    found = [at for at, name in enumerate(parameters) if not words.isdisjoint(parts(name))]
    return found[0] if len(found) == 1 else None


_OPPOSITES = (
    frozenset({"add", "remov"}), frozenset({"new", "old"}), frozenset({"gain", "lost"}),
    frozenset({"ris", "fall"}), frozenset({"up", "down"}), frozenset({"creat", "delet"}),
    frozenset({"miss", "extra"}), frozenset({"befor", "after"}), frozenset({"insert", "delet"}),
    frozenset({"encod", "decod"}), frozenset({"export", "import"}), frozenset({"ahead", "behind"}),
    frozenset({"greater", "less"}), frozenset({"push", "pull"}), frozenset({"upload", "download"}),
)  # fmt: skip


def are_opposites(name: str, other: str) -> bool:
    """Return True if two functions have names of opposite actions: one may well reverse the other."""
    ours, theirs = _stems_of(name), _stems_of(other)
    return any(len(pair & ours) == 1 and pair - ours <= theirs and not pair <= ours for pair in _OPPOSITES)


def names_a_way(parameters: Sequence[str]) -> bool:
    """Return True if parameters name a source and a destination; a prefilter."""
    words = {word for name in parameters for word in parts(name)}
    return bool(words & _ORIGINS) and bool(words & _GOALS)


def _is_between(
    start: frozenset[str], end: frozenset[str], first: frozenset[str], last: frozenset[str]
) -> bool:
    """Return True if each of the two is identified by words that only its name has."""
    return bool(start & first - last) and bool(end & last - first)


def _flows(prose: str) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Return the pairs of source and destination, as the stems of their names."""
    for pattern in _FLOWS:
        for match in pattern.finditer(prose):
            yield _stems_of(match[1]), _stems_of(match[2])
    for match in _BACKWARD.finditer(prose):
        yield _stems_of(match[2]), _stems_of(match[1])


def _stems(argument: ArgumentName) -> frozenset[str]:
    return _stems_of(f"{argument.owner} {argument.name}")


def _stems_of(words: str) -> frozenset[str]:
    return frozenset(stem(part) for part in parts(words))


def _comments_about(text: str, marks: CommentSyntax, line: int) -> list[str]:
    """Return the comments next to a line and about its function, consecutive lines joined."""
    lines = comment_lines(text, marks)
    if line > len(lines.code):
        return []
    function = lines.function(line)
    beside = [lines.words[n - 1].strip(" #/*-") for n in lines.adjacent_comments(line)]
    about = [lines.words[n - 1].strip(" #/*-") for n in lines.documentation(function[0])] if function else []
    return [" ".join(words) for words in (beside, about) if words]
