"""Small real models, and choices they can learn, made on the spot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

from wardround.training_tasks import Choice
from wardround_lab.corpora.audit import AuditCheck, AuditedFile, assemble_audit, audit_of
from wardround_lab.corpora.records import digest_of, write_json
from wardround_lab.training.encoder import silence_transformers

WORDS = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu",
    "nu", "xi", "omicron", "pi", "rho", "sigma",
]  # fmt: skip
SIZES: dict[str, Any] = {
    "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 256,
}  # fmt: skip
ARCHITECTURES = ("bert", "roberta", "modernbert", "qwen2")


def base(place: Path, architecture: str = "bert", **changes: Any) -> Path:
    """A base with random weights: its description, in the folder of its files."""
    files = place / f"{architecture}-files"
    tokenizer = _tokenizer(architecture)
    files.mkdir(parents=True)
    tokenizer.save(str(files / "tokenizer.json"))
    with silence_transformers():
        _model(architecture, tokenizer.get_vocab_size()).save_pretrained(files)
    described = {
        "id": f"tiny/{architecture}", "licence": "MIT", "architecture": "encoder", "pooling": "mean",
        "window": 16, "folder": files.name, "digest": digest_of(files / "model.safetensors"),
        "targets": _TARGETS[architecture],
    }  # fmt: skip
    if architecture == "qwen2":
        described |= {
            "architecture": "decoder",
            "pooling": "last",
            "marker-position": "end",
            "marker": "<end>",
        }
    path = place / f"{architecture}.yml"
    path.write_text(yaml.safe_dump(described | changes))
    return path


def sharded_base(place: Path) -> Path:
    """A decoder in the form of published large ones: bfloat16, several files, inside a model that generates
    text.

    While adapters are trained on it, it is held in four bits.
    """
    from wardround_lab.training.base_model import weights_digest

    index = "model.safetensors.index.json"
    described = base(place, "qwen2", folder="sharded-files", digest="", weights=index, **{"four-bit": True})
    files = place / "sharded-files"
    files.mkdir()
    (files / "tokenizer.json").write_bytes((place / "qwen2-files" / "tokenizer.json").read_bytes())
    with silence_transformers():
        _writer(_tokenizer("qwen2").get_vocab_size()).save_pretrained(files, max_shard_size="200KB")
    content = yaml.safe_load(described.read_text()) | {"digest": weights_digest(files, index)}
    described.write_text(yaml.safe_dump(content))
    return described


def _writer(vocabulary: int) -> Any:
    import torch
    import transformers

    torch.manual_seed(1)
    sizes = SIZES | {"vocab_size": vocabulary, "pad_token_id": 0}
    config = transformers.Qwen2Config(num_key_value_heads=2, max_position_embeddings=64, **sizes)
    return transformers.Qwen2ForCausalLM(config).to(torch.bfloat16)


_TARGETS = {
    "bert": ["query", "key", "value", "dense"],
    "roberta": ["query", "value"],
    "modernbert": ["Wqkv", "Wo", "Wi"],
    "qwen2": ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"],
}


def _tokenizer(architecture: str) -> Tokenizer:
    special = ["<pad>", "<unk>", "<start>", "<end>"]
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.BpeTrainer(vocab_size=200, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(WORDS * 4 + list("abcdefghijklmnopqrstuvwxyz0123456789"), trainer)
    if architecture != "qwen2":
        tokenizer.post_processor = processors.TemplateProcessing(
            single="<start> $A <end>", special_tokens=[("<start>", 2), ("<end>", 3)]
        )
    return tokenizer


def _model(architecture: str, vocabulary: int) -> Any:
    import torch
    import transformers

    torch.manual_seed(1)
    sizes = SIZES | {"vocab_size": vocabulary, "pad_token_id": 0}
    match architecture:
        case "bert":
            return transformers.BertModel(transformers.BertConfig(max_position_embeddings=64, **sizes))
        case "roberta":
            return transformers.RobertaModel(transformers.RobertaConfig(max_position_embeddings=64, **sizes))
        case "modernbert":
            tokens = {"bos_token_id": 2, "eos_token_id": 3, "cls_token_id": 2, "sep_token_id": 3}
            config = transformers.ModernBertConfig(
                max_position_embeddings=64, local_attention=8, global_attn_every_n_layers=2, **sizes, **tokens
            )
            return transformers.ModernBertModel(config)
        case _:
            config = transformers.Qwen2Config(num_key_value_heads=2, max_position_embeddings=64, **sizes)
            return transformers.Qwen2Model(config)


def choices(repositories: int = 4, each: int = 8) -> list[Choice]:
    """Choices of the text about the queried word, which are learnt in a few steps."""
    created = []
    for repository in range(repositories):
        for number in range(each):
            first = (repository * each + number) % len(WORDS)
            names = [WORDS[(first + shift * 5) % len(WORDS)] for shift in range(4)]
            right = number % 4
            names[0], names[right] = names[right], names[0]
            created.append(
                Choice(
                    repository=f"own/r{repository}", time=1_000 * (1 + repository),
                    group=f"{repository}/{number // 2}", query=f"about {names[right]} {'x ' * (number % 3)}",
                    candidates=tuple(f"this {name} holds {name} {number}" for name in names), right=(right,),
                )
            )  # fmt: skip
    return created


def records(folder: Path, made: list[Choice], *, passed: bool = True, held: tuple[str, ...] = ()) -> Path:
    """A file of choices with the audit of it."""
    import msgspec

    path = folder / "records.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(item) + b"\n" for item in made))
    write_audit(path, passed=passed, held=held)
    return path


def write_audit(path: Path, *, passed: bool = True, held: tuple[str, ...] = ()) -> None:
    names = sorted({json.loads(line)["repository"] for line in path.read_text().splitlines()})
    file = AuditedFile(path.name, digest_of(path), "both", len(names))
    check = AuditCheck("secrets", passed, 0 if passed else 1, 0.0, 0.0, "1 of 4 items hold a secret")
    sides = [name for name in names if name not in held], [name for name in names if name in held]
    audit = assemble_audit(
        file, [file], [check], hold_out=held, since=None, train=(1, sides[0]), evaluation=(1, sides[1])
    )
    write_json(audit_of(path), audit)


_TRAINING = {"steps": 6, "batch": 4, "checkpoint": 2, "validate": 3, "precision": "float32"}


def recipe(folder: Path, described: Path, **training: Any) -> Path:
    """A recipe with records in the same folder: r0 and r1 train, r2 validates, r3 evaluates."""
    if not (folder / "records.jsonl").exists():
        records(folder, choices(), held=("own/r3",))
    content = {
        "name": "tiny", "specialist": "python", "task": "words", "base": str(described), "window": 16,
        "lora": {"rank": 4, "alpha": 8, "layers": [2, 3]},
        "data": {
            "records": ["records.jsonl"], "train": ["own/r0", "own/r1"], "validation": ["own/r2"],
            "evaluation": ["own/r3"],
        },
        "training": _TRAINING | training,
    }  # fmt: skip
    path = folder / "recipe.yml"
    path.write_text(yaml.safe_dump(content))
    return path
