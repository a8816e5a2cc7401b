"""The selection of the first patch."""

from __future__ import annotations

from wardround.authoring.stages import Patch


class FirstPatch:
    """Selects the first patch: generators return the most probable one first."""

    def run(self, patches: list[Patch], instance_id: str) -> Patch:
        """Return the first patch."""
        return patches[0]
