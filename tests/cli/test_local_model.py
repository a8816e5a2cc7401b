"""A review with a decoder on this machine, from the configuration to the record and its replay."""

from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import GitRepository
from tests.models.conftest import decoders
from tests.models.making import SILENT
from wardround.inference.metadata import read_metadata
from wardround.inference.registry import model_digest

pytestmark = pytest.mark.usefixtures("without_slow_tools")

__all__ = ["decoders"]

HEAD = 'x = 1\n\n\ndef limit(values):\n    """Return the first ten."""\n    return values[:11]\n'
CI = ("--profile", "ci", "--base", "HEAD~1")
PLANES = ["intent", "security"]


def configuration(folder: Path, **values: Any) -> str:
    settings = {"model": "local:llama", "planes": PLANES, "max-tokens": 3000} | values
    lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
    folders = json.dumps([str(folder)])
    return f"model-folders = {folders}\nmodel-threads = 1\n[language-model]\n" + "\n".join(lines) + "\n"


@pytest.fixture
def change(repo: GitRepository) -> GitRepository:
    """A repository with a change to ``app.py``, and no configuration."""
    repo.commit({"app.py": "x = 1\n"})
    return repo


def commit_change(repo: GitRepository, folder: Path, **values: Any) -> None:
    """Commit the configuration, and then the change."""
    repo.commit({".wardround.toml": configuration(folder, **values)})
    repo.commit({"app.py": HEAD}, "Return the first ten values")


def exchanges(record: Path) -> dict[str, dict[str, Any]]:
    """The recorded exchanges of the first pass by plane."""
    envelope = json.loads(record.read_text().splitlines()[0])
    statement = json.loads(base64.b64decode(envelope.get("dsseEnvelope", envelope)["payload"]))
    found = statement["predicate"]["evidence"]["exchanges"]
    return {one["plane"]: one for one in found if one["step"] == "claims"}


def problems(report: dict[str, Any]) -> set[str]:
    """The reasons why planes have no answer of the model."""
    reasons = [reason for signal in report["signals"] for reason in signal.get("reasons", ())]
    prefix = "language model: "
    return {reason.removeprefix(prefix) for reason in reasons if reason.startswith(prefix)}


def test_claims_of_a_local_model_that_quote_nothing_are_rejected(
    change: GitRepository, decoders: Path, tmp_path: Path
) -> None:
    record = tmp_path / "r.intoto.jsonl"
    commit_change(change, decoders)
    report = change.report(*CI, "--record", record)
    assert [one for one in report["findings"] if one["rule"].startswith("language-model/")] == []
    digest = model_digest(read_metadata(decoders / "llama"))[:12]
    for entry in report["language_model"]:
        assert (entry["model"], entry["upheld"]) == (f"local:llama@{digest}", 0)
        assert entry["claims"] == sum(entry["discarded"].values()) > 0
    assert problems(report) == {"none of the findings in the answer quotes a line of the input"}
    found = exchanges(record)
    assert sorted(found) == PLANES
    assert found["intent"]["served_model"] == f"local:llama@{digest}"
    assert found["intent"]["usage"]["completion"] > 100
    done = change.wardround("replay", record, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_usable_answer_is_cached_so_that_the_next_review_loads_no_model(
    change: GitRepository, decoders: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(decoders / SILENT, tmp_path / SILENT)
    commit_change(change, folder, model=f"local:{SILENT}")
    first, second = tmp_path / "1.json", tmp_path / "2.json"
    report = change.report(*CI, "--offline", "--record", first)
    assert problems(report) == set()
    (folder / "model.onnx.data").unlink()
    assert problems(change.report(*CI, "--record", second)) == set()
    for record, is_cached in ((first, False), (second, True)):
        assert {one["is_cached"] for one in exchanges(record).values()} == {is_cached}


def test_a_local_model_is_not_used_at_commit_by_default(change: GitRepository, decoders: Path) -> None:
    change.commit({".wardround.toml": configuration(decoders)})
    change.stage({"app.py": HEAD})
    assert "language_model" not in change.report("--staged")


def test_the_change_may_name_a_local_model_itself_since_nothing_leaves(
    change: GitRepository, decoders: Path
) -> None:
    change.commit({".wardround.toml": configuration(decoders, model=f"local:{SILENT}", profiles=["commit"])})
    change.stage({"app.py": HEAD})
    report = change.report("--staged")
    assert {entry["plane"] for entry in report["language_model"]} == set(PLANES)
    assert problems(report) == set()


def test_the_shown_prompt_names_the_local_model_and_loads_nothing(change: GitRepository) -> None:
    commit_change(change, change.root)
    change.commit({".wardround.toml": configuration(change.root).partition("\n")[2]})
    change.commit({"app.py": HEAD + "\n\ny = 2\n"})
    done = change.wardround("review", *CI, "--show-prompt", "intent")
    assert json.loads(done.stdout)["model"] == "local:llama"
    cost = change.wardround("review", *CI, "--show-prompt", "cost")
    assert (cost.returncode, cost.stdout.partition(":")[0].split()[0]) == (0, "plane")


def test_a_review_goes_on_without_a_local_model_that_cannot_answer(
    change: GitRepository, decoders: Path, tmp_path: Path
) -> None:
    damaged = shutil.copytree(decoders / "llama", tmp_path / "models" / "llama")
    commit_change(change, tmp_path / "models")
    weights = (damaged / "model.onnx.data").read_bytes()
    (damaged / "model.onnx.data").write_bytes(weights[:-1] + bytes([weights[-1] ^ 1]))
    report = change.report(*CI)
    (problem,) = problems(report)
    assert problem.startswith(f"local model 'llama': {damaged}/model.onnx.data is not the file its metadata")
    assert problem.endswith("install the model again")
    assert report["gate"]["outcome"] == "pass"


def test_an_unknown_local_model_is_named_with_what_to_do(change: GitRepository) -> None:
    change.commit({".wardround.toml": '[language-model]\nmodel = "local:nobody"\n'})
    change.commit({"app.py": HEAD})
    expected = "local model 'nobody': it is not installed; name its folder in model-folders"
    assert problems(change.report(*CI)) == {expected}


def test_doctor_names_the_local_model(change: GitRepository, decoders: Path) -> None:
    change.commit({".wardround.toml": configuration(decoders)})
    done = change.wardround("doctor")
    assert "on this machine: llama, 300 s a review" in done.stdout
    assert "used in  ci, by intent, security" in done.stdout


def test_a_prefix_without_a_name_is_a_configuration_error(change: GitRepository, decoders: Path) -> None:
    change.commit({".wardround.toml": configuration(decoders, model="local:")})
    change.stage({"app.py": HEAD})
    done = change.wardround("review", "--staged")
    assert done.returncode == 2
    assert "language-model.model: local: has no name; add that of a local model" in done.stderr
