"""Reports against files and functions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wardround.retrieval.commit_signals import CommitIndex
from wardround.retrieval.file_search import is_accompanying_file, is_source, locate_functions, search_files
from wardround.retrieval.index import IndexedFile, SearchIndex, using

if TYPE_CHECKING:
    from tests.retrieval.conftest import GroupEmbedder

FILES = {
    "src/auth.py": "def check(credentials):\n    return 1\n\n\ndef forget(user):\n    user.drop()\n",
    "src/cart.py": "def total(basket):\n    return sum(basket)\n",
    "src/mailer.py": "def newsletter(to):\n    smtp.send(to)\n",
    "src/retry.py": "def again(times):\n    return times\n",
    "src/zoo.py": "def zebra():\n    pass\n",
    "src/empty.py": "",
}


def _located(tmp_path: Path, query: str, embedder: GroupEmbedder | None = None) -> list[tuple[str, bool]]:
    def work(index: SearchIndex) -> list[tuple[str, bool]]:
        entries = [IndexedFile(path, text) for path, text in FILES.items()]
        found = search_files(query, entries, lambda entry: FILES[entry.path], index, embedder)
        return [(item.path, item.model is not None) for item in found]

    return using(Path("/r"), work, tmp_path)


def test_files_that_share_a_word_are_found_by_words_alone(tmp_path: Path) -> None:
    assert _located(tmp_path, "The total of a basket is wrong") == [("src/cart.py", False)]
    assert _located(tmp_path, "users cannot sign in") == [("src/auth.py", False)]  # it says user
    assert _located(tmp_path, "quantum") == []


def test_with_a_model_every_file_has_a_place(tmp_path: Path, embedder: GroupEmbedder) -> None:
    found = _located(tmp_path, "no letter arrives any more", embedder)
    assert found[0] == ("src/mailer.py", True)
    assert len(found) == len(FILES)


def _with_past(tmp_path: Path, query: str, past: list[CommitIndex]) -> list[str]:
    def work(index: SearchIndex) -> list[str]:
        entries = [IndexedFile(path, text) for path, text in FILES.items()]
        return [file.path for file in search_files(query, entries, lambda e: FILES[e.path], index, past=past)]

    return using(Path("/r"), work, tmp_path)


def test_a_file_is_found_by_what_was_reported_when_it_was_changed(tmp_path: Path) -> None:
    past = [
        CommitIndex.of("Stripes were painted twice", ["src/zoo.py"]),
        CommitIndex.of("Typing", ["src/cart.py"]),
    ]
    assert _with_past(tmp_path, "no stripes any more", []) == []
    assert _with_past(tmp_path, "no stripes any more", past) == ["src/zoo.py"]


def test_of_two_files_the_one_that_is_worked_on_comes_first(tmp_path: Path) -> None:
    def work(index: SearchIndex) -> list[list[str]]:
        texts = {f"src/{name}.py": "def shared_word(): ...\n" for name in "abcdef"}
        entries = [IndexedFile(path, text) for path, text in texts.items()]
        pasts = [[], [CommitIndex.of("Something else", ["src/e.py"])]]
        return [
            [
                file.path
                for file in search_files("shared word", entries, lambda e: texts[e.path], index, past=past)
            ]
            for past in pasts
        ]

    before, after = using(Path("/r"), work, tmp_path)
    assert before[0] == "src/a.py"
    assert after == ["src/e.py", *(path for path in before if path != "src/e.py")]


def test_an_empty_tree_holds_nothing(tmp_path: Path, embedder: GroupEmbedder) -> None:
    def work(index: SearchIndex) -> int:
        return len(search_files("anything", [], lambda entry: None, index, embedder))

    assert using(Path("/r"), work, tmp_path) == 0


def test_functions_are_found_in_files() -> None:
    texts = list(FILES.items())
    found = locate_functions("forget a user", texts)
    assert [(item.path, item.function.name, item.function.line) for item in found] == [
        ("src/auth.py", "forget", 5)
    ]
    assert locate_functions("forget a user", []) == []


@pytest.mark.parametrize(
    ("path", "source", "beside"),
    [
        ("src/app.py", True, False),
        ("Dockerfile", True, False),
        ("docker/Dockerfile.dev", True, False),
        (".github/workflows/ci.yml", True, False),
        ("README.md", False, False),
        ("web/dist/app.js", False, False),
        ("package-lock.json", False, False),
        ("src/app.min.js", False, False),
        ("tests/test_app.py", True, True),
        ("src/contest.py", True, False),
        ("src/Form.test.tsx", True, True),
        ("pkg/store_test.go", True, True),
        ("e2e/login.ts", True, True),
        ("src/latest/plan.py", True, False),
        ("docs/conf.py", True, True),
        ("web/src/documents/list.ts", True, False),
        ("packages/app/examples/basic.tsx", True, True),
        ("web/store.servertest.ts", True, True),
    ],
)
def test_what_is_next_to_the_source_is_reported_by_its_path(path: str, source: bool, beside: bool) -> None:
    assert (is_source(path), is_accompanying_file(path)) == (source, beside)


def test_nothing_heavy_is_loaded_without_a_model() -> None:
    modules = "wardround.cli.related, wardround.retrieval.file_search, wardround.retrieval.hunk_search, sys"
    code = f"import {modules}; sys.exit(any(m in sys.modules for m in ('numpy', 'onnxruntime')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
