"""The tests specialist end to end: its files, its findings and its robustness."""

from __future__ import annotations

import pytest
from wardround_tests.check import run_test_checks
from wardround_tests.file_kinds import is_collected, is_production, is_script_test, is_test
from wardround_tests.models import test_files
from wardround_tests.specialist import TestsSpecialist

from tests.conftest import GitRepository
from wardround.checks.source import SourceFile
from wardround.rules.cases import ChangeCase
from wardround.testing import change_results


@pytest.mark.parametrize(
    "path",
    [
        "test_a.py", "a/b_test.py", "a/b_tests.py", "tests/helpers.py", "a/tests/b/c.py", "test/a.py",
        "a/conftest.py", "shop/tests.py", "a.test.ts", "a/b.spec.tsx", "a.cy.js", "a_test.mjs",
        "src/__tests__/a.jsx", "__tests__/a/b.cts",
    ],
)  # fmt: skip
def test_a_test_file_is_claimed_by_name(path: str) -> None:
    assert TestsSpecialist().claims_name(path)
    assert is_test(path)


@pytest.mark.parametrize(
    "path",
    ["contest.py", "latest_a.py", "src/a.py", "testing.ts", "a.tests.ts", "attest/a.py", "a.py.txt", "a.ts"],
)
def test_another_file_is_not_claimed(path: str) -> None:
    assert not TestsSpecialist().claims_name(path)
    assert not is_test(path)


def test_what_a_runner_collects_is_less_than_what_is_claimed() -> None:
    assert is_collected("tests/test_a.py")
    assert not is_collected("tests/helpers.py")
    assert not is_collected("docs/test_a.py")
    assert not is_collected("examples/test_a.py")
    assert is_script_test("a.test.ts")
    assert not is_script_test("__tests__/a.test-d.ts")


def test_production_code_is_what_ships() -> None:
    assert is_production("src/shop/total.py")
    assert is_production("src/Total.tsx")
    for path in (
        "docs/conf.py",
        "setup.py",
        "vite.config.ts",
        "types.d.ts",
        "README.md",
        "scripts/a.py",
        ".ci/a.py",
    ):
        assert not is_production(path)


@pytest.mark.parametrize(
    "text",
    [
        "", "\n" * 3, "def test_é():\n    'ü'\n", "def test_a(): ...", "class TestA: pass",
        "def test_a(" + "(" * 50, "x = " + "+".join(["1"] * 3000), "def test_a():\r\n    assert 1\r\n",
    ],
)  # fmt: skip
def test_any_text_is_survived(text: str) -> None:
    try:
        found = list(run_test_checks(list(TestsSpecialist().checks), SourceFile("test_a.py", text)))
    except SyntaxError:
        return
    lines = text.split("\n")
    assert all(result.span.line <= len(lines) for result in found)


@pytest.mark.parametrize(
    "text", ["", "it('", "it('a', () => { expect(", "it(`${`a`}`, x)", "test('é', () => { expect(1) })"]
)
def test_any_script_is_survived(text: str) -> None:
    assert test_files.tests_of("a.test.ts", text) is not None


def test_brackets_in_a_regular_expression_do_not_count() -> None:
    text = "it('a', () => {\n  expect(b).toMatch(/[\\s/*(]+'/)\n})\nit('c', () => { expect(d).toBe(1) })\n"
    found = test_files.tests_of("a.test.ts", text)
    assert found is not None
    assert [len(case.assertions) for case in found.values()] == [1, 1]


def test_a_column_counts_code_points() -> None:
    source = SourceFile("test_a.py", "class TestÄ:\n    def test_é(self): pass\n")
    (result,) = run_test_checks(TestsSpecialist().checks, source)
    assert (result.code, result.span.start, result.span.end) == ("TE001", (2, 9), (2, 15))


def test_the_tests_specialist_can_be_selected(repo: GitRepository) -> None:
    repo.commit({"a.py": "import os\n"})
    repo.stage({"test_a.py": "import os\ndef test_a():\n    assert True\n", "b.py": "import os\n"})
    report = repo.report("--staged", "--only", "tests", "--exit-zero")
    assert [(f["rule"], f["line"], f["specialist"]) for f in report["findings"]] == [
        ("tests/TE002", 3, "tests")
    ]


def test_ruff_findings_in_tests_belong_to_the_tests_specialist(repo: GitRepository) -> None:
    repo.commit({"a.py": "a = 1\n"})
    repo.stage(
        {"test_a.py": "import os, pytest\n\n\ndef test_a():\n    with pytest.raises():\n        f()\n"}
    )
    report = repo.report("--staged", "--exit-zero")
    reported_items = {f["rule"]: f["specialist"] for f in report["findings"]}
    assert reported_items["ruff/PT010"] == "tests"
    assert reported_items["ruff/F401"] == "python"


