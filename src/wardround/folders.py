"""Where wardround keeps what is its own: outside every repository, by the XDG conventions."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """``$XDG_CACHE_HOME/wardround``: what can be thrown away at any time."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wardround"


def state_folder() -> Path:
    """``$XDG_STATE_HOME/wardround``: journals and patches of fixes."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "wardround"
