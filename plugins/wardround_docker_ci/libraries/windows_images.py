"""Images of Windows, in which cmd runs the commands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wardround.lazy import LazyPattern

if TYPE_CHECKING:
    from wardround.languages.dockerfile import Dockerfile, Stage

_NAMES_WINDOWS = LazyPattern(
    r"nanoserver|servercore|ltsc20\d\d|dotnet/framework/|microsoft[\w.]*/windows(?:[/:@]|$)|^windows(?:/|$)",
    re.IGNORECASE,
)
"""Part of the name, tag or platform of an image of Windows.

The word ``windows`` is not sufficient: images of Linux that compile for Windows have it in their name.
"""


def runs_in_cmd(file: Dockerfile, stage: Stage) -> bool:
    """Return True if a stage is based on Windows and no SHELL replaces its default shell."""
    stages = list(stage.lineage())
    if any(ancestor.all("SHELL") for ancestor in stages):
        return False
    start = stages[-1]
    platform = start.start.flag("platform")
    names = [file.expand(start.base.text) or start.base.text, platform.text if platform else ""]
    return any(_NAMES_WINDOWS.search(name) for name in names)
