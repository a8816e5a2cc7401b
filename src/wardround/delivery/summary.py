"""The summary of a CI step, made from the review itself and never from a file."""

from __future__ import annotations

import os
from pathlib import Path

from wardround.errors import UsageError
from wardround.reports import text
from wardround.review import ReviewResult
from wardround.text.escaping import one_line

_MOST_LINES = 100


def render(review: ReviewResult, headline: str | None) -> str:
    """Return the headline, files, findings and the verdict, indented as plain text."""
    lines = text.render(review).splitlines()
    shown = [line for line in lines if line[:3].strip()]  # without excerpts and reasons
    above = [] if headline is None else [headline, ""]
    return "".join(f"    {one_line(line)}\n" for line in [*above, *shown[-_MOST_LINES:]])


def append(path: Path, content: str, variable: str) -> None:
    """Append to a file that the runner made, such as that for the summary of a step.

    Args:
        variable: that names the file, for the message.

    Raises:
        UsageError: it cannot be written, or is a link.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with open(os.open(path, flags, 0o600), "ab") as file:
            file.write(content.encode("utf-8", "backslashreplace"))
    except OSError as cause:
        raise UsageError(f"{variable}: {cause.strerror}; the runner must create that file") from cause
