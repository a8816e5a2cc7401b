"""A plane sees single lines around the changed symbols, without secrets and within its part of the budget."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.planes.language_model.test_questions import material, sent
from wardround.context.symbol_neighbours import Place, SymbolNeighbours
from wardround.findings import Plane
from wardround.planes.contract import CONTRACT
from wardround.planes.language_model.sent_neighbours import MOST_SENT, sent_neighbours
from wardround.planes.perf import PERF
from wardround.planes.security import SECURITY
from wardround.planes.semantic import SEMANTIC
from wardround.planes.signal import FileJudge
from wardround.planes.tests import TESTS

NEIGHBOURS = (
    SymbolNeighbours(
        "a.py", 1, 1, "changed", ((1, 1),),
        callers=(Place("uses.py", 1, "caller"),),
        callees=(Place("base.py", 1, "callee"),),
        similar=(Place("like.py", 1, "alike"),),
        examples=(Place("uses.py", 1, "example"),),
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("plane", "symbols"),
    [
        (CONTRACT, ["caller"]),
        (PERF, ["caller"]),
        (SEMANTIC, ["callee", "example", "alike"]),
    ],
)
def test_a_plane_sees_its_own_neighbours(plane: FileJudge, symbols: list[str]) -> None:
    found = sent(material({"a.py": ("python", "secrets")}, neighbours=NEIGHBOURS), plane)
    assert [one["symbol"] for one in found["neighbours"]] == symbols
    assert found["neighbours"][0]["of"] == "changed"
    assert found["neighbours"][0]["text"].startswith("line of ")


@pytest.mark.parametrize("plane", [SECURITY, TESTS])
def test_the_other_planes_see_none(plane: FileJudge) -> None:
    files = {"a.py": ("python", "secrets"), "test_a.py": ("python", "secrets", "tests")}
    found = sent(material(files, neighbours=NEIGHBOURS), plane)
    assert found
    assert "uses.py" not in json.dumps(found)


def sent_of(places: int, rest: int, text: str = "call(1)") -> tuple[dict[str, Any], ...]:
    one = SymbolNeighbours(
        "a.py",
        1,
        1,
        "changed",
        (),
        callers=tuple(Place("b.py", number, "") for number in range(1, places + 1)),
    )
    return sent_neighbours(Plane.CONTRACT, (one,), lambda path, line: text, str, rest)


def test_neighbours_cannot_displace_the_change() -> None:
    found = sent_of(20, 2000)
    assert 0 < len(found) < 20
    assert len(json.dumps(found, separators=(",", ":"))) <= 500


def test_the_number_of_neighbours_is_bounded() -> None:
    assert len(sent_of(100, 1_000_000)) == MOST_SENT


def test_a_line_that_cannot_be_read_is_left_out() -> None:
    assert sent_of(3, 10_000, text=" ") == ()
