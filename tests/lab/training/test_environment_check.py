"""What an installation offers to a training, and the trial that proves it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.installed import require_installed

torch = pytest.importorskip("torch")
require_installed("peft", "matplotlib", "sklearn")

from wardround.cli.commands import invoke  # noqa: E402
from wardround.inference.runtime import CPU  # noqa: E402
from wardround_lab.training import environment_check  # noqa: E402
from wardround_lab.training.environment_check import GPU, check_environment  # noqa: E402
from wardround_lab.training.trial import trial as trial_module  # noqa: E402
from wardround_lab.training.trial.trial import Trial  # noqa: E402


def _offer_gpu(monkeypatch: pytest.MonkeyPatch, name: str, capability: tuple[int, int]) -> None:
    properties = SimpleNamespace(
        name=name, major=capability[0], minor=capability[1], total_memory=128_000_000_000
    )
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: properties)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: True)


def test_a_machine_without_a_gpu_lacks_it_in_one_sentence_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    found = check_environment(tmp_path)
    assert found.gpu is None
    assert found.torch == torch.__version__.split("+")[0] or found.torch == torch.__version__
    assert all(sentence.count("\n") == 0 for sentence in found.missing)
    assert found.missing, "a GPU cannot be used"


def test_a_gb10_is_named_by_its_compute_capability(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _offer_gpu(monkeypatch, "NVIDIA Graphics Device", (12, 1))
    found = check_environment(tmp_path)
    assert found.gpu == GPU("NVIDIA Graphics Device", (12, 1), 128_000_000_000, True)
    expected = "gpu          NVIDIA Graphics Device (GB10), compute capability 12.1, 128 GB, bfloat16"
    assert expected in list(found.lines())


def test_another_gpu_is_not_named_a_gb10(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _offer_gpu(monkeypatch, "NVIDIA H200", (9, 0))
    assert "GB10" not in "\n".join(check_environment(tmp_path).lines())


def test_a_missing_gpu_ends_with_4_only_if_it_is_required(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment_check, "_onnxruntime", lambda: ("onnxruntime 1.0, CPU", "no CUDA"))
    assert invoke(["adapters", "environment"]) == 0
    assert "missing      no CUDA" in capsys.readouterr().out
    assert invoke(["adapters", "environment", "--require-gpu"]) == 4


def test_the_trial_audits_trains_exports_and_compares(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["adapters", "environment", "--trial"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("training     40 steps on ") for line in lines), lines
    assert any(line.startswith("export       differs from PyTorch by at most ") for line in lines), lines


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"last_loss": 2.0}, "the trial did not learn: loss 2.00 to 2.00 in 40 steps"),
        ({"difference": 0.2}, "CUDAExecutionProvider from the CPU"),
        ({"difference": float("nan")}, "CUDAExecutionProvider from the CPU"),
        ({"export_difference": 0.2}, "the ONNX file from PyTorch"),
    ],
)
def test_a_trial_that_does_not_learn_or_differs_fails(change: dict[str, float], expected: str) -> None:
    import msgspec

    good = Trial("cuda", 2.0, 0.1, 1e-7, "CUDAExecutionProvider", 1e-6)
    assert trial_module.require_success(good) == good
    with pytest.raises(trial_module.TrainingError, match=expected):
        trial_module.require_success(msgspec.structs.replace(good, **change))


def test_on_the_cpu_there_is_one_difference() -> None:
    assert Trial("cpu", 2.0, 0.1, 1e-7, CPU, 0.0).lines()[1] == (
        "export       differs from PyTorch by at most 1.0e-07"
    )
