"""``wardround release-notes --check``: as a command, and as a git hook of pre-commit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

if TYPE_CHECKING:
    from tests.conftest import GitRepository

MANIFEST = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"
CHANGELOG = "# Changelog\n\n## Unreleased\n\n- {entry}\n\n## 1.0.0\n\n- First\n"


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    """A package with a release and a new function after it."""
    repo.commit({"shop/__init__.py": "def add(item): ...\n", "CHANGELOG.md": "## 1.0.0\n\n- First\n"})
    repo.git("tag", "v1.0.0")
    repo.commit({"shop/__init__.py": "def add(item): ...\n\n\ndef total(): ...\n"}, "Add `total()` of a shop")
    return repo


def test_a_changelog_that_agrees_with_its_commits_passes_without_output(shop: GitRepository) -> None:
    shop.write("CHANGELOG.md", CHANGELOG.format(entry="Add `total()`"))
    done = shop.wardround("release-notes", "v1.0.0..HEAD", "--check", "CHANGELOG.md")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_each_disagreement_is_a_line_with_its_place(shop: GitRepository) -> None:
    shop.write("CHANGELOG.md", CHANGELOG.format(entry="Add `subtotal()`"))
    done = shop.wardround("release-notes", "--since-last-tag", "--check", "CHANGELOG.md")
    assert done.returncode == 1
    omission, claim = done.stdout.splitlines()
    assert omission.startswith("CHANGELOG.md:3: omits the feature of ")
    assert claim == (
        "CHANGELOG.md:5: `subtotal` is in no file or message of v1.0.0..HEAD; "
        "correct the name, or remove the entry"
    )


def test_a_changelog_is_named_relative_to_the_current_folder(shop: GitRepository) -> None:
    shop.write("docs/changes.md", CHANGELOG.format(entry="Add `subtotal()` and `total()`"))
    done = shop.wardround("release-notes", "v1.0.0..HEAD", "--check", "changes.md", cwd=shop.root / "docs")
    assert done.stdout.partition(" is ")[0] == "docs/changes.md:5: `subtotal`"


def test_a_changelog_without_a_section_of_the_range_omits_its_features(shop: GitRepository) -> None:
    done = shop.wardround("release-notes", "v1.0.0..HEAD", "--check", "CHANGELOG.md")
    assert done.returncode == 1
    assert done.stdout.startswith("CHANGELOG.md:1: omits the feature of ")


def test_a_missing_changelog_is_one_sentence(shop: GitRepository) -> None:
    done = shop.wardround("release-notes", "v1.0.0..HEAD", "--check", "NEWS.md")
    assert (done.returncode, done.stdout) == (2, "")
    assert "NEWS.md does not exist at " in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.e2e
def test_the_hook_blocks_a_push_with_a_wrong_changelog(shop: GitRepository) -> None:
    (hook,) = [item for item in yaml.safe_load(MANIFEST.read_text()) if item["id"] == "wardround-changelog"]
    local = {**hook, "language": "system"}
    shop.stage({".pre-commit-config.yaml": yaml.safe_dump({"repos": [{"repo": "local", "hooks": [local]}]})})
    shop.commit({"CHANGELOG.md": CHANGELOG.format(entry="Add `subtotal()` and `total()`")})
    argv = ("pre-commit", "run", "wardround-changelog", "--hook-stage", "pre-push")
    done = shop.run(*argv)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "CHANGELOG.md:5: `subtotal` is in no file" in done.stdout
    shop.commit({"CHANGELOG.md": CHANGELOG.format(entry="Add `total()`")})
    done = shop.run(*argv)
    assert done.returncode == 0, done.stdout + done.stderr
