"""Small real decoders, and requests whose answers they can learn, made on the spot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from wardround.cli.commands import invoke
from wardround_lab.corpora.records import digest_of
from wardround_lab.training.encoder import silence_transformers

ARCHITECTURES = ("qwen2", "llama", "gemma3")
ANSWERS = {"alpha": "bug", "beta": "feature", "gamma": "test"}
"""Word of a request -> its answer."""
TEMPLATE = (
    "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
_TOKENS = ["<pad>", "<unk>", "<s>", "</s>", "<|system|>", "<|user|>", "<|assistant|>", "<|end|>"]


def base(place: Path, architecture: str = "qwen2", template: str = TEMPLATE, **changes: Any) -> Path:
    """A decoder with random weights: its description, next to the folder of its files."""
    files = place / f"{architecture}-decoder"
    tokenizer = _tokenizer(template)
    tokenizer.save_pretrained(files)
    with silence_transformers():
        _decoder(architecture, len(tokenizer)).save_pretrained(files)
    content = {
        "id": f"tiny/{architecture}", "licence": "MIT", "architecture": "decoder", "pooling": "last",
        "marker-position": "end", "window": 256, "folder": files.name,
        "digest": digest_of(files / "model.safetensors"),
        "targets": ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"],
    }  # fmt: skip
    path = place / f"{architecture}-decoder.yml"
    path.write_text(yaml.safe_dump(content | changes))
    return path


def _tokenizer(template: str) -> Any:
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=_TOKENS, initial_alphabet=alphabet, show_progress=False
    )
    words = [f" {word}" for word in (*ANSWERS, *ANSWERS.values(), "one", "two", "word")]
    tokenizer.train_from_iterator([*words, *ANSWERS.values()] * 8, trainer)
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>"
    )
    fast.chat_template = template
    return fast


def _decoder(architecture: str, vocabulary: int) -> Any:
    import torch
    import transformers

    torch.manual_seed(1)
    sizes: dict[str, Any] = {
        "vocab_size": vocabulary, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 512,
        "pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3,
    }  # fmt: skip
    match architecture:
        case "qwen2":
            return transformers.Qwen2ForCausalLM(transformers.Qwen2Config(**sizes))
        case "llama":
            return transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes))
        case _:
            config = transformers.Gemma3TextConfig(head_dim=16, sliding_window=64, **sizes)
            return transformers.Gemma3ForCausalLM(config)


def examples(folder: Path, repositories: int = 9, each: int = 8) -> Path:
    """Curated records of several repositories, the later ones of which are the held-out ones."""
    rows = [
        {
            "instruction": f"What is {word}?", "output": answer,
            "input": f"{'one two word '[: number % 9]}{number} {repository}",
            "repository": f"own/r{repository}", "licence": "MIT",
            "time": 1_000 + 100 * number + repository,
        }
        for repository in range(repositories)
        for number in range(each)
        for word, answer in ANSWERS.items()
    ]  # fmt: skip
    path = folder / "records.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def built(folder: Path, records: Path, *options: str) -> Path:
    """The folder that ``build-sft`` writes, with the audit of it."""
    sft = folder / "sft"
    assert (
        invoke(["data", "build-sft", str(records), "--out", str(sft), "--eval-share", "0.6", *options]) == 0
    )
    audit = [
        "data", "audit", str(sft / "train.jsonl"), "--eval", str(sft / "eval.jsonl"), "--limit", "echo=1",
        "--limit", "poor-text=1", "--limit", "one-answer=1", "--limit", "generated=1",
    ]  # fmt: skip
    assert invoke(audit) == 0
    return sft


def recipe(folder: Path, described: Path, *, training: dict[str, Any] | None = None, **changes: Any) -> Path:
    """A recipe over examples next to it."""
    if not (folder / "sft").exists():
        built(folder, examples(folder))
    settings = {"steps": 12, "batch": 4, "checkpoint": 4, "precision": "float32", "rate": 0.02, "threads": 1}
    content = {
        "kind": "chat", "name": "tiny-chat", "title": "The kind of a word", "base": str(described),
        "window": 256, "data": {"folder": "sft"}, "lora": {"rank": 4, "alpha": 8},
        "answer": {"pattern": "bug|feature|test", "tokens": 4, "items": 30},
        "export": {"prompts": 6, "tokens": 4, "agreement": 0.9}, "training": settings | (training or {}),
    }  # fmt: skip
    path = folder / "recipe.yml"
    path.write_text(yaml.safe_dump(content | changes))
    return path
