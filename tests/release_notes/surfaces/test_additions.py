"""What a range adds to published surfaces, with the commits that add it."""

from __future__ import annotations

from tests.conftest import GitRepository
from tests.release_notes.ranges import PACKAGE, PYPROJECT, SCRIPTS, commit, gains

CLI = """
    import click


    @click.command()
    @click.option("--limit", type=int)
    def main(limit): ...
"""


def test_added_names_and_parameters_have_their_commits(repo: GitRepository) -> None:
    python = PYPROJECT.format(python=">=3.9")
    commit(
        repo,
        "First",
        {"pyproject.toml": python, "shop/__init__.py": "class Cart:\n    def add(self, x): ...\n"},
    )
    repo.git("tag", "v1")
    method = commit(
        repo,
        "Close",
        {"shop/__init__.py": "class Cart:\n    def add(self, x): ...\n    def close(self): ...\n"},
    )
    size = "class Cart:\n    def add(self, x, size=1): ...\n    def close(self): ...\n"
    parameter = commit(repo, "Size", {"shop/__init__.py": size})
    function = commit(
        repo, "Send", {"shop/__init__.py": f"{size}\n\ndef send(): ...\n\n\ndef _hidden(): ...\n"}
    )
    found = [(item.symbol, item.parameters, item.commits) for item in gains(repo)]
    assert found == [
        ("shop.Cart.add", ("size",), (parameter,)),
        ("shop.Cart.close", (), (method,)),
        ("shop.send", (), (function,)),
    ]


def test_added_options_and_exports_have_their_commits(repo: GitRepository) -> None:
    script = "export function open(drawer: string) { return drawer; }\n"
    commit(
        repo,
        "First",
        {
            "pyproject.toml": PYPROJECT.format(python=">=3.9") + SCRIPTS,
            "package.json": PACKAGE.format(node=">=16"),
            "shop/__init__.py": "",
            "shop/cli.py": CLI,
            "index.ts": script,
        },
    )
    repo.git("tag", "v1")
    limit = '    @click.option("--limit", type=int)\n'
    option = commit(
        repo, "Quiet", {"shop/cli.py": CLI.replace(limit, f'{limit}    @click.option("--quiet")\n')}
    )
    export = commit(repo, "Close", {"index.ts": f"{script}export function close() {{ return 1; }}\n"})
    found = [(item.symbol, item.commits) for item in gains(repo)]
    assert found == [("--quiet", (option,)), ("close", (export,))]


def test_a_range_that_only_removes_adds_nothing(repo: GitRepository) -> None:
    python = PYPROJECT.format(python=">=3.9")
    commit(repo, "First", {"pyproject.toml": python, "shop/__init__.py": "def f(): ...\n"})
    repo.git("tag", "v1")
    commit(repo, "Remove", {"shop/__init__.py": ""})
    assert gains(repo) == ()
