"""Training a model that judges lines: LoRA and heads in two phases, repeatable, resumable after a kill."""

from __future__ import annotations

import datetime
import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
import torch

from wardround.errors import TrainingError
from wardround.inference.metadata import BaseModel, Data, Lora
from wardround.training.appraise import line_task_of
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
from wardround.training.encoder import load_encoder, load_tokenizer
from wardround.training.lines.loss import balanced_loss, focal_loss, labels_of
from wardround.training.lines.model import HEADS, LineModel, head_weights, set_head_weights
from wardround.training.lines.pools import Batch, Pools, pairs_of
from wardround.training.lines.recipe import LineRecipe, read_line_recipe
from wardround.training.lines.sheets import Sheet, Writer, divided
from wardround.training.lora import (
    chosen,
    lora_weights,
    set_lora_weights,
    with_lora,
)
from wardround.training.questions import record_files, records_digest
from wardround.training.recipe import MarkerPosition, recipe_digest
from wardround.training.run import (
    BASE_FILE,
    CHECKPOINT_FILE,
    RECIPE_FILE,
    STEPS_FILE,
    Step,
    cut_steps,
    write_atomically,
    write_struct,
)
from wardround.training.train import precision_of, schedule

if TYPE_CHECKING:
    from peft import PeftModel

RUN_FILE = "lines-run.json"
WEIGHTS_FILE = "lines.safetensors"
_CLIP = 1.0
_LOOKS = 8
_AT_ONCE = 16
"""Windows that are scored together."""
_PACKAGES = ("torch", "transformers", "peft", "tokenizers", "safetensors")

Progress = Callable[[str], None]


class LineRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", kw_only=True):
    """A training of lines that came to its end.

    Attributes:
        classes: of the heads, in their order.
        windows: how many could be drawn: pairs, real right ones, real broken ones.
        kept: the step whose weights were kept; ``best``: their share of validation pairs in the right order.
        weights: SHA-256 of the file of LoRA and heads.
    """

    schema: Literal["wardround.lines/1"]
    name: str
    specialist: str
    task: str
    title: str
    base: str
    base_model: BaseModel
    window: int
    marker_position: MarkerPosition
    lora: Lora
    classes: tuple[str, ...]
    data: Data
    windows: tuple[int, int, int]
    seed: int
    steps: int
    ended: Literal["steps", "minutes"]
    kept: int
    best: float | None
    precision: Literal["float32", "bfloat16"]
    seconds: float
    date: str
    weights: str
    versions: dict[str, str]


def read_line_run(folder: Path) -> LineRun:
    """What the training in a folder came to.

    Raises:
        TrainingError: it has not come to its end, or this is no such folder.
    """
    file = folder / RUN_FILE
    try:
        return msgspec.json.decode(file.read_bytes(), type=LineRun)
    except FileNotFoundError as cause:
        raise TrainingError(
            f"{folder}: there is no finished training of lines here; run `wardround adapters train` first"
        ) from cause
    except (OSError, msgspec.MsgspecError) as cause:
        raise TrainingError(f"{file}: {cause}; train again") from cause


def train_lines(
    recipe_file: Path,
    folder: Path,
    *,
    seed: int | None = None,
    hub: bool = False,
    base_folder: Path | None = None,
    progress: Progress = lambda text: None,
) -> LineRun:
    """Train what a recipe of lines says; see ``wardround.training.train.train``.

    Raises:
        TrainingError: the recipe, the records, their audit or the base is not what it must be.
    """
    recipe = read_line_recipe(recipe_file)
    if seed is not None:
        training = msgspec.structs.replace(recipe.training, seed=seed)
        recipe = msgspec.structs.replace(recipe, training=training)
    classes = line_task_of(recipe.task).classes
    progress("reading the base")
    base = read_base(recipe.base, recipe_file.parent)
    located = locate(base, hub=hub, folder=base_folder)
    progress("reading the records")
    sides = divided(recipe.data, recipe_file.parent)
    data = _data(recipe, recipe_file, len(sides.training))
    if (folder / RUN_FILE).is_file():
        return _same(read_line_run(folder), folder, data, recipe.training.seed)
    torch.set_num_threads(recipe.training.threads)
    writer = Writer(
        load_tokenizer(located, recipe.window or base.window, recipe.marker_position or base.marker_position),
        recipe.window or base.window, recipe.marker_position or base.marker_position, classes,
    )  # fmt: skip
    trained, watched = writer.sheets(sides.training), writer.sheets(sides.validation)
    write_atomically(folder / BASE_FILE, described(base))
    write_atomically(folder / RECIPE_FILE, recipe_file.read_bytes())
    return LineTraining(recipe, located, data, classes, trained, watched, folder, progress).run()


