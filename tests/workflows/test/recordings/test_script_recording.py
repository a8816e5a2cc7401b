"""Recordings of code that a compiler made of a file, with a source map."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping

import pytest

from tests.workflows.test.tiny_project import tree
from wardround.workflows.test.plans.script_selection import plan_script_tests
from wardround.workflows.test.plans.selection import Target
from wardround.workflows.test.recordings.recorded_runs import MODULE, Recording
from wardround.workflows.test.recordings.script_recording import read_script_recording, record_name
from wardround.workflows.test.scripts.tree import ScriptTree

SOURCE = """\
interface Row { a: number }

export class Rows {
  classify(a: Row): number { return a.a }
  total = (a: Row): number => 1;
}

export const first = (a: Row) => a;
function second(): void {}
"""
CODE = """\
class Rows {
  classify(a) { return a.a; }
  total = (a) => 1;
}
const first = (a) => a;
function second() {}
Object.defineProperty(exports, 'Rows', { get: () => Rows });
"""
LINES = {0: 2, 1: 3, 2: 4, 3: 5, 4: 7, 5: 8}
"""Line of the code -> line of the source."""
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def encoded(value: int) -> str:
    rest = -value << 1 | 1 if value < 0 else value << 1
    text = ""
    while True:
        digit, rest = rest & 31, rest >> 5
        text += DIGITS[digit | (32 if rest else 0)]
        if not rest:
            return text


def source_map() -> str:
    """Return a source map from the beginning of each word to that of the same word in the source."""
    lines, before = [], (0, 0)
    for number, line in enumerate(CODE.splitlines()):
        segments, column = [], 0
        for word in re.finditer(r"\w+|\(", line) if number in LINES else ():
            at = SOURCE.splitlines()[LINES[number]].find(word[0])
            position = (LINES[number], at)
            values = (word.start() - column, 0, position[0] - before[0], position[1] - before[1])
            segments.append("".join(map(encoded, values)))
            column, before = word.start(), position
        lines.append(",".join(segments))
    document = json.dumps({"version": 3, "sources": ["rows.ts"], "mappings": ";".join(lines)})
    return f"data:application/json;base64,{base64.b64encode(document.encode()).decode()}"


def span(text: str) -> list[int]:
    at = CODE.index(text)
    return [at, at + len(text)]


def recorded(*ranges: list[int], **code: str) -> Recording:
    content = {"code": CODE, "map": source_map(), **code}
    name = hashlib.sha256(b"code").hexdigest()
    test = {"file": "a.test.ts", "code": name, "ranges": [[0, 99999]]}
    scripts = [test, {"file": "rows.ts", "code": name, "ranges": [[-10, 99999], *ranges]}]
    files: Mapping[str, bytes] = {
        record_name("a.test.ts"): json.dumps({"test": "a.test.ts", "scripts": scripts}).encode(),
        f"{name}.code": json.dumps(content).encode(),
    }
    sources = {"a.test.ts": "test()", "rows.ts": SOURCE, "b.txt": ""}
    return read_script_recording(["a.test.ts", "b.test.ts"], files.get, tree(sources), is_complete=False)


def ran(recording: Recording) -> set[str]:
    (run,) = recording.runs
    ((key, numbers),) = ((key, numbers) for key, numbers in run.ran.items() if key[0] == "rows.ts")
    assert MODULE in numbers
    functions = recording.files[key].outline.functions
    return {functions[number].name for number in numbers if number != MODULE}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("classify(a) { return a.a; }", {"Rows.classify"}),
        ("(a) => 1", {"Rows.total"}),
        ("(a) => a", {"first"}),
        ("function second() {}", {"second"}),
        ("() => Rows", set()),
    ],
)
def test_a_range_is_the_function_of_the_source_that_it_was_made_from(text: str, expected: set[str]) -> None:
    assert ran(recorded(span(text))) == expected


def test_a_constructor_that_is_not_written_is_not_a_method() -> None:
    start, _ = span("class Rows")
    assert ran(recorded([start, CODE.index("const first")])) == set()


def test_every_function_ran_if_the_code_cannot_be_traced_to_the_file() -> None:
    every = {"Rows.classify", "Rows.total", "first", "second"}
    assert ran(recorded(map="")) == every
    assert ran(recorded(code="", map="")) == every


def test_code_that_equals_the_file_needs_no_map() -> None:
    at = SOURCE.index("function second")
    assert ran(recorded([at, at + 10], code=SOURCE, map="")) == {"second"}


def test_files_that_no_test_loaded_are_compared_as_one_piece() -> None:
    assert set(recorded().others) == {"b.txt"}


def test_a_record_of_another_test_is_excluded() -> None:
    scripts = [{"file": "rows.ts", "code": "", "ranges": []}]
    content = json.dumps({"test": "a.test.ts", "scripts": scripts}).encode()
    found = read_script_recording(
        ["a.test.ts"], lambda name: content, tree({"a.test.ts": "", "rows.ts": ""}), is_complete=True
    )
    assert found.runs == ()


@pytest.mark.parametrize("content", [b"", b"{", b'{"test": 1}', b"\xff"])
def test_a_broken_record_is_excluded(content: bytes) -> None:
    assert read_script_recording(["a"], lambda name: content, tree({"a": ""}), is_complete=True).runs == ()


def test_a_manifest_that_a_test_imports_is_compared_by_its_parts_for_the_other_tests() -> None:
    sources = {"a.test.js": "a()", "b.test.js": "b()", "package.json": '{"version": "1", "type": "module"}'}
    code = hashlib.sha256(b"").hexdigest()
    files = {
        record_name(test): json.dumps({
            "test": test, "scripts": [{"file": item, "code": code, "ranges": []} for item in (test, *others)]
        }).encode()
        for test, others in (("a.test.js", ("package.json",)), ("b.test.js", ()))
    }  # fmt: skip
    tests = ["a.test.js", "b.test.js"]
    recording = read_script_recording(tests, files.get, tree(sources), is_complete=True)

    def selected(manifest: str) -> set[str]:
        head = ScriptTree(tree({**sources, "package.json": manifest}))
        return {item.id for item in plan_script_tests([recording], head, Target()).selected}

    assert selected(sources["package.json"]) == set()
    assert selected('{"version": "2", "type": "module"}') == {"a.test.js"}
    assert selected('{"version": "1", "type": "commonjs"}') == set(tests)
