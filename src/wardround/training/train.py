"""Training an adapter on choices: LoRA on the upper layers, repeatable, and resumable after a kill."""

from __future__ import annotations

import datetime
import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

import msgspec
import torch

from wardround.errors import TrainingError
from wardround.inference.metadata import BaseModel, Data, Lora
from wardround.tasks import Choice
from wardround.training import contrast
from wardround.training.audited import passed_audit
from wardround.training.base import Located, described, locate, read_base
from wardround.training.checkpoint import (
    Checkpoint,
    Position,
    optimiser_tensors,
    read_checkpoint,
    set_optimiser_tensors,
    write_checkpoint,
)
from wardround.training.encoder import Encoder, bucketed, filled, load_encoder, load_tokenizer
from wardround.training.halves import Halves
from wardround.training.lora import (
    WEIGHTS_FILE,
    chosen,
    fuse,
    lora_weights,
    save_lora,
    set_lora_weights,
    with_lora,
)
from wardround.training.questions import (
    Question,
    Questions,
    batches,
    fewer,
    numbered,
    record_files,
    records_digest,
    split,
)
from wardround.training.recipe import MarkerPosition, Recipe, TrainingPart, read_recipe, recipe_digest
from wardround.training.run import (
    BASE_FILE,
    CHECKPOINT_FILE,
    LORA_FOLDER,
    RECIPE_FILE,
    RUN_FILE,
    STEPS_FILE,
    TEXTS_FILE,
    Run,
    Step,
    cut_steps,
    read_run,
    write_atomically,
    write_struct,
)

if TYPE_CHECKING:
    from peft import PeftModel

Item = TypeVar("Item")
Progress = Callable[[str], None]
_CLIP = 1.0
"""Longest gradient; longer ones are shortened to it."""
_LOOKS = 8
"""Looks at the validation questions in a training whose recipe does not say how often."""
_VALIDATION_CANDIDATES = 24
_MEASURED = 16
"""Questions whose texts the export is measured with."""
_PACKAGES = ("torch", "transformers", "peft", "tokenizers", "safetensors")


@dataclass(frozen=True, slots=True)
class Inputs:
    """All that decides the weights of a training."""

    recipe: Recipe
    located: Located
    window: int
    marker_position: MarkerPosition
    precision: Literal["float32", "bfloat16"]
    data: Data

    @property
    def digest(self) -> str:
        """Of everything but the limit in minutes, which a continued training may have raised."""
        free = msgspec.structs.replace(self.recipe.training, max_minutes=0.0, checkpoint=1, threads=1)
        recipe = msgspec.structs.replace(self.recipe, training=free)
        known = [msgspec.json.encode(part, order="deterministic") for part in (recipe, self.data.records)]
        parts = [*known, self.located.digest.encode(), self.precision.encode()]
        return hashlib.sha256(b"\0".join(parts)).hexdigest()


def train(
    recipe_file: Path,
    folder: Path,
    *,
    seed: int | None = None,
    hub: bool = False,
    base_folder: Path | None = None,
    progress: Progress = lambda text: None,
) -> Run:
    """Train what a recipe says, into ``folder``; go on where an earlier, interrupted training stopped.

    Args:
        seed: instead of the recipe's.
        hub: whether the base may be fetched over the network.
        base_folder: where the base's files stand, if not where its description says.

    Raises:
        TrainingError: the recipe, the records, their audit or the base is not what it must be, or the folder
            holds the training of another recipe.
    """
    recipe = _seeded(read_recipe(recipe_file), seed)
    progress("reading the base")
    base = read_base(recipe.base, recipe_file.parent)
    located = locate(base, hub=hub, folder=base_folder)
    progress("reading the records")
    sides = split(recipe, recipe_file.parent)
    inputs = _inputs(recipe, recipe_file, located, len(sides.training))
    finished = _finished(folder, inputs)
    if finished is not None:
        return finished
    torch.set_num_threads(recipe.training.threads)
    tokenizer = load_tokenizer(located, inputs.window, inputs.marker_position)
    questions = numbered(sides.training, sides.validation, tokenizer)
    if not questions.training:
        raise TrainingError("data.train: its items have no wrong candidate that reads otherwise; mine others")
    write_atomically(folder / BASE_FILE, described(base))
    write_atomically(folder / RECIPE_FILE, recipe_file.read_bytes())
    write_atomically(
        folder / TEXTS_FILE, msgspec.json.encode(_some_texts(sides.validation or sides.training))
    )
    return Training(inputs, questions, folder, progress).run()


