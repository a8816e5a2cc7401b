"""The text specialist: what a reviewer cannot see, in every text file that is not plain ASCII."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wardround.checks.base import Check
from wardround.checks.lazy import LazySequence
from wardround.checks.source import SourceFile
from wardround.findings import RawFinding
from wardround.specialists import Specialist


def specialist() -> Specialist:
    """The specialist as the host takes it."""
    return Specialist(
        name="text",
        patterns=(),
        content_sniffed=("*",),
        claims_text=may_hide,
        reviews_all_text=True,
        checks=LazySequence("wardround_text.checks:CHECKS"),
        run_checks=_run_checks,
    )


def may_hide(path: str, content: bytes) -> bool:
    """Return True if a file may read otherwise than it looks: a cheap test, which most files fail."""
    if not content.isascii() or path.rpartition("/")[2] == ".gitmodules":
        return True
    return b"coding" in content[: content.find(b"\n", content.find(b"\n") + 1)]


def _run_checks(checks: Sequence[type[Check]], source: SourceFile) -> Iterable[RawFinding]:
    from wardround.checks.base import run_sequentially

    return run_sequentially(checks, source)
