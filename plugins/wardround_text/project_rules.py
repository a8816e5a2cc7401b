"""The specialist of the project's own rules, which may be about files of any kind."""

from __future__ import annotations

from wardround.assignment.readability import MAX_SOURCE_BYTES
from wardround.lazy import LazySequence
from wardround.specialists import Specialist
from wardround.tools.tool import Profile, Tool


class ProjectRulesSpecialist(Specialist):
    """Reviews text files by rules that the project itself has written."""

    name = "project-rules"
    patterns = ()
    content_sniffed = ("*",)
    reviews_all_text = True
    profiles = frozenset({Profile.CI})
    tools = LazySequence[Tool]("wardround_text.tools:TOOLS")

    def claims_text(self, path: str, content: bytes) -> bool:
        """Return True for files that are not larger than source code is."""
        return len(content) < MAX_SOURCE_BYTES
