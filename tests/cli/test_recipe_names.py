"""A model is trained from the file of its recipe, or by the name under which it is listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from wardround.cli.adapters.train import _recipe_file
from wardround.errors import UsageError
from wardround.inference.registry import default_registry


def test_every_listed_model_with_a_recipe_is_found_by_its_name() -> None:
    listed = [item for item in default_registry(()).found if item.recipe.is_file()]
    assert listed
    assert [_recipe_file(Path(item.name)) for item in listed] == [item.recipe for item in listed]


def test_a_file_comes_before_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "python").touch()
    assert _recipe_file(Path("python")) == Path("python")


@pytest.mark.parametrize(
    ("name", "reason"), [("base", "shipped as it is and has no recipe"), ("absent.yml", "a model with one: ")]
)
def test_anything_else_is_rejected_with_the_reason(name: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        _recipe_file(Path(name))