def _seeded(recipe: Recipe, seed: int | None) -> Recipe:
    if seed is None:
        return recipe
    return msgspec.structs.replace(recipe, training=msgspec.structs.replace(recipe.training, seed=seed))


def _some_texts(choices: Sequence[Choice]) -> list[str]:
    """Texts from all over, to measure the steps of the export with."""
    taken = _spread(choices, _MEASURED)
    return list(dict.fromkeys(text for one in taken for text in (one.query, *one.candidates[:3])))


def _inputs(recipe: Recipe, recipe_file: Path, located: Located, items: int) -> Inputs:
    files = record_files(recipe.data, recipe_file.parent)
    data = Data(
        recipe=recipe_digest(recipe_file),
        records=records_digest(files),
        repositories=tuple(sorted(recipe.data.trained)),
        items=items,
        until=recipe.data.until_seconds,
        audit=passed_audit(files, recipe.data),
    )
    return Inputs(
        recipe=recipe,
        located=located,
        window=recipe.window or located.base.window,
        marker_position=recipe.marker_position or located.base.marker_position,
        precision=precision_of(recipe.training),
        data=data,
    )


def _finished(folder: Path, inputs: Inputs) -> Run | None:
    """The training in a folder if it is this one and came to its end."""
    if not (folder / RUN_FILE).is_file():
        return None
    run = read_run(folder)
    made = (run.data.recipe, run.data.records, run.seed)
    if made != (inputs.data.recipe, inputs.data.records, inputs.recipe.training.seed):
        raise TrainingError(
            f"{folder}: it holds the training of another recipe, seed or records; give another --out"
        )
    return run


def precision_of(training: TrainingPart) -> Literal["float32", "bfloat16"]:
    """What the layers compute in: bfloat16 where the processor does so itself; elsewhere it is slower."""
    if training.precision != "auto":
        return training.precision
    if torch.cuda.is_available():
        return "bfloat16" if torch.cuda.is_bf16_supported() else "float32"
    return "bfloat16" if "bf16" in _processor_flags() else "float32"


def _processor_flags() -> str:
    """``avx512_bf16`` and ``amx_bf16`` stand here on Linux; elsewhere there is no such file."""
    try:
        return Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        return ""


