"""Coverage files of each format are read strictly, and give the same lines."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from wardround.context.line_coverage.formats import read_coverage
from wardround.context.line_coverage.model import CoverageUnreadable
from wardround.context.line_coverage.sqlite_data import read_data

LINES = {1: True, 2: True, 4: False}
COBERTURA = """<?xml version="1.0" ?>
<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
<coverage version="7.6" line-rate="0.6">
 <sources><source>/build/src</source></sources>
 <packages><package name="."><classes><class name="shop.py" filename="shop.py"><methods/><lines>
  <line number="1" hits="1"/><line number="2" hits="3"/><line number="4" hits="0"/>
 </lines></class></classes></package></packages>
</coverage>"""
CLOVER = """<?xml version="1.0"?><coverage generated="1" clover="3.2.0"><project>
 <file name="shop.py" path="shop.py"><line num="1" count="1" type="stmt"/>
 <line num="2" count="3" type="stmt"/><line num="4" count="0" type="cond"/></file></project></coverage>"""
LCOV = "TN:\nSF:shop.py\nFN:1,f\nDA:1,1\nDA:2,3,abc\nDA:4,0\nend_of_record\n"
PYTHON = json.dumps(
    {"meta": {"version": "7"}, "files": {"shop.py": {"executed_lines": [1, 2], "missing_lines": [4]}}}
)
ISTANBUL = json.dumps(
    {
        "shop.py": {
            "path": "shop.py",
            "statementMap": {
                str(at): {"start": {"line": line, "column": 0}, "end": {"line": line, "column": 9}}
                for at, line in enumerate(LINES)
            },
            "s": {"0": 1, "1": 3, "2": 0},
            "b": {},
        }
    }
)


@pytest.mark.parametrize(
    ("text", "name"),
    [(COBERTURA, "cobertura"), (CLOVER, "clover"), (LCOV, "lcov"), (PYTHON, "coverage.py"),
     (ISTANBUL, "istanbul")],
)  # fmt: skip
def test_each_format_gives_the_same_lines(text: str, name: str) -> None:
    found, measured = read_coverage(text.encode())
    assert (found, measured.files) == (name, {"shop.py": LINES})


def data_file(path: Path, *, extra: str = "", branches: bool = False) -> bytes:
    """Write the data of a run of ``shop.py`` as coverage.py does."""
    database = sqlite3.connect(path)
    database.executescript(
        "CREATE TABLE file (id INTEGER, path TEXT); CREATE TABLE context (id INTEGER, context TEXT);"
        "CREATE TABLE line_bits (file_id INTEGER, context_id INTEGER, numbits BLOB);"
        "CREATE TABLE arc (file_id INTEGER, context_id INTEGER, fromno INTEGER, tono INTEGER);"
        "INSERT INTO file VALUES (1, 'shop.py');" + extra
    )
    if branches:
        database.executemany("INSERT INTO arc VALUES (1, 0, ?, ?)", [(-1, 1), (1, 2), (2, -1)])
    else:
        database.execute("INSERT INTO line_bits VALUES (1, 0, ?)", (bytes([0b110]),))
    database.commit()
    database.close()
    return path.read_bytes()


@pytest.mark.parametrize("branches", [False, True])
def test_a_data_file_lists_the_lines_that_ran(tmp_path: Path, branches: bool) -> None:
    name, measured = read_coverage(data_file(tmp_path / ".coverage", branches=branches))
    assert (name, measured.files, measured.is_executed_only) == (
        "coverage.py",
        {"shop.py": {1: True, 2: True}},
        True,
    )


def test_a_data_file_may_not_run_a_query_of_its_own(tmp_path: Path) -> None:
    """A view of endless rows in the place of a table would otherwise be read."""
    path = tmp_path / ".coverage"
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT 1, x, x FROM n"
    content = data_file(path)
    database = sqlite3.connect(path)
    database.executescript(f"DROP TABLE arc; CREATE VIEW arc (file_id, fromno, tono) AS {endless};")
    database.close()
    assert path.read_bytes() != content
    with pytest.raises(CoverageUnreadable, match="it lacks a table"):
        read_data(path.read_bytes())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "its format is unknown"),
        ("#!/bin/sh\n", "its format is unknown"),
        ("<html/>", "neither Cobertura nor Clover"),
        ("<coverage>", "it is not XML"),
        (COBERTURA.replace('number="4"', 'number="x"'), "the number of a line is 'x', not a number"),
        (COBERTURA.replace('number="4"', 'number="0"'), "lines begin at 1"),
        ('<!DOCTYPE c [<!ENTITY a "b">]><coverage/>', "its DOCTYPE has declarations"),
        ('<!DOCTYPE c [<!ELEMENT c ANY>]><coverage/>', "its DOCTYPE has declarations"),
        ("<a>" * 200, "nested more than 100 deep"),
        ("{}", ""),
        ("{\"files\": 3}", "neither a JSON report"),
        ("{", "neither a JSON report"),
        ("[" * 100_000, "its format is unknown"),
        ('{"a":' * 100_000, "neither a JSON report"),
        ("TN:\nDA:1,1\n", "line 2 is not a record of LCOV"),
        ("TN:\nSF:a\nDA:x,1\n", "line 3 is not a record of LCOV"),
        ("TN:\n", "no record of a file"),
        ("SQLite format 3\0", "not a data file of coverage.py"),
    ],
)  # fmt: skip
def test_anything_else_is_rejected(text: str, reason: str) -> None:
    if not reason:
        assert read_coverage(text.encode())[1].files == {}
        return
    with pytest.raises(CoverageUnreadable, match=reason):
        read_coverage(text.encode())


def test_an_entity_of_another_file_is_never_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    declared = f'<!DOCTYPE coverage [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
    text = f"{declared}<coverage><source>&x;</source></coverage>"
    with pytest.raises(CoverageUnreadable, match="its DOCTYPE has declarations"):
        read_coverage(text.encode())
