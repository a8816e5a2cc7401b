"""Train a chat recipe: LoRA by transformers' trainer, repeatable, resumable after a kill."""

from __future__ import annotations

import datetime
import hashlib
import shutil
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import torch

from wardround.errors import TrainingError
from wardround.inference.metadata import BaseModel, Lora, TrainingData
from wardround_lab.training.base_model import (
    Located,
    configuration_on_hub,
    describe_base,
    locate,
    read_base,
)
from wardround_lab.training.chat.batches import ChatExamples, collate
from wardround_lab.training.chat.decoder import load_decoder, require_training_memory, wrap
from wardround_lab.training.chat.examples import ChatSides, read_sides
from wardround_lab.training.chat.recipe import AnswerPart, ChatRecipe, ExportPart, read_chat_recipe
from wardround_lab.training.chat.steps import StepRecord
from wardround_lab.training.chat.template import ChatTokenizer
from wardround_lab.training.choice_dataset import spread
from wardround_lab.training.encoder import silence_transformers
from wardround_lab.training.length_batches import epoch_order
from wardround_lab.training.lora import add_lora, choose_lora, layer_count, lora_weights, save_lora
from wardround_lab.training.run_directory import (
    BASE_FILE,
    CHAT_RUN_FILE,
    LORA_FOLDER,
    RECIPE_FILE,
    require_same,
    write_atomically,
    write_struct,
)
from wardround_lab.training.trainer import Precision, Progress, precision_of

if TYPE_CHECKING:
    from peft import PeftModel

TEMPLATE_FILE = "template.jinja"
CHECKPOINTS = "checkpoints"
_PACKAGES = ("torch", "transformers", "peft", "accelerate", "tokenizers", "safetensors")
_INPUTS = "inputs.sha256"


class ChatRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab", kw_only=True):
    """A finished training of a chat model.

    Attributes:
        best: held-out loss per token of an answer; ``base_loss`` is that of the base alone.
        examples: the folder that ``build-sft`` wrote, absolute.
        left_out: number of examples that exceed the window.
        weights: SHA-256 of the file of LoRA weights.
    """

    schema: Literal["wardround.chat/1"]
    name: str
    title: str
    base: str
    base_model: BaseModel
    window: int
    lora: Lora
    data: TrainingData
    examples: str
    left_out: int
    seed: int
    steps: int
    ended: Literal["steps", "minutes"]
    kept: int
    best: float | None
    base_loss: float
    precision: Precision
    seconds: float
    date: str
    weights: str
    versions: dict[str, str]


def read_chat_run(folder: Path) -> ChatRun:
    """Read the result of the training in a directory.

    Raises:
        TrainingError: it is not finished, or this is not such a directory.
    """
    file = folder / CHAT_RUN_FILE
    try:
        return msgspec.json.decode(file.read_bytes(), type=ChatRun)
    except FileNotFoundError as cause:
        raise TrainingError(
            f"{folder}: there is no finished training of a chat model here; run `wardround adapters train` "
            "first"
        ) from cause
    except (OSError, msgspec.MsgspecError) as cause:
        raise TrainingError(f"{file}: {cause}; train again") from cause


def train_chat(
    recipe_file: Path,
    folder: Path,
    *,
    seed: int | None = None,
    hub: bool = False,
    base_folder: Path | None = None,
    progress: Progress = lambda text: None,
) -> ChatRun:
    """Train a recipe of a chat model; see ``wardround_lab.training.train.train``.

    Raises:
        TrainingError: the recipe, the examples, their audit, the template or the base is invalid, or the
            memory or the disk is too small.
    """
    recipe = read_chat_recipe(recipe_file)
    if seed is not None:
        training = msgspec.structs.replace(recipe.training, seed=seed)
        recipe = msgspec.structs.replace(recipe, training=training)
    progress("reading the base")
    located = _locate(recipe_file, recipe, hub, base_folder)
    require_training_memory(located, recipe)
    template = recipe_file.parent / recipe.template if recipe.template else None
    tokenizer = ChatTokenizer.load(located, template)
    progress("reading the examples")
    sides = read_sides(recipe_file, recipe, tokenizer)
    if (folder / CHAT_RUN_FILE).is_file():
        run = read_chat_run(folder)
        require_same(folder, run.data, run.seed, sides.data, recipe.training.seed)
        return run
    torch.set_num_threads(recipe.training.threads)
    write_atomically(folder / BASE_FILE, describe_base(located.base))
    write_atomically(folder / RECIPE_FILE, recipe_file.read_bytes())
    write_atomically(folder / TEMPLATE_FILE, str(tokenizer.tokenizer.chat_template).encode())
    return ChatTraining.begin(recipe, located, sides, tokenizer, folder, progress).run()


