"""Conversations as token ids, by the chat template of a tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wardround.errors import TrainingError
from wardround_lab.corpora.audit_items import Message
from wardround_lab.training.base_model import Located
from wardround_lab.training.encoder import silence_transformers
from wardround_lab.training.recipe import read_bytes

_ROLE = "assistant"
_PROBE = (Message("user", "Is it so?"), Message(_ROLE, "yes"))


@dataclass(frozen=True, slots=True)
class ChatTokenizer:
    """A tokenizer of transformers with a chat template that was tried once.

    Attributes:
        tokenizer: transformers' own.
        name: of the template, for messages.
        stop: the token that ends an answer.
    """

    tokenizer: Any
    name: str
    stop: int

    @classmethod
    def load(cls, located: Located, template: Path | None) -> ChatTokenizer:
        """Load the tokenizer of a base.

        Args:
            template: file of a template in place of the base's own.

        Raises:
            TrainingError: the tokenizer or the template is missing, or the template cannot be used.
        """
        tokenizer = _load_tokenizer(located)
        if template is not None:
            tokenizer.chat_template = read_bytes(template, "chat template").decode("utf-8", "replace")
        name = str(template or located.folder)
        if not tokenizer.chat_template:
            raise TrainingError(
                f"{name}: the tokenizer of {located.base.id} has no chat template; name the file of one as "
                "`template` in the recipe"
            )
        begun = cls(tokenizer, name, -1)
        return cls(tokenizer, name, begun._stop_token())

    def prompt(self, messages: Sequence[Message]) -> list[int]:
        """Return the token ids of a request, up to the position where its answer begins."""
        return self._tokens(self._render(messages, answer_follows=True))

    def answer(self, messages: Sequence[Message]) -> list[int]:
        """Return the token ids of the last message, which is the answer, with the one that ends it."""
        return [*self._tokens(messages[-1].content.strip()), self.stop]

    def text(self, tokens: Sequence[int]) -> str:
        """Return the text of an answer, without the tokens that end it."""
        return str(self.tokenizer.decode(list(tokens), skip_special_tokens=True)).strip()

    def save(self, folder: Path) -> None:
        """Write the tokenizer with its template to the folder of a model."""
        self.tokenizer.save_pretrained(str(folder))

    def _stop_token(self) -> int:
        """Return the token after an answer, by a conversation that is rendered with and without one."""
        begin = self._render(_PROBE[:1], answer_follows=True)
        whole = self._render(_PROBE, answer_follows=False)
        if not whole.startswith(begin) or _PROBE[-1].content not in whole[len(begin) :]:
            raise TrainingError(
                f"{self.name}: its chat template renders a request differently when the answer follows, so "
                "the answer cannot be told apart; use another template"
            )
        end = self._tokens(whole[len(begin) :].rpartition(_PROBE[-1].content)[2])
        stop = end[0] if end else self.tokenizer.eos_token_id
        if stop is None:
            raise TrainingError(
                f"{self.name}: neither the chat template nor the tokenizer ends an answer; add a token after "
                "it to the template"
            )
        return int(stop)

    def _render(self, messages: Sequence[Message], *, answer_follows: bool) -> str:
        from jinja2.exceptions import TemplateError

        turns = [{"role": message.role, "content": message.content} for message in messages]
        try:
            return str(
                self.tokenizer.apply_chat_template(
                    turns, tokenize=False, add_generation_prompt=answer_follows
                )
            )
        except (TemplateError, ValueError, TypeError) as cause:
            what = " ".join(str(cause).split())[:200]
            raise TrainingError(f"{self.name}: its chat template fails: {what}; correct it") from cause

    def _tokens(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])


def _load_tokenizer(located: Located) -> Any:
    import transformers

    kinds: Any = transformers.AutoTokenizer
    with silence_transformers():
        try:
            return kinds.from_pretrained(located.folder, local_files_only=True, use_fast=True)
        except (OSError, ValueError, KeyError) as cause:
            raise TrainingError(
                f"{located.folder}: it has no tokenizer that transformers reads; download the files of "
                f"{located.base.id} again"
            ) from cause
