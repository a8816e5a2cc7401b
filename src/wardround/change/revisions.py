"""Names of commits from outside: arguments, the environment, git's standard input.

Git receives a name over the standard input of ``git cat-file``, and as arguments only object ids, after
``--end-of-options``, which git has had since 2.24.
"""

from __future__ import annotations

import re

from wardround.errors import GitError

END = "--end-of-options"
_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_ANCESTRY = re.compile(r"(?:[~^][0-9]{0,9}){1,9}\Z")
_NOT_IN_A_REF = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//")
_LONGEST_REF = 1_024


def require_revision(name: str, given: str = "") -> str:
    """Return a name that can be resolved: not an option, on one line.

    Args:
        given: the option or variable that contains it, for the message.

    Raises:
        GitError: it cannot be the name of a commit.
    """
    if not name or name.startswith("-") or _has_control_character(name):
        where = f"{given} {name!r}" if given else repr(name)
        raise GitError(f"{where} is not a revision; give a commit, branch or tag")
    return name


def require_ref(text: str, option: str) -> str:
    """Return a branch, a tag, a commit id or ``HEAD``, with or without ``~N`` and ``^N``.

    Raises:
        GitError: it is none of them.
    """
    if not is_ref_name(_ANCESTRY.sub("", text)):
        raise GitError(f"{option} {text[:100]!r} is not a revision; give a branch, a tag or a commit id")
    return text


def is_ref_name(name: str) -> bool:
    """Return True if git accepts the name for a ref, by the rules of ``git check-ref-format``."""
    if not name or len(name) > _LONGEST_REF or name == "@" or _NOT_IN_A_REF.search(name):
        return False
    if name.startswith(("-", "/")) or name.endswith(("/", ".")):
        return False
    return not any(part.startswith(".") or part.endswith(".lock") for part in name.split("/"))


def branch_name(revision: str) -> str:
    """Return the branch that a revision names, without its remote; empty for a commit."""
    name = revision.removeprefix("refs/heads/").removeprefix("refs/remotes/")
    if has_ancestry(name) or re.fullmatch(r"[0-9a-f]{7,64}", name) or name in ("HEAD", "@"):
        return ""
    return re.sub(r"^(?:origin|upstream)/", "", name)


def has_ancestry(revision: str) -> bool:
    """Return True if a revision ends in ``~N`` or ``^N``, which only a local commit can have."""
    return _ANCESTRY.search(revision) is not None


def is_object_id(text: str) -> bool:
    """Return True if text is the full id of an object."""
    return _OBJECT_ID.fullmatch(text) is not None


def object_id(text: str | None) -> str | None:
    """Return the id of an object of SHA-1 or SHA-256; None for anything else, and for the null id."""
    return text if text and is_object_id(text) and text.strip("0") else None


def tracking_branches(remote: str) -> list[str]:
    """Return the options by which ``git rev-list`` names the tracking branches of a remote; none if it has
    none.

    A remote without a name is identified by its URL; its branches are unknown.
    """
    is_name = is_ref_name(remote)
    return [f"--remotes={remote}/*"] if is_name else []


def _has_control_character(text: str) -> bool:
    return any(char < " " or "\x7f" <= char <= "\x9f" or char in "\u2028\u2029" for char in text)
