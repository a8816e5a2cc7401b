"""The work for a long file grows linearly with its length: it is counted, not timed."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec
import pytest
from wardround_docker_ci.tools import zizmor
from wardround_python.dataflow.domain import CLEAN
from wardround_python.dataflow.state import Environment
from wardround_python.tools import ty
from wardround_python.tools.false_positives.refuted_facts import refuter
from wardround_python.tools.false_positives.unknown_signatures import CallsByLine
from wardround_tests.changes.touched_functions import changed_functions
from wardround_tests.models.python_assertions import python_tests

from wardround.checks.source import ChangedFileView
from wardround.findings import RawFinding, Span
from wardround.languages import dockerfile
from wardround.languages.python import tree
from wardround.languages.python.module import PythonModule
from wardround.tools.tool import Invocation

_FEW, _FACTOR = 60, 4
_LINEAR = 1.5 * _FACTOR
"""Four times the input may take six times the calls, but not sixteen times."""


def calls_of(task: Callable[[], object]) -> int:
    """Return the number of calls, of Python's and of C's functions, that a task makes."""
    count = 0

    def counted(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        task()
    finally:
        sys.setprofile(None)
    return count


class CountedText(str):
    """A string that counts how often it is split."""

    splits = 0

    def split(self, *arguments: Any) -> list[str]:  # type: ignore[override]
        type(self).splits += 1
        return super().split(*arguments)


@pytest.fixture
def split_count(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    monkeypatch.setattr(CountedText, "splits", 0)
    return lambda: CountedText.splits


def stages(count: int) -> Callable[[], object]:
    text = "".join(f"FROM debian:12 AS s{n}\nRUN echo {n}\n" for n in range(count))
    return lambda: dockerfile.read(text)


def names_on_a_line(count: int) -> Callable[[], object]:
    text = f"x = [{', '.join(f'name{n:04}' for n in range(count))}]\n"
    folder = Path(names_on_a_line.__dict__["folder"]) / str(count)
    folder.mkdir()
    (folder / "a.py").write_text(text)
    is_refuted = refuter(folder)
    return lambda: [is_refuted("a.py", "F821", Span(1, 6 + 10 * n, 1, 14 + 10 * n)) for n in range(count)]


def assignments(count: int) -> Callable[[], object]:
    values = Environment()
    for n in range(count):
        values[f"x{n}"] = CLEAN
    return lambda: [values.parts_of(f"x{n}") for n in range(count)]


def calls_in_lines(count: int) -> Callable[[], object]:
    calls = CallsByLine(PythonModule("a.py", "".join(f"f{n}(a)\n" for n in range(count))))
    return lambda: [call.lineno for n in range(count) for call in calls.at(n + 1)]


@pytest.mark.parametrize("work", [stages, names_on_a_line, assignments, calls_in_lines])
def test_more_input_takes_proportionally_more_calls(
    work: Callable[[int], Callable[[], object]], tmp_path: Path
) -> None:
    names_on_a_line.__dict__["folder"] = tmp_path
    few, many = work(_FEW), work(_FACTOR * _FEW)
    assert calls_of(many) <= _LINEAR * calls_of(few)


def test_a_file_is_split_once_for_all_results_of_ty(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, split_count: Callable[[], int]
) -> None:
    text = CountedText("".join(f"self.a{n}\n" for n in range(_FEW)))
    monkeypatch.setattr(ty, "read_snapshot_file", lambda root, file: text)
    (tmp_path / "a.py").write_text(text)
    location = {"line": 1, "column": 1}
    results = [
        {
            "check_name": "unresolved-attribute",
            "description": f"Object has no attribute `a{n}`",
            "severity": "major",
            "location": {"path": "a.py", "positions": {"begin": location | {"line": n + 1}, "end": location}},
        }
        for n in range(_FEW)
    ]
    for result in results:
        result["location"]["positions"]["end"] = result["location"]["positions"]["begin"]  # type: ignore[index]
    run = Invocation(Path("ty"), tmp_path, ("a.py",), None, tmp_path)
    ty.TY.parse(msgspec.json.encode(results), run)
    assert split_count() <= 1


def test_a_changed_file_is_split_once_for_all_its_functions(split_count: Callable[[], int]) -> None:
    text = CountedText("".join(f"def f{n}(a):\n    b = a\n    c = b\n    return c\n\n" for n in range(_FEW)))
    file = ChangedFileView("a.py", None, lambda line: True, lambda: text, lambda: None)
    found = list(changed_functions(file))
    assert len(found) == _FEW
    assert [item.span(file).end_line for item in found] == [item.place for item in found]
    assert split_count() <= 2


def test_tests_that_a_module_skips_split_it_once(split_count: Callable[[], int]) -> None:
    head = "import pytest\n\npytestmark = pytest.mark.skip(reason='slow')\n\n\n"
    body = "".join(f"def test_{n}():\n    assert {n}\n\n" for n in range(_FEW))
    cases = list(python_tests("tests/test_a.py", CountedText(head + body)))
    assert {case.skip_span.line for case in cases} == {3}
    assert split_count() <= 2


def test_a_workflow_is_read_once_for_all_images(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    reads = []
    monkeypatch.setattr(
        Path, "read_text", lambda file, *rest: reads.append(file) or "image: a\nimage: b\nimage: a\n"
    )
    run = Invocation(Path("zizmor"), tmp_path, ("ci.yml",), None, tmp_path)
    found = [RawFinding("unpinned-images", "ci.yml", Span(n, 1, n, 2), "unpinned") for n in (1, 2, 3)]
    assert [item.span.line for item in zizmor._images_once(found, run)] == [1, 2]
    assert len(reads) == 1


def test_a_text_that_is_not_python_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    text, parsed = "x = (  # nothing closes this parenthesis\n", []
    parse = tree.parse
    monkeypatch.setattr(tree, "parse", lambda given: parsed.append(given) or parse(given))
    for _ in range(3):
        with pytest.raises(SyntaxError, match="never closed"):
            tree.cached_parse(text)
    assert parsed == [text]


def test_nodes_are_found_by_the_position_of_their_characters() -> None:
    module = PythonModule("a.py", "é = [ñ, x]; ü = x.y\n")
    assert [ast.unparse(node) for node in module.starting_at(1, 9)] == ["x"]
    assert [ast.unparse(node) for node in module.starting_at(1, 17)] == ["x.y", "x"]
    assert [type(node).__name__ for node in module.starting_at(1, 1)] == ["Assign", "Name"]
    assert not module.starting_at(2, 1)
    assert not module.starting_at(7, 1)


def test_the_parts_of_a_name_are_those_of_all_branches() -> None:
    values = Environment()
    values["a"] = CLEAN
    copied = values.copy()
    copied["a.b"] = CLEAN
    copied["a['c'].d"] = CLEAN
    copied["ab.c"] = CLEAN
    assert copied.parts_of("a") == ["a.b", "a['c'].d"]
    assert copied.parts_of("a['c']") == ["a['c'].d"]
    assert values.parts_of("a") == []


def test_the_innermost_call_of_a_line_is_the_last() -> None:
    module = PythonModule("a.py", "f(\n    g(h(1)),\n    2,\n)\nk()\n")
    found = [ast.unparse(call.func) for call in CallsByLine(module).at(2)]
    assert found == ["f", "g", "h"]
