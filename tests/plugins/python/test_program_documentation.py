"""Documentation of a program in a real repository, compared with the code that would be committed."""

from __future__ import annotations

from tests.conftest import GitRepository

_HEAD = (
    "import argparse\n\n\ndef main() -> argparse.ArgumentParser:\n    parser = argparse.ArgumentParser()\n"
)
_SHELF = '    parser.add_argument("--shelf")\n'
_WITH = f'{_HEAD}{_SHELF}    parser.add_argument("--skip-empty")\n    return parser\n'
_WITHOUT = f"{_HEAD}{_SHELF}    return parser\n"
_STALE = "# Stock\n\n```\nstock --skip-empty\n```\n"
_START = {
    "stock/cli.py": _WITH,
    "README.md": _STALE,
    "pyproject.toml": '[project.scripts]\nstock = "stock.cli:main"\n',
}


def said(repo: GitRepository, *arguments: str) -> list[tuple[str, int, str, str]]:
    report = repo.report("--only", "python", *arguments)
    assert report["unreviewed"] == []
    return [(f["file"], f["line"], f["rule"], f["message"]) for f in report["findings"]]


FOUND = [
    (
        "stock/cli.py",
        6,
        "python/PY013",
        'this change removed "--skip-empty", but README.md:4 still names it: "stock --skip-empty"',
    )
]


def test_documentation_of_the_index_counts_even_if_the_work_tree_is_right(repo: GitRepository) -> None:
    repo.commit(_START)
    repo.stage({"stock/cli.py": _WITHOUT})
    repo.write("README.md", "# Stock\n")
    assert said(repo) == FOUND


def test_documentation_of_the_work_tree_does_not_count_if_the_index_is_right(repo: GitRepository) -> None:
    repo.commit(_START)
    repo.stage({"stock/cli.py": _WITHOUT, "README.md": "# Stock\n"})
    repo.write("README.md", _STALE)
    assert said(repo) == []


def test_a_commit_is_compared_with_its_own_documentation(repo: GitRepository) -> None:
    base = repo.commit(_START)
    repo.commit({"stock/cli.py": _WITHOUT})
    repo.commit({"README.md": "# Stock\n"})
    assert said(repo, "--base", base, "--head", "HEAD~1") == FOUND
    assert said(repo, "--base", base, "--head", "HEAD") == []


def test_a_removed_program_and_undecodable_documentation_are_ignored(repo: GitRepository) -> None:
    repo.commit({**_START, "README.md": "caf\xe9 `stock --skip-empty`\n".encode("latin-1")})
    repo.stage({"stock/cli.py": _WITHOUT})
    assert said(repo) == []
    repo.commit({"README.md": _STALE, "stock/cli.py": _WITH})
    (repo.root / "stock/cli.py").unlink()
    repo.stage({"other.py": "A = 1\n"})
    assert said(repo) == []
