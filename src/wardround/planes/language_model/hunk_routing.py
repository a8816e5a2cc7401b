"""The planes that can judge a hunk: a hunk that cannot matter to a plane is not sent to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from wardround.change.diff import ChangedFile
from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.planes.evidence import ANY_TEXT, FileRole
from wardround.planes.file_roles import role_of
from wardround.planes.language_model.hunks import SentHunk
from wardround.specialists import Specialist

_DIRECTIVE = LazyPattern(
    r"(?i)#!|\bno(?:qa|sec|sem|lint)|pragma|ignore|disable|enable|expect-error|suppress|allow|syntax=|escape=|coding"
    r"|@ts-|pylint|type:|wardround|<script|sourceMappingURL|/// <|jsx|@vite|webpack|skip"
)
"""A comment that a tool obeys, or a browser."""
_ACTED_ON = LazyPattern(
    r"(?i)://|[`$|;{}<>]|^\s{2,}|\b(?:curl|wget|sudo|chmod|install|exec|eval|run|pip|npm|docker|git|ssh)\b"
    r"|passw|secret|token|\bkey|credential|\bauth|permission|admin|encrypt|vulnerab|certif|disabl|unsafe|verif"
)
"""A line of documentation that people may act on, with consequences for security."""


class HunkRouter:
    """Decides which planes a hunk of a change can matter to; in doubt it matters.

    Args:
        claimed: path at the head -> the specialists that review the file.
        head: path -> the content at the head.
    """

    def __init__(
        self, claimed: Mapping[str, Sequence[Specialist]], head: Callable[[str], str | None]
    ) -> None:
        self._claimed = claimed
        self._head = head

    def for_plane(self, plane: Plane, file: ChangedFile, hunks: Iterable[SentHunk]) -> Iterator[SentHunk]:
        """Yield the hunks of a file that can matter to a plane."""
        if plane not in (Plane.PERF, Plane.SECURITY):
            yield from hunks
            return
        is_documentation = plane is Plane.SECURITY and self._is_documentation(file)
        signs = self._comment_signs(file.path)
        for hunk in hunks:
            lines = [*hunk.added.values(), *(line.text for line in hunk.removed)]
            is_inert = is_documentation and not any(_ACTED_ON.search(line) for line in lines)
            if not (is_inert or all(_is_comment(line, signs) for line in lines)):
                yield hunk

    def _is_documentation(self, file: ChangedFile) -> bool:
        names = [specialist.name for specialist in self._claimed[file.path]]
        return role_of(file, names, self._read) is FileRole.DOCUMENTATION

    def _read(self, path: str) -> bytes | None:
        text = self._head(path)
        return None if text is None else text.encode("utf-8", "surrogateescape")

    def _comment_signs(self, path: str) -> tuple[str, ...]:
        """Return the signs that begin a comment for each specialist that reads the language of a file."""
        signs = [
            set(specialist.comment_signs)
            for specialist in self._claimed[path]
            if specialist.name not in ANY_TEXT
        ]
        return tuple(sorted(set.intersection(*signs))) if signs else ()


def _is_comment(line: str, signs: tuple[str, ...]) -> bool:
    """Return True for an empty line, or a comment without code after it that no tool obeys."""
    text = line.strip()
    if not text:
        return True
    has_code = any(0 <= text.find(end) < len(text) - len(end) for end in ("*/", "-->"))
    return text.startswith(signs) and not has_code and not _DIRECTIVE.search(text)
