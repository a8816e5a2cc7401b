"""``wardround release-notes`` as its users call it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import GitRepository

PROJECT = '[build-system]\nrequires = ["hatchling"]\n\n[project]\nname = "shop"\nversion = "1.0.0"\n'
CART = "class Cart:\n    def add(self, name{more}): ...\n\n\ndef total(cart, rounding): ...\n"


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    """A package whose second release breaks users, adds a parameter and fixes something."""
    init = 'from shop.cart import Cart, total\n\n__all__ = ["Cart", "total"]\n'
    before = {"pyproject.toml": PROJECT, "shop/__init__.py": init, "shop/cart.py": CART.format(more="")}
    repo.commit(before, "Initial commit")
    repo.git("tag", "v1.0.0")
    noted = CART.format(more=", note=None")
    repo.commit({"shop/cart.py": noted}, "Keep notes of rows (#3)")
    broken = noted.replace("cart, rounding", "cart")
    message = "refactor!: drop rounding of total (#4)\n\nBREAKING CHANGE: round the result yourself"
    repo.commit({"shop/cart.py": broken}, message)
    repo.commit({"shop/rows.py": "x = 1\n"}, "Fix empty rows of `@everyone` (#5)")
    return repo


def _ids(repo: GitRepository) -> list[str]:
    return repo.git("log", "--format=%H", "--reverse", "v1.0.0..HEAD").split()


def test_the_notes_state_what_messages_and_published_surfaces_show(shop: GitRepository) -> None:
    noted, broken, fixed = (commit[:8] for commit in _ids(shop))
    date = shop.git("log", "-1", "--format=%cd", "--date=format-local:%Y-%m-%d", env={"TZ": "UTC"}).strip()
    done = shop.wardround("release-notes", "--since-last-tag", "--format", "keep-a-changelog")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        f"## [2.0.0] - {date}\n\n"
        f"### Added\n\n- Keep notes of rows: new parameter `note` of `shop.Cart.add` (#3, {noted})\n\n"
        f"### Changed\n\n- **Breaking:** Remove the parameter `rounding` of `shop.total` (#4, {broken})\n"
        "  `total(cart, rounding)` is now `total(cart)`; round the result yourself\n\n"
        f"### Fixed\n\n- Fix empty rows of `@everyone` (#5, {fixed})\n"
    )


def test_the_output_depends_on_the_commits_only(shop: GitRepository) -> None:
    plain = shop.wardround("release-notes", "v1.0.0..HEAD", "--format", "json")
    for name, value in {
        "log.showSignature": "true",
        "log.showRoot": "false",
        "log.mailmap": "true",
        "log.date": "relative",
        "log.decorate": "full",
        "log.follow": "true",
        "format.pretty": "oneline",
        "i18n.logOutputEncoding": "latin-1",
        "diff.renames": "copies",
        "diff.noprefix": "true",
        "diff.orderFile": "/dev/null",
        "core.abbrev": "5",
        "color.ui": "always",
    }.items():
        shop.git("config", name, value)
    shop.write(".mailmap", "Other <other@example.org> Test <test@example.org>\n")
    env = {"TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "7", "COLUMNS": "20"}
    other = shop.wardround("release-notes", "v1.0.0", "--format", "json", env=env, cwd=shop.root / "shop")
    assert json.loads(plain.stdout)["statements"]
    assert other.stdout == plain.stdout


def test_a_new_file_is_written_and_an_existing_one_stays(shop: GitRepository) -> None:
    done = shop.wardround("release-notes", "v1.0.0", "--output", "notes.md")
    assert (done.returncode, done.stdout) == (0, "")
    assert shop.read("notes.md").startswith(b"# 2.0.0\n")
    again = shop.wardround("release-notes", "v1.0.0", "--output", "notes.md")
    assert again.returncode == 2
    assert "notes.md: it exists; name a new file" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give either FROM..TO, such as v1.2.0..HEAD, or --since-last-tag"),
        (["v1.0.0", "--since-last-tag"], "give either FROM..TO"),
        (["v1.0.0", "--to", "HEAD"], "--to HEAD: it belongs to --since-last-tag; write FROM..HEAD"),
        (["v9..HEAD"], "'v9' names no commit"),
        (["HEAD..v1.0.0"], "v1.0.0 is an ancestor of HEAD; give v1.0.0..HEAD"),
        (
            ["v1.0.0", "--output", "missing/x.md"],
            "missing/x.md: No such file or directory; name a file in an",
        ),
    ],
)
def test_a_wrong_call_is_one_sentence(shop: GitRepository, arguments: list[str], message: str) -> None:
    done = shop.wardround("release-notes", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_an_empty_range_says_so(shop: GitRepository) -> None:
    done = shop.wardround("release-notes", "HEAD..HEAD")
    assert done.returncode == 0
    assert done.stdout.startswith("# Unreleased\n\n0 commits from HEAD to HEAD, ")
