"""Several samples of an author's patch for the same question, each with another seed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from wardround.authoring.endpoint.author import AuthorQuestions, EndpointAuthor, Read
from wardround.authoring.endpoint.roles import Role
from wardround.authoring.stages import LocalizationResult, Message, Patch, PatchedFile, PatchGeneration
from wardround.planes.language_model.parameters import Sampling

_TEMPERATURE = 0.8
"""Source: Chen et al. 2021, "Evaluating Large Language Models Trained on Code", for many samples."""


class SampledAuthor:
    """Proposes the patches of several independent samples, those that more samples agree on first.

    Args:
        number: of samples.
    """

    def __init__(self, role: Role, questions: AuthorQuestions, read: Read, number: int) -> None:
        self._authors = [
            EndpointAuthor(
                role, questions, read, Sampling(_TEMPERATURE, index), f"{index + 1} of {number}"
            )
            for index in range(number)
        ]  # fmt: skip

    async def run(
        self, localization: LocalizationResult, instance_id: str
    ) -> tuple[list[Patch], list[Message]]:
        """Return the different patches, with the number of samples that propose each.

        Raises:
            ExchangeFailed: the endpoint does not answer all of them.
        """
        found = await run_all(self._authors, localization, instance_id)
        patches = [patch for proposed, _ in found for patch in proposed]
        return merge_equal(patches), [message for _, messages in found for message in messages]


async def run_all(
    authors: Sequence[PatchGeneration], localization: LocalizationResult, instance_id: str
) -> list[tuple[list[Patch], list[Message]]]:
    """Run authors side by side; all end before the first error is raised, so that every request is sent."""
    runs = (author.run(localization, instance_id) for author in authors)
    found = await asyncio.gather(*runs, return_exceptions=True)
    for result in found:
        if isinstance(result, BaseException):
            raise result
    return [result for result in found if not isinstance(result, BaseException)]


def merge_equal(patches: Sequence[Patch]) -> list[Patch]:
    """Return patches with different files, the most frequent first; equal ones in the order of the first."""
    groups: dict[tuple[PatchedFile, ...], list[Patch]] = {}
    for patch in patches:
        groups.setdefault(patch.files, []).append(patch)
    counts = {"of": len(patches)}
    merged = [
        msgspec.structs.replace(group[0], metadata={**group[0].metadata, "samples": len(group), **counts})
        for group in groups.values()
    ]
    return sorted(merged, key=lambda patch: -int(patch.metadata["samples"] or 0))
