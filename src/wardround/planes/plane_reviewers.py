"""The reviewers of a plane in its evidence: required ones, and those whose failure affects it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache, cached_property

import msgspec

from wardround.errors import WardroundError
from wardround.findings import Plane
from wardround.rules.model import RULES_PACKAGE, package_folder

FORMER_FILE = "former_plane_reviewers.yml"


class PlaneReviewers(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """The reviewers of one plane, as the specialists and tools of a review declare them.

    Attributes:
        required: specialist -> the reviewers that must have returned a result for each file it claims; the
            plane judges the files of these specialists.
        tools: those with findings of the plane; one that fails makes it inconclusive.
        change_level: the specialists whose checks of the entire change must have run.
    """

    required: dict[str, tuple[str, ...]] = {}
    tools: tuple[str, ...] = ()
    change_level: tuple[str, ...] = ()

    def judge(self, specialists: Collection[str]) -> bool:
        """Return True if the plane judges a file that these specialists claim."""
        return not self.required.keys().isdisjoint(specialists)

    def required_for(self, specialists: Collection[str]) -> list[str]:
        """Return the reviewers that must have returned a result for a file that these specialists claim."""
        names = [name for specialist in specialists for name in self.required.get(specialist, ())]
        return list(dict.fromkeys(names))

    @cached_property
    def contributors(self) -> frozenset[str]:
        """The reviewers of single files whose findings the plane may have."""
        return frozenset(self.tools).union(*self.required.values())


@cache
def former_reviewers() -> Mapping[Plane, PlaneReviewers]:
    """Return the reviewers of each plane for evidence without them, which older versions recorded.

    Raises:
        WardroundError: the file is absent or invalid.
    """
    from wardround.rules.yaml_loader import load_yaml  # only the replay of older records reads YAML

    try:
        text = (package_folder(RULES_PACKAGE) / FORMER_FILE).read_text("utf-8")
        return msgspec.convert(load_yaml(text), dict[Plane, PlaneReviewers])
    except (OSError, ValueError, msgspec.ValidationError) as cause:
        raise WardroundError(f"{RULES_PACKAGE}/{FORMER_FILE} is not readable: {cause}") from cause
