"""Where wardround keeps what must survive a kill."""

from __future__ import annotations

import os
from pathlib import Path


def state_folder() -> Path:
    """``$XDG_STATE_HOME/wardround``."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "wardround"
