"""The trial: audit, training, export, and the comparison of the export's scores with the CPU's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from wardround import host
from wardround.errors import TrainingError
from wardround.inference.runtime import CPU, detect_runtime
from wardround_lab.corpora.audit_runner import AuditPolicy, AuditRunner
from wardround_lab.corpora.secret_scan import SecretScan
from wardround_lab.training.packaging import MODEL_FILE, own_texts, plain_session
from wardround_lab.training.parity import embed_texts, wrap_session
from wardround_lab.training.recipe_kind import Files
from wardround_lab.training.recipe_registry import kind_of
from wardround_lab.training.run_directory import ONNX_FOLDER, read_steps
from wardround_lab.training.trial.tiny_recipe import LICENCE, RECORDS, REPOSITORIES, write_tiny_recipe

if TYPE_CHECKING:
    from wardround_lab.training.recipe_kind import Progress

STEPS = 40
TOLERANCE = 1e-3
"""The largest accepted difference of a number of a vector of length 1."""
_WINDOW = 16


class Trial(msgspec.Struct, frozen=True):
    """A finished trial.

    Attributes:
        device: where PyTorch trained: ``cpu`` or ``cuda``.
        first_loss, last_loss: means of the first and the last quarter of the steps.
        export_difference: the largest difference of the vectors of the ONNX file on the CPU from PyTorch's.
        provider: the preferred execution provider.
        difference: the largest difference of the vectors by that provider from those by the CPU.
    """

    device: str
    first_loss: float
    last_loss: float
    export_difference: float
    provider: str
    difference: float

    def lines(self) -> tuple[str, str]:
        """Return the training and the export, a line each."""
        learning = f"{STEPS} steps on {self.device}, loss {self.first_loss:.2f} to {self.last_loss:.2f}"
        export = f"differs from PyTorch by at most {self.export_difference:.1e}"
        if self.provider != CPU:
            export += f", {self.provider} from the CPU by at most {self.difference:.1e}"
        return f"training     {learning}", f"export       {export}"


def run_trial(folder: Path, progress: Progress) -> Trial:
    """Train the tiny recipe in an empty folder, export it, and compare the providers.

    Raises:
        TrainingError: a step failed, the loss did not fall, or the export's vectors differ by more than
            ``TOLERANCE``.
    """
    recipe = write_tiny_recipe(folder, STEPS)
    _audit(folder / RECORDS, progress)
    out = folder / "out"
    kind = kind_of(recipe)
    kind.train(recipe, out, None, Files(), progress)
    parity = kind.finish(recipe, out, Files(), progress).metadata.parity
    exported = max(step.largest for step in parity if step.step == "onnx-fp32")
    losses = [step.loss for step in read_steps(out)]
    provider, difference = _compare_providers(out / ONNX_FOLDER)
    return require_success(Trial(_device(), *_ends(losses), exported, provider, difference))


def _ends(losses: list[float]) -> tuple[float, float]:
    """Return the means of the first and the last quarter."""
    quarter = max(1, len(losses) // 4)
    return float(np.mean(losses[:quarter])), float(np.mean(losses[-quarter:]))


def _audit(records: Path, progress: Progress) -> None:
    policy = AuditPolicy(hold_out=frozenset(REPOSITORIES[3:]), licences=dict.fromkeys(REPOSITORIES, LICENCE))
    (audit,) = AuditRunner([records], (), policy, SecretScan(host.load().specialists), progress).run()
    if not audit.passed:
        raise TrainingError(f"the audit of the trial's records failed: {'; '.join(audit.failures())}")


def _device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def _compare_providers(onnx: Path) -> tuple[str, float]:
    """Return the preferred provider of this installation, and the difference of its vectors."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(onnx / "tokenizer.json"))
    texts = [encoding.ids[:_WINDOW] for encoding in tokenizer.encode_batch(own_texts())]
    runtime = detect_runtime("auto")
    expected, found = (
        embed_texts(wrap_session(plain_session(onnx / MODEL_FILE, provider)), texts)
        for provider in (detect_runtime("cpu"), runtime)
    )
    return runtime.provider, float(np.max(np.abs(expected - found)))


def require_success(trial: Trial) -> Trial:
    """Return a trial that learned and whose export agrees.

    Raises:
        TrainingError: it did not, or the export does not.
    """
    if not trial.last_loss < trial.first_loss:
        raise TrainingError(
            f"the trial did not learn: loss {trial.first_loss:.2f} to {trial.last_loss:.2f} in {STEPS} steps"
        )
    differences = {
        "the ONNX file from PyTorch": trial.export_difference,
        f"{trial.provider} from the CPU": trial.difference,
    }
    for pair, difference in differences.items():
        if not difference <= TOLERANCE:
            raise TrainingError(f"the export differs ({pair}) by {difference:.1e}, more than {TOLERANCE:.0e}")
    return trial
