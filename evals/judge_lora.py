"""Train the base model with LoRA in all layers to correct the log-odds of the judge by the text of a finding.

    python evals/judge_text.py EXAMPLES --out FOLDER --write-task
    python evals/judge_lora.py FOLDER [--seeds N] [--epochs N] [--rate R] [--apart] [--base FILE] [--part K N]
    python evals/judge_text.py EXAMPLES --out FOLDER --lora

One model has both outputs: worth raising, and wrong. The weights of the step with the lowest loss on a tenth
of the repositories are kept; step 0 is the judge itself, so that a model that learns nothing adds nothing.
With ``--apart`` each specialist has a separate model. ``--base`` is a description of the base model in the
folder of its files. A GPU is used if there is one. FOLDER keeps the scores of each fold, so that an
interrupted run resumes; ``--part`` trains every Nth of the folds and seeds, for processes that run side by
side.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn

from wardround.inference.metadata import Lora
from wardround_lab.training.base_model import locate, read_base
from wardround_lab.training.encoder import load_encoder
from wardround_lab.training.lora import add_lora, fuse, layer_count, lora_weights, set_lora_weights

RATE = 3e-4
HEAD_RATE = 2e-3
"""The default learning rate of LoRA; scaled in proportion to it."""
WARM_UP = 0.1
BATCH = 32
WINDOW = 160
"""Tokens of a text."""
LOOKS = 3
"""Validations in an epoch."""
_RANK = 16
_LEAST = 100
"""Minimum number of findings of a specialist for a separate model."""


@dataclass(frozen=True, slots=True)
class Task:
    """Findings with the log-odds of the judge, held out fold by fold.

    Attributes:
        texts: the texts of the findings, shape (findings,).
        fold: number of the fold of each, shape (findings,).
        offsets: log-odds of the judge that was fitted without a fold, shape (folds, findings, classes).
        right: which classes each has, shape (findings, classes).
    """

    texts: np.ndarray
    repositories: np.ndarray
    specialists: np.ndarray
    fold: np.ndarray
    offsets: np.ndarray
    right: np.ndarray

    def save(self, folder: Path) -> None:
        np.savez_compressed(folder / "task.npz", **{name: getattr(self, name) for name in self.__slots__})

    @classmethod
    def load(cls, folder: Path) -> Task:
        with np.load(folder / "task.npz") as stored:
            return cls(**{name: stored[name] for name in cls.__slots__})


def score_file(folder: Path, kind: str, seed: int, fold: int) -> Path:
    """Return the file with the log-odds of a fold, of a ``kind`` of model: one for all, or ``apart``."""
    return folder / f"{kind}-seed{seed}-fold{fold}.npy"


class LoraJudge:
    """A base model with LoRA and two outputs."""

    def __init__(self, seed: int, base_name: str, rate: float) -> None:
        from tokenizers import Tokenizer

        base = read_base(base_name)
        located = locate(base)
        self.encoder = load_encoder(located)
        lora = Lora(
            rank=_RANK,
            alpha=2 * _RANK,
            dropout=0.0,
            layers=tuple(range(layer_count(self.encoder))),
            targets=tuple(base.targets),
        )
        self.adapted = add_lora(self.encoder, lora, seed)
        fuse(self.adapted)
        self.rate = rate
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        torch.manual_seed(seed)
        self.head = nn.Linear(self.encoder.model.config.hidden_size, 2)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)
        self.encoder.to(self.device)
        self.head.to(self.device)
        self.tokenizer = Tokenizer.from_file(str(located.folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(WINDOW)
        self.generator = np.random.default_rng(seed)
        self.kept = "step 0"

    def fit(
        self,
        texts: Sequence[str],
        offsets: np.ndarray,
        right: np.ndarray,
        repositories: Sequence[str],
        known: np.ndarray,
        epochs: int,
    ) -> None:
        """Train on the known findings.

        Args:
            offsets: log-odds of the judge, shape (findings, 2).
            right: classes, of the same shape.
        """
        ids = [encoding.ids for encoding in self.tokenizer.encode_batch(list(texts))]
        names = sorted({name for name, is_in in zip(repositories, known, strict=True) if is_in})
        self.generator.shuffle(names)
        checked = set(names[: len(names) // 10])
        is_checked = np.array([name in checked for name in repositories])
        training, validation = np.flatnonzero(known & ~is_checked), np.flatnonzero(known & is_checked)
        weights = [parameter for parameter in self.adapted.parameters() if parameter.requires_grad]
        optimiser = torch.optim.AdamW(
            [
                {"params": weights, "lr": self.rate},
                {"params": self.head.parameters(), "lr": HEAD_RATE * self.rate / RATE},
            ],
            weight_decay=0.01,
        )
        batches = [batch for _ in range(epochs) for batch in self._batches(training, ids)]
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimiser,
            lambda step: min(
                1.0,
                (step + 1) / (WARM_UP * len(batches)),
                0.5 + 0.5 * math.cos(math.pi * step / len(batches)),
            ),
        )
        look = max(1, len(batches) // (epochs * LOOKS))
        best, retained = self._loss(validation, ids, offsets, right), self._state()
        for step, batch in enumerate(batches, 1):
            self.encoder.train()
            logits = self._logits(batch, ids) + torch.from_numpy(offsets[batch]).to(self.device)
            target = torch.from_numpy(right[batch]).to(self.device)
            loss = nn.functional.binary_cross_entropy_with_logits(logits, target)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_([*weights, *self.head.parameters()], 1.0)
            optimiser.step()
            schedule.step()
            if step % look == 0 and (value := self._loss(validation, ids, offsets, right)) < best:
                best, retained, self.kept = value, self._state(), f"step {step} of {len(batches)}"
        set_lora_weights(self.adapted, retained[0])
        self.head.load_state_dict(retained[1])

    def scores(self, texts: Sequence[str], offsets: np.ndarray, unseen: np.ndarray) -> np.ndarray:
        """Return the log-odds of the unseen findings, shape (unseen, 2)."""
        ids = [encoding.ids for encoding in self.tokenizer.encode_batch(list(texts))]
        places = np.flatnonzero(unseen)
        return self._all_logits(places, ids) + offsets[places]

    def _batches(self, places: np.ndarray, ids: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """Return the findings in batches of similar length, in random order."""
        noise = self.generator.uniform(0.8, 1.2, len(places))
        ordered = places[np.argsort([len(ids[at]) * wide for at, wide in zip(places, noise, strict=True)])]
        batches = [ordered[at : at + BATCH] for at in range(0, len(ordered), BATCH)]
        self.generator.shuffle(batches)
        return batches

    def _logits(self, batch: np.ndarray, ids: Sequence[Sequence[int]]) -> torch.Tensor:
        width = max(len(ids[at]) for at in batch)
        tokens = torch.zeros((len(batch), width), dtype=torch.long)
        mask = torch.zeros((len(batch), width), dtype=torch.long)
        for row, at in enumerate(batch):
            tokens[row, : len(ids[at])] = torch.tensor(ids[at])
            mask[row, : len(ids[at])] = 1
        vectors = self.encoder(tokens.to(self.device), mask.to(self.device)) * math.sqrt(
            self.head.in_features
        )
        return self.head(vectors)

    def _all_logits(self, places: np.ndarray, ids: Sequence[Sequence[int]]) -> np.ndarray:
        self.encoder.eval()
        found = np.zeros((len(places), 2), dtype=np.float32)
        order = np.argsort([len(ids[at]) for at in places], kind="stable")
        with torch.no_grad():
            for at in range(0, len(order), BATCH):
                part = order[at : at + BATCH]
                found[part] = self._logits(places[part], ids).cpu().numpy()
        return found

    def _loss(
        self, places: np.ndarray, ids: Sequence[Sequence[int]], offsets: np.ndarray, right: np.ndarray
    ) -> float:
        logits = torch.from_numpy(self._all_logits(places, ids) + offsets[places])
        target = torch.from_numpy(right[places])
        return float(nn.functional.binary_cross_entropy_with_logits(logits, target))

    def _state(self) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
        weights = {name: item.clone() for name, item in lora_weights(self.adapted).items()}
        return weights, {name: item.clone() for name, item in self.head.state_dict().items()}


def train(task: Task, folder: Path, seed: int, fold: int, arguments: argparse.Namespace) -> None:
    """Train without a fold, and keep the log-odds of its findings."""
    kind = "apart" if arguments.apart else "shared"
    file = score_file(folder, kind, seed, fold)
    if file.exists():
        return
    started, unseen = time.monotonic(), task.fold == fold
    offsets = task.offsets[fold]
    scores, retained = offsets.copy(), []
    for name in sorted(set(task.specialists)) if arguments.apart else [""]:
        part = (task.specialists == name) if name else np.ones(len(task.fold), dtype=bool)
        if (part & ~unseen).sum() < _LEAST or not (part & unseen).any():
            continue
        model = LoraJudge(seed, arguments.base, arguments.rate)
        model.fit(
            list(task.texts),
            offsets,
            task.right,
            list(task.repositories),
            part & ~unseen,
            arguments.epochs,
        )
        scores[part & unseen] = model.scores(list(task.texts), offsets, part & unseen)
        retained.append(f"{name} {model.kept}".strip())
    np.save(file, scores[unseen])
    print(f"{file.stem}: {time.monotonic() - started:.0f} s, {', '.join(retained)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("--base", default="minilm")
    parser.add_argument("--part", type=int, nargs=2, default=(1, 1), metavar=("K", "N"))
    arguments = parser.parse_args()
    task = Task.load(arguments.folder)
    runs = [(seed, fold) for seed in range(arguments.seeds) for fold in range(len(task.offsets))]
    number, count = arguments.part
    for seed, fold in runs[number - 1 :: count]:
        train(task, arguments.folder, seed, fold, arguments)


if __name__ == "__main__":
    main()
