"""Parsing case files: accepted forms, and rejected ones with a position and a remedy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wardround.errors import UsageError
from wardround_lab.evaluation.cases import ANCHOR, Expected, read_cases

_DIFF = "--- a/a.py\n+++ b/a.py\n@@ -0,0 +1 @@\n+x = 1\n"


def _file(tmp_path: Path, *lines: str | dict[str, Any]) -> Path:
    file = tmp_path / "set.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    file.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return file


def test_a_case_is_read_with_all_its_fields(tmp_path: Path) -> None:
    location = {
        "file": "./a.py",
        "line": 1,
        "end_line": 2,
        "category": "c",
        "rule": "r/1",
        "severity": "warn",
    }
    meta = {"set": "s", "message": "fix it"}
    (case,) = read_cases(
        _file(tmp_path, {"id": 7, "language": "python", "diff": _DIFF, "after": "x = 1\n",
                         "expected": [location], "meta": meta})
    ).cases  # fmt: skip
    assert (case.id, case.language, case.after, case.messages) == ("7", "python", "x = 1\n", ("fix it",))
    assert case.expected == (Expected("a.py", 1, "c", 2, "r/1", "warn"),)


def test_absent_keys_are_empty_and_unknown_keys_are_counted(tmp_path: Path) -> None:
    file = _file(tmp_path, {"id": "a", "diff": _DIFF, "score": 1}, "", {"id": "b", "diff": _DIFF, "score": 2})
    found = read_cases(file)
    assert [(c.id, c.expected, dict(c.meta)) for c in found.cases] == [("a", (), {}), ("b", (), {})]
    assert found.ignored == {"score": 2}


def test_a_limit_takes_the_first_cases(tmp_path: Path) -> None:
    file = _file(tmp_path, *({"id": str(n), "diff": _DIFF} for n in range(5)), "not read")
    assert [case.id for case in read_cases(file, 2).cases] == ["0", "1"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "this line is not JSON"),
        ("[1]", "this line is a list; write one JSON object per line"),
        ({"diff": _DIFF}, "'id' is missing"),
        ({"id": "", "diff": _DIFF}, "'id' is a text"),
        ({"id": "x"}, "'diff' is missing; it must be a unified diff as text"),
        ({"id": "x", "diff": 3}, "'diff' is a number"),
        ({"id": "x", "diff": " "}, "'diff' is empty; add a unified diff, or 'after'"),
        ({"id": "x", "diff": _DIFF, "after": [1]}, "'after' is a list; it must be a text, or an object"),
        ({"id": "x", "diff": _DIFF, "expected": {}}, "'expected' is an object; it must be a list"),
        ({"id": "x", "diff": _DIFF, "expected": ["a"]}, "'expected' holds a text"),
        ({"id": "x", "diff": _DIFF, "expected": [{"line": 1}]}, "has no 'file'"),
        ({"id": "x", "diff": _DIFF, "expected": [{"file": "a", "line": 0}]}, "has the line 0"),
        ({"id": "x", "diff": _DIFF, "expected": [{"file": "a", "line": "1"}]}, "has the line '1'"),
        ({"id": "x", "diff": _DIFF, "meta": "m"}, "'meta' is a text; it must be an object"),
        ({"id": "ok", "diff": _DIFF}, "id 'ok' is also that of"),
    ],
)
def test_an_invalid_line_is_reported_with_its_position(
    tmp_path: Path, line: str | dict[str, Any], says: str
) -> None:
    file = _file(tmp_path, {"id": "ok", "diff": _DIFF}, line)
    with pytest.raises(UsageError) as raised:
        read_cases(file)
    text = str(raised.value)
    assert text.startswith(f"{file}:2")
    assert says in text
    assert "\n" not in text


def test_an_invalid_file_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"\n \n")
    (tmp_path / "binary").write_bytes(b'{"id": "\xff"}\n')
    for name, says in (("absent", "No such file"), ("empty", "the file has no case"),
                       ("binary", "not valid UTF-8"), (".", "Is a directory")):  # fmt: skip
        with pytest.raises(UsageError, match=says):
            read_cases(tmp_path / name)


def test_how_a_position_was_found_is_read(tmp_path: Path) -> None:
    location = {"file": "a.py", "line": 1, "how": "anchor"}
    (case,) = read_cases(_file(tmp_path, {"id": 1, "diff": _DIFF, "expected": [location]})).cases
    assert case.expected[0].how == ANCHOR


def test_cases_are_read_on_access(tmp_path: Path) -> None:
    file = _file(
        tmp_path, {"id": "a", "diff": _DIFF}, "", {"id": "ä", "diff": _DIFF}, {"id": "c", "diff": _DIFF}
    )
    found = read_cases(file).cases
    assert [case.id for case in found.at([2, 1])] == ["c", "ä"]
    assert [case.place for case in found[1:]] == [f"{file}:3 (ä)", f"{file}:4 (c)"]
    file.write_text("gone\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"this line is not JSON|changed while it was read"):
        found[1]
