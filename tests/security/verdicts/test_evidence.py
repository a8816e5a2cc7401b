"""Evidence that is not evidence: tests without a subject, code with other names, deletions, binaries."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.security.verdicts.scene import CHANGES, TESTED, Side, judge, judge_neutral, require, require_silent

CASES: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "cases/evidence.yml").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_it_approves_nothing(tmp_path: Path, case: Mapping[str, Any]) -> None:
    base, change = case.get("base", {}), CHANGES[case["change"]] or {"README.md": "# Shop\n"}

    profile = case.get("profile", "ci")

    attacked = judge(tmp_path / "attack", Side({**change, **case["head"]}, base, profile))

    require(case.get("expect", "same"), attacked, judge_neutral(tmp_path, Side(change, base, profile)))
    require_silent(attacked)


def test_many_files_are_not_a_small_change(tmp_path: Path) -> None:
    pages = {f"docs/{number}.md": f"# Page {number}\n" for number in range(1500)}

    attacked = judge(tmp_path / "attack", Side({**TESTED, **pages}, profile="commit"))

    require("stricter", attacked, judge_neutral(tmp_path, Side(TESTED, profile="commit")))


@pytest.mark.parametrize("profile", ["commit", "ci"])
def test_tools_without_time_approve_nothing(tmp_path: Path, profile: str) -> None:
    base = {".wardround.toml": "tool-timeout = 0.00001\n"}

    attacked = judge(tmp_path / "attack", Side(TESTED, base, profile))

    require("stricter", attacked, judge_neutral(tmp_path, Side(TESTED, profile=profile)))
    require_silent(attacked)


@pytest.mark.parametrize("setting", ['only = ["sql"]', 'skip = ["python", "tests"]', 'exclude = ["*"]'])
def test_a_review_of_less_approves_nothing(tmp_path: Path, setting: str) -> None:
    attacked = judge(tmp_path / "attack", Side(TESTED, {".wardround.toml": f"{setting}\n"}))

    require("stricter", attacked, judge_neutral(tmp_path, Side(TESTED)))
    require_silent(attacked)


@pytest.mark.parametrize(
    "name",
    [
        "source-behind-a-dynamic-import", "source-behind-a-function-of-the-language", "source-behind-a-path",
        "script-behind-a-dynamic-import", "script-behind-a-call",
    ],
)  # fmt: skip
def test_a_test_file_that_code_loads_by_its_name_is_source(tmp_path: Path, name: str) -> None:
    (case,) = [item for item in CASES if item["name"] == name]

    judged = judge(tmp_path / "change", Side(case["head"], case["base"]))

    assert judged.tier == 4
    assert any("is reviewed as a test, and " in reason.text for reason in judged.reasons)
