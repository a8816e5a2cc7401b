"""The tests specialist as a whole: what it claims, what it says end to end, what it survives."""

from __future__ import annotations

import pytest
from wardround_tests import assertions
from wardround_tests.check import run_test_checks
from wardround_tests.checks import CHECKS
from wardround_tests.paths import is_collected, is_production, is_script_test, is_test
from wardround_tests.specialist import specialist

from tests.conftest import GitRepository
from wardround.checks import Source


@pytest.mark.parametrize(
    "path",
    [
        "test_a.py", "a/b_test.py", "a/b_tests.py", "tests/helpers.py", "a/tests/b/c.py", "test/a.py",
        "a/conftest.py", "shop/tests.py", "a.test.ts", "a/b.spec.tsx", "a.cy.js", "a_test.mjs",
        "src/__tests__/a.jsx", "__tests__/a/b.cts",
    ],
)  # fmt: skip
def test_a_test_file_is_claimed_by_name(path: str) -> None:
    assert specialist().claims_name(path)
    assert is_test(path)


@pytest.mark.parametrize(
    "path",
    ["contest.py", "latest_a.py", "src/a.py", "testing.ts", "a.tests.ts", "attest/a.py", "a.py.txt", "a.ts"],
)
def test_another_file_is_not_claimed(path: str) -> None:
    assert not specialist().claims_name(path)
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
        found = list(run_test_checks(CHECKS, Source("test_a.py", text)))
    except SyntaxError:
        return
    lines = text.split("\n")
    assert all(result.span.line <= len(lines) for result in found)


@pytest.mark.parametrize(
    "text", ["", "it('", "it('a', () => { expect(", "it(`${`a`}`, x)", "test('é', () => { expect(1) })"]
)
def test_any_script_is_survived(text: str) -> None:
    assert assertions.tests_of("a.test.ts", text) is not None


def test_a_column_counts_code_points() -> None:
    source = Source("test_a.py", "class TestÄ:\n    def test_é(self): pass\n")
    (result,) = run_test_checks(CHECKS, source)
    assert (result.code, result.span.start, result.span.end) == ("TE001", (2, 9), (2, 15))


def test_only_the_tests_specialist_can_be_asked(repo: GitRepository) -> None:
    repo.commit({"a.py": "import os\n"})
    repo.stage({"test_a.py": "import os\ndef test_a():\n    assert True\n", "b.py": "import os\n"})
    report = repo.report("--staged", "--only", "tests", "--exit-zero")
    assert [(f["rule"], f["line"], f["specialist"]) for f in report["findings"]] == [
        ("tests/TE002", 3, "tests")
    ]


def test_what_ruff_says_about_tests_comes_from_the_tests_specialist(repo: GitRepository) -> None:
    repo.commit({"a.py": "a = 1\n"})
    repo.stage(
        {"test_a.py": "import os, pytest\n\n\ndef test_a():\n    with pytest.raises():\n        f()\n"}
    )
    report = repo.report("--staged", "--exit-zero")
    said = {f["rule"]: f["specialist"] for f in report["findings"]}
    assert said["ruff/PT010"] == "tests"
    assert said["ruff/F401"] == "python"


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


def test_an_assertion_that_went_is_blamed_on_the_change(repo: GitRepository) -> None:
    test = "import shop\ndef test_total():\n    assert shop.total([]) == 0\n    assert shop.total([1]) == 1\n"
    repo.commit({"shop.py": "def total(xs):\n    return sum(xs)\n", "test_shop.py": test})
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
