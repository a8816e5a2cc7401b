"""The index of a repository's files."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wardround.retrieval import bm25
from wardround.retrieval import index as index_module
from wardround.retrieval.index import CachedEmbedder, IndexedFile, SearchIndex, document, using
from wardround.text.search_terms import count_words

if TYPE_CHECKING:
    from tests.retrieval.conftest import GroupEmbedder

FILES = {
    "auth.py": "def sign_in(password): ...",
    "cart.py": "def total(basket): return price",
    "news.py": "def newsletter(): smtp.send()",
}


class Files:
    """Files by path; it records the reads."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = dict(texts)
        self.read_paths: list[str] = []

    @property
    def entries(self) -> list[IndexedFile]:
        return [IndexedFile(path, f"blob of {text}") for path, text in self.texts.items()]

    def read(self, entry: IndexedFile) -> str | None:
        self.read_paths.append(entry.path)
        return self.texts[entry.path]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "kept" / "retrieval"


def _database(folder: Path) -> Path:
    (file,) = folder.glob("*.sqlite")
    return file


def test_scores_are_those_of_bm25_over_words_and_path(folder: Path) -> None:
    files = Files(FILES)
    query = count_words("the basket's price in the cart")
    index = SearchIndex.open(Path("/r"), folder)
    index.update(files.entries, files.read, None)
    expected = bm25.scores(query, [document(path, text) for path, text in FILES.items()])
    assert index.words_scores(query, files.entries) == pytest.approx(expected)
    assert expected[1] > 0
    assert index.words_scores(query, files.entries[:1]) == [0.0]
    index.close()


def test_only_what_changed_is_read_again(folder: Path, embedder: GroupEmbedder) -> None:
    files = Files(FILES)
    for texts, read in (
        (FILES, ["auth.py", "cart.py", "news.py"]),
        (FILES, []),
        ({**FILES, "cart.py": "def discount(): ..."}, ["cart.py"]),
        ({**FILES, "mail.py": FILES["news.py"]}, ["mail.py"]),
    ):
        files.texts, files.read_paths = dict(texts), []
        embedder.asked = []
        using(Path("/r"), lambda index: index.update(files.entries, files.read, embedder), folder)
        assert sorted(set(files.read_paths)) == read
        assert len(embedder.asked) == len(read)


def test_another_model_gets_vectors_of_its_own(folder: Path, embedder: GroupEmbedder) -> None:
    files = Files(FILES)
    index = SearchIndex.open(Path("/r"), folder)
    index.update(files.entries, files.read, embedder)
    embedder.digest, embedder.asked = "groups-2", []
    index.update(files.entries, files.read, embedder)
    assert len(embedder.asked) == 3
    near = index.similarity(["sign in"], files.entries, embedder)
    assert near[0] > 0.9 > near[1]
    index.close()


