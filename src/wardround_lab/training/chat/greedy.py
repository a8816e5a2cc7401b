"""Greedy answers of a decoder, and the same tokens as an exported one sees them."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from wardround.errors import TrainingError
from wardround.inference.metadata import Parity
from wardround_lab.training.chat.examples import Example


@dataclass(frozen=True, slots=True)
class GreedyAnswer:
    """The most likely token at each position of an answer.

    Attributes:
        tokens: up to the one that ends the answer, which is included.
        log_probabilities: of these tokens.
    """

    prompt: list[int]
    tokens: list[int]
    log_probabilities: list[float]


def greedy_answers(model: Any, examples: Iterable[Example], most: int, stop: int) -> list[GreedyAnswer]:
    """Return the greedy answers of a model of transformers.

    Args:
        most: number of tokens.
        stop: the token that ends an answer.
    """
    device = next(model.parameters()).device
    found = []
    for example in examples:
        ids = torch.tensor([example.prompt], device=device)
        with torch.no_grad():
            made = model.generate(
                input_ids=ids, attention_mask=torch.ones_like(ids), max_new_tokens=most, do_sample=False,
                eos_token_id=stop, pad_token_id=stop, return_dict_in_generate=True, output_logits=True,
                use_cache=True, temperature=None, top_p=None, top_k=None,
            )  # fmt: skip
        tokens = made.sequences[0, len(example.prompt) :].tolist()
        values = [
            float(logits[0].double().log_softmax(-1)[token])
            for logits, token in zip(made.logits, tokens, strict=True)
        ]
        found.append(GreedyAnswer(example.prompt, tokens, values))
    return found


class ExportedDecoder:
    """A decoder in the form of onnxruntime-genai, on the CPU."""

    def __init__(self, folder: Path) -> None:
        import onnxruntime_genai

        self.library: Any = onnxruntime_genai
        self.folder = folder
        try:
            self.model = onnxruntime_genai.Model(str(folder))
        except (RuntimeError, OSError) as cause:
            what = " ".join(str(cause).split())[:200]
            raise TrainingError(f"{folder}: {what}; export the model again") from cause

    def answer(self, prompt: Sequence[int], most: int, stop: int) -> list[int]:
        """Return the greedy answer, up to the token that ends it, which is included."""
        generator = self._generator(len(prompt) + most)
        generator.append_tokens(np.array(prompt, dtype=np.int32))
        tokens: list[int] = []
        while len(tokens) < most and (not tokens or tokens[-1] != stop):
            tokens.append(int(self._logits(generator).argmax()))
            if len(tokens) < most:
                generator.append_tokens(np.array(tokens[-1:], dtype=np.int32))
        return tokens

    def same_tokens(self, expected: GreedyAnswer) -> tuple[int, list[float]]:
        """Return how many tokens are the same before the first other one, and all their log-probabilities."""
        generator = self._generator(len(expected.prompt) + len(expected.tokens) + 1)
        generator.append_tokens(np.array(expected.prompt, dtype=np.int32))
        same, differs, values = 0, False, []
        for token in expected.tokens:
            logits = self._logits(generator)
            differs = differs or int(logits.argmax()) != token
            same += not differs
            values.append(float(logits[token] - _log_sum_exp(logits)))
            generator.append_tokens(np.array([token], dtype=np.int32))
        return same, values

    def _generator(self, length: int) -> Any:
        settings = self.library.GeneratorParams(self.model)
        settings.set_search_options(max_length=length, do_sample=False)
        return self.library.Generator(self.model, settings)

    def _logits(self, generator: Any) -> Any:
        return np.asarray(generator.get_logits(), dtype=np.float64).reshape(-1)


def compare_greedy(step: str, expected: Sequence[GreedyAnswer], folder: Path) -> Parity:
    """Return the difference of an exported model: of log-probabilities, and the share of equal tokens.

    A token counts as equal only if all before it in its answer are.
    """
    decoder = ExportedDecoder(folder)
    same, before, after = 0, [], []
    for answer in expected:
        equal, values = decoder.same_tokens(answer)
        same += equal
        before += answer.log_probabilities
        after += values
    del decoder
    gc.collect()
    return Parity(
        step=step,
        largest=float(np.abs(np.subtract(before, after)).max()),
        correlation=_correlation(before, after),
        agreement=same / len(before),
    )


def _correlation(before: Sequence[float], after: Sequence[float]) -> float:
    """Return the correlation; 1 of values that do not vary, such as those of a single token."""
    if len(before) < 2 or np.ptp(before) == 0 or np.ptp(after) == 0:
        return 1.0
    return float(np.corrcoef(before, after)[0, 1])


def _log_sum_exp(logits: Any) -> float:
    top = logits.max()
    return float(top + np.log(np.exp(logits - top).sum()))
