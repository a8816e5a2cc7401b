"""The examples of a recipe: what ``wardround data build-sft`` wrote, audited, as token ids."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from wardround.errors import TrainingError, UsageError
from wardround.inference.metadata import TrainingData
from wardround_lab.corpora.audit import audit_of, read_audit
from wardround_lab.corpora.audit_items import Chat, ItemOrigin
from wardround_lab.corpora.records import digest_of, rows_of
from wardround_lab.corpora.sft import EVALUATION, RECORD, TRAIN, SftResult
from wardround_lab.training.audit_guard import audited_data
from wardround_lab.training.chat.recipe import ChatRecipe
from wardround_lab.training.chat.template import ChatTokenizer
from wardround_lab.training.recipe import DataPart


class Example(msgspec.Struct, frozen=True):
    """A request with its answer.

    Attributes:
        prompt: token ids up to the position where the answer begins.
        answer: token ids of the answer, on which alone there is a loss.
        text: the answer.
        line: 0-based position in its file.
    """

    prompt: list[int]
    answer: list[int]
    text: str
    origin: ItemOrigin
    line: int

    @property
    def length(self) -> int:
        """The number of its tokens."""
        return len(self.prompt) + len(self.answer)


@dataclass(frozen=True, slots=True)
class BuiltFiles:
    """The files of ``build-sft`` in a folder.

    Attributes:
        result: its record.
    """

    folder: Path
    result: SftResult

    @classmethod
    def read(cls, folder: Path) -> BuiltFiles:
        """Read the record, and require that the files are those it describes, in the chat template.

        Raises:
            TrainingError: they are not.
        """
        file = folder / RECORD
        again = f"run `wardround data build-sft --out {folder}` again"
        try:
            result = msgspec.json.decode(file.read_bytes(), type=SftResult)
        except OSError as cause:
            raise TrainingError(
                f"{file}: {cause.strerror}; write the examples with `wardround data build-sft --out {folder}`"
            ) from cause
        except (msgspec.MsgspecError, UnicodeDecodeError) as cause:
            raise TrainingError(f"{file}: {cause}; {again}") from cause
        if result.template != "chat":
            raise TrainingError(
                f"{folder}: it was written with --template {result.template}, and kind chat needs "
                f"conversations; {again} with --template chat"
            )
        for name, digest in ((TRAIN, result.train_sha256), (EVALUATION, result.evaluation_sha256)):
            if _digest(folder / name) != digest:
                raise TrainingError(f"{folder / name}: it changed after it was written; {again}")
        return cls(folder, result)

    @property
    def train(self) -> Path:
        """The file of the examples that are trained on."""
        return self.folder / TRAIN

    def training(self) -> list[Chat]:
        """Return the conversations that are trained on."""
        return _conversations(self.train)

    def evaluation(self) -> list[Chat]:
        """Return the conversations of held-out repositories, none older than any that is trained on."""
        return _conversations(self.folder / EVALUATION)

    def require_audit(self, recipe_file: Path, items: int, repositories: Sequence[str]) -> TrainingData:
        """Return the metadata of the training data.

        Args:
            items: number of examples that are trained on; ``repositories``: theirs.

        Raises:
            TrainingError: they were not audited against the evaluation, or failed the audit.
        """
        command = f"`wardround data audit {self.train} --eval {self.folder / EVALUATION}`"
        if not audit_of(self.train).is_file():
            raise TrainingError(f"{self.train} has not been audited; run {command}")
        held = self.result.evaluation_repositories
        if not set(held) <= set(read_audit(self.train).evaluation_repositories):
            raise TrainingError(f"{self.train}: its audit did not see the evaluation; run {command}")
        found = audited_data(recipe_file, self.data_part(repositories), items)
        return msgspec.structs.replace(found, until=self.result.cut)

    def data_part(self, repositories: Sequence[str]) -> DataPart:
        """Return the data as other recipes name it.

        Args:
            repositories: those that are trained on; none if they do not matter.
        """
        return DataPart(
            records=(str(self.train.resolve()),),
            train=tuple(sorted(set(repositories))) or ("any",),
            evaluation=self.result.evaluation_repositories,
            until=datetime.datetime.fromtimestamp(self.result.cut, datetime.UTC).date(),
        )


@dataclass(frozen=True, slots=True)
class ChatSides:
    """The examples of both sides.

    Attributes:
        folder: that of the files, absolute.
        left_out: number of training examples that exceed the window.
        data: the metadata of the training data.
    """

    folder: Path
    training: tuple[Example, ...]
    evaluation: tuple[Example, ...]
    left_out: int
    data: TrainingData


def read_sides(recipe_file: Path, recipe: ChatRecipe, tokenizer: ChatTokenizer) -> ChatSides:
    """Return the examples of a recipe.

    Raises:
        TrainingError: the files are missing, damaged, or not audited; or no example fits the window.
    """
    built = BuiltFiles.read(recipe_file.parent / recipe.data.folder)
    every = len(built.training())
    fitting = training_examples(built, recipe, tokenizer)
    data = built.require_audit(recipe_file, len(fitting), [example.origin.repository for example in fitting])
    evaluation = evaluation_examples(built, recipe, tokenizer)
    return ChatSides(built.folder.resolve(), fitting, evaluation, every - len(fitting), data)


def training_examples(built: BuiltFiles, recipe: ChatRecipe, tokenizer: ChatTokenizer) -> tuple[Example, ...]:
    """Return the examples that are trained on: those that fit into the window.

    Raises:
        TrainingError: none does.
    """
    found = _examples(built.training(), tokenizer)
    fitting = tuple(example for example in found if example.length <= recipe.window)
    if not fitting:
        raise TrainingError(
            f"{built.train}: none of its {len(found)} examples fits into the window of {recipe.window} "
            "tokens; increase `window` in the recipe"
        )
    return fitting


def evaluation_examples(
    built: BuiltFiles, recipe: ChatRecipe, tokenizer: ChatTokenizer
) -> tuple[Example, ...]:
    """Return the examples of held-out repositories that fit into the window with an answer of full length.

    Raises:
        TrainingError: none does.
    """
    most = recipe.window - max(recipe.answer.tokens, recipe.export.tokens)
    found = _examples(built.evaluation(), tokenizer)
    fitting = tuple(example for example in found if len(example.prompt) <= most)
    if not fitting:
        raise TrainingError(
            f"{built.folder / EVALUATION}: no request leaves room for an answer in the window of "
            f"{recipe.window} tokens; increase `window` in the recipe"
        )
    return fitting


def _examples(chats: Sequence[Chat], tokenizer: ChatTokenizer) -> list[Example]:
    return [_example(chat, line, tokenizer) for line, chat in enumerate(chats)]


def _example(chat: Chat, line: int, tokenizer: ChatTokenizer) -> Example:
    *request, last = chat.messages
    if last.role != "assistant" or not request:
        raise TrainingError(
            f"{chat.origin.repository}: a conversation does not end with an answer; build the examples again"
        )
    text = last.content.strip()
    return Example(tokenizer.prompt(request), tokenizer.answer(chat.messages), text, chat.origin, line)


def _conversations(file: Path) -> list[Chat]:
    try:
        return list(rows_of(file, Chat))
    except UsageError as cause:
        raise TrainingError(str(cause)) from cause


def _digest(file: Path) -> str:
    try:
        return digest_of(file)
    except UsageError as cause:
        raise TrainingError(str(cause)) from cause
