"""The check of names in options: each must be that of a contributed stage."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.errors import UsageError
from wardround.host import load_entries


def require_contributed(option: str, hook: str, names: Sequence[str]) -> None:
    """Reject a name that no plugin contributes.

    Args:
        option: the experiment and its option, for the message.

    Raises:
        UsageError: no plugin contributes one of the names.
    """
    known = load_entries(hook)
    for name in names:
        if name not in known:
            raise UsageError(f"{option}: {name!r} is none of {', '.join(sorted(known))}; choose one")
