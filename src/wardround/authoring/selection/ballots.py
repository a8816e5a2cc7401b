"""The patches of one selection as ballots: those with the same normal form are one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from wardround.authoring.candidate import Candidate, UnusablePatch, make_candidate
from wardround.authoring.judging_files import JudgingFiles
from wardround.authoring.selection.normal_patch import NormalPatch, normal_patch
from wardround.authoring.stages import Patch
from wardround.authoring.work import Work


class Ballot(msgspec.Struct, frozen=True):
    """Patches with the same normal form.

    Attributes:
        candidate: the first of them, without its edits of files that judge it.
        votes: their number.
        position: that of the first in the list of patches, from 0.
    """

    candidate: Candidate
    votes: int
    position: int


class BallotBox:
    """Makes ballots of the patches of one instance."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._judging_files = JudgingFiles(work.host.specialists)

    def ballots(self, patches: Sequence[Patch]) -> list[Ballot]:
        """Return the ballots in the order of their first patches; unusable patches have none."""
        groups: dict[NormalPatch, list[tuple[int, Candidate]]] = {}
        for position, candidate in self._candidates(patches):
            groups.setdefault(self._normal_form(candidate), []).append((position, candidate))
        return [Ballot(group[0][1], len(group), group[0][0]) for group in groups.values()]

    def _candidates(self, patches: Sequence[Patch]) -> Iterator[tuple[int, Candidate]]:
        for position, patch in enumerate(patches):
            try:
                yield position, self.candidate(patch)
            except UnusablePatch:
                continue

    def candidate(self, patch: Patch) -> Candidate:
        """Return a patch as a commit.

        Raises:
            UnusablePatch: it changes nothing but files that judge it, or is too large.
        """
        instance = self._work.instance
        return make_candidate(self._work.repository, instance.base, patch, self._judging_files)

    def _normal_form(self, candidate: Candidate) -> NormalPatch:
        files = [file for file in candidate.patch.files if file.path not in candidate.refused]
        return normal_patch(msgspec.structs.replace(candidate.patch, files=tuple(files)))
