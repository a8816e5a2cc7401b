"""Conditions are evaluated by the CEL evaluator of the wheel, or by that of the distribution."""

from __future__ import annotations

import importlib.util
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from wardround.errors import ConfigError
from wardround.policy import expressions


def test_the_evaluator_of_the_wheel_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = tmp_path / f"cel{EXTENSION_SUFFIXES[0]}"
    compiled.touch()
    monkeypatch.setattr(expressions, "_BUNDLED", tmp_path)
    assert expressions._evaluator()[0].origin == str(compiled)


def test_a_missing_evaluator_is_one_sentence_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expressions, "_BUNDLED", tmp_path)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        ConfigError, match=r"the CEL evaluator of policies is missing; .* pip install 'common"
    ):
        expressions._evaluator()
