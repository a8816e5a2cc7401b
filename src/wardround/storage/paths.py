"""The folders of wardround's own files: outside every repository, by the XDG conventions."""

from __future__ import annotations

import os
from pathlib import Path

_NO_HOME = Path(os.devnull)
"""The home of a user without one: every access fails as in a folder that cannot be written."""


def cache_dir() -> Path:
    """Return ``$XDG_CACHE_HOME/wardround``: files that can be deleted at any time."""
    return Path(os.environ.get("XDG_CACHE_HOME") or _home() / ".cache") / "wardround"


def state_dir() -> Path:
    """Return ``$XDG_STATE_HOME/wardround``: journals and patches of fixes, keys, records."""
    return Path(os.environ.get("XDG_STATE_HOME") or _home() / ".local" / "state") / "wardround"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:  # a container's user may have no entry and no HOME
        return _NO_HOME
