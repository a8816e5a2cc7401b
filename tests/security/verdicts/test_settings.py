"""Edits of settings that control a review: they have no effect on it, and are reported."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.security.verdicts.scene import CHANGES, Side, judge, judge_neutral, require, require_silent

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "cases/settings.yml").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_it_makes_nothing_milder(tmp_path: Path, case: Mapping[str, Any]) -> None:
    base, change = case.get("base", {}), CHANGES[case["change"]]

    attacked = judge(tmp_path / "attack", Side({**change, **case["head"]}, base))

    require(case.get("expect", "not-milder"), attacked, judge_neutral(tmp_path, Side(change, base)))
    require_silent(attacked)