def test_a_focused_script_test_blocks(repo: GitRepository) -> None:
    repo.commit({"a.ts": "export const a = 1\n"})
    repo.stage({"a.test.ts": "it.only('a', () => { expect(a).toBe(1) })\n"})
    report = repo.report("--staged", "--only", "tests")
    found = [f for f in report["findings"] if f["defect_class"] == "focused-test"]
    assert [(f["line"], f["severity"]) for f in found] == [(1, "error")]
    assert report["gate"]["outcome"] == "blocked"


def test_a_fix_without_a_test_is_seen_once_it_is_committed(repo: GitRepository) -> None:
    repo.commit({"shop.py": "def total(xs):\n    return 0\n", "test_shop.py": "import shop\n"})
    repo.commit({"shop.py": "def total(xs):\n    return sum(xs)\n"}, message="Fix the sum of a basket")
    report = repo.report("--base", "HEAD~1", "--only", "tests", "--exit-zero")
    assert [(f["rule"], f["file"], f["line"], f["status"]) for f in report["findings"]] == [
        ("tests/TE202", "shop.py", 2, "new")
    ]


def test_a_fix_of_the_change_itself_needs_no_test_of_its_own(repo: GitRepository) -> None:
    base = repo.commit({"shop.py": "def total(xs):\n    return 0\n", "test_shop.py": "import shop\n"})
    repo.commit({"shop.py": "def total(xs):\n    return sum(x)\n"}, message="Sum the basket")
    repo.commit({"shop.py": "def total(xs):\n    return sum(xs)\n"}, message="fixes")
    report = repo.report("--base", base, "--only", "tests", "--exit-zero")
    assert report["findings"] == []


@pytest.mark.parametrize(
    "test", ["src/shop/test_sums.py", "test_sums.py", "src/shop/tests/a.py", "tests/a_test.py"]
)
def test_a_test_is_recognised_in_every_location(repo: GitRepository, test: str) -> None:
    body = "    if not xs:\n        return 0\n    return sum(xs)\n"
    repo.commit({"src/shop/sums.py": "A = 1\n", test: "from shop.sums import gross, total\n"})
    repo.stage({"src/shop/sums.py": f"A = 1\n\n\ndef total(xs):\n{body}\n\ndef gross(xs):\n{body}"})
    report = repo.report("--staged", "--only", "tests", "--exit-zero")
    assert "tests/TE201" not in {finding["rule"] for finding in report["findings"]}


PREVIEW = {".wardround.toml": "preview = true\n"}


def test_an_assertion_that_went_is_blamed_on_the_change(repo: GitRepository) -> None:
    test = "import shop\ndef test_total():\n    assert shop.total([]) == 0\n    assert shop.total([1]) == 1\n"
    repo.commit({"shop.py": "def total(xs):\n    return sum(xs)\n", "test_shop.py": test, **PREVIEW})
    repo.stage(
        {
            "shop.py": "def total(xs):\n    return 0\n",
            "test_shop.py": test.rpartition("    assert")[0],
        }
    )
    report = repo.report("--staged", "--only", "tests", "--exit-zero")
    assert [(f["rule"], f["file"], f["line"], f["status"]) for f in report["findings"]] == [
        ("tests/TE203", "test_shop.py", 2, "caused")
    ]


SHOP = ("def total(xs):\n    return sum(xs)\n", "def total(xs):\n    return sum(xs) + 1\n")
TEST = "from shop import total\n\n\ndef test_total():\n    assert total([1]) == 1\n"
SECOND = "\n\ndef test_none():\n    assert total([]) == 0\n"


def reported(files: dict[str, tuple[str | None, str | None]]) -> list[tuple[str, int, str]]:
    """Path, line and severity of all reports of change-level checks about weaker tests."""
    return [
        (result.file, result.span.line, (result.severity or check.SEVERITY).label)
        for check in TestsSpecialist().change_checks
        if check.ID in ("TE203", "TE204")
        for result in change_results(TestsSpecialist(), check, ChangeCase(files))
    ]


def test_another_expected_value_is_only_a_note() -> None:
    files = {"shop.py": SHOP, "test_shop.py": (TEST, TEST.replace("== 1", "== 2"))}
    assert reported(files) == [("test_shop.py", 5, "info")]


def test_expected_values_are_one_note_in_a_file() -> None:
    new = (TEST + SECOND).replace("== 1", "== 2").replace("== 0", "== 1")
    assert reported({"shop.py": SHOP, "test_shop.py": (TEST + SECOND, new)}) == [("test_shop.py", 5, "info")]


def test_a_deleted_test_of_code_that_changes_warns() -> None:
    assert reported({"shop.py": SHOP, "test_shop.py": (TEST + SECOND, TEST)}) == [("test_shop.py", 5, "warn")]


