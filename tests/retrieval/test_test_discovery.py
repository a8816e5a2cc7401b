"""Tests of a file and its imports, detected from its lines."""

from __future__ import annotations

import pytest

from wardround.retrieval.test_discovery import TestFile, contains_tests, imports, module_parts

PYTHON = """\
import os, shop.basket as basket
from shop.rows import (
    parse_row,  # the one under test
    Row as R,
)
from . import fixtures
from ..conftest import run


def test_a_row_is_parsed():
    def test_inner():
        pass

    assert parse_row("a|b") == R("a", "b")


def helper():
    return 1


class TestRow:
    @pytest.mark.slow
    async def test_it_has_fields(self):
        assert helper() == 1

    def fields(self): ...
"""
SCRIPT = """\
import React, { useState as state, type FC } from 'react';
import { parseRow } from "../src/rows";
import '@/setup';
vi.mock('./server');

describe('parseRow', () => {
  beforeEach(() => {
    reset();
  });

  it('splits a line', async () => {
    expect(parseRow('a|b')).toEqual(['a', 'b']);
  });

  it.each([
    ['a', 1],
    ['b', 2],
  ])('keeps %s', (text, count) => {
    expect(parseRow(text)).toHaveLength(count);
  });

  describe.skip("when it's empty", () => {
    test(
      `gives nothing`,
      () => {
        expect(parseRow('')).toEqual([]);
      },
    );
  });
});

it('is alone', () => expect(1).toBe(1));
"""


def test_python_tests_with_their_classes() -> None:
    cases = TestFile("tests/test_rows.py", PYTHON).cases
    assert [(case.id, case.line, case.end_line) for case in cases] == [
        ("tests/test_rows.py::test_a_row_is_parsed", 10, 14),
        ("tests/test_rows.py::TestRow::test_it_has_fields", 23, 24),
    ]
    assert cases[0].text.endswith('R("a", "b")')


def test_script_tests_with_their_groups() -> None:
    cases = TestFile("test/rows.test.ts", SCRIPT).cases
    assert [(case.id, case.line, case.end_line) for case in cases] == [
        ("test/rows.test.ts > parseRow > splits a line", 11, 13),
        ("test/rows.test.ts > parseRow > keeps %s", 15, 20),
        ("test/rows.test.ts > parseRow > when it's empty > gives nothing", 23, 28),
        ("test/rows.test.ts > is alone", 32, 32),
    ]


def test_what_is_outside_of_tests_is_known() -> None:
    file = TestFile("tests/test_rows.py", PYTHON)
    assert {"helper", "parse_row", "fields"} <= file.shared_identifiers
    assert "R" in file.cases[0].identifiers
    assert "test_inner" not in file.shared_identifiers


def test_python_imports_are_resolved() -> None:
    found = [(item.module, sorted(item.names)) for item in imports("shop/tests/test_rows.py", PYTHON)]
    assert found == [
        ("shop.rows", ["R", "Row", "parse_row"]),
        ("shop.tests", ["fixtures"]),
        ("shop.conftest", ["run"]),
        ("os", []),
        ("shop.basket", []),
    ]


def test_script_imports_are_resolved() -> None:
    found = [(item.module, sorted(item.names)) for item in imports("test/rows.test.ts", SCRIPT)]
    assert found == [
        ("react", ["FC", "React", "state", "useState"]),
        ("src/rows", ["parseRow"]),
        ("@/setup", []),
        ("test/server", []),
    ]


@pytest.mark.parametrize(
    "path", ["test_a.py", "a/b_test.py", "app/tests.py", "a.spec.tsx", "a/__tests__/b.js", "a.cy.ts"]
)
def test_a_file_of_tests_is_known_by_its_name(path: str) -> None:
    assert contains_tests(path)


@pytest.mark.parametrize(
    "path", ["conftest.py", "tests/data.py", "latest.py", "a.test-d.ts", "a/__tests__/b.snap", "a.ts"]
)
def test_another_file_is_not(path: str) -> None:
    assert not contains_tests(path)


def test_a_module_is_named_by_its_path() -> None:
    assert module_parts("src/shop/rows.py") == ("src", "shop", "rows")
    assert module_parts("src/shop/__init__.py") == ("src", "shop")
    assert module_parts("src/rows.d.ts") == ("src", "rows")
    assert module_parts("index.ts") == ("index",)


@pytest.mark.parametrize(
    "text", ["", "\0", "it('", "describe(" * 50, "def test_a(:\n" * 3, "it.each`\n" * 200]
)
def test_odd_text_is_not_a_trouble(text: str) -> None:
    for path in ("test_a.py", "a.test.ts"):
        file = TestFile(path, text)
        assert all(1 <= case.line <= case.end_line for case in file.cases)
        assert file.imports == ()


def test_an_import_without_an_end_does_not_reach_for_the_end_of_the_file() -> None:
    assert list(imports("a.test.ts", "import\n" * 30_000)) == []
    assert not any(item.names for item in imports("test_a.py", "from a import (b,\n" * 10_000))
