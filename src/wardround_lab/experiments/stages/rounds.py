"""An author in rounds: it gets the failing output of its own patch, and tries again."""

from __future__ import annotations

from wardround.authoring.attempt import Attempt
from wardround.authoring.contributions import endpoint
from wardround.authoring.loop import Loop, Stages
from wardround.authoring.run_inputs import RunInputs
from wardround.authoring.selection.first import FirstPatch
from wardround.authoring.stages import LocalizationResult, Message, Patch, PatchedFile, PatchGeneration
from wardround.change.change_source import decode_text


class Rounds:
    """Runs the steps of ``solve`` with a localization that is known, up to the rounds of the settings.

    Args:
        author: proposes the patch of each round.
    """

    def __init__(self, inputs: RunInputs, author: PatchGeneration) -> None:
        self._inputs = inputs
        self._author = author

    async def run(
        self, localization: LocalizationResult, instance_id: str
    ) -> tuple[list[Patch], list[Message]]:
        """Return the accepted patch with the number of its round; without one those of the last round.

        Raises:
            ExchangeFailed: the endpoint does not answer.
            SandboxError: the tests cannot be run with any patch.
        """
        author = _RecordedAuthor(self._author)
        stages = Stages(_KnownLocalization(localization), author, FirstPatch())
        loop = Loop(self._inputs.work, stages, self._inputs)
        accepted = await loop.run()
        patches = author.patches if accepted is None else [self._patch(accepted)]
        return patches, author.messages

    def _patch(self, attempt: Attempt) -> Patch:
        """Return the patch as it was evaluated, without edits of files that judge it."""
        repository, base = self._inputs.work.repository, self._inputs.work.instance.base
        tree = repository.tree(attempt.commit)
        contents = {
            file.path: tree.read(file.path) for file in repository.between(base, attempt.commit).files
        }
        files = tuple(
            PatchedFile(path, None if content is None else decode_text(content))
            for path, content in sorted(contents.items())
        )
        return Patch(files, attempt.author, attempt.reason, {**attempt.metadata, "round": attempt.round})


class _KnownLocalization:
    def __init__(self, found: LocalizationResult) -> None:
        self._found = found

    async def run(self, instance_id: str) -> LocalizationResult:
        return self._found


class _RecordedAuthor:
    """An author whose last patches and all messages remain."""

    def __init__(self, author: PatchGeneration) -> None:
        self._author = author
        self.patches: list[Patch] = []
        self.messages: list[Message] = []

    async def run(
        self, localization: LocalizationResult, instance_id: str
    ) -> tuple[list[Patch], list[Message]]:
        self.patches, messages = await self._author.run(localization, instance_id)
        self.messages += messages
        return list(self.patches), messages


async def rounds(inputs: RunInputs) -> PatchGeneration:
    """Return the author by the endpoint, in rounds."""
    return Rounds(inputs, await endpoint(inputs))