def _data(recipe: LineRecipe, recipe_file: Path, items: int) -> Data:
    files = record_files(recipe.data, recipe_file.parent)
    return Data(
        recipe=recipe_digest(recipe_file),
        records=records_digest(files),
        repositories=tuple(sorted(recipe.data.trained)),
        items=items,
        until=recipe.data.until_seconds,
        audit=passed_audit(files, recipe.data),
    )


def _same(run: LineRun, folder: Path, data: Data, seed: int) -> LineRun:
    if (run.data.recipe, run.data.records, run.seed) != (data.recipe, data.records, seed):
        raise TrainingError(
            f"{folder}: it holds the training of another recipe, seed or records; give another --out"
        )
    return run


class LineTraining:
    """A training under way."""

    def __init__(
        self, recipe: LineRecipe, located: Located, data: Data, classes: Sequence[str],
        trained: Sequence[Sheet], watched: Sequence[Sheet], folder: Path, progress: Progress,
    ) -> None:  # fmt: skip
        self.recipe, self.located, self.data, self.classes = recipe, located, data, tuple(classes)
        self.settings, self.folder, self.progress = recipe.training, folder, progress
        self.pools = Pools.of(trained, self.settings.seed)
        if not self.pools.pairs:
            raise TrainingError(
                "data.train: no broken code is left when longer and shorter are balanced; mine more"
            )
        self.watched = _some(pairs_of(watched), self.settings.validation_items)
        encoder = load_encoder(located, four_bit=located.base.four_bit)
        self.lora = chosen(encoder, recipe.lora, located.base.targets)
        self.adapted: PeftModel = with_lora(encoder, self.lora, self.settings.seed)
        self.model = LineModel(encoder, len(self.classes))
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model.to(self.device)
        self.precision = precision_of(self.settings)
        self.weights = [weight for weight in self.model.parameters() if weight.requires_grad]
        self.optimiser = torch.optim.AdamW(
            self.weights, lr=self.settings.rate, weight_decay=0.0, foreach=False
        )
        self.position = Position(self._digest(), 0, 0.0, 0, None)
        self.best: dict[str, torch.Tensor] = {}
        self.begun = time.monotonic()

    def _digest(self) -> str:
        """Of everything that decides the weights, but for limits of time."""
        free = msgspec.structs.replace(self.settings, max_minutes=0.0, checkpoint=1, threads=1)
        recipe = msgspec.structs.replace(self.recipe, training=free)
        parts = [msgspec.json.encode(part, order="deterministic") for part in (recipe, self.data.records)]
        return hashlib.sha256(b"\0".join([*parts, self.located.digest.encode()])).hexdigest()

    def run(self) -> LineRun:
        """Train to the end and write what came of it."""
        torch.use_deterministic_algorithms(True, warn_only=True)
        self._resume()
        settings, before, started = self.settings, self.position.seconds, self.position.step
        ended: Literal["steps", "minutes"] = "steps"
        with (self.folder / STEPS_FILE).open("ab") as record:
            for batch in self._batches(started):
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
        return self._end(ended)

    def _batches(self, start: int) -> Iterator[Batch]:
        settings = self.settings
        return self.pools.batches(settings.batch, self.recipe.phases, settings.steps, settings.seed, start)

    def _resume(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        found = read_checkpoint(self.folder)
        if found is None:
            cut_steps(self.folder, 0)
            return
        if found.position.inputs != self.position.inputs:
            raise TrainingError(
                f"{self.folder}: it holds an unfinished training of another recipe, base or records; "
                "give another --out, or delete it"
            )
        self._set(dict(found.lora))
        set_optimiser_tensors(self.optimiser, found.optimiser)
        torch.set_rng_state(found.random)
        self.best = dict(found.best)
        self.position = found.position
        cut_steps(self.folder, found.position.step)

    def _step(self, batch: Batch) -> tuple[float, float]:
        rate = self.settings.rate * schedule(self.position.step, self.settings.steps, self.settings.warm_up)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.model.eval()
        wanted, asked = (part.to(self.device) for part in labels_of(batch.sheets, len(self.classes)))
        with self._computing():
            logits = self.model.judged(batch.sheets, self.device).float()
        if batch.balanced:
            lost = balanced_loss(logits, wanted, asked)
        else:
            lost = focal_loss(logits, wanted, asked, self.recipe.phases.gamma)
        self.optimiser.zero_grad()
        backward: Callable[[], None] = lost.backward
        backward()
        torch.nn.utils.clip_grad_norm_(self.weights, _CLIP)
        self.optimiser.step()
        return lost.item(), rate

    def _computing(self) -> AbstractContextManager[object]:
        if self.precision == "float32":
            return nullcontext()
        return torch.autocast(self.device.type, torch.bfloat16)

    def _look(self, step: int) -> float | None:
        """The share of validation pairs whose broken side is found worse, where it is time to look."""
        between = self.settings.validate or max(1, self.settings.steps // _LOOKS)
        if not self.watched or (step % between and step != self.settings.steps):
            return None
        bad, good = (self._scores([pair[at] for pair in self.watched]) for at in (0, 1))
        return round(float(((bad > good).float() + 0.5 * (bad == good).float()).mean()), 6)

    def _scores(self, sheets: Sequence[Sheet]) -> torch.Tensor:
        """Of each window the logit of its worst line."""
        worst = []
        with torch.no_grad():
            for start in range(0, len(sheets), _AT_ONCE):
                some = sheets[start : start + _AT_ONCE]
                made = self.model.judged(some, self.device)[:, 0]
                parts = torch.split(made, [len(sheet.places) for sheet in some])
                worst += [part.max() for part in parts]
        return torch.stack(worst)

    def _moved(self, step: int, seconds: float, metric: float | None) -> None:
        best = self.position.best
        better = metric is not None and (best is None or metric > best)
        if better and self.settings.keep == "best":
            self.best = self._all()
        kept = step if better else self.position.kept
        self.position = Position(self.position.inputs, step, seconds, kept, metric if better else best)

    def _all(self) -> dict[str, torch.Tensor]:
        return lora_weights(self.adapted) | head_weights(self.model)

    def _set(self, weights: dict[str, torch.Tensor]) -> None:
        set_lora_weights(
            self.adapted, {name: value for name, value in weights.items() if not name.startswith(HEADS)}
        )
        set_head_weights(self.model, weights)

    def _save(self) -> None:
        state = optimiser_tensors(self.optimiser)
        write_checkpoint(
            self.folder, Checkpoint(self.position, self._all(), self.best, state, torch.get_rng_state())
        )

    def _told(self, lost: float, made: int, seconds: float) -> str:
        left = seconds / made * (self.settings.steps - self.position.step)
        if self.settings.max_minutes:
            left = min(left, self.settings.max_minutes * 60 - self.position.seconds)
        best = "" if self.position.best is None else f", best pairwise {self.position.best:.3f}"
        minutes, rest = divmod(max(0, round(left)), 60)
        step = f"step {self.position.step} of {self.settings.steps}"
        return f"{step}, loss {lost:.3f}{best}, {minutes}:{rest:02} left"

    def _end(self, ended: Literal["steps", "minutes"]) -> LineRun:
        from safetensors.torch import save

        if not self.position.step:
            raise TrainingError("training.max-minutes was over before the first step; allow more")
        self._save()
        weights = {name: value.cpu() for name, value in (self.best or self._all()).items()}
        kept = self.position.kept if self.best else self.position.step
        content = save(weights)
        write_atomically(self.folder / WEIGHTS_FILE, content)
        run = self._run(ended, kept, hashlib.sha256(content).hexdigest())
        write_struct(self.folder / RUN_FILE, run)
        (self.folder / CHECKPOINT_FILE).unlink()
        return run

    def _run(self, ended: Literal["steps", "minutes"], kept: int, weights: str) -> LineRun:
        recipe, base, pools = self.recipe, self.located.base, self.pools
        return LineRun(
            schema="wardround.lines/1",
            name=recipe.name,
            specialist=recipe.specialist,
            task=recipe.task,
            title=recipe.title,
            base=recipe.base,
            base_model=BaseModel(
                id=base.id, revision=base.revision, digest=self.located.digest, licence=base.licence
            ),
            window=recipe.window or base.window,
            marker_position=recipe.marker_position or base.marker_position,
            lora=self.lora,
            classes=self.classes,
            data=self.data,
            windows=(len(pools.pairs), len(pools.real_right), len(pools.real_broken)),
            seed=self.settings.seed,
            steps=self.position.step,
            ended=ended,
            kept=kept,
            best=self.position.best,
            precision=self.precision,
            seconds=round(self.position.seconds, 1),
            date=datetime.datetime.now(datetime.UTC).date().isoformat(),
            weights=weights,
            versions={name: version(name) for name in _PACKAGES},
        )


def _some(pairs: Sequence[tuple[Sheet, Sheet]], most: int) -> list[tuple[Sheet, Sheet]]:
    taken = min(most, len(pairs))
    return [pairs[at * len(pairs) // taken] for at in range(taken)]
