"""A plane sees single lines around the changed symbols, without secrets and within its part of the budget."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.planes.language_model.test_questions import material, sent
from wardround.context.symbol_neighbours import Place, SymbolNeighbours
from wardround.findings import Plane
from wardround.planes.language_model.redaction import Redactor
from wardround.planes.language_model.sent_code import LONGEST_CODE, CodeReader
from wardround.planes.language_model.sent_neighbours import MOST_SENT, NeighbourCode, sent_neighbours
from wardround.planes.language_model.sent_texts import SentTexts

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
        (Plane.CONTRACT, ["caller"]),
        (Plane.PERF, ["caller"]),
        (Plane.SEMANTIC, ["callee", "example", "alike"]),
    ],
)
def test_a_plane_sees_its_own_neighbours(plane: Plane, symbols: list[str]) -> None:
    found = sent(material({"a.py": ("python", "secrets")}, neighbours=NEIGHBOURS), plane)
    assert [item["symbol"] for item in found["neighbours"]] == symbols
    assert found["neighbours"][0]["of"] == "changed"
    assert found["neighbours"][0]["text"].startswith("line of ")


@pytest.mark.parametrize("plane", [Plane.SECURITY, Plane.TESTS])
def test_the_other_planes_see_none(plane: Plane) -> None:
    files = {"a.py": ("python", "secrets"), "test_a.py": ("python", "secrets", "tests")}
    found = sent(material(files, neighbours=NEIGHBOURS), plane)
    assert found
    assert "uses.py" not in json.dumps(found)


def texts(source: str) -> SentTexts:
    """Files of one content, without secrets."""
    redactor = Redactor((), (), (), lambda path: None, lambda path: None, "")
    return SentTexts(lambda path: source, lambda path: None, redactor, {})


def calling(*lines: int) -> SymbolNeighbours:
    callers = tuple(Place("b.py", line, "") for line in lines)
    return SymbolNeighbours("a.py", 1, 1, "changed", (), callers=callers)


def sent_of(places: int, rest: int, text: str = "call(1)") -> tuple[dict[str, Any], ...]:
    symbol = calling(*range(1, places + 1))
    return sent_neighbours(Plane.CONTRACT, (symbol,), texts(f"{text}\n" * 100), rest)


def test_neighbours_cannot_displace_the_change() -> None:
    found = sent_of(20, 2000)
    assert 0 < len(found) < 20
    assert len(json.dumps(found, separators=(",", ":"))) <= 500


def test_the_number_of_neighbours_is_bounded() -> None:
    assert len(sent_of(100, 1_000_000)) == MOST_SENT


def test_a_line_that_cannot_be_read_is_excluded() -> None:
    assert sent_of(3, 10_000, text=" ") == ()


@pytest.mark.parametrize(
    ("body", "line", "rest", "sizes"),
    [
        (10, 5, 10_000, [11]),
        (500, 2, 10_000, [LONGEST_CODE[0]]),
        (500, 250, 10_000, [LONGEST_CODE[0]]),
        (500, 501, 10_000, [LONGEST_CODE[0]]),
        (500, 250, 900, [LONGEST_CODE[1]]),
        (500, 250, 150, [1]),
        (500, 250, 50, []),
    ],
)
def test_of_long_code_the_part_around_the_used_line_is_sent(
    body: int, line: int, rest: int, sizes: list[int]
) -> None:
    shown = texts("def caller():\n" + "    call(1)\n" * body)
    found = NeighbourCode((calling(line),), {}, shown).neighbours_to_send(
        Plane.CONTRACT, CodeReader(shown, {}), rest
    )
    assert [len(neighbour.code.lines) for neighbour in found] == sizes
    assert all(line in neighbour.code.lines for neighbour in found)
    sent = [neighbour.as_input for neighbour in found]
    assert len(json.dumps(sent, separators=(",", ":"))) <= rest


@pytest.mark.parametrize(
    ("sent", "shown"),
    [((), [1, 2, 3, 4, 5]), ((1, 2), [3, 4, 5]), ((3, 4), [1, 2, 5]), ((1, 2, 3), []), (range(1, 6), [])],
)
def test_code_is_completed_around_the_lines_that_are_sent(sent: Sequence[int], shown: list[int]) -> None:
    source = "def caller():\n    a = 1\n    b = call(a)\n    c = b\n    return c\n"
    code = CodeReader(texts(source), {"b.py": sent}).read(Place("b.py", 1, "caller"), 80)
    assert list(code.lines if code else ()) == shown
