"""Patches as commits that no branch has: what judges a patch stays as it is."""

from __future__ import annotations

import pytest

from tests.conftest import GitRepository
from wardround import host
from wardround.authoring.candidate import UnusablePatch, make_candidate
from wardround.authoring.judging_files import JudgingFiles
from wardround.authoring.stages import Patch, PatchedFile
from wardround.change.repository import Repository

JUDGING_FILES = JudgingFiles(host.load().specialists)
FILES = {
    "shop.py": "def total(x):\n    return x\n",
    "tests/test_shop.py": "def test_total():\n    assert True\n",
    "pyproject.toml": "[project]\nname = 'shop'\n",
}


def test_a_candidate_is_a_commit_without_a_branch(repo: GitRepository) -> None:
    base = repo.commit(FILES)
    before = repo.fingerprint()
    with Repository(repo.root) as repository:
        candidate = make_candidate(
            repository, base, Patch((PatchedFile("shop.py", "x = 1\n"),), "test"), JUDGING_FILES
        )
        again = make_candidate(
            repository, base, Patch((PatchedFile("shop.py", "x = 1\n"),), "test"), JUDGING_FILES
        )
    assert candidate.commit == again.commit
    assert repo.git("diff", "--name-only", base, candidate.commit).split() == ["shop.py"]
    assert repo.git("branch", "--contains", candidate.commit) == ""
    assert repo.git("status", "--short") == ""
    assert repo.fingerprint() == before


def test_the_diff_of_a_candidate_can_be_applied(repo: GitRepository) -> None:
    base = repo.commit({**FILES, "old.py": "a = 1", "gone.py": "b = 2\n"})
    files = (
        PatchedFile("gone.py", None),
        PatchedFile("new/module.py", "x = 1\n\x0cy = 2"),
        PatchedFile("old.py", "a = 2\n"),
    )
    with Repository(repo.root) as repository:
        candidate = make_candidate(repository, base, Patch(files, "test"), JUDGING_FILES)
    repo.git("apply", "-", stdin=candidate.diff.encode())
    assert not (repo.root / "gone.py").exists()
    assert repo.read("new/module.py") == b"x = 1\n\x0cy = 2"
    assert repo.read("old.py") == b"a = 2\n"


def test_edits_of_files_that_judge_are_left_out(repo: GitRepository) -> None:
    base = repo.commit(FILES)
    files = (
        PatchedFile("conftest.py", "import sys\n"),
        PatchedFile("pyproject.toml", None),
        PatchedFile("shop.py", "x = 1\n"),
        PatchedFile("tests/test_shop.py", ""),
    )
    with Repository(repo.root) as repository:
        candidate = make_candidate(repository, base, Patch(files, "test"), JUDGING_FILES)
    assert candidate.refused == ("conftest.py", "pyproject.toml", "tests/test_shop.py")
    assert repo.git("diff", "--name-only", base, candidate.commit).split() == ["shop.py"]


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ((PatchedFile("shop.py", FILES["shop.py"]),), "changes nothing"),
        ((), "changes nothing"),
        ((PatchedFile("tests/test_shop.py", "x"),), "only files that judge it: tests/test_shop.py"),
        ((PatchedFile("shop.py", "x" * (5 << 20)),), "more than 4194304 characters"),
    ],
)
def test_a_patch_that_cannot_be_evaluated_has_a_reason(
    repo: GitRepository, files: tuple[PatchedFile, ...], reason: str
) -> None:
    base = repo.commit(FILES)
    with Repository(repo.root) as repository, pytest.raises(UnusablePatch, match=reason):
        make_candidate(repository, base, Patch(files, "test"), JUDGING_FILES)


@pytest.mark.parametrize("path", ["../a.py", "/a.py", "a//b.py", ".git/config", "a/.GIT/hooks/x", "", "a\nb"])
def test_a_path_outside_of_the_tree_is_no_patch(path: str) -> None:
    with pytest.raises(ValueError, match="is not a path in the repository"):
        PatchedFile(path, "")


@pytest.mark.parametrize(
    "path",
    [
        "tests/test_a.py", "src/pkg/test_a.py", "pkg/a_test.py", "conftest.py", "src/conftest.py",
        "a/fixtures/b.json",
        "pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml", ".github/workflows/ci.yml", "Jenkinsfile",
        ".gitlab-ci.yml", ".wardround.toml", ".wardround-baseline.json", "evals/golden/a.json",
        "web/a.test.tsx", "web/__tests__/a.ts", "vitest.config.ts", "package/jest.config.js", "x.snap",
        ".pre-commit-config.yaml", "ruff.toml", "sitecustomize.py",
        "eslint.config.mjs", ".sqlfluff", ".hadolint.yaml", "package.json",
    ],
)  # fmt: skip
def test_files_that_judge_are_known(path: str) -> None:
    assert path in JUDGING_FILES


@pytest.mark.parametrize(
    "path",
    ["src/a.py", "latest.py", "contest.py", "src/testament.py", "docs/a.md", "setup.py", "a/attest/b.py"],
)
def test_other_files_do_not_judge(path: str) -> None:
    assert path not in JUDGING_FILES
