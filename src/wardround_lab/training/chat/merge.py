"""Merge the LoRA weights of a chat model into its base, and measure what that changed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from wardround.errors import TrainingError
from wardround.inference.metadata import Parity
from wardround_lab.training.base_model import Located, locate, read_base
from wardround_lab.training.bootstrap import Floats
from wardround_lab.training.chat.decoder import load_decoder, load_plain, wrap
from wardround_lab.training.chat.examples import BuiltFiles, Example, evaluation_examples
from wardround_lab.training.chat.recipe import ChatRecipe, read_chat_recipe
from wardround_lab.training.chat.template import ChatTokenizer
from wardround_lab.training.chat.train import TEMPLATE_FILE, ChatRun, read_chat_run
from wardround_lab.training.choice_dataset import spread
from wardround_lab.training.encoder import silence_transformers
from wardround_lab.training.lora import WEIGHTS_FILE, add_lora, read_lora, set_lora_weights
from wardround_lab.training.parity import compare_outputs
from wardround_lab.training.run_directory import BASE_FILE, LORA_FOLDER, MERGED_FOLDER, RECIPE_FILE
from wardround_lab.training.sharded_merge import merge_shards


@dataclass(frozen=True, slots=True, eq=False)
class TrainedChat:
    """A finished training of a chat model.

    Attributes:
        weights: LoRA's, by the names in the file of an adapter.
        requests: held-out examples, by which the steps of the export are measured.
        evaluation_lines: number of all held-out examples, with those that exceed the window.
    """

    folder: Path
    run: ChatRun
    recipe: ChatRecipe
    located: Located
    tokenizer: ChatTokenizer
    weights: Mapping[str, torch.Tensor]
    requests: tuple[Example, ...]
    evaluation_lines: int

    @classmethod
    def read(cls, folder: Path, base_folder: Path | None = None) -> TrainedChat:
        """Read the training in a directory, and its held-out requests.

        Raises:
            TrainingError: it is not finished, or its base, its weights or its examples have changed.
        """
        run = read_chat_run(folder)
        recipe = read_chat_recipe(folder / RECIPE_FILE)
        torch.set_num_threads(recipe.training.threads)
        located = locate(read_base(BASE_FILE, folder), folder=base_folder)
        if located.digest != run.base_model.digest:
            raise TrainingError(f"{located.folder}: it was trained on another base; find that one")
        file = folder / LORA_FOLDER / WEIGHTS_FILE
        content = _read(file)
        if hashlib.sha256(content).hexdigest() != run.weights:
            raise TrainingError(f"{file}: these are not the weights that were trained here; train again")
        tokenizer = ChatTokenizer.load(located, folder / TEMPLATE_FILE)
        built = BuiltFiles.read(Path(run.examples))
        requests = evaluation_examples(built, recipe, tokenizer)
        weights, lines = read_lora(file, content), built.result.evaluation
        return cls(folder, run, recipe, located, tokenizer, weights, requests, lines)

    def compared_requests(self) -> list[Example]:
        """Return the requests by which the steps of the export are measured."""
        return list(spread(self.requests, self.recipe.export.prompts))

    def load_adapted(self) -> Any:
        """Return the base with separate LoRA weights, as it was trained."""
        adapted = add_lora(wrap(load_decoder(self.located)), self.run.lora, 0)
        set_lora_weights(adapted, self.weights)
        return adapted.eval()

    def merge(self, target: Path | None = None) -> Parity:
        """Write the merged model with its tokenizer, and return its difference.

        Args:
            target: its directory; ``merged`` below that of the training by default.

        Raises:
            TrainingError: it is the base's own directory, or it cannot be written.
        """
        target = target or self.folder / MERGED_FOLDER
        if target.resolve() == self.located.folder.resolve():
            raise TrainingError(f"{target} is the base, which is read-only; choose another --out")
        examples = self.compared_requests()
        adapted = self.load_adapted()
        before = answer_log_probabilities(adapted, examples)
        if self.located.base.four_bit:
            del adapted
            merge_shards(self.located, self.run.lora, self.weights, target)
        else:
            _save(adapted, target)
            del adapted
        self.tokenizer.save(target)
        self._write_stop_token(target)
        merged = load_plain(replace(self.located, folder=target))
        return compare_outputs("merged", before, answer_log_probabilities(merged, examples))

    def load_merged(self) -> Any:
        """Return the merged model as it was written, in float32.

        Raises:
            TrainingError: it was not merged, or its files are damaged.
        """
        return load_plain(replace(self.located, folder=self.folder / MERGED_FOLDER))

    def _write_stop_token(self, target: Path) -> None:
        """Let a generation end where an answer of the chat template does."""
        import transformers

        kind: Any = transformers.GenerationConfig
        try:
            of_base = kind.from_pretrained(str(self.located.folder))
        except OSError:
            of_base = kind()
        known = of_base.eos_token_id
        ends = [self.tokenizer.stop, *(known if isinstance(known, list) else [known])]
        settings = kind(
            bos_token_id=of_base.bos_token_id,
            pad_token_id=of_base.pad_token_id,
            eos_token_id=[end for end in dict.fromkeys(ends) if end is not None],
        )
        settings.save_pretrained(str(target))


def _save(adapted: Any, target: Path) -> None:
    try:
        target.mkdir(parents=True, exist_ok=True)
        with silence_transformers():
            adapted.merge_and_unload().save_pretrained(str(target))
    except OSError as cause:
        raise TrainingError(
            f"{target}: {cause.strerror or cause}; free space, or choose another directory"
        ) from cause


def answer_log_probabilities(model: Any, examples: Sequence[Example]) -> Floats:
    """Return the log-probability of each token of the answers, one after the other."""
    device = next(model.parameters()).device
    found = []
    for example in examples:
        ids = torch.tensor([[*example.prompt, *example.answer]], device=device)
        kept = torch.arange(len(example.prompt) - 1, example.length - 1, device=device)
        with torch.no_grad():
            logits = model(input_ids=ids, logits_to_keep=kept).logits[0].double()
        tokens = ids[0, len(example.prompt) :, None]
        found.append(logits.log_softmax(-1).gather(1, tokens)[:, 0].cpu())
    values: Floats = torch.cat(found).numpy()
    return values


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as cause:
        raise TrainingError(f"{file}: {cause.strerror}; train the adapter again") from cause
