"""A recipe with its base and its records: 32 choices of the text about one of 18 words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import yaml

from wardround.training_tasks import Choice
from wardround_lab.corpora.records import digest_of
from wardround_lab.training.encoder import silence_transformers

if TYPE_CHECKING:
    from tokenizers import Tokenizer

NAME = "trial"
LICENCE = "MIT"
REPOSITORIES = ("trial/r0", "trial/r1", "trial/r2", "trial/r3")
"""The first two train, the third validates, the last evaluates."""
RECORDS = "records.jsonl"
RECIPE = "recipe.yml"
_WORDS = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu",
    "nu", "xi", "omicron", "pi", "rho", "sigma",
)  # fmt: skip
_EACH = 8
_CANDIDATES = 4
_SIZES = {
    "hidden_size": 64,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "intermediate_size": 256,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
}
_WINDOW = 16
_SEED = 1


def write_tiny_recipe(folder: Path, steps: int) -> Path:
    """Write the base, the records and the recipe to an existing folder, and return the recipe's file."""
    base = _write_base(folder)
    (folder / RECORDS).write_bytes(b"".join(msgspec.json.encode(choice) + b"\n" for choice in _choices()))
    recipe = {
        "name": NAME, "specialist": "python", "task": "words", "base": str(base), "window": _WINDOW,
        "lora": {"rank": 4, "alpha": 8, "layers": [2, 3]},
        "data": {
            "records": [RECORDS], "train": list(REPOSITORIES[:2]), "validation": [REPOSITORIES[2]],
            "evaluation": [REPOSITORIES[3]],
        },
        "training": {"steps": steps, "batch": 4, "checkpoint": steps, "validate": steps, "rate": 0.005},
    }  # fmt: skip
    return _write_yaml(folder / RECIPE, recipe)


def _write_base(folder: Path) -> Path:
    """Write a BERT with random weights, and return the file of its description."""
    files = folder / "base-files"
    files.mkdir()
    tokenizer = _tokenizer()
    tokenizer.save(str(files / "tokenizer.json"))
    _save_bert(tokenizer.get_vocab_size(), files)
    base = {
        "id": "trial/bert", "licence": LICENCE, "architecture": "encoder", "pooling": "mean",
        "window": _WINDOW, "folder": files.name, "digest": digest_of(files / "model.safetensors"),
        "targets": ["query", "key", "value", "dense"],
    }  # fmt: skip
    return _write_yaml(folder / "base.yml", base)


def _save_bert(vocabulary: int, folder: Path) -> None:
    import torch
    import transformers

    transformers_: Any = transformers  # its classes are not typed
    torch.manual_seed(_SEED)
    with silence_transformers():
        config = transformers_.BertConfig(vocab_size=vocabulary, **_SIZES)
        transformers_.BertModel(config).save_pretrained(folder)


def _tokenizer() -> Tokenizer:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

    special = ["<pad>", "<unk>", "<start>", "<end>"]
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))  # noqa: S106  (a token of text)
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.BpeTrainer(vocab_size=200, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator([*_WORDS, *"abcdefghijklmnopqrstuvwxyz0123456789"], trainer)
    ends = [(token, special.index(token)) for token in ("<start>", "<end>")]
    tokenizer.post_processor = processors.TemplateProcessing(single="<start> $A <end>", special_tokens=ends)
    return tokenizer


def _choices() -> list[Choice]:
    return [
        _choice(repository, number, index * _EACH + number)
        for index, repository in enumerate(REPOSITORIES)
        for number in range(_EACH)
    ]


def _choice(repository: str, number: int, first: int) -> Choice:
    names = [_WORDS[(first + shift * 5) % len(_WORDS)] for shift in range(_CANDIDATES)]
    right = number % _CANDIDATES
    return Choice(
        repository=repository,
        time=1_000 * (1 + REPOSITORIES.index(repository)),
        group=f"{repository}/{number // 2}",
        query=f"about {names[right]} {'x ' * (number % 3)}",
        candidates=tuple(f"this {name} holds {name} {number}" for name in names),
        right=(right,),
    )


def _write_yaml(file: Path, content: dict[str, Any]) -> Path:
    file.write_text(yaml.safe_dump(content), "utf-8")
    return file
