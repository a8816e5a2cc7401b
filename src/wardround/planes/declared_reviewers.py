"""The reviewers of each plane, from the declarations of the specialists and tools of a review."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from wardround.config.config_files import tools_for
from wardround.findings import Plane
from wardround.planes.evidence import Evidence
from wardround.planes.plane_reviewers import PlaneReviewers
from wardround.specialists import Specialist


def declared_reviewers(specialists: Sequence[Specialist], evidence: Evidence) -> dict[Plane, PlaneReviewers]:
    """Return the reviewers of each plane, if the evidence has to do with them.

    Args:
        specialists: all installed ones: the change-level checks of a disabled one are required, too.
    """
    names = _specialist_names(evidence)
    involved = [specialist for specialist in specialists if specialist.name in names]
    of_profile = [specialist for specialist in specialists if evidence.profile in specialist.profiles]
    return {plane: _reviewers(plane, involved, of_profile) for plane in Plane}


def judges_file(plane: Plane, specialists: Collection[Specialist]) -> bool:
    """Return True if a plane judges a file that these specialists claim."""
    return any(_is_judged(plane, specialist) for specialist in specialists)


def _specialist_names(evidence: Evidence) -> frozenset[str]:
    """Return the names of the specialists, among those of tools, of files and of missing results."""
    names = {name for file in evidence.files for name in (*file.specialists, *file.reviewers)}
    names |= {missing.specialist for missing in evidence.missing}
    return frozenset(names | {partial.specialist for partial in evidence.partial})


def _reviewers(
    plane: Plane, involved: Sequence[Specialist], of_profile: Sequence[Specialist]
) -> PlaneReviewers:
    judged = (specialist for specialist in involved if _is_judged(plane, specialist))
    return PlaneReviewers(
        {specialist.name: tuple(_required_reviewers(plane, specialist)) for specialist in judged},
        tuple(sorted({tool.name for tool in tools_for(involved) if plane in tool.planes})),
        tuple(specialist.name for specialist in of_profile if plane in specialist.planes_of_change),
    )


def _is_judged(plane: Plane, specialist: Specialist) -> bool:
    if plane in specialist.further_planes or any(_required_reviewers(plane, specialist)):
        return True
    return specialist.planes is None and plane in specialist.planes_of_change


def _required_reviewers(plane: Plane, specialist: Specialist) -> Iterator[str]:
    """Yield the reviewers whose results a plane requires for each file of a specialist."""
    if plane in specialist.planes_of_files:
        yield specialist.name
    for tool in specialist.tools:
        if plane in tool.required_planes:
            yield tool.name