def test_a_file_is_as_close_as_its_closest_text_and_a_little_of_the_others(
    folder: Path, embedder: GroupEmbedder
) -> None:
    long = "password credentials " + " ".join(f"w{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(100))
    files = Files({"a.py": long})
    index = SearchIndex.open(Path("/r"), folder)
    index.update(files.entries, files.read, embedder)
    first, second = (embedder.embed(["sign in"]) @ embedder.embed(["password credentials", "nothing"]).T)[0]
    (near,) = index.similarity(["sign in"], files.entries, embedder)
    assert near == pytest.approx(0.7 * first + 0.3 * (first + second) / 2, abs=0.002)
    index.close()


def test_several_queries_count_alike(folder: Path, embedder: GroupEmbedder) -> None:
    files = Files(FILES)
    index = SearchIndex.open(Path("/r"), folder)
    index.update(files.entries, files.read, embedder)
    item, other = (index.similarity([query], files.entries, embedder) for query in ("sign in", "basket"))
    both = index.similarity(["sign in", "basket"], files.entries, embedder)
    assert both == pytest.approx([(a + b) / 2 for a, b in zip(item, other, strict=True)], abs=1e-4)
    index.close()


def test_what_commits_reported_is_read_once(folder: Path) -> None:
    reported = {
        "aa": ("Close the basket", ["cart.py"]),
        "bb": ("Rename everything", [f"{n}.py" for n in range(30)]),
        "cc": ("Send letters later", [os.fsdecode(b"n\xff.py"), "news.py"]),
    }
    requested: list[list[str]] = []

    def read(commits: Sequence[str]) -> list[tuple[str, str, Sequence[str]]]:
        requested.append(list(commits))
        return [(item, *reported[item]) for item in commits if item in reported]

    first = using(Path("/r"), lambda index: index.past(["cc", "aa"], read), folder)
    again = using(Path("/r"), lambda index: index.past(["bb", "cc", "gone", "aa"], read), folder)
    assert requested == [["cc", "aa"], ["bb", "gone"]]
    assert [item.paths for item in again] == [(), (os.fsdecode(b"n\xff.py"), "news.py"), ("cart.py",)]
    assert first == again[1:]
    assert first[1].words == count_words("Close the basket")


def test_commits_nobody_requests_any_more_are_dropped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "_LIMIT_COMMITS", 2)

    def ask(commits: list[str]) -> int:
        def read(missing: Sequence[str]) -> list[tuple[str, str, Sequence[str]]]:
            return [(item, "said", ["a.py"]) for item in missing]

        return len(using(Path("/r"), lambda index: index.past(commits, read), folder))

    monkeypatch.setattr("time.time", lambda: 86_400.0 * 10)
    assert ask(["aa", "bb"]) == 2
    monkeypatch.setattr("time.time", lambda: 86_400.0 * 11)
    assert ask(["bb", "cc"]) == 2
    with sqlite3.connect(_database(folder)) as database:
        assert database.execute("SELECT id FROM commits").fetchall() == [("cc",)]
    database.close()


def test_vectors_of_texts_are_retained(folder: Path, embedder: GroupEmbedder) -> None:
    index = SearchIndex.open(Path("/r"), folder)
    retained = CachedEmbedder(embedder, index)
    first = retained.embed(["sign in", "price", "sign in"])
    assert embedder.asked == ["sign in", "price"]
    assert retained.embed(["price", "sign in"])[1].tolist() == first[0].tolist()
    assert embedder.asked == ["sign in", "price"]
    index.close()


def test_the_index_is_private_and_the_repository_is_not_touched(isolated_folders: Path) -> None:
    index = SearchIndex.open(isolated_folders / "somewhere" / ".git")
    index.close()
    folder = isolated_folders / "cache" / "wardround" / "retrieval"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not (isolated_folders / "somewhere").exists()


@pytest.mark.parametrize("damage", ["text", "cut", "format", "tables", "vectors", "commits"])
def test_a_damaged_index_is_made_again(folder: Path, embedder: GroupEmbedder, damage: str) -> None:
    files = Files({f"{n}{path}": text for n in range(40) for path, text in FILES.items()})

    def ask(index: SearchIndex) -> list[float]:
        index.update(files.entries, files.read, embedder)
        assert index.past(["aa"], lambda missing: [(item, "Sign in", ["auth.py"]) for item in missing])[
            0
        ].words
        return index.similarity(["sign in"], files.entries, embedder)

    complete = using(Path("/r"), ask, folder)
    file = _database(folder)
    if damage == "text":
        file.write_text("this is no database, and long enough to be looked at " * 40)
    elif damage == "cut":
        file.write_bytes(file.read_bytes()[:20_000])
    else:
        with sqlite3.connect(file) as database:
            database.execute(
                {
                    "format": "PRAGMA user_version = 999",
                    "tables": "DROP TABLE postings",
                    "vectors": "UPDATE vectors SET data = x'00' WHERE doc = 1",
                    "commits": "UPDATE commits SET data = x'c1'",
                }[damage]
            )
        database.close()
    assert using(Path("/r"), ask, folder) == complete
    assert using(Path("/r"), ask, folder) == complete


