"""Which contexts of GitHub's expressions strangers can write into, and how to take them apart."""

from __future__ import annotations

import re

from wardround.checks.lazy import LazyPattern

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
"""Text anybody who opens an issue or a pull request writes."""

_OWNED = LazyPattern(
    r"^github\.(?:base_ref|workflow|repository\w*|actor\w*|triggering_actor"
    r"|event\.(?:repository|organization|enterprise|installation)\.[\w.]+"
    r"|event\.pull_request\.base\.[\w.]+"
    r"|event\.(?:[\w.]+\.)?(?:user|sender|owner|author|actor)\.login"
    r"|event\.[\w.]+\.head\.repo\.(?:full_name|name|owner\.login))$",
    re.IGNORECASE,
)
"""What only those choose who own the repository, and names in which GitHub allows no sign of a shell's."""


def is_owned(inside: str) -> bool:
    """Return True for an expression that is one context nobody but the owner can put a command into."""
    return _OWNED.search("".join(inside.split())) is not None


_JUDGED = LazyPattern(
    r"^(?:!|contains\(|startsWith\(|endsWith\(|hashFiles\(|fromJSON\(|toJSON\()|==|!=", re.IGNORECASE
)

HEAD_REFERENCE = LazyPattern(
    r"github\.event\.pull_request\.(?:head\.(?:sha|ref)|merge_commit_sha)|github\.head_ref"
    r"|github\.event\.workflow_run\.head_(?:sha|branch|commit\.id)"
    r"|refs/pull/\$\{\{[^}]*\}\}/(?:head|merge)",
    re.IGNORECASE,
)
"""The commit of a pull request, as steps name it."""


def untrusted(inside: str) -> str:
    """The context in an expression that a stranger writes; empty if the expression only compares it."""
    found = UNTRUSTED.search(inside)
    return "" if found is None or _JUDGED.search(inside) else "".join(found.group().split())
