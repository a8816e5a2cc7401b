"""Conditions of jobs and steps that limit a context to literal values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from wardround.lazy import LazyPattern
from wardround_docker_ci.models.github_expressions import HEAD_REFERENCE

_TEXT = r"'(?:[^']|'')*'"
_CONTEXT = r"[a-z_][\w.-]*"
_EQUAL = LazyPattern(rf"({_CONTEXT})\s*==\s*{_TEXT}|{_TEXT}\s*==\s*({_CONTEXT})", re.IGNORECASE)
_LISTED = LazyPattern(
    rf"contains\(\s*fromJSON\(\s*'\s*\[(?:[^']|'')*\]\s*'\s*\)\s*,\s*({_CONTEXT})\s*\)", re.IGNORECASE
)
_PART = LazyPattern(rf"{_TEXT}|&&|\|\||[()]|[^'&|()]+|.", re.DOTALL)
_BRACES = LazyPattern(r"\$\{\{((?:(?!\}\}).)*)\}\}", re.DOTALL)
_SAME = {"github.ref_name": "github.ref"}
"""Contexts: one has literal values if the other has."""


def is_limited(context: str, condition: str) -> bool:
    """Return True if a condition is only true if a context equals one of its literals.

    ``github.ref == 'refs/heads/a' || github.ref == 'refs/heads/b'`` limits ``github.ref``, and
    ``github.ref_name`` with it.
    """
    inside = _BRACES.fullmatch(condition)
    if inside is None and "${{" in condition:
        return (
            False  # GitHub evaluates an expression with text around it as a non-empty string, which is true
        )
    return _limits_context(inside[1] if inside else condition, _canonical(context))


def _canonical(context: str) -> str:
    name = "".join(context.split()).lower()
    return _SAME.get(name, name)


def _limits_context(condition: str, context: str) -> bool:
    """Return True if every alternative of a condition has a term that limits a context."""
    alternatives = list(_split(condition, "||"))
    if len(alternatives) > 1:
        return all(_limits_context(alternative, context) for alternative in alternatives)
    terms = list(_split(condition, "&&"))
    if len(terms) > 1:
        return any(_limits_context(term, context) for term in terms)
    text = condition.strip()
    if _is_group(text):
        return _limits_context(text[1:-1], context)
    found = _EQUAL.fullmatch(text) or _LISTED.fullmatch(text)
    return found is not None and context in [_canonical(name) for name in found.groups() if name]


_HEAD = r"github\.event\.(?:pull_request\.head\.repo|workflow_run\.head_repository)"
_REPOSITORY = (
    r"(?:github\.repository(?:_id|_owner)?|github\.event\.(?:pull_request\.base\.repo|repository)"
    r"\.(?:full_name|id|owner\.login)|'[^']+')"
)
_NAME_OF_HEAD = rf"{_HEAD}\.(?:full_name|id|owner\.login)"
_OWN = (
    LazyPattern(rf"{_NAME_OF_HEAD}=={_REPOSITORY}", re.IGNORECASE),
    LazyPattern(rf"{_REPOSITORY}=={_NAME_OF_HEAD}", re.IGNORECASE),
    LazyPattern(rf"!{_HEAD}\.fork|{_HEAD}\.fork(?:==false|!=true)", re.IGNORECASE),
)
"""Comparisons that are true for a branch of the same repository, and false for one of a fork."""
_FOREIGN = (
    LazyPattern(rf"{_NAME_OF_HEAD}!={_REPOSITORY}", re.IGNORECASE),
    LazyPattern(rf"{_REPOSITORY}!={_NAME_OF_HEAD}", re.IGNORECASE),
    LazyPattern(rf"{_HEAD}\.fork(?:==true|!=false)?", re.IGNORECASE),
)
"""Comparisons that hold for a branch of a fork."""
_NEVER_EMPTY = LazyPattern(
    r"github\.(?:sha|ref|ref_name|base_ref)|github\.event\.repository\.default_branch"
    r"|github\.event\.pull_request\.base\.(?:ref|sha|repo\.default_branch)|'[^']+'",
    re.IGNORECASE,
)
"""Values for which ``condition && value || other`` never results in ``other`` if the condition holds."""


def is_same_repository_head(inside: str) -> bool:
    """Return True if an expression results in the head of a pull request only within the same repository.

    ``head.repo.full_name == github.repository && head.sha || github.ref`` is one, and so is
    ``head.repo.fork && github.base_ref || head.sha``.
    """
    own: frozenset[str] = frozenset()
    for alternative in _split(inside, "||"):
        *conditions, value = _split(_ungroup(alternative), "&&")
        events = own.union(*(_compared_event(condition, _OWN) for condition in conditions))
        if any(_context_event(found.group()) not in events for found in HEAD_REFERENCE.finditer(value)):
            return False
        if len(conditions) == 1 and _NEVER_EMPTY.fullmatch(_ungroup(value)):
            own |= _compared_event(conditions[0], _FOREIGN)
    return True


def _context_event(context: str) -> str:
    """Return the event that a context of the head belongs to."""
    return "workflow_run" if "workflow_run" in context.lower() else "pull_request"


def _compared_event(condition: str, comparisons: Sequence[LazyPattern]) -> frozenset[str]:
    """Return the event whose head repository a condition compares with one of these operators; else none."""
    text = "".join(_ungroup(condition).split())
    return frozenset(
        {_context_event(text)} if any(comparison.fullmatch(text) for comparison in comparisons) else ()
    )


def _ungroup(text: str) -> str:
    """Return a condition without the parentheses around it."""
    text = text.strip()
    return _ungroup(text[1:-1]) if _is_group(text) else text


def _is_group(text: str) -> bool:
    """Return True if the first parenthesis of a string is closed by its last character."""
    depth, parts = 0, _PART.findall(text)
    for number, part in enumerate(parts, 1):
        depth += (part == "(") - (part == ")")
        if depth == 0:
            return number == len(parts) > 1
    return False


def _split(condition: str, operator: str) -> Iterator[str]:
    """Yield the operands of an operator outside parentheses and texts."""
    depth, operand = 0, ""
    for part in _PART.findall(condition):
        depth += (part == "(") - (part == ")")
        if part == operator and depth == 0:
            yield operand
            operand = ""
        else:
            operand += part
    yield operand
