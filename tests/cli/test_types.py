"""``wardround types`` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from wardround import host
from wardround.authoring.types.application import apply_types
from wardround.authoring.types.offering import offer_types
from wardround.authoring.types.targets import TypeTargets
from wardround.change.repository import Repository
from wardround.cli.commands import invoke
from wardround.errors import FixRejected

SHOP = '''\
"""Prices."""
from __future__ import annotations

import functools
from pathlib import Path
from typing import overload


def label( name = "",   # the name
           count=0, *rest, **more ):   # odd spaces stay
    # a comment stays
    def inner(x): return x
    return f"{name}{count}"


def folder(path: Path):
    return path.parent


@overload
def same(x: int) -> int: ...
@overload
def same(x: str) -> str: ...
def same(x):
    return x


@functools.lru_cache
def cached(limit=3):
    return limit


async def pages(first=1):
    return [first]


def _private(x=1):
    return x


class Basket:
    def __init__(self, owner, size=1):
        self.owner, self.size = owner, size

    @staticmethod
    def empty():
        return Basket("nobody")

    @property
    def double(self):
        return self.size * 2

    def rename(self, owner):
        self.owner = owner


class _Hidden:
    def shown(self):
        return 1
'''
ANNOTATED = (
    SHOP.replace('label( name = "", ', 'label( name: str = "", ')
    .replace("count=0, *rest, **more ):", "count: int = 0, *rest, **more ) -> str:")
    .replace("folder(path: Path):", "folder(path: Path) -> Path:")
    .replace("cached(limit=3):", "cached(limit: int = 3):")
    .replace("pages(first=1):", "pages(first: int = 1) -> list[int]:")
    .replace("(self, owner, size=1):", "(self, owner: str, size: int = 1) -> None:")
    .replace("empty():", "empty() -> Basket:")
    .replace("double(self):", "double(self) -> int:")
    .replace("rename(self, owner):", "rename(self, owner) -> None:")
)
CALLS = 'from shop import Basket\n\nBasket("me")\nBasket("you", 2)\n'


def test_annotations_are_shown_with_their_evidence_and_nothing_is_written(repo: GitRepository) -> None:
    repo.commit({"shop.py": SHOP, "use.py": CALLS})
    before = repo.fingerprint()

    done = repo.wardround("types", "shop.py")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "shop.py:9 label: name: str (default ''), count: int (default 0), -> str (inferred)",
        "shop.py:16 folder: -> Path (inferred)",
        "shop.py:29 cached: limit: int (default 3)",
        "shop.py:33 pages: first: int (default 1), -> list[int] (inferred)",
        "shop.py:42 Basket.__init__: owner: str (3 calls), size: int (default 1, 1 call), -> None (inferred)",
        "shop.py:46 Basket.empty: -> Basket (inferred)",
        "shop.py:50 Basket.double: -> int (inferred)",
        "shop.py:53 Basket.rename: -> None (inferred)",
        "13 of 14 missing annotations accepted by the type checker",
    ]
    assert repo.fingerprint() == before


def test_apply_changes_nothing_but_the_signatures(repo: GitRepository) -> None:
    content = SHOP.replace("\n", "\r\n").encode()
    repo.commit({"shop.py": content, "use.py": CALLS})

    done = repo.wardround("types", "--apply", "--format", "json")

    assert done.returncode == 0, done.stderr
    assert "annotations are written to shop.py" in done.stderr
    assert repo.read("shop.py") == ANNOTATED.replace("\n", "\r\n").encode()
    report = json.loads(done.stdout)
    assert report["accepted"] == len(report["annotations"]) == 13
    assert report["annotations"][0] == {
        "file": "shop.py", "line": 9, "function": "label", "part": "name", "type": "str",
        "evidence": "default ''",
    }  # fmt: skip
    again = repo.wardround("types", "--apply")
    assert again.stdout == "0 of 1 missing annotations accepted by the type checker\n"


def test_an_annotation_that_the_checker_rejects_is_not_offered(repo: GitRepository) -> None:
    rejected = "def spread(values=0):\n    values = [values]\n    return values\n"
    callers = "from a import scale\n\n\ndef use(n: float) -> None:\n    scale(n)\n"
    accepted = "def scale(by=1):\n    return str(by)\n\n\ndef plain(by=1):\n    return by\n"
    repo.commit({"a.py": f"{accepted}\n\n{rejected}", "b.py": callers})

    done = repo.wardround("types", "a.py")

    assert done.stdout.splitlines() == [
        "a.py:1 scale: -> str (inferred)",
        "a.py:5 plain: by: int (default 1), -> int (inferred)",
        "a.py:9 spread: -> list[int] (inferred)",
        "4 of 6 missing annotations accepted by the type checker; 1 rejected",
    ]


def test_none_is_not_offered_for_a_result_of_unknown_type(repo: GitRepository) -> None:
    repo.commit(
        {"a.py": "def f(source, size):\n    if size:\n        return source.read()\n    return None\n"}
    )

    done = repo.wardround("types", "a.py")

    assert done.stdout == "0 of 3 missing annotations accepted by the type checker\n"


def test_a_file_that_changed_meanwhile_is_not_written(repo: GitRepository) -> None:
    repo.commit({"a.py": "def f(x=1):\n    return x\n", "b.py": "def g(x=1):\n    return x\n"})
    with Repository(repo.root) as repository:
        targets = TypeTargets(repository, host.load())
        offer = offer_types(repo.root, ["a.py", "b.py"], targets.project, targets.settings(), print)
        repo.write("b.py", "mine = 1\n")
        with pytest.raises(FixRejected, match=r"^b\.py: changed meanwhile, so it was not written"):
            apply_types(repository, offer)
    assert repo.read("a.py") == b"def f(x: int = 1) -> int:\n    return x\n"
    assert repo.read("b.py") == b"mine = 1\n"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("gone.py", "gone.py: no such file or folder; name modules or folders of the repository"),
        ("notes.txt", "notes.txt: not a Python module; name files that end in .py"),
        ("broken.py", "broken.py: line 1: "),
        ("link.py", "link.py: it is a link or cannot be read; name the file itself"),
        ("/", "/: it is outside of "),
    ],
)
def test_bad_arguments_are_one_sentence(repo: GitRepository, path: str, message: str) -> None:
    repo.commit({"notes.txt": "x", "broken.py": "def f(:\n", "real.py": "x = 1\n"})
    (repo.root / "link.py").symlink_to("real.py")

    done = repo.wardround("types", path)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"wardround: {message}")
    assert done.stderr.count("\n") == 1


def test_without_its_programs_it_names_what_to_install(
    repo: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({"a.py": "def f(x=1):\n    return x\n"})
    (tmp_path / "block").mkdir()
    (tmp_path / "block" / "libcst.py").write_text("raise ImportError\n", encoding="utf-8")

    done = repo.wardround("types", env={"PYTHONPATH": str(tmp_path / "block")})

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "wardround: libcst is not installed; pip install 'wardround[authoring]'\n"


def test_a_missing_type_checker_is_inconclusive(
    repo: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.commit({"a.py": "def f(x=1):\n    return x\n"})
    monkeypatch.setattr("wardround_python.tools.pyright.Pyright.program", "absent-checker")

    status = invoke(["types", "--repo", str(repo.root)])

    assert status == 4
    assert capsys.readouterr().err == (
        "wardround: types cannot be checked: pyright is not installed; pip install 'wardround[ci]'\n"
    )
