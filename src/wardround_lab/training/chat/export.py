"""Export a merged chat model for onnxruntime-genai in the first precision that keeps what was learnt."""

from __future__ import annotations

import contextlib
import io
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from wardround.errors import TrainingError
from wardround.inference.decoder_folder import decoder_metadata, described_file
from wardround.inference.locations import LORA_FILES
from wardround.inference.metadata import Metadata, Parity, write_metadata
from wardround_lab.training.chat.decoder import DecoderSize
from wardround_lab.training.chat.greedy import GreedyAnswer, compare_greedy, greedy_answers
from wardround_lab.training.chat.merge import TrainedChat
from wardround_lab.training.chat.recipe import Precision
from wardround_lab.training.dependencies import require_extra
from wardround_lab.training.encoder import silence_transformers
from wardround_lab.training.packaging import Shipped
from wardround_lab.training.resource_checks import require_bytes
from wardround_lab.training.run_directory import (
    LORA_FOLDER,
    MERGED_FOLDER,
    MODEL_FOLDER,
    ONNX_FOLDER,
    RECIPE_FILE,
    write_atomically,
)
from wardround_lab.training.trainer import Progress

_BYTES_PER_NUMBER = 12
"""Peak memory of the model builder, in bytes for each number of the model."""
_OPTIONS: dict[Precision, dict[str, Any]] = {
    "fp32": {},
    "int4": {"int4_algo_config": "k_quant_mixed", "int4_accuracy_level": 4},
}
"""Precision -> options of the model builder; the default algorithm of int4 lost what training had taught."""


def finish_chat(folder: Path, *, base_folder: Path | None = None, progress: Progress) -> Shipped:
    """Merge and export the model of a training to ``model`` below its directory.

    Raises:
        TrainingError: the training is not finished, its inputs have changed, there is not enough memory, or
            no precision keeps what was learnt.
        UsageError: onnxruntime-genai is missing.
    """
    require_runtime()
    trained = TrainedChat.read(folder, base_folder)
    size = DecoderSize.of(trained.located)
    advice = "use what `wardround adapters merge` writes, which transformers reads"
    require_bytes(trained.run.base_model.id, "its export", size.numbers * _BYTES_PER_NUMBER, advice)
    progress("merging")
    parity = [trained.merge()]
    progress("answers of the merged model")
    expected = _merged_answers(trained)
    for precision in trained.recipe.export.precisions:
        progress(f"exporting in {precision}")
        built = folder / ONNX_FOLDER / precision
        build(folder / MERGED_FOLDER, built, precision)
        parity.append(compare_greedy(f"onnx-{precision}", expected, built))
        if (parity[-1].agreement or 0.0) >= trained.recipe.export.agreement:
            return _write_model(trained, built, precision, parity)
    raise TrainingError(_refusal(trained, parity))


def require_runtime() -> None:
    """Require what exports and runs decoders, without importing it.

    Raises:
        UsageError: it is not installed.
    """
    require_extra(("onnxruntime_genai", "onnx_ir"), "wardround[chat]")


def build(merged: Path, target: Path, precision: Precision) -> None:
    """Write a merged model in the form of onnxruntime-genai, by its own model builder.

    Raises:
        TrainingError: the builder does not know the architecture, or cannot write.
    """
    with silence_transformers():
        from onnxruntime_genai.models.builder import create_model

    half = target.with_name(f"{target.name}.half")
    shutil.rmtree(half, ignore_errors=True)
    options = {"hf_remote": False, "hf_token": "false", **_OPTIONS[precision]}
    try:
        with _silence():
            create_model(None, str(merged), str(half), precision, "cpu", str(half / "cache"), **options)
    except (NotImplementedError, OSError, RuntimeError, ValueError, KeyError, AttributeError) as cause:
        what = " ".join(str(cause).split())[:200]
        raise TrainingError(
            f"{merged}: the model builder of onnxruntime-genai cannot export it in {precision}: {what}; use "
            "the merged folder with transformers, or another base"
        ) from cause
    shutil.rmtree(half / "cache", ignore_errors=True)
    shutil.rmtree(target, ignore_errors=True)
    half.replace(target)


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Suppress what the model builder prints and logs."""
    with (
        silence_transformers(),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        yield


def _merged_answers(trained: TrainedChat) -> list[GreedyAnswer]:
    merged = trained.load_merged()
    examples, most = trained.compared_requests(), trained.recipe.export.tokens
    with silence_transformers():
        return greedy_answers(merged, examples, most, trained.tokenizer.stop)


def _refusal(trained: TrainedChat, parity: list[Parity]) -> str:
    tried = ", ".join(f"{step.step.removeprefix('onnx-')} {step.agreement:.2f}" for step in parity[1:])
    return (
        f"{trained.folder}: no precision keeps what was learnt: of the first greedy tokens the same are "
        f"{tried}, and {trained.recipe.export.agreement:.2f} are needed; add fp32 to export.precisions in "
        "the recipe"
    )


def _write_model(trained: TrainedChat, built: Path, precision: Precision, parity: list[Parity]) -> Shipped:
    """Move the exported files to the folder of the model, next to LoRA, recipe and metadata."""
    target, run = trained.folder / MODEL_FOLDER, trained.run
    shutil.rmtree(target, ignore_errors=True)
    built.replace(target)
    shutil.rmtree(trained.folder / ONNX_FOLDER, ignore_errors=True)
    for name in LORA_FILES:
        write_atomically(target / name, (trained.folder / LORA_FOLDER / name).read_bytes())
    write_atomically(target / RECIPE_FILE, (trained.folder / RECIPE_FILE).read_bytes())
    described: Metadata = decoder_metadata(
        target, run.name, licence=run.base_model.licence, date=run.date, window=run.window, title=run.title,
        base=run.base_model,
    )  # fmt: skip
    metadata = msgspec.structs.replace(
        described,
        files=(*described.files, *(described_file(target / name) for name in LORA_FILES)),
        lora=run.lora,
        data=run.data,
        seed=run.seed,
        seconds=run.seconds,
        precision=precision,
        parity=tuple(parity),
        reasons=("It was not evaluated; run `wardround adapters evaluate`.",),
    )
    return Shipped(target, write_metadata(target, metadata))
