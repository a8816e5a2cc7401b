"""The commits and references of a statement as a format shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wardround.release_notes.model import ReleaseNotes

_SHORT = 8
_MOST_COMMITS = 4


class Evidence:
    """Names commits by short ids; a merge represents the commits that it contains."""

    def __init__(self, notes: ReleaseNotes) -> None:
        self._merged: Mapping[str, Sequence[str]] = {
            commit.id: commit.merged for commit in notes.commits if commit.merged
        }

    def ids(self, commits: Sequence[str]) -> list[str]:
        """Return the short ids of some commits; of many, the last ones, and the number of the others."""
        contained = {part for commit in commits for part in self._merged.get(commit, ())}
        own = [commit for commit in commits if commit not in contained]
        shown = [commit[:_SHORT] for commit in own[-_MOST_COMMITS:]]
        more = len(own) - len(shown)
        return [*shown, f"{more} more"] if more else shown


def code(names: Sequence[str]) -> str:
    """Return ids as inline code, separated by commas."""
    return ", ".join(name if " " in name else f"`{name}`" for name in names)
