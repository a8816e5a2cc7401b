"""The text specialist: invisible and misleading characters, in every text file that is not plain ASCII."""

from __future__ import annotations

from wardround.checks.base import Check
from wardround.findings import Plane
from wardround.lazy import LazySequence
from wardround.specialists import Specialist


class TextSpecialist(Specialist):
    """Reviews text files for invisible and misleading characters."""

    name = "text"
    planes = frozenset({Plane.SECURITY})
    patterns = ()
    content_sniffed = ("*",)
    reviews_all_text = True
    checks = LazySequence[type[Check]]("wardround_text.checks:CHECKS")

    def claims_text(self, path: str, content: bytes) -> bool:
        return may_hide(path, content)


def may_hide(path: str, content: bytes) -> bool:
    """Return True if a file may contain misleading characters: a prefilter, which most files fail."""
    if not content.isascii() or path.rpartition("/")[2] == ".gitmodules":
        return True
    return b"coding" in content[: content.find(b"\n", content.find(b"\n") + 1)]