class Training:
    """A training under way."""

    def __init__(self, inputs: Inputs, questions: Questions, folder: Path, progress: Progress) -> None:
        self.inputs = inputs
        self.settings = inputs.recipe.training
        self.questions = questions
        self.folder = folder
        self.progress = progress
        self.encoder: Encoder = load_encoder(inputs.located, four_bit=inputs.located.base.four_bit)
        self.lora: Lora = chosen(self.encoder, inputs.recipe.lora, inputs.located.base.targets)
        self.adapted: PeftModel = with_lora(self.encoder, self.lora, self.settings.seed)
        self.device = _placed(self.encoder)
        self.weights = [weight for weight in self.adapted.parameters() if weight.requires_grad]
        self.optimiser = torch.optim.AdamW(
            self.weights, lr=self.settings.rate, weight_decay=0.0, foreach=False
        )
        self.position = Position(inputs.digest, 0, 0.0, 0, None)
        if inputs.precision == "float32" and not self.lora.dropout and self.device.type == "cpu":
            fuse(self.adapted)
        self.best: dict[str, torch.Tensor] = {}
        self.begun = time.monotonic()
        count = self.settings.validation_items
        self.asked = [
            fewer(one, _VALIDATION_CANDIDATES, f"validation:{at}")
            for at, one in enumerate(_spread(questions.validation, count))
        ]
        self.halves = self._halves()

    def _halves(self) -> Halves | None:
        """The encoder cut in two, where that can be; planned for all steps, however many are made."""
        settings, first = self.settings, min(self.lora.layers)
        if (
            not settings.cache
            or self.inputs.precision != "float32"
            or not Halves.possible(self.encoder, first)
        ):
            return None
        looks = settings.steps // self._between_looks + 1
        visits = Counter(dict.fromkeys(contrast.texts_of(self.asked), looks)) if self.asked else Counter()
        for batch in islice(self._batches(0), settings.steps):
            visits.update(contrast.texts_of(batch))
        halves = Halves(self.encoder, first, self.questions.tokens)
        halves.plan(visits, settings.cache)
        return halves

    @property
    def _between_looks(self) -> int:
        return self.settings.validate or max(1, self.settings.steps // _LOOKS)

    def _batches(self, start: int) -> Iterator[list[Question]]:
        settings = self.settings
        return batches(self.questions.training, settings.batch, settings.candidates, settings.seed, start)

    def run(self) -> Run:
        """Train to the end and write what came of it."""
        torch.use_deterministic_algorithms(True, warn_only=True)
        self._resume()
        before = self.position.seconds
        started = self.position.step
        settings, ended = self.settings, "steps"
        with (self.folder / STEPS_FILE).open("ab") as record:
            for batch in self._batches(started):
                if self.position.step >= settings.steps:
                    break
                if settings.max_minutes and self.position.seconds >= settings.max_minutes * 60:
                    ended = "minutes"
                    break
                lost, rate = self._step(batch)
                step = self.position.step + 1
                metric = self._look(step)
                self._moved(step, before + time.monotonic() - self.begun, metric)
                line = Step(step, round(lost, 6), rate, round(self.position.seconds, 2), metric)
                record.write(msgspec.json.encode(line) + b"\n")
                record.flush()
                if step % settings.checkpoint == 0:
                    self._save()
                self.progress(self._told(lost, step - started, self.position.seconds - before))
        return self._end("minutes" if ended == "minutes" else "steps")

    def _resume(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        found = read_checkpoint(self.folder)
        if found is None:
            cut_steps(self.folder, 0)
            return
        if found.position.inputs != self.inputs.digest:
            raise TrainingError(
                f"{self.folder}: it holds an unfinished training of another recipe, base or records; "
                "give another --out, or delete it"
            )
        set_lora_weights(self.adapted, found.lora)
        set_optimiser_tensors(self.optimiser, found.optimiser)
        torch.set_rng_state(found.random)
        self.best = dict(found.best)
        self.position = found.position
        cut_steps(self.folder, found.position.step)

    def _step(self, batch: Sequence[Question]) -> tuple[float, float]:
        """One step of the optimiser: its loss and its rate."""
        _dropping(self.adapted)
        rate = self.settings.rate * schedule(self.position.step, self.settings.steps, self.settings.warm_up)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        texts = contrast.texts_of(batch)
        lost = contrast.loss(self._vectors(texts), texts, batch, self.settings.temperature)
        self.optimiser.zero_grad()
        backward: Callable[[], None] = lost.backward
        backward()
        torch.nn.utils.clip_grad_norm_(self.weights, _CLIP)
        self.optimiser.step()
        return lost.item(), rate

    def _vectors(self, texts: Sequence[int]) -> torch.Tensor:
        """Vectors of texts, in their order; computed by length, so that little is filled up."""
        tokens = [self.questions.tokens[text] for text in texts]
        parts, places = [], []
        for bucket in bucketed([len(row) for row in tokens]):
            if self.halves is not None:
                parts.append(self.halves.vectors([texts[place] for place in bucket]))
            else:
                ids, mask = filled([tokens[place] for place in bucket], self.device)
                with self._computing():
                    parts.append(self.encoder(ids, mask).float())
            places += bucket
        back = torch.argsort(torch.tensor(places, device=self.device))
        return torch.cat(parts)[back]

    def _computing(self) -> AbstractContextManager[object]:
        if self.inputs.precision == "float32":
            return nullcontext()
        return torch.autocast(self.device.type, torch.bfloat16)

    def _look(self, step: int) -> float | None:
        """The validation metric after a step, where it is time for it; the best weights so far are kept."""
        if not self.asked or (step % self._between_looks and step != self.settings.steps):
            return None
        self.adapted.eval()
        texts = contrast.texts_of(self.asked)
        with torch.no_grad():
            metric = contrast.mean_reciprocal_rank(self._vectors(texts), texts, self.asked)
        return round(metric, 6)

    def _moved(self, step: int, seconds: float, metric: float | None) -> None:
        best = self.position.best
        better = metric is not None and (best is None or metric > best)
        if better and self.settings.keep == "best":
            self.best = lora_weights(self.adapted)
        self.position = Position(
            self.position.inputs,
            step,
            seconds,
            step if better else self.position.kept,
            metric if better else best,
        )

    def _save(self) -> None:
        state = optimiser_tensors(self.optimiser)
        checkpoint = Checkpoint(
            self.position, lora_weights(self.adapted), self.best, state, torch.get_rng_state()
        )
        write_checkpoint(self.folder, checkpoint)

    def _told(self, lost: float, made: int, seconds: float) -> str:
        settings = self.settings
        left = seconds / made * (settings.steps - self.position.step)
        if settings.max_minutes:
            left = min(left, settings.max_minutes * 60 - self.position.seconds)
        best = "" if self.position.best is None else f", best mrr {self.position.best:.3f}"
        minutes, rest = divmod(max(0, round(left)), 60)
        return (
            f"step {self.position.step} of {settings.steps}, loss {lost:.3f}{best}, {minutes}:{rest:02} left"
        )

    def _end(self, ended: Literal["steps", "minutes"]) -> Run:
        if not self.position.step:
            raise TrainingError("training.max-minutes was over before the first step; allow more")
        self._save()
        last = lora_weights(self.adapted)
        weights = self.best or last
        kept = self.position.kept if self.best else self.position.step
        target = self.folder / LORA_FOLDER
        save_lora(self.adapted, weights, self.inputs.located.base.id, target)
        run = _run(self.inputs, self.lora, self.position, ended, kept, target / WEIGHTS_FILE)
        write_struct(self.folder / RUN_FILE, run)
        (self.folder / CHECKPOINT_FILE).unlink()
        return run


def _run(
    inputs: Inputs,
    lora: Lora,
    position: Position,
    ended: Literal["steps", "minutes"],
    kept: int,
    weights: Path,
) -> Run:
    recipe, base = inputs.recipe, inputs.located.base
    return Run(
        schema="wardround.run/1",
        name=recipe.name,
        specialist=recipe.specialist,
        task=recipe.task,
        title=recipe.title,
        scope="" if recipe.data.own is None else recipe.data.own.repository,
        base=recipe.base,
        base_model=BaseModel(
            id=base.id, revision=base.revision, digest=inputs.located.digest, licence=base.licence
        ),
        window=inputs.window,
        marker_position=inputs.marker_position,
        lora=lora,
        data=inputs.data,
        seed=recipe.training.seed,
        steps=position.step,
        ended=ended,
        kept=kept,
        best=position.best,
        precision=inputs.precision,
        seconds=round(position.seconds, 1),
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        weights=hashlib.sha256(weights.read_bytes()).hexdigest(),
        versions={name: version(name) for name in _PACKAGES},
    )


def schedule(step: int, steps: int, warm_up: float) -> float:
    """Share of the highest rate at a 0-based step: rising over ``warm_up`` of the steps, then falling."""
    rising = max(1, round(steps * warm_up))
    if step < rising:
        return (step + 1) / rising
    return max(0.0, (steps - step) / max(1, steps - rising + 1))


def _dropping(adapted: PeftModel) -> None:
    """Let LoRA's own dropout drop; the base has none while its lower layers are taken as they are."""
    adapted.eval()
    for name, module in adapted.named_modules():
        if "lora_dropout" in name:
            module.train()


def _placed(encoder: Encoder) -> torch.device:
    """Where the encoder computes: on the GPU if there is one."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if next(encoder.parameters()).device.type != device.type:
        encoder.to(device)
    return device


def _spread(items: Sequence[Item], count: int) -> Iterator[Item]:
    """At most ``count`` items, from all over."""
    taken = min(count, len(items))
    return (items[at * len(items) // taken] for at in range(taken))
