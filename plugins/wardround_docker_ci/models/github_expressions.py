"""GitHub's expressions: their parts, and the contexts with untrusted text."""

from __future__ import annotations

import re

from wardround.lazy import LazyPattern

_ATTACKER = (
    r"github\.event\.(?:issue|pull_request|discussion|comment|review|review_comment)\.(?:title|body)",
    r"github\.event\.pull_request\.head\.(?:ref|label|repo\.default_branch|repo\.description|repo\.homepage)",
    r"github\.event\.workflow_run\.(?:head_branch|head_commit\.(?:message|author\.(?:name|email))|display_title"
    r"|head_repository\.(?:description|homepage)|pull_requests(?:\.\*|\[\d+\])\.head\.ref)",
    r"github\.event\.(?:head_commit|commits(?:\.\*|\[\d+\]))\.(?:message|author\.(?:name|email))",
    r"github\.event\.pages(?:\.\*|\[\d+\])\.page_name",
    r"github\.head_ref",
)
UNTRUSTED = LazyPattern(
    r"(?<![\w.-])(?:" + "|".join(part.replace(r"\.", r"\s*\.\s*") for part in _ATTACKER) + r")(?![\w-])",
    re.IGNORECASE,
)
"""Contexts with text by anyone who opens an issue or a pull request."""

_OWNED = LazyPattern(
    r"^github\.(?:base_ref|ref_type|event_name|event|workflow|repository\w*|actor\w*|triggering_actor"
    r"|event\.(?:repository|organization|enterprise|installation)\.[\w.]+"
    r"|event\.pull_request\.base\.[\w.]+"
    r"|event\.(?:[\w.]+\.)?(?:user|sender|owner|author|actor)\.login"
    r"|event\.[\w.]+\.head\.repo\.(?:full_name|name|owner\.login))$",
    re.IGNORECASE,
)
"""Contexts that only owners of the repository control, and names in which GitHub allows no shell syntax."""


def is_owned(inside: str) -> bool:
    """Return True for an expression with one context into which only the owner can inject a command."""
    return _OWNED.search("".join(inside.split())) is not None


_GENERATED = LazyPattern(
    r"^github\.event\.(?:(?:pull_request|issue|comment|review|discussion|release|label|milestone|workflow_run"
    r"|workflow_job|workflow|check_run|check_suite|deployment|deployment_status|merge_group|head_commit|commits"
    r"|sender)(?:\.(?!payload\b|custom_properties\b)\w+|\[\d+\]|\.\*)*\.)?"
    r"(?:id|node_id|tree_id|workflow_id|check_suite_id|commit_id|number|run_id|run_number|run_attempt"
    r"|sha|head_sha|base_sha|merge_commit_sha|after|before"
    r"|event|conclusion|status|state|author_association|draft|prerelease|merged|locked|fork|private"
    r"|\w+_at)$",
    re.IGNORECASE,
)
"""Contexts that GitHub sets: hashes, numbers, dates, flags, and words of a fixed list.

Inputs and payloads are not among them, whatever the name of their field: their senders choose the text.
"""


def is_generated(inside: str) -> bool:
    """Return True for an expression with one context whose value cannot contain a command."""
    return _GENERATED.search("".join(inside.split())) is not None


_COMPARISON = LazyPattern(
    r"^(?:!|contains\(|startsWith\(|endsWith\(|hashFiles\(|fromJSON\(|toJSON\()|==|!=", re.IGNORECASE
)

HEAD_REFERENCE = LazyPattern(
    r"github\.event\.pull_request\.(?:head\.(?:sha|ref)|merge_commit_sha)|github\.head_ref"
    r"|github\.event\.workflow_run\.head_(?:sha|branch|commit\.id)"
    r"|refs/pull/\$\{\{[^}]*\}\}/(?:head|merge)",
    re.IGNORECASE,
)
"""References of steps to the commit of a pull request."""


def untrusted_context(inside: str) -> str:
    """Return the untrusted context in an expression; empty if the expression only compares it."""
    found = UNTRUSTED.search(inside)
    return "" if found is None or _COMPARISON.search(inside) else "".join(found.group().split())
