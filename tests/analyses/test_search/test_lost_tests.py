"""A test of a changed function that asserts less than before is reported with the function it tested."""

from __future__ import annotations

import pytest

from tests.conftest import GitRepository
from wardround import host
from wardround.analyses.test_search.lost_tests import changed_test_files, lost_tests
from wardround.change.change_source import FileTexts, GitChangeSource
from wardround.change.diff import ChangedFile
from wardround.change.repository import Repository
from wardround.context.change_tests import ChangeTests
from wardround.context.code_graph.reached_functions import changed_functions, reached_functions
from wardround.context.code_graph.update_limit import UpdateLimit

SHOP = "def total(rows):\n    return sum(rows)\n"
TESTS = """\
from shop import total


def test_total():
    assert total([1]) == 1
    assert total([]) == 0


def test_other():
    assert 1
"""
WEB = "export const total = (rows: number[]) => rows.length\n"
WEB_TESTS = """\
import { total } from './shop'
describe('total', () => {
  it('counts', () => {
    expect(total([1])).toBe(1)
    expect(total([])).toBe(0)
  })
})
"""


def lost(repo: GitRepository, before: dict[str, str], after: dict[str, str | None]) -> list[tuple[str, str]]:
    base = repo.commit(before)
    for path, text in after.items():
        if text is None:
            repo.git("rm", "-q", path)
        else:
            repo.write(path, text)
    repo.git("add", "-A")
    head = repo.commit()
    with Repository(repo.root) as repository:
        change = repository.between(base, head)
        source = GitChangeSource(repository, change)
        texts = FileTexts(source, change)

        def read(file: ChangedFile, base: bool) -> str | None:
            return texts.readable(file.path, base=base)

        files = [file for file in change.files if "test" not in file.path]
        functions = changed_functions(files, read, ())
        reached = reached_functions(source, change, functions, UpdateLimit(10.0, 100), with_base=True)
        sides = changed_test_files(change, host.load().specialists, read)
        found = ChangeTests(lost=lost_tests(sides, reached.base_tests)).lost
        assert all(item.functions for item in found)
        return [(item.name, item.how.value) for item in found]


EDITED = SHOP.replace("sum(rows)", "sum(rows) + 0")


@pytest.mark.parametrize(
    ("tests", "expected"),
    [
        (TESTS, []),
        (TESTS.replace("    assert total([]) == 0\n", ""), [("test_total", "fewer-assertions")]),
        (TESTS.replace("def test_total", "@pytest.mark.skip\ndef test_total"), [("test_total", "skipped")]),
        (TESTS.replace("test_total", "test_sum"), []),
        (TESTS.replace("test_total", "check_total"), [("test_total", "removed")]),
        (TESTS.replace("    assert total([]) == 0", "\n\ndef test_empty():\n    assert total([]) == 0"), []),
        (None, [("test_total", "removed")]),
        ("def broken(", [("test_total", "removed")]),
        (TESTS.replace("    assert 1\n", "    pass\n"), []),
    ],
)
def test_losses_of_python_tests(
    repo: GitRepository, tests: str | None, expected: list[tuple[str, str]]
) -> None:
    assert (
        lost(repo, {"shop.py": SHOP, "test_shop.py": TESTS}, {"shop.py": EDITED, "test_shop.py": tests})
        == expected
    )


def test_a_test_that_moves_to_another_file_is_not_lost(repo: GitRepository) -> None:
    before = {"shop.py": SHOP, "test_shop.py": TESTS}
    assert lost(repo, before, {"shop.py": EDITED, "test_shop.py": None, "test_more.py": TESTS}) == []


def test_a_test_of_unchanged_code_is_not_a_evidence_here(repo: GitRepository) -> None:
    before = {"shop.py": SHOP, "other.py": "def f():\n    return 1\n", "test_shop.py": TESTS}
    assert lost(repo, before, {"other.py": "def f():\n    return 2\n", "test_shop.py": None}) == []


@pytest.mark.parametrize(
    ("tests", "expected"),
    [
        (WEB_TESTS.replace("    expect(total([])).toBe(0)\n", ""), "fewer-assertions"),
        (WEB_TESTS.replace("it('counts'", "it.skip('counts'"), "skipped"),
        (None, "removed"),
    ],
)
def test_losses_of_script_tests(repo: GitRepository, tests: str | None, expected: str) -> None:
    before = {"shop.ts": WEB, "shop.test.ts": WEB_TESTS}
    found = lost(repo, before, {"shop.ts": WEB.replace("length", "length + 0"), "shop.test.ts": tests})
    assert [how for _, how in found] == [expected]
