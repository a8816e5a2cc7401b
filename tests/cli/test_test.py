"""``wardround test --dry-run`` as a user meets it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import GitRepository
from tests.workflows.test.tiny_project import FILES, run_with_coverage

GROSS = "net * (1 + RATE)"


def plan(repo: GitRepository, *arguments: str) -> dict[str, Any]:
    done = repo.wardround("test", "--dry-run", "--format", "json", *arguments)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture
def recorded(repo: GitRepository) -> GitRepository:
    """A repository with the stored runs of all tests of its first commit."""
    repo.commit(FILES)
    data = repo.root.parent / "contexts.data"
    data.write_bytes(run_with_coverage(repo.root, FILES))
    assert plan(repo, "--contexts", str(data))["plan"]["notes"] == []
    return repo


def test_a_staged_edit_selects_the_tests_that_ran_it(recorded: GitRepository) -> None:
    recorded.stage({"shop/prices.py": FILES["shop/prices.py"].replace(GROSS, f"{GROSS} + 0")})

    chosen = {one["id"]: one["reason"] for one in plan(recorded)["plan"]["selected"]}

    changed = "it ran shop/prices.py::gross, which changed"
    assert chosen == {
        "tests/test_basket.py::TestBasket::test_a_basket_adds_up": changed,
        "tests/test_prices.py::test_tax_is_added[1]": changed,
        "tests/test_prices.py::test_tax_is_added[2]": changed,
        "tests/test_launch.py::test_the_version_is_printed": (
            "it ran shop/launch.py::version, which can start a process, whose code no recording covers"
        ),
    }


def test_a_commit_is_compared_with_a_base_and_nothing_is_written_to_the_repository(
    recorded: GitRepository,
) -> None:
    recorded.commit({"shop/prices.py": FILES["shop/prices.py"].replace(GROSS, f"{GROSS} + 0")})
    before = recorded.fingerprint()

    done = recorded.wardround("test", "--dry-run", "--base", "HEAD~1")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(
        ".: python, no package manager\n  pytest (pyproject.toml: tool.pytest.ini_options)"
    )
    assert "\n4 of 16 tests to run\n" in done.stdout
    assert "\n12 left out\n" in done.stdout
    assert recorded.fingerprint() == before


def test_without_recorded_runs_the_tests_of_the_change_come_first(repo: GitRepository) -> None:
    repo.commit(FILES)
    repo.commit({"shop/prices.py": FILES["shop/prices.py"].replace("math.floor(value)", "int(value)")})

    found = plan(repo, "--base", "HEAD~1")["plan"]

    assert {one["id"].partition("::")[0] for one in found["selected"][:3]} == {"tests/test_prices.py"}
    assert len(found["selected"]) == 15
    assert "No run is recorded" in found["notes"][0]


def test_tests_can_be_requested_by_file(recorded: GitRepository) -> None:
    found = plan(recorded, "--target", "tests/test_stock.py", "--target", "tests/test_launch.py")["plan"]

    assert len(found["selected"]) == 4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--dry-run", "--target", "tests/none.py"), "no test has this id"),
        (("--dry-run", "--contexts", "pyproject.toml"), "it is not a data file of coverage.py"),
        (("--dry-run", "--contexts", "missing"), "No such file"),
        (("--dry-run", "--head", "HEAD"), "--head needs --base"),
        ((), "add --dry-run"),
    ],
)
def test_a_wrong_request_is_a_usage_error(
    repo: GitRepository, arguments: tuple[str, ...], words: str
) -> None:
    repo.commit(FILES)

    done = repo.wardround("test", *arguments)

    assert done.returncode == 2
    assert words in done.stderr


def test_contexts_of_files_that_are_not_staged_are_refused(recorded: GitRepository) -> None:
    recorded.write("shop/prices.py", "x = 1\n")

    done = recorded.wardround("test", "--dry-run", "--contexts", str(recorded.root.parent / "contexts.data"))

    assert done.returncode == 2
    assert "shop/prices.py is not as staged" in done.stderr