def _locate(recipe_file: Path, recipe: ChatRecipe, hub: bool, base_folder: Path | None) -> Located:
    """Return the base; one that exceeds the memory is not downloaded."""
    base = read_base(recipe.base, recipe_file.parent)
    try:
        return locate(base, folder=base_folder)
    except TrainingError:
        if not hub or base_folder is not None:
            raise
    require_training_memory(Located(base, configuration_on_hub(base), ""), recipe)
    return locate(base, hub=True)


@dataclass(frozen=True, slots=True, eq=False)
class ChatTraining:
    """A training of a chat model."""

    recipe: ChatRecipe
    located: Located
    sides: ChatSides
    tokenizer: ChatTokenizer
    folder: Path
    precision: Precision
    lora: Lora
    adapted: PeftModel
    record: StepRecord

    @classmethod
    def begin(
        cls, recipe: ChatRecipe, located: Located, sides: ChatSides, tokenizer: ChatTokenizer, folder: Path,
        progress: Progress,
    ) -> ChatTraining:  # fmt: skip
        """Load the base and add its LoRA weights.

        Raises:
            TrainingError: the base is not a valid model, or the recipe names a layer that it lacks.
        """
        precision = precision_of(recipe.training)
        progress("loading the base")
        encoder = wrap(load_decoder(located, precision))
        every = tuple(range(layer_count(encoder)))
        part = msgspec.structs.replace(recipe.lora, layers=recipe.lora.layers or every)
        lora = choose_lora(encoder, part, located.base.targets)
        adapted = add_lora(encoder, lora, recipe.training.seed)
        record = StepRecord(folder, recipe.training, progress)
        return cls(recipe, located, sides, tokenizer, folder, precision, lora, adapted, record)

    def run(self) -> ChatRun:
        """Train, or continue from the last complete checkpoint, and write the result.

        Raises:
            TrainingError: the disk is full, or the checkpoints are those of other inputs.
        """
        trainer = self._trainer()
        last = self._last_checkpoint()
        self.record.begin(0 if last is None else _step_of(last))
        try:
            with silence_transformers():
                trainer.train(resume_from_checkpoint=None if last is None else str(last))
        except (OSError, RuntimeError) as cause:
            if isinstance(cause, RuntimeError) and "writing" not in str(cause):
                raise
            raise TrainingError(
                f"{self.folder / CHECKPOINTS}: {_first_line(cause)}; free space, or choose another --out, "
                "and repeat the command"
            ) from cause
        if not self.record.steps:
            raise TrainingError("training.max-minutes elapsed before the first step; increase it")
        return self._write_result(trainer)

    def _write_result(self, trainer: Any) -> ChatRun:
        weights = lora_weights(self.adapted)
        save_lora(self.adapted, weights, self.located.base.id, self.folder / LORA_FOLDER)
        file = self.folder / LORA_FOLDER / "adapter_model.safetensors"
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        self.record.progress("measuring the held-out loss")
        own = _held_out_loss(trainer)
        with self.adapted.disable_adapter():
            of_base = _held_out_loss(trainer)
        run = self._run(own, of_base, digest)
        write_struct(self.folder / CHAT_RUN_FILE, run)
        shutil.rmtree(self.folder / CHECKPOINTS, ignore_errors=True)
        return run

    def _run(self, loss: float, of_base: float, weights: str) -> ChatRun:
        recipe, base = self.recipe, self.located.base
        return ChatRun(
            schema="wardround.chat/1",
            name=recipe.name,
            title=recipe.title,
            base=recipe.base,
            base_model=BaseModel(
                id=base.id, revision=base.revision, digest=self.located.digest, licence=base.licence
            ),
            window=recipe.window,
            lora=self.lora,
            data=self.sides.data,
            examples=str(self.sides.folder),
            left_out=self.sides.left_out,
            seed=recipe.training.seed,
            steps=self.record.steps,
            ended=self.record.ended,
            kept=self.record.steps,
            best=round(loss, 6),
            base_loss=round(of_base, 6),
            precision=self.precision,
            seconds=round(self.record.seconds, 1),
            date=datetime.datetime.now(datetime.UTC).date().isoformat(),
            weights=weights,
            versions={name: version(name) for name in _PACKAGES},
        )

    def _trainer(self) -> Any:
        with silence_transformers():
            import transformers

            kind = _ordered_trainer()
            trainer = kind(
                model=self.adapted,
                args=self._arguments(),
                train_dataset=ChatExamples(self.sides.training, self._order()),
                eval_dataset=self._held_out(),
                data_collator=collate,
                callbacks=[self.record.callback()],
            )
            trainer.remove_callback(transformers.PrinterCallback)
        return trainer

    def _arguments(self) -> Any:
        import transformers

        settings, on_gpu = self.recipe.training, torch.cuda.is_available()
        kind: Any = transformers.TrainingArguments
        arguments = kind(
            output_dir=str(self.folder / CHECKPOINTS),
            max_steps=settings.steps,
            per_device_train_batch_size=settings.batch,
            per_device_eval_batch_size=1,
            gradient_accumulation_steps=self.recipe.accumulation,
            gradient_checkpointing=self.located.base.four_bit,
            gradient_checkpointing_kwargs={"use_reentrant": False},
            learning_rate=settings.rate,
            warmup_steps=round(settings.steps * settings.warm_up),
            weight_decay=0.0,
            save_steps=settings.checkpoint,
            save_total_limit=2,
            logging_steps=1,
            seed=settings.seed,
            bf16=self.precision == "bfloat16",
            use_cpu=not on_gpu,
            dataloader_pin_memory=on_gpu,
            prediction_loss_only=True,
            remove_unused_columns=False,
            label_names=["labels"],
            report_to="none",
            disable_tqdm=True,
        )
        if on_gpu:
            arguments._n_gpu = 1  # several would get parts of a batch whose positions do not fit
        return arguments

    def _order(self) -> list[int]:
        """Return the order of all steps, which a resumed training continues at its position."""
        settings = self.recipe.training
        needed = settings.steps * settings.batch * self.recipe.accumulation
        lengths = [example.length for example in self.sides.training]
        order: list[int] = []
        turn = 0
        while len(order) < needed:
            order += epoch_order(lengths, settings.batch, settings.seed, turn)
            turn += 1
        return order[:needed]

    def _held_out(self) -> ChatExamples:
        found = list(spread(self.sides.evaluation, self.recipe.training.validation_items))
        fitting = [example for example in found if example.length <= self.recipe.window]
        return ChatExamples(fitting, range(len(fitting)))

    def _last_checkpoint(self) -> Path | None:
        """Return the last checkpoint; one that was being written when the process was killed is removed.

        Raises:
            TrainingError: it is that of other inputs.
        """
        place = self.folder / CHECKPOINTS
        digest = self._digest()
        known = place / _INPUTS
        if known.is_file() and known.read_text("utf-8") != digest:
            raise TrainingError(
                f"{place}: it has checkpoints of another recipe, other examples or another base; choose "
                "another --out, or delete it to start again"
            )
        write_atomically(known, digest.encode())
        for checkpoint in sorted(place.glob("checkpoint-*"), key=_step_of, reverse=True):
            if _is_complete(checkpoint):
                return checkpoint
            shutil.rmtree(checkpoint)
        return None

    def _digest(self) -> str:
        """Return the digest of all inputs of the weights, so nothing of time limits, export and answers."""
        free = msgspec.structs.replace(self.recipe.training, max_minutes=0.0, checkpoint=1, threads=1)
        data = msgspec.structs.replace(self.recipe.data, rules="")
        recipe = msgspec.structs.replace(
            self.recipe, training=free, data=data, answer=AnswerPart(), export=ExportPart()
        )
        parts = [
            msgspec.json.encode(part, order="deterministic") for part in (recipe, self.sides.data.records)
        ]
        return hashlib.sha256(b"\0".join([*parts, self.located.digest.encode()])).hexdigest()


def _ordered_trainer() -> Any:
    """Return transformers' trainer, which takes its examples in the order of the data set."""
    import transformers

    class OrderedTrainer(transformers.Trainer):
        """A trainer whose examples are in the order of all steps already."""

        def _get_train_sampler(self, train_dataset: Any = None) -> Any:
            examples: Any = self.train_dataset if train_dataset is None else train_dataset
            return torch.utils.data.SequentialSampler(examples)

    return OrderedTrainer


def _held_out_loss(trainer: Any) -> float:
    with silence_transformers():
        return float(trainer.evaluate()["eval_loss"])


def _step_of(checkpoint: Path) -> int:
    return int(checkpoint.name.rpartition("-")[2])


def _is_complete(checkpoint: Path) -> bool:
    """Return True if a checkpoint was written to its end: the trainer's state comes last."""
    try:
        state = msgspec.json.decode((checkpoint / "trainer_state.json").read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return False
    return state.get("global_step") == _step_of(checkpoint)


def _first_line(cause: Exception) -> str:
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    return (str(cause).strip().splitlines() or ["it cannot be written"])[0][:200]
