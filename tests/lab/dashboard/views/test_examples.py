"""The examples of a file: pages, search, and one in full."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from tests.lab.dashboard import curated
from wardround.errors import UsageError
from wardround_lab.dashboard.views.example_files import example_files, file_named
from wardround_lab.dashboard.views.example_parts import facts_of, parts_of
from wardround_lab.dashboard.views.examples import (
    ExampleQuery,
    example_line,
    example_names,
    example_of,
    example_page,
)


def test_the_files_are_listed_with_counts_kinds_and_audits(tmp_path: Path) -> None:
    curated.write(tmp_path / "b/reviewed.jsonl", map(curated.curated, range(30)))
    curated.write(tmp_path / "a.jsonl", curated.every_kind())
    (tmp_path / "chunks.jsonl").write_text('{"language": "python"}\n')
    (tmp_path / "none.jsonl").write_text("")
    (tmp_path / "notes.txt").write_text("no examples")
    rows = [(row.name, row.records, row.kind, row.audit) for row in example_files(tmp_path)]
    assert rows == [
        ("a.jsonl", 7, "choice", "none"),
        ("chunks.jsonl", 1, "no records", "none"),
        ("none.jsonl", 0, "empty", "none"),
        ("b/reviewed.jsonl", 30, "instruction", "none"),
    ]
    assert example_files(tmp_path / "missing") == []


@pytest.mark.parametrize(
    "name", ["../outside.jsonl", "/etc/passwd", "link.jsonl", "missing.jsonl", "notes.txt", ""]
)
def test_only_files_of_the_folder_can_be_named(tmp_path: Path, name: str) -> None:
    data = tmp_path / "data"
    curated.write(data / "a.jsonl", [curated.curated(1)])
    outside = curated.write(tmp_path / "outside.jsonl", [curated.curated(1)])
    (data / "link.jsonl").symlink_to(outside)
    (data / "notes.txt").write_text("no examples")
    assert file_named(data, "a.jsonl") == data / "a.jsonl"
    with pytest.raises(UsageError, match=r"no file of examples in .*; choose one of the list"):
        file_named(data, name)


def test_a_page_has_the_rows_of_its_position(tmp_path: Path) -> None:
    file = curated.write(tmp_path / "a.jsonl", map(curated.curated, range(60)))
    pages = [example_page(file, ExampleQuery(), number) for number in (1, 3, 99)]
    assert [(page.number, page.rows[0].line, len(page.rows)) for page in pages] == [
        (1, 1, 25),
        (3, 51, 10),
        (3, 51, 10),
    ]
    assert pages[0].position_text == "1 to 25 of 60"
    assert pages[0].pages == 3
    row = pages[0].rows[2]
    assert (row.kind, row.repository, row.date) == ("instruction", "acme/socket", "2020-09-15")
    assert row.summary.startswith("Explain what the socket of module 2 does")


def test_a_search_finds_text_in_any_field_whatever_its_case(tmp_path: Path) -> None:
    file = curated.write(tmp_path / "a.jsonl", map(curated.curated, range(60)))
    found = example_page(file, ExampleQuery(text="CURSOR_13"), 1)
    assert [row.line for row in found.rows] == [14]
    assert found.position_text == "1 to 1 of 1 of 60 examples"
    by_repository = example_page(file, ExampleQuery(repository="ACME/cache"), 1)
    assert {row.repository for row in by_repository.rows} == {"acme/cache"}
    assert by_repository.matches == 12
    assert example_page(file, ExampleQuery(text="nowhere"), 1).position_text == "no match among 60 examples"


def test_text_that_json_escapes_is_found_as_it_reads(tmp_path: Path) -> None:
    odd = curated.curated(1)
    file = curated.write(
        tmp_path / "a.jsonl", [odd, type(odd)(instruction='Say "größe"\tonce', output="a\nb")]
    )
    assert [row.line for row in example_page(file, ExampleQuery(text='say "GRÖSSE"\tonce'), 1).rows] == [2]


def test_kinds_are_those_of_mined_commits_too(tmp_path: Path) -> None:
    file = curated.write(tmp_path / "a.jsonl", curated.every_kind())
    names = example_names(file)
    assert dict(names.kinds) == dict.fromkeys(
        ["choice", "labelled text", "window of lines", "bug-fix", "instruction", "conversation", "prompt"], 1
    )
    assert names.repositories == (("acme/parser", 6), ("acme/cache", 1))
    assert [row.line for row in example_page(file, ExampleQuery(kind="bug-fix"), 1).rows] == [4]


def test_blank_and_malformed_lines_keep_the_numbers_of_the_others(tmp_path: Path) -> None:
    file = curated.write(tmp_path / "a.jsonl", [curated.curated(1)])
    file.write_bytes(b"\n" + file.read_bytes() + b'{"half": \n\n[1]\n\xff\n' + file.read_bytes().rstrip())
    page = example_page(file, ExampleQuery(), 1)
    assert [(row.line, row.kind) for row in page.rows] == [
        (2, "instruction"), (3, "unreadable"), (5, "unreadable"), (6, "unreadable"), (7, "instruction"),
    ]  # fmt: skip
    assert example_names(file).unreadable == 3
    assert [row.line for row in example_page(file, ExampleQuery(kind="unreadable"), 1).rows] == [3, 5, 6]
    assert example_line(file, 1) is None
    assert example_line(file, 99) is None


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    file = curated.write(tmp_path / "a.jsonl", map(curated.curated, range(3)))
    assert example_page(file, ExampleQuery(text="module"), 1).matches == 3
    curated.write(file, map(curated.curated, range(4)))
    assert example_page(file, ExampleQuery(text="module"), 1).matches == 4


def test_every_kind_is_opened_in_full() -> None:
    import msgspec

    opened = [example_of(msgspec.json.encode(record)) for record in curated.every_kind()]
    parts = [[(part.label, part.is_right) for part in parts_of(example)] for example in opened]
    assert parts == [
        [("query", False), ("candidate 1", False), ("candidate 2, right", True)],
        [("text", False), ("label", True)],
        [("lines, real", False), ("defects", True)],
        [("message", False), ("a.py", False)],
        [("instruction", False), ("input", False), ("output", True)],
        [("user", False), ("assistant", True)],
        [("prompt", False), ("completion", True)],
    ]
    assert parts_of(opened[2])[0].text == "+one\n two\n-three"
    assert parts_of(opened[3])[1].text == "@@ -3,1 +3,1 @@\n-old = 1\n+new = 2"
    assert ("Licence", "MIT") in facts_of(opened[4])
    assert ("Date", "2020-09-13") in facts_of(opened[0])


def test_a_big_file_is_paged_without_being_held_in_memory(tmp_path: Path) -> None:
    line = curated.write(tmp_path / "one.jsonl", [curated.curated(7)]).read_bytes()
    file = tmp_path / "big.jsonl"
    with file.open("wb") as stream:
        for _ in range(200):
            stream.write(line * 200)
    tracemalloc.start()
    page = example_page(file, ExampleQuery(), 1_600)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (page.position_text, page.rows[-1].line) == ("39,976 to 40,000 of 40,000", 40_000)
    assert peak < 4_000_000 < 10_000_000 < file.stat().st_size
