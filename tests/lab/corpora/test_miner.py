"""Mining: kinds of commits, tasks, exclusions, records, and resuming an interrupted run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec
import pytest

from tests.conftest import GitRepository
from tests.lab.corpora.conftest import START, commit_at
from wardround import host
from wardround.errors import UsageError
from wardround.training_tasks import Choice, History, Task
from wardround_lab.corpora.commit_classes import CommitClassifier, is_fix
from wardround_lab.corpora.git_history import HistoryLimits, RepositoryHistory
from wardround_lab.corpora.hunks import hunks
from wardround_lab.corpora.licence_detection import foreign_folders, licence_of, root_licence
from wardround_lab.corpora.miner import Miner, MiningSource, RecordLocation
from wardround_lab.corpora.records import Corpus, Mined, RecordedHunk, record_of, rows_of
from wardround_lab.corpora.secret_scan import SecretScan

MIT = (
    "Permission is hereby granted, free of charge, to any person obtaining a copy of this software ...\n"
    "The above copyright notice shall be included in all copies or substantial portions of the Software.\n"
)
SERVICE = (
    "def total(prices):\n    count = 0\n    for price in prices:\n        count += price\n    return count\n"
)


def _task(name: str = "line-of", texts: tuple[str, str] = ("sum the prices", "drop the table")) -> Task:
    return Task(name, "python", "a task of the tests", partial(_mine, texts), _features, ("length",))


def _mine(texts: tuple[str, str], history: History) -> Iterator[Choice]:
    for commit in history.commits(["*.py"]):
        for change in commit.changes:
            if history.text(change.blob):
                group = f"{change.path}@{commit.id}"
                yield Choice(history.repository, commit.time, group, commit.subject, texts, (0,))


def _features(query: str, candidates: object) -> list[list[float]]:
    return []


def _mining(folder: Path, limits: HistoryLimits | None = None, kept: str = "") -> Miner:
    return Miner(
        folder, limits or HistoryLimits(), kept.__eq__, SecretScan(host.load().specialists), lambda text: None
    )


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    """A bug is brought on day 3, mended on day 400; the rest is quiet."""
    commit_at(repo, 1, {"LICENSE": MIT, "shop.py": SERVICE}, "Sum prices")
    commit_at(repo, 2, {"mail.py": "def send(mail):\n    return mail.deliver()\n"}, "Send mail")
    broken = SERVICE.replace("count += price", "count += price.gross - 1")
    commit_at(repo, 3, {"shop.py": broken}, "Sum gross prices")
    mended = SERVICE.replace("count += price", "count += price.gross")
    commit_at(
        repo, 400, {"shop.py": mended, "tests/test_shop.py": "def test_total(): ...\n"}, "Fix wrong total"
    )
    commit_at(repo, 401, {"shop.py": mended + "# end\n"}, "Fix typo")
    return repo


def _kind(repo: GitRepository, kind: str) -> list[Mined]:
    with RepositoryHistory(repo.root, "acme/shop") as history:
        return list(CommitClassifier(history, lambda done, of: None).mine_commits(kind))


def test_fixes_lead_to_the_inducing_commits_and_the_rest_is_clean(shop: GitRepository) -> None:
    (fix,) = _kind(shop, "bug-fix")
    assert (fix.subject, [file.path for file in fix.files]) == (
        "Fix wrong total",
        ["shop.py", "tests/test_shop.py"],
    )
    assert fix.files[0].hunks[0].added == ("        count += price.gross",)
    (inducing,) = _kind(shop, "inducing")
    assert (inducing.subject, inducing.related) == ("Sum gross prices", (fix.commit,))
    assert inducing.blamed == ("shop.py:count += price.gross - 1",)
    assert [item.subject for item in _kind(shop, "clean")] == ["Send mail", "Sum prices"]
    assert len(_kind(shop, "commits")) == 5


@pytest.mark.parametrize(
    ("subject", "is_one"),
    [("Fix crash on empty basket", True), ("fixes #12", True), ("Fix typo", False), ("fix lint", False),
     ("Add prefix option", False), ("Correct docs: fixed width", False)],
)  # fmt: skip
def test_subjects_that_mention_a_fixed_bug(subject: str, is_one: bool) -> None:
    assert is_fix(subject) is is_one


def test_hunks_between_texts_of_any_length() -> None:
    assert hunks("a\nb\nc\n", "a\nx\ny\nc\n") == (RecordedHunk(2, 2, ("b",), ("x", "y")),)
    assert hunks("a\n", "a\n") == ()
    assert hunks("", "a") == (RecordedHunk(1, 1, ("",), ("a",)),)
    long = [str(n) for n in range(4000)]
    (complete,) = hunks("\n".join(long), "\n".join(reversed(long)))
    assert len(complete.added) == 4000


def test_a_corpus_has_a_record_of_its_origin(shop: GitRepository, tmp_path: Path) -> None:
    (corpus,) = _mining(tmp_path / "out").mine(
        [MiningSource("line-of", _task())], [RecordLocation(shop.root, "acme/shop")]
    )
    file = tmp_path / "out" / "line-of.jsonl"
    rows = list(rows_of(file, Choice))
    assert [row.query for row in rows] == [
        "Fix typo", "Fix wrong total", "Sum gross prices", "Send mail", "Sum prices",
    ]  # fmt: skip
    assert corpus == msgspec.json.decode(record_of(file).read_bytes(), type=Corpus)
    assert corpus.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    (repository,) = corpus.repositories
    assert (repository.name, repository.licence, repository.commits) == ("acme/shop", "MIT", 5)
    assert repository.first < repository.last
    # "Fix wrong total" changes two files and says the same of both
    assert (repository.items, corpus.items, corpus.duplicates) == (6, 5, 1)


def test_secrets_broken_encodings_and_vendored_files_are_excluded_and_counted(
    repo: GitRepository, tmp_path: Path
) -> None:
    token = "ghp_" + "k3Jq9ZxT7bWm2RvLs8Yd4NcHf6PgQa4gOOvN"
    commit_at(repo, 1, {"a.py": "a = 1\n"}, "Set the token " + token)
    commit_at(repo, 2, {"vendor/a.py": "a = 1\n"}, "Vendor it")
    commit_at(repo, 3, {"a.py": "a = 2\n"}, "x" * 3000)
    commit_at(repo, 4, {"a.py": "a = 3\n"}, "Say why")
    (corpus,) = _mining(tmp_path).mine(
        [MiningSource("line-of", _task())], [RecordLocation(repo.root, "acme/shop")]
    )
    assert corpus.repositories[0].dropped == {"generated or vendored": 1, "poor text": 1, "secret": 1}
    assert corpus.items == 1
    assert token not in (tmp_path / "line-of.jsonl").read_text("utf-8")


def test_directories_with_another_licence_are_excluded(repo: GitRepository, tmp_path: Path) -> None:
    files = {"LICENSE": MIT, "a.py": "a = 1\n", "ee/LICENSE": "You need a contract.\n", "ee/b.py": "b = 1\n"}
    files["a.py"] = "answer = 1\n"
    commit_at(repo, 1, files, "Begin")
    (corpus,) = _mining(tmp_path).mine([MiningSource("commits")], [RecordLocation(repo.root, "acme/shop")])
    assert corpus.repositories[0].excluded == ("ee",)
    (mined,) = rows_of(tmp_path / "commits.jsonl", Mined)
    assert [file.path for file in mined.files] == ["a.py"]


def test_finished_parts_are_mined_again_only_after_a_change(shop: GitRepository, tmp_path: Path) -> None:
    locations = [RecordLocation(shop.root, "acme/shop")]
    mined: list[str] = []

    def mine(history: History) -> Iterator[Choice]:
        mined.append(history.repository)
        return _mine(("a", "b"), history)

    source = MiningSource("line-of", Task("line-of", "python", "", mine, _features, ()))
    for _ in range(2):
        _mining(tmp_path).mine([source], locations)
    assert len(mined) == 1
    _mining(tmp_path, HistoryLimits(since=START + 1)).mine([source], locations)
    commit_at(shop, 500, {"a.py": "a = 1\n"})
    _mining(tmp_path, HistoryLimits(since=START + 1)).mine([source], locations)
    assert len(mined) == 3


def test_a_killed_run_leaves_no_partial_file(shop: GitRepository, tmp_path: Path) -> None:
    def mine(history: History) -> Iterator[Choice]:
        yield from list(_mine(("a", "b"), history))[:1]
        raise KeyboardInterrupt

    source = MiningSource("line-of", Task("line-of", "python", "", mine, _features, ()))
    with pytest.raises(KeyboardInterrupt):
        _mining(tmp_path / "out").mine([source], [RecordLocation(shop.root, "acme/shop")])
    assert [file for file in (tmp_path / "out").rglob("*") if file.is_file()] == []


def test_held_out_repositories_are_rejected(shop: GitRepository, tmp_path: Path) -> None:
    location = RecordLocation(shop.root, "acme/shop")
    with pytest.raises(UsageError, match="acme/shop is held out for evaluation"):
        _mining(tmp_path, kept="acme/shop").mine([MiningSource("commits")], [location])
    with pytest.raises(UsageError, match="are both acme/shop"):
        _mining(tmp_path).mine([MiningSource("commits")], [location, location])


@pytest.mark.parametrize(
    ("text", "licence"),
    [
        (MIT, "MIT"),
        ("Apache License\nVersion 2.0, January 2004", "Apache-2.0"),
        ("GNU GENERAL PUBLIC LICENSE\n ... with the GNU Affero General Public License", "GPL"),
        ("GNU AFFERO GENERAL PUBLIC LICENSE\n see also the GNU General Public License", "AGPL-3.0"),
        ("Redistribution and use in source and binary forms ... Neither the name of", "BSD-3-Clause"),
        ("Redistribution and use in source\n and binary forms, with or without", "BSD-2-Clause"),
        ('"Commons Clause" License Condition v1.0\n' + MIT, "Commons-Clause"),
        ("All rights reserved.", "unknown"),
    ],
)
def test_licences_are_known_by_their_words(text: str, licence: str) -> None:
    assert licence_of(text) == licence


def test_of_several_licences_one_must_be_permissive_and_none_may_add_a_condition() -> None:
    gpl = "GNU GENERAL PUBLIC LICENSE"
    assert root_licence({"LICENSE-GPL": gpl, "LICENSE-MIT": MIT}) == "MIT"
    assert root_licence({"LICENSE": MIT, "LICENSE-EE": "Business Source License 1.1"}) == "BUSL-1.1"
    assert root_licence({}) == "unknown"
    assert foreign_folders({"LICENSE": gpl, "a/LICENSE": MIT, "b/c/LICENSE": "?"}) == ("b/c",)
