"""A task that exceeds the resources is rejected before it starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.installed import require_installed

require_installed("torch", "peft")

from tests.lab.training import tiny  # noqa: E402
from wardround.cli.commands import invoke  # noqa: E402
from wardround.errors import TrainingError  # noqa: E402
from wardround_lab.training import resource_checks  # noqa: E402
from wardround_lab.training.base_model import locate, read_base  # noqa: E402
from wardround_lab.training.encoder import load_encoder  # noqa: E402
from wardround_lab.training.train import train  # noqa: E402


@pytest.mark.parametrize("architecture", tiny.ARCHITECTURES)
def test_the_numbers_of_a_base_are_counted_without_its_weights(tmp_path: Path, architecture: str) -> None:
    located = locate(read_base(str(tiny.base(tmp_path, architecture))))
    counted = sum(parameter.numel() for parameter in load_encoder(located).parameters())
    pooler = 64 * 64 + 64 if "bert" in architecture and architecture != "modernbert" else 0
    assert resource_checks.numbers(located) == counted + pooler


def test_an_export_that_exceeds_the_memory_does_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    described = tiny.base(tmp_path)
    train(tiny.recipe(tmp_path, described), tmp_path / "run")
    monkeypatch.setattr(resource_checks, "free_memory", lambda: 2 * 10**6)
    out = str(tmp_path / "out")
    for arguments in (
        [str(tmp_path / "run")],
        [str(tmp_path / "run"), "--merged", "--out", out],
        ["--base", str(described), "--out", out],
    ):
        assert invoke(["adapters", "export", *arguments]) == 2
        reported = capsys.readouterr().err
        assert "tiny/bert: its ONNX export takes about 0.00342 GB of memory, and 0.002 GB" in reported
        assert reported.endswith("use what `wardround adapters merge` writes, which transformers reads\n")
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "run" / "onnx").exists()


def test_an_export_that_exceeds_one_file_does_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    described = tiny.base(tmp_path)
    train(tiny.recipe(tmp_path, described), tmp_path / "run")
    located = locate(read_base(str(described)))
    monkeypatch.setattr(resource_checks, "_ONE_FILE", 2 * resource_checks.numbers(located))
    out = str(tmp_path / "out")
    assert invoke(["adapters", "export", str(tmp_path / "run"), "--merged", "--out", out]) == 2
    assert "an ONNX file is limited to 2; export it with --int8, or use what" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert invoke(["adapters", "export", str(tmp_path / "run"), "--merged", "--int8", "--out", out]) == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "adapter.metadata.json", "model.onnx", "tokenizer.json",
    ]  # fmt: skip


def test_trained_layers_that_one_file_cannot_hold_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    import onnx

    tensor = onnx.helper.make_tensor("w", onnx.TensorProto.INT8, [40], bytes(40), raw=True)
    model = onnx.helper.make_model(onnx.helper.make_graph([], "g", [], [], [tensor]))
    resource_checks.require_writable(model)
    monkeypatch.setattr(resource_checks, "_ONE_FILE", 40)
    with pytest.raises(TrainingError, match="train fewer layers"):
        resource_checks.require_writable(model)
