"""A decoder that cannot be used is an error of one sentence, which names the file and what to do."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import GitRepository
from tests.models.making import WINDOW
from wardround.errors import ModelError
from wardround.inference.decoder_folder import decoder_metadata, described_file
from wardround.inference.locations import METADATA_FILE
from wardround.inference.metadata import read_metadata, write_metadata
from wardround.inference.registry import ModelRegistry
from wardround.inference.runtime import _package
from wardround.inference.verify import verify
from wardround.models.decoder_settings import read_settings
from wardround.models.loading import DecoderLocation, _uses_cuda, find_decoder, run_once


@pytest.fixture
def folder(decoders: Path, tmp_path: Path) -> Path:
    """A copy of a decoder that may be damaged."""
    return shutil.copytree(decoders / "llama", tmp_path / "llama")


def load(folder: Path) -> None:
    find_decoder("llama", DecoderLocation((folder,), "cpu", 1)).load()


def message(folder: Path) -> str:
    with pytest.raises(ModelError) as raised:
        load(folder)
    return str(raised.value)


def describe_again(folder: Path) -> None:
    """Write metadata that fits the files as they are, as an attacker would."""
    write_metadata(folder, decoder_metadata(folder, "llama", licence="MIT", date="2026-01-01", window=4096))


def change_settings(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    file = folder / "genai_config.json"
    document = json.loads(file.read_text())
    change(document["model"])
    file.write_text(json.dumps(document))
    describe_again(folder)


@pytest.mark.parametrize(
    "name", ["model.onnx", "model.onnx.data", "genai_config.json", "tokenizer.json", "chat_template.jinja"]
)
def test_every_file_is_compared_with_its_digest(folder: Path, name: str) -> None:
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert message(folder).startswith(f"local model 'llama': {folder / name} is not the file its metadata")
    (folder / name).write_bytes(content[:-1])
    assert f"has {len(content) - 1} bytes, its metadata says {len(content)}" in message(folder)
    (folder / name).unlink()
    assert message(folder).endswith(f"{name}: No such file or directory; install the model again")


def test_a_graph_refers_to_its_own_weights_only(folder: Path) -> None:
    content = (folder / "model.onnx").read_bytes()
    (folder / "model.onnx").write_bytes(content.replace(b"model.onnx.data", b"../../etc/passw"))
    describe_again(folder)
    assert "is in '../../etc/passw', which is not declared; do not use it" in message(folder)
    (folder / "model.onnx").write_bytes(content)
    weights = (folder / "model.onnx.data").read_bytes()
    (folder / "model.onnx.data").write_bytes(weights[: len(weights) // 2])
    describe_again(folder)
    assert "is beyond the end of model.onnx.data; do not use it" in message(folder)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            lambda model: model["decoder"]["session_options"].update(custom_ops_library="x.so"),
            "custom_ops_library would load code, which no model may; do not use it",
        ),
        (
            lambda model: model["decoder"].update(filename="../model.onnx"),
            "it names '../model.onnx', and only model.onnx is opened",
        ),
        (
            lambda model: model["decoder"]["session_options"].update(provider_options=[{"qnn": {}}]),
            "the provider 'qnn' is not supported; export it for cpu or cuda",
        ),
        (lambda model: model.pop("decoder"), "Object missing required field `decoder`"),
    ],
)
def test_settings_open_no_other_file_and_no_library(
    folder: Path, change: Callable[[dict[str, Any]], object], expected: str
) -> None:
    change_settings(folder, change)
    assert expected in message(folder)


def test_a_decoder_without_a_chat_template_names_what_it_lacks(folder: Path) -> None:
    (folder / "chat_template.jinja").unlink()
    describe_again(folder)
    assert message(folder) == (
        f"local model 'llama': {folder}: it has no chat template; export the decoder with its tokenizer"
    )


@pytest.mark.parametrize("module", ["onnxruntime_genai", "llguidance", "jinja2"])
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    name = module.replace("_", "-")
    assert message(folder) == (
        f"local model 'llama': {name} is not installed; pip install 'wardround[local-model]'"
    )


def test_a_model_that_answers_no_questions_is_rejected() -> None:
    with pytest.raises(ModelError, match="has a model of kind 'embedder', which answers no questions"):
        find_decoder("base", DecoderLocation())


def test_an_incomplete_folder_has_no_metadata(folder: Path) -> None:
    (folder / "genai_config.json").unlink()
    with pytest.raises(ModelError, match=r"genai_config\.json is missing; export the decoder again$"):
        decoder_metadata(folder, "llama", licence="MIT", date="2026-01-01", window=4096)


def test_the_digest_of_a_decoder_covers_every_file_that_it_runs_with(folder: Path) -> None:
    first = find_decoder("llama", DecoderLocation((folder,))).identity
    template = folder / "chat_template.jinja"
    template.write_text(template.read_text() + " ")
    describe_again(folder)
    assert described_file(template) in read_metadata(folder).decoder_files
    second = find_decoder("llama", DecoderLocation((folder,))).identity
    assert first.partition("@")[0] == second.partition("@")[0] == "local:llama"
    assert first != second


def test_the_verification_of_models_covers_decoders(folder: Path) -> None:
    (checked,) = verify(ModelRegistry.of([folder]), run_once)
    assert (checked.said, checked.troubles, checked.notes) == ("digests, references, one run", (), ())
    (folder / "model.onnx.data").write_bytes(b"")
    (checked,) = verify(ModelRegistry.of([folder]))
    assert len(checked.troubles) == 1


def test_a_decoder_runs_on_cuda_where_it_was_exported_for_that_or_requested() -> None:
    document = {"context_length": 1, "vocab_size": 1, "eos_token_id": [1, 2]}
    session = {"provider_options": [{"cuda": {}}]}
    decoder = {"filename": "model.onnx", "session_options": session}
    cuda = read_settings(json.dumps({"model": document | {"decoder": decoder}}).encode())
    cpu = read_settings(json.dumps({"model": document | {"decoder": {"filename": "model.onnx"}}}).encode())
    assert (cuda.end_tokens, cuda.is_for_cuda, cpu.is_for_cuda) == ((1, 2), True, False)
    assert [_uses_cuda(True, cuda, wish) for wish in ("auto", "cpu", "cuda")] == [True, False, True]
    assert [_uses_cuda(True, cpu, wish) for wish in ("auto", "cpu", "cuda")] == [False, False, True]
    with pytest.raises(ModelError, match=r"^CUDA cannot be used; pip install onnxruntime-genai-cuda$"):
        _uses_cuda(False, cpu, "cuda")


def test_the_package_of_decoders_is_not_mistaken_for_that_of_other_models() -> None:
    assert _package({"onnxruntime": "1", "onnxruntime-genai": "2", "onnxruntime-genai-cuda": "2"}) == (
        "onnxruntime"
    )
    assert _package({"onnxruntime-gpu": "1", "onnxruntime-genai": "2"}) == "onnxruntime-gpu"


def test_a_decoder_of_another_program_is_described_and_then_found(repo: GitRepository, folder: Path) -> None:
    described = ("adapters", "describe", folder, "--name", "mine", "--licence", "MIT", "--title", "T")
    assert repo.wardround(*described).returncode == 2  # it has metadata
    (folder / METADATA_FILE).unlink()
    done = repo.wardround(*described)
    assert (done.returncode, done.stderr) == (
        0,
        f"{folder / METADATA_FILE}: the metadata was written; name the folder in model-folders\n",
    )
    assert find_decoder("mine", DecoderLocation((folder,))).entry.metadata.window == WINDOW
    (folder / METADATA_FILE).unlink()
    (folder / "tokenizer.json").unlink()
    done = repo.wardround(*described)
    assert (done.returncode, "tokenizer.json is missing; export the decoder again" in done.stderr) == (
        2,
        True,
    )