def test_a_folder_that_cannot_be_written_costs_time_alone(tmp_path: Path, embedder: GroupEmbedder) -> None:
    (tmp_path / "file").write_text("in the way")
    files = Files(FILES)
    index = SearchIndex.open(Path("/r"), tmp_path / "file" / "retrieval")
    index.update(files.entries, files.read, embedder)
    assert index.words_scores({"basket": 1}, files.entries)[1] > 0
    index.close()


def test_a_database_that_another_holds_is_unchanged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = Files(FILES)
    using(Path("/r"), lambda index: index.update(files.entries, files.read, None), folder)
    before = _database(folder).read_bytes()
    tries: list[SearchIndex] = []

    def work(index: SearchIndex) -> list[float]:
        tries.append(index)
        if len(tries) == 1:
            raise sqlite3.OperationalError("database is locked")
        index.update(files.entries, files.read, None)
        return index.words_scores({"smtp": 1}, files.entries)

    assert using(Path("/r"), work, folder)[2] > 0
    assert _database(folder).read_bytes() == before


def test_an_interrupted_run_keeps_what_it_had_done(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "_BATCH", 1)
    files = Files(FILES)

    def interrupted(entry: IndexedFile) -> str | None:
        if len(files.read_paths) == 2:
            raise KeyboardInterrupt
        return files.read(entry)

    with pytest.raises(KeyboardInterrupt):
        using(Path("/r"), lambda index: index.update(files.entries, interrupted, None), folder)
    files.read_paths = []
    using(Path("/r"), lambda index: index.update(files.entries, files.read, None), folder)
    assert files.read_paths == ["news.py"]


def test_what_is_not_a_longer_used_is_dropped(
    folder: Path, embedder: GroupEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = Files({f"old{n}.py": FILES["auth.py"] for n in range(4001)})
    new = Files(FILES)
    monkeypatch.setattr("time.time", lambda: 86_400.0 * 10)
    using(Path("/r"), lambda index: index.update(old.entries, old.read, None), folder)
    monkeypatch.setattr("time.time", lambda: 86_400.0 * 11)

    def ask(index: SearchIndex) -> list[float]:
        index.update(new.entries, new.read, embedder)
        return index.words_scores({"basket": 1}, new.entries)

    assert using(Path("/r"), ask, folder)[1] > 0
    with sqlite3.connect(_database(folder)) as database:
        assert database.execute("SELECT count(*) FROM docs").fetchone() == (3,)
        (left,) = database.execute("SELECT count(DISTINCT doc) FROM postings").fetchone()
        assert left == 3
    database.close()


def test_all_indexes_together_are_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for at, name in enumerate(("oldest", "older", "new")):
        SearchIndex.open(Path(name), folder).close()
        newest = max(folder.glob("*.sqlite"), key=lambda file: file.stat().st_mtime_ns)
        os.utime(newest, (1000 + at, 1000 + at))
    sizes = [file.stat().st_size for file in folder.glob("*.sqlite")]
    monkeypatch.setattr(index_module, "_LIMIT_BYTES", 2 * max(sizes))
    SearchIndex.open(Path("another"), folder).close()
    assert sorted(int(f.stat().st_mtime) for f in folder.glob("*.sqlite"))[:2] == [1001, 1002]


def test_two_runs_at_once_keep_one_index(folder: Path) -> None:
    files = Files(FILES)
    first, second = SearchIndex.open(Path("/r"), folder), SearchIndex.open(Path("/r"), folder)
    first.update(files.entries[:2], files.read, None)
    second.update(files.entries, files.read, None)
    assert first.words_scores({"smtp": 1}, files.entries)[2] > 0
    first.close()
    second.close()


def test_progress_is_reported(folder: Path, embedder: GroupEmbedder) -> None:
    files, reported = Files(FILES), list[str]()
    using(
        Path("/r"), lambda index: index.update(files.entries, files.read, embedder, reported.append), folder
    )
    assert reported == ["reading files: 0 of 3", "reading files with the model, once: 0 of 3"]
