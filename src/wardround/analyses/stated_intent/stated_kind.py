"""The kind of change that commit messages state: by their conventional prefix, or by how they begin."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence

from wardround.lazy import LazyPattern


class StatedKind(enum.StrEnum):
    """A kind of change that does not alter the behaviour of the product."""

    DOCUMENTATION = "documentation"
    TYPO = "a typo"
    TEST = "tests"
    STYLE = "style"
    REFACTOR = "refactoring"
    CI = "CI"
    BUMP = "version bump"


_PREFIX = LazyPattern(r"(?P<type>[a-z]+)(?:\((?P<scope>[^)\n]*)\))?(?P<breaking>!?):\s", re.IGNORECASE)
_MARK = LazyPattern(r"(?::[a-z0-9_+-]{1,40}:|[^\w\s!-/:-@\[-`{-~]{1,8})\s+")
"""A pictogram before the text of a subject, as the sign or as its name in colons."""
_TYPES = {
    "doc": StatedKind.DOCUMENTATION, "docs": StatedKind.DOCUMENTATION,
    "test": StatedKind.TEST, "tests": StatedKind.TEST,
    "style": StatedKind.STYLE, "format": StatedKind.STYLE, "lint": StatedKind.STYLE,
    "refactor": StatedKind.REFACTOR, "refact": StatedKind.REFACTOR,
    "ci": StatedKind.CI,
    "deps": StatedKind.BUMP,
}  # fmt: skip
_BEGINS = (
    (
        StatedKind.BUMP,
        LazyPattern(r"(?:bump|upgrade) \S+(?: \S+)? (?:from \S+ to v?\d|to v?\d+\.\d)", re.IGNORECASE),
    ),
    (
        StatedKind.TYPO,
        LazyPattern(
            r"(?:fix(?:e[sd])?|correct(?:s|ed)?) (?:an? |some |more |the )?(?:typos?|spelling)\b|typos?\b",
            re.IGNORECASE,
        ),
    ),
    (
        StatedKind.DOCUMENTATION,
        LazyPattern(
            r"(?:fix(?:e[sd])?|correct(?:s|ed)?) (?:an? |some |more |the )?(?:docstrings?|docs?)\b"
            r"|(?:update|improve|fix)(?:e?s|d)? (?:the )?(?:readme|docs|documentation|changelog)\b|readme\b",
            re.IGNORECASE,
        ),
    ),
    (
        StatedKind.TEST,
        LazyPattern(
            r"(?:add|improve|extend)(?:s|ed)? (?:more |missing |some |unit )*tests?(?: for\b| of\b|$)",
            re.IGNORECASE,
        ),
    ),
    (
        StatedKind.STYLE,
        LazyPattern(
            r"(?:re)?format(?:ting|ted)?(?: (?:all |the )?(?:code|files?|js|ts|css|python|sources?))?[.!]?$"
            r"|(?:run|ran|apply|applied) (?:black|prettier|ruff|isort|linter|formatter)\b",
            re.IGNORECASE,
        ),
    ),
    (StatedKind.REFACTOR, LazyPattern(r"refactor(?:s|ed|ing)?\b", re.IGNORECASE)),
)
_MORE = LazyPattern(
    r"(?:&|\band\b|,|\+|;|/) *(?:\w+ )?(?:fix|add|improve|feat|implement"
    r"|support|allow|remove|chang|updat|bug|dedup|enabl|disabl|migrat|mak|us(?:e|ing)\b|handl|correct|simplif)",
    re.IGNORECASE,
)
"""A subject that names something else in addition."""
_VISUAL = LazyPattern(
    r"\b(?:css|styles|styling|style properties|colou?rs?|layout|ui|design|theme|icons?|rtl|spacing|margin)\b",
    re.IGNORECASE,
)
"""Subjects of ``style:`` that mean the appearance."""
_OTHER_VALUE = LazyPattern(
    r"\b(?:change|increase|decrease|reduce|raise|lower|set|switch|default|limit|min|max|timeout|remove|add)\w*\b",
    re.IGNORECASE,
)
"""Subjects of a refactoring that name a change of behaviour."""
_BODY_STATES_MORE = LazyPattern(
    r"^[\s*+-]*(?:additional |also )?"
    r"(?:fix(?:e[sd])?|feat|add(?:s|ed)?|implement(?:s|ed)?|remove[sd]?|change[sd]?|allow)\b",
    re.IGNORECASE | re.MULTILINE,
)
_EXCEPT = {StatedKind.STYLE: _VISUAL, StatedKind.REFACTOR: _OTHER_VALUE}


def stated_kinds(messages: Sequence[str]) -> frozenset[StatedKind]:
    """Return the kinds that the messages state; none if one of them states another kind, or none."""
    kinds = [_kind_of_message(message) for message in messages]
    if None in kinds:
        return frozenset()
    return frozenset(kind for kind in kinds if kind is not None)


def subject_of(message: str) -> str:
    """Return the first line of a message without a pictogram at its start."""
    subject = message.strip().partition("\n")[0]
    mark = _MARK.match(subject)
    return subject[mark.end() :] if mark else subject


def states_more(message: str) -> bool:
    """Return True if a message names something else besides its first kind."""
    subject, _, body = message.strip().partition("\n")
    return _MORE.search(subject) is not None or _BODY_STATES_MORE.search(body) is not None


def _kind_of_message(message: str) -> StatedKind | None:
    if states_more(message):
        return None
    subject = subject_of(message)
    prefix = _PREFIX.match(subject)
    if prefix is None:
        kind = next((kind for kind, begin in _BEGINS if begin.match(subject)), None)
    else:
        kind = None if prefix["breaking"] else _kind_by_prefix(prefix, subject[prefix.end() :])
    return None if kind in _EXCEPT and _EXCEPT[kind].search(subject) else kind


def _kind_by_prefix(prefix: re.Match[str], rest: str) -> StatedKind | None:
    kind = _TYPES.get(prefix["type"].lower())
    is_dependency = (prefix["scope"] or "").lower().startswith("deps")
    begins = _BEGINS[0][1].match(rest) is not None
    return StatedKind.BUMP if kind is None and (is_dependency or begins) else kind
