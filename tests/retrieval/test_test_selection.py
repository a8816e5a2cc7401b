"""Ranking of the tests that most likely cover a function."""

from __future__ import annotations

import pytest

from wardround.retrieval.test_discovery import TestFile
from wardround.retrieval.test_selection import (
    NAMES,
    WEIGHTS,
    Caller,
    TargetFunction,
    Tests,
    find_subject,
    names,
    same_language,
    subjects,
    users,
    weigh,
)

ROWS = '''\
class Row:
    def fields(self):
        return self.text.split("|")


def parse_row(line, separator="|"):
    """One row of a ledger."""
    cells = line.split(separator)
    return tuple(cell.strip() for cell in cells)


def read_ledger(file):
    return [parse_row(line) for line in file]
'''
TEST_ROWS = """\
from shop.rows import Row, parse_row


def test_a_cell_is_stripped():
    assert parse_row(" a |b") == ("a", "b")


def test_a_row_has_fields():
    assert Row("a|b").fields() == ["a", "b"]
"""
TEST_LEDGER = """\
from shop.rows import read_ledger


def test_a_complete_ledger(tmp_path):
    assert read_ledger(["a|b"]) == [("a", "b")]
"""
TEST_MAIL = """\
from shop.mail import send


def test_mail_goes_out():
    assert send("a@example.org", "receipt") is None
"""
FILES = {
    "tests/test_rows.py": TEST_ROWS,
    "tests/test_ledger.py": TEST_LEDGER,
    "tests/test_mail.py": TEST_MAIL,
}


def _tests(files: dict[str, str]) -> Tests:
    return Tests([TestFile(path, text) for path, text in files.items()])


def _subject(name: str) -> TargetFunction:
    found = find_subject("src/shop/rows.py", ROWS, name)
    assert found is not None
    return found


def test_the_test_that_calls_a_function_comes_first() -> None:
    subject = _subject("parse_row")
    found = _tests(FILES).rank(subject, users(subject, [("src/shop/rows.py", ROWS)]))
    assert [one.case.name for one in found][:1] == ["test_a_cell_is_stripped"]
    assert found[0].why[:2] == ('calls "parse_row"', "imports shop.rows")
    assert found[-1].case.name == "test_mail_goes_out"
    assert found == sorted(found, key=lambda one: -one.score)


def test_a_test_of_what_uses_a_function_is_found() -> None:
    subject = _subject("parse_row")
    used_by = users(subject, [("src/shop/rows.py", ROWS)])
    assert used_by == [Caller("src/shop/rows.py", "read_ledger")]
    found = {item.case.name: item.why for item in _tests(FILES).rank(subject, used_by)}
    assert found["test_a_complete_ledger"][0] == 'uses "read_ledger", which uses "parse_row"'


def test_a_method_is_found_by_its_class() -> None:
    found = _tests(FILES).rank(_subject("Row.fields"))
    assert found[0].case.name == "test_a_row_has_fields"
    assert found[0].why == ('calls "fields"', 'is named after "fields"', "imports shop.rows")


def test_scripts_are_found_by_their_groups_and_imports() -> None:
    text = "export function parseRow(line: string) {\n  return line.split('|');\n}\n"
    subject = find_subject("src/rows.ts", text, "parseRow")
    assert subject is not None
    tests = {
        "src/rows.test.ts": "import { parseRow } from './rows';\ndescribe('parseRow', () => {\n"
        "  it('splits', () => {\n    expect(parseRow('a|b')).toHaveLength(2);\n  });\n});\n",
        "src/mail.test.ts": "import { send } from './mail';\nit('sends', () => {\n  send();\n});\n",
    }
    first, second = _tests(tests).rank(subject)
    assert first.case.id == "src/rows.test.ts > parseRow > splits"
    assert first.why == ('calls "parseRow"', 'is named after "parseRow"', "imports src/rows")
    assert second.score < first.score


def test_what_a_change_wrote_counts_more_than_the_rest() -> None:
    before = "def total(rows):\n    check(rows)\n    return sum(rows)\n"
    (subject,) = subjects("shop.py", before, before.replace("check(rows)", "refund(rows)"))
    assert subject.changed == "    refund(rows)\n    check(rows)"
    files = {
        "test_shop.py": "def test_a():\n    assert total(sum)\n\n\ndef test_b():\n    assert refund(total)\n"
    }
    assert _tests(files).rank(subject)[0].case.name == "test_b"


def test_only_functions_that_differ_are_subjects() -> None:
    after = ROWS.replace("cell.strip()", "cell") + "\n\ndef new():\n    return 1\n"
    assert [item.name for item in subjects("a.py", ROWS, after)] == ["parse_row", "new"]
    assert subjects("a.py", ROWS, ROWS) == []
    assert names("a.py", ROWS) == ["Row.fields", "parse_row", "read_ledger"]
    assert find_subject("a.py", ROWS, "fields") == find_subject("a.py", ROWS, "Row.fields")
    assert find_subject("a.py", ROWS, "Row") is None


def test_a_name_that_everything_uses_reports_nothing() -> None:
    many = "".join(f"def use{n}():\n    return parse_row(x)\n\n\n" for n in range(40))
    assert users(_subject("parse_row"), [("a.py", many)]) == []
    assert users(_subject("parse_row"), [("a.py", "nothing = 1\n")]) == []


@pytest.mark.parametrize("name", ["parse_row", "Row.fields"])
def test_every_number_is_from_0_to_1_and_has_a_weight(name: str) -> None:
    rows = _tests(FILES).evidence(_subject(name), [Caller("src/shop/rows.py", "read_ledger")])
    assert len(rows) == 4
    assert all(len(row) == len(NAMES) and all(0 <= item <= 1 + 1e-9 for item in row) for row in rows)
    assert set(WEIGHTS) == set(NAMES)
    assert weigh([0.0] * len(NAMES)) == 0


def test_without_tests_there_is_not_a_order() -> None:
    assert Tests([]).rank(_subject("parse_row")) == []
    assert _tests({"test_a.py": ""}).rank(_subject("parse_row")) == []


def test_the_order_does_not_depend_on_that_of_the_files() -> None:
    subject = _subject("parse_row")
    turned = dict(reversed(list(FILES.items())))
    found = [
        [(item.case.id, item.score, item.why) for item in _tests(files).rank(subject)]
        for files in (FILES, turned)
    ]
    assert found[0] == found[1]


def test_python_goes_with_python() -> None:
    assert same_language("tests/test_a.py", "src/a.py")
    assert same_language("a.test.ts", "a.jsx")
    assert not same_language("a.test.ts", "a.py")
