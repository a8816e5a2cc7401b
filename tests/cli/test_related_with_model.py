"""``wardround related`` with a small real model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.test_related import SHOP
from tests.installed import require_installed

require_installed("onnx", "onnxruntime", "tokenizers")

if TYPE_CHECKING:
    from tests.conftest import GitRepository

QUERY = "visitors are turned away"
"""Shares no word with the file that it is about, but a topic."""
MORE = {f"shop/zoo{n}.py": f"def zebra{n}(): ...\n" for n in range(4)}


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    from tests.retrieval.small_model import write_model

    write_model(repo.root / "models" / "base")
    repo.write(".wardround.toml", 'model-folders = ["models"]\n')
    repo.write(".gitignore", "models/\n")
    repo.commit(SHOP | MORE)
    return repo


def _related(repo: GitRepository, *arguments: str) -> dict[str, Any]:
    done = repo.wardround("related", "--format", "json", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _files(found: dict[str, Any]) -> list[str]:
    return [result["file"] for result in found["results"]]


def test_the_model_finds_files_that_share_no_word(shop: GitRepository) -> None:
    assert _files(_related(shop, "--no-models", QUERY)) == []
    found = _related(shop, QUERY)
    assert set(_files(found)[:2]) == {"shop/auth.py", "web/login.tsx"}
    assert found["candidates"] == 9
    assert found["model"]["name"].startswith("base ")
    assert found["model"]["reason"] is None
    assert all(isinstance(result["model"], float) for result in found["results"])
    reported = shop.wardround("related", QUERY).stdout
    assert reported.endswith(
        f"ordered by words, by 1 past commit and by the model {found['model']['name']}\n"
    )


def test_the_answer_has_the_same_form_with_and_without_a_model(shop: GitRepository) -> None:
    with_model, without = _related(shop, "basket"), _related(shop, "--no-models", "basket")
    assert with_model.keys() == without.keys()
    assert with_model["results"][0].keys() == without["results"][0].keys()


def test_a_warm_index_gives_the_same_answer(shop: GitRepository) -> None:
    assert _related(shop, QUERY) == _related(shop, QUERY)


def test_the_model_finds_hunks_that_share_no_word(shop: GitRepository) -> None:
    files = {path: text.replace("return", "yield") for path, text in SHOP.items()}
    shop.stage(files | {path: f"# {text}" for path, text in MORE.items()})
    found = _related(shop, "--staged", QUERY)
    assert set(_files(found)[:2]) == {"shop/auth.py", "web/login.tsx"}
    assert found["scope"] == "hunks"
    assert _related(shop, "--staged", QUERY) == found


def test_a_changed_model_file_is_not_used(shop: GitRepository) -> None:
    file = shop.root / "models" / "base" / "model.onnx"
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    found = _related(shop, "basket")
    assert set(_files(found)) == {"shop/cart.py", "shop/mailer.py"}
    assert found["model"]["name"] is None
    assert "SHA-256" in found["model"]["reason"]
    assert _files(found) == _files(_related(shop, "--no-models", "basket"))


def test_a_missing_model_is_named(shop: GitRepository) -> None:
    (shop.root / "models" / "base" / "model.onnx").unlink()
    reason = _related(shop, "basket")["model"]["reason"]
    assert reason.startswith("model 'base' cannot be used: ")
    assert "model.onnx" in reason


def test_models_can_be_disabled(shop: GitRepository) -> None:
    shop.stage({".wardround.toml": 'models = "off"\n'})
    found = _related(shop, "basket")
    assert found["model"] == {"name": None, "reason": "models are switched off in .wardround.toml"}


def test_a_wrong_configuration_is_rejected(shop: GitRepository) -> None:
    shop.stage({".wardround.toml": "modles = 1\n"})
    done = shop.wardround("related", "basket")
    assert done.returncode == 2
    assert "modles" in done.stderr


def test_the_model_is_loaded_only_when_something_is_to_be_read(
    shop: GitRepository, isolated_folders: Path
) -> None:
    first = _related(shop, QUERY)
    (shop.root / "models" / "base" / "model.onnx").write_bytes(
        b"\0" * (shop.root / "models" / "base" / "model.onnx").stat().st_size
    )
    assert _related(shop, QUERY) == first
    assert _related(shop, "another question")["model"]["name"] is None
