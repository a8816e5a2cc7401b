"""Cached results of a tool are for the program, the settings and the code that read its output."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
import wardround_sql
from wardround_sql.tools.squawk import SQUAWK

import wardround
from wardround import lazy
from wardround.execution import tool_planner
from wardround.tools.ast_grep import AstGrep
from wardround.tools.process import find_program

if TYPE_CHECKING:
    from wardround.execution.review_side import ReviewSide


@pytest.mark.parametrize("reader", ["tools/squawk.py", "tools/false_positives/squawk.py", "parsing/jinja.py"])
def test_a_tool_runs_again_when_the_code_that_reads_its_output_changes(
    reader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamps: dict[str, str] = {}
    monkeypatch.setattr(lazy, "file_stamp", lambda file: stamps.get(file, ""))
    monkeypatch.setattr(tool_planner, "package_state", lazy.package_state.__wrapped__)
    before = tool_planner.reader_identity(SQUAWK)
    stamps[str(Path(wardround_sql.__file__).parent / reader)] = "changed"

    assert tool_planner.reader_identity(SQUAWK) != before


def test_a_tool_of_the_engine_depends_on_the_tools_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamps: dict[str, str] = {}
    monkeypatch.setattr(lazy, "file_stamp", lambda file: stamps.get(file, ""))
    monkeypatch.setattr(tool_planner, "package_state", lazy.package_state.__wrapped__)
    engine = Path(wardround.__file__).parent
    tool = AstGrep(str(tmp_path))
    before = tool_planner.reader_identity(tool)

    stamps[str(engine / "review.py")] = "changed"
    assert tool_planner.reader_identity(tool) == before
    stamps[str(engine / "tools/parsing.py")] = "changed"
    assert tool_planner.reader_identity(tool) != before


def test_the_identity_of_the_reader_is_part_of_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it a corrected filter would change nothing for files that were reviewed before."""
    program = find_program(SQUAWK.program)
    assert program is not None
    side = cast("ReviewSide", SimpleNamespace(layout="layout", state="state"))
    keys = set()
    for state in ("old", "new", "new"):
        monkeypatch.setattr(tool_planner, "package_state", lambda package, state=state: f"{package} {state}")
        keys.add(tool_planner._common_key(side, SQUAWK, program, None))

    assert len(keys) == 2