def test_a_deleted_test_of_code_that_stays_as_it_is_is_only_a_note() -> None:
    assert reported({"test_shop.py": (TEST + SECOND, TEST)}) == [("test_shop.py", 5, "info")]


def test_a_deleted_test_of_code_that_shrinks_is_only_a_note() -> None:
    less = ("def total(xs):\n    xs = xs or []\n    return sum(xs)\n", SHOP[0])
    assert reported({"shop.py": less, "test_shop.py": (TEST + SECOND, TEST)}) == [("test_shop.py", 5, "info")]


def test_an_assertion_that_goes_alone_warns() -> None:
    before = TEST + "    assert total([2]) == 2\n"
    assert reported({"shop.py": SHOP, "test_shop.py": (before, TEST)}) == [("test_shop.py", 4, "warn")]


def test_an_assertion_that_goes_with_what_it_was_about_is_only_a_note() -> None:
    before = TEST + "    double = total([1, 1])\n    assert double == 2\n"
    assert reported({"shop.py": SHOP, "test_shop.py": (before, TEST)}) == [("test_shop.py", 4, "info")]


def test_an_assertion_that_goes_while_others_come_to_the_file_is_only_a_note() -> None:
    before = TEST + "    assert total([2]) == 2\n"
    after = TEST + "\n\ndef assert_sums(xs):\n    assert total(xs) == sum(xs)\n"
    assert reported({"shop.py": SHOP, "test_shop.py": (before, after)}) == [("test_shop.py", 4, "info")]


def test_an_expectation_turned_into_its_opposite_is_only_a_note() -> None:
    sample = "import shop\n# ruleid: empty-sum\nshop.total([])\n"
    files = {"shop.py": SHOP, "tests/data/sample.py": (sample, sample.replace("ruleid", "ok"))}
    assert reported(files) == [("tests/data/sample.py", 3, "info")]


def test_a_warning_let_pass_by_its_text_is_only_a_note() -> None:
    before = "[pytest]\nfilterwarnings =\n    error\n"
    files = {"shop.py": SHOP, "pytest.ini": (before, f"{before}    ignore:old name:DeprecationWarning\n")}
    assert reported(files) == [("pytest.ini", 4, "info")]


def test_several_edits_of_one_harness_are_reported_at_their_lines() -> None:
    before = "[pytest]\naddopts = -ra --strict-markers\nxfail_strict = true\n"
    after = "[pytest]\naddopts = -ra -k fast\nxfail_strict = false\n"
    assert reported({"shop.py": SHOP, "pytest.ini": (before, after)}) == [
        ("pytest.ini", 2, "warn"),
        ("pytest.ini", 3, "warn"),
    ]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyproject.toml", "[tool.pytest"), ("pytest.ini", "addopts = x\n["), ("package.json", "{"),
        ("package.json", "[1]"), ("jest.config.js", "testMatch: ['a"), ("conftest.py", "collect_ignore = ["),
        (".github/workflows/ci.yml", "- \n  continue-on-error: true\n"), ("setup.cfg", ""), ("tox.ini", "\0"),
        ("test_a.py", "def test_a(:"), ("a.test.ts", "it.each(["), ("a.test.ts", "it.each`a"),
        ("tests/data/a.py", "# ruleid: a"),
    ],
)  # fmt: skip
def test_any_broken_file_on_either_side_is_survived(path: str, text: str) -> None:
    for texts in ((text, "a\n"), ("a\n", text), (text, "")):
        reported({"shop.py": SHOP, path: texts})


def test_a_demand_that_went_from_the_harness_is_blamed_on_the_change(repo: GitRepository) -> None:
    settings = "[tool.pytest.ini_options]\naddopts = [\n  '-ra',\n  '--strict-markers',\n]\n"
    repo.commit({"shop.py": SHOP[0], "test_shop.py": TEST, "pyproject.toml": settings, **PREVIEW})
    repo.stage({"shop.py": SHOP[1], "pyproject.toml": settings.replace("  '--strict-markers',\n", "")})
    report = repo.report("--staged", "--only", "tests", "--exit-zero")
    assert [(f["rule"], f["file"], f["line"], f["status"]) for f in report["findings"]] == [
        ("tests/TE204", "pyproject.toml", 3, "caused")
    ]


def test_a_deleted_test_file_is_reported_at_the_code_it_tested(repo: GitRepository) -> None:
    repo.commit({"shop.py": SHOP[0], "test_shop.py": TEST, **PREVIEW})
    repo.git("rm", "--quiet", "test_shop.py")
    repo.stage({"shop.py": SHOP[1]})
    report = repo.report("--staged", "--only", "tests", "--exit-zero")
    found = [(f["rule"], f["file"], f["line"]) for f in report["findings"]]
    assert ("tests/TE203", "shop.py", 1) in found
