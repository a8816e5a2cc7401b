"""Tools that follow imports see the project as it would be committed, and its virtual environment."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import GitRepository

ARITY = "ty/too-many-positional-arguments"


def _found(repo: GitRepository, *options: str) -> list[tuple[str, str, int]]:
    report = json.loads(repo.wardround("review", "--format", "json", *options).stdout)
    assert report["unreviewed"] == []
    return [(finding["rule"], finding["file"], finding["line"]) for finding in report["findings"]]


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    """A package with a function of one parameter, committed."""
    repo.write("src/shop/__init__.py", "")
    repo.write("src/shop/money.py", "def cents(amount: int) -> int:\n    return amount * 100\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "start")
    return repo


CALL = "from shop.money import cents\n\nTOTAL = cents(1, 2)\n"


def test_a_call_is_held_against_an_unchanged_module(shop: GitRepository) -> None:
    shop.write("src/shop/order.py", CALL)
    shop.git("add", "-A")
    assert _found(shop) == [(ARITY, "src/shop/order.py", 3)]


def test_what_is_not_staged_in_another_module_does_not_count(shop: GitRepository) -> None:
    shop.write("src/shop/order.py", CALL)
    shop.git("add", "-A")
    shop.write("src/shop/money.py", "def cents(amount: int, rate: int) -> int:\n    return amount * rate\n")
    assert _found(shop) == [(ARITY, "src/shop/order.py", 3)]


def test_what_is_staged_in_another_module_counts(shop: GitRepository) -> None:
    shop.write("src/shop/order.py", CALL)
    shop.write("src/shop/money.py", "def cents(amount: int, rate: int) -> int:\n    return amount * rate\n")
    shop.git("add", "-A")
    shop.write("src/shop/money.py", "def cents(amount: int) -> int:\n    return amount * 100\n")
    assert _found(shop) == []


def test_a_commit_is_held_against_its_own_modules_whatever_is_checked_out(shop: GitRepository) -> None:
    shop.write("src/shop/order.py", CALL)
    shop.git("add", "-A")
    shop.git("commit", "-qm", "bad call")
    shop.git("branch", "bad")
    shop.write("src/shop/money.py", "def cents(amount: int, rate: int) -> int:\n    return amount * rate\n")
    shop.git("add", "-A")
    shop.git("commit", "-qm", "mended")
    assert _found(shop, "--base", "bad~1", "--head", "bad") == [(ARITY, "src/shop/order.py", 3)]
    assert _found(shop, "--base", "bad~1", "--head", "HEAD") == []


def test_the_virtual_environment_of_the_project_is_seen(repo: GitRepository) -> None:
    repo.write(".gitignore", ".venv/\n")
    repo.run("python3", "-m", "venv", "--without-pip", str(repo.root / ".venv"))
    (site,) = repo.root.glob(".venv/lib/python3*/site-packages")
    (site / "acme_money.py").write_text("def cents(amount: int) -> int:\n    return amount * 100\n")
    repo.write("order.py", CALL.replace("shop.money", "acme_money"))
    repo.git("add", "-A")
    assert _found(repo) == [(ARITY, "order.py", 3)]
    assert f"python environment: {repo.root / '.venv'}" in repo.wardround("doctor").stdout


def _runs(repo: GitRepository) -> dict[str, tuple[int, int]]:
    report: dict[str, Any] = json.loads(repo.wardround("review", "--format", "json").stdout)
    return {run["tool"]: (run["files"], run["cached"]) for run in report["runs"]}


def test_what_was_reviewed_once_costs_nothing_the_second_time(shop: GitRepository) -> None:
    shop.write("src/shop/order.py", CALL + "\n\nfor i in hashlib:\n    pass\n")
    shop.write("src/shop/money.py", "import os\n\n\ndef cents(amount: int) -> int:\n    return amount\n")
    shop.git("add", "-A")
    first, second = _runs(shop), _runs(shop)
    assert {tool: files for tool, (files, _) in first.items()} == dict.fromkeys(first, 2)
    assert first["ruff"] == (2, 0)
    assert second == dict.fromkeys(second, (2, 2))


def test_the_base_of_the_next_commit_is_known_from_this_one(shop: GitRepository) -> None:
    shop.write("src/shop/money.py", "import os\n\n\ndef cents(amount: int) -> int:\n    return amount\n")
    shop.git("add", "-A")
    shop.wardround("review")
    shop.git("commit", "-qm", "an unused import")
    shop.write("src/shop/money.py", "import os\n\n\ndef cents(amount: int) -> int:\n    return amount * 2\n")
    shop.git("add", "-A")
    done = shop.wardround("review")
    assert done.stdout.startswith("wardround: pass - no findings, 1 file, ")
    assert "1 older not shown" in done.stdout
