"""``wardround lab query``, ``export`` and ``import`` as a user meets them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from tests.lab.experiments.storage.sample_sequences import add, entry, header, message, outcome, reward, run
from wardround_lab.experiments.storage.model import EntryKind
from wardround_lab.experiments.storage.opening import VARIABLE, open_storage
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage


@pytest.fixture
def storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SequenceStorage]:
    """The storage that the environment names, with two sequences."""
    file = tmp_path / "lab.sqlite"
    monkeypatch.setenv(VARIABLE, str(file))
    with closing(open_storage(str(file), {})) as opened:
        opened.begin_run(run())
        add(opened, header(), message("solve it"), reward("recall", 0.5), outcome())
        add(opened, header("shop-2", {"retrieval": "a", "tokens": 8000.0}, created="2030-02-01T00:00:00Z"))
        yield opened


def test_sequences_are_listed_as_a_table(repo: GitRepository, storage: SequenceStorage) -> None:
    first, second = header().id, header("shop-2", {"retrieval": "a", "tokens": 8000.0}).id
    assert repo.wardround("lab", "query").stdout == (
        "sequence          begun                 experiment    instance  outcome    entries  "
        "configuration                rewards\n"
        f"{first}  2030-01-31T12:00:00Z  localization  shop-1    completed  3        "
        "retrieval=words tokens=4000  recall=0.5\n"
        f"{second}  2030-02-01T00:00:00Z  localization  shop-2    -          0        "
        "retrieval=a tokens=8000.0\n"
        "2 sequences\n"
    )
    assert repo.wardround("lab", "query", "--limit", "1").stdout.endswith(
        "1 sequence; there are more, see --limit\n"
    )


@pytest.mark.parametrize(
    ("options", "instances"),
    [
        (("--configuration", "tokens=8000"), ["shop-2"]),
        (("--configuration", "tokens=4000", "--configuration", "retrieval=words"), ["shop-1"]),
        (("--configuration", 'retrieval="words"'), ["shop-1"]),
        (("--configuration", 'tokens="4000"'), []),
        (("--reward", "recall>=0.5"), ["shop-1"]),
        (("--reward", "recall<=0.4"), []),
        (("--reward", "recall = 0.5"), ["shop-1"]),
        (("--complete",), ["shop-1"]),
        (("--incomplete",), ["shop-2"]),
        (("--since", "2030-02-01"), ["shop-2"]),
        (("--until", "2030-01-31"), ["shop-1"]),
        (("--run", "first", "--experiment", "localization", "--repository", "shop"), ["shop-1", "shop-2"]),
        (("--instance", "shop-2", "--complete"), []),
    ],
)
def test_sequences_are_selected_by_all_options(
    repo: GitRepository, storage: SequenceStorage, options: tuple[str, ...], instances: list[str]
) -> None:
    rows = json.loads(repo.wardround("lab", "query", "--format", "json", *options).stdout)
    assert [row["summary"]["header"]["instance"] for row in rows] == instances
    if "shop-1" in instances:
        assert rows[0]["sequence"] == header().id
        assert rows[0]["summary"]["rewards"] == {"recall": 0.5}


def test_the_entries_of_a_sequence_are_shown_without_control_characters(
    repo: GitRepository, storage: SequenceStorage
) -> None:
    hostile = header("\x1b[2J", {"name": "\x9b31m"})
    result = entry(EntryKind.RESULT, "retrieve\n0 outcome", {"lines": [1], "text": "\u202e"})
    add(storage, hostile, message("first\r\n\x1b]0;title\x07\tsecond\n##vso[x]"), result)
    shown = repo.wardround("lab", "query", "--show", hostile.id, env={"CI": "true"}).stdout
    assert shown == (
        "0 message user\n"
        "    first\\r\n"
        "    \\x1b]0;title\\x07\\tsecond\n"
        "    ##vso\\x5bx]\n"
        "1 result retrieve\\n0 outcome\n"
        "    {\n"
        '      "lines": [\n'
        "        1\n"
        "      ],\n"
        '      "text": "\\u202e"\n'
        "    }\n"
    )
    for options in (("--show", hostile.id, "--format", "json"), (), ("--format", "json")):
        output = repo.wardround("lab", "query", *options).stdout
        assert output.replace("\n", "").isprintable()


def test_an_export_is_imported_into_another_storage(
    repo: GitRepository, storage: SequenceStorage, tmp_path: Path
) -> None:
    file, other = tmp_path / "lab.jsonl", str(tmp_path / "other.sqlite")
    assert repo.wardround("lab", "export", str(file)).stderr == f"wardround: {file} is written\n"
    assert repo.wardround("lab", "export", "-").stdout == file.read_text(encoding="utf-8")
    imported = repo.wardround("lab", "import", str(file), "--storage", other)
    assert imported.stdout == "added 1 run, 2 sequences and 3 entries\n"
    again = repo.wardround("lab", "import", str(file), "--storage", other)
    assert again.stdout == "added 0 runs, 0 sequences and 0 entries\n"
    assert repo.wardround("lab", "query", "--storage", other).stdout == repo.wardround("lab", "query").stdout
    only = repo.wardround("lab", "export", "-", "--complete").stdout
    assert [json.loads(line)["line"] for line in only.splitlines()].count("sequence") == 1


_NO_REWARD = "is not a condition; give NAME>=X, NAME<=X or NAME=X with a number"
_REFUSALS = {
    ("query", "--reward", "recall>0.5"): f"--reward 'recall>0.5' {_NO_REWARD}",
    ("query", "--reward", "recall>=high"): f"--reward 'recall>=high' {_NO_REWARD}",
    ("query", "--reward", "recall>=nan"): f"--reward 'recall>=nan' {_NO_REWARD}",
    ("query", "--reward", ">=1"): f"--reward '>=1' {_NO_REWARD}",
    ("query", "--configuration", "tokens"): "--configuration 'tokens' is not NAME=VALUE; give both",
    ("query", "--show", "x"): ("sequence 'x' has no entries; lab query without --show lists the sequences"),
    ("query", "--since", "soon"): (
        "--since 'soon' is not a time; give ISO 8601, as 2030-01-31 or 2030-01-31T12:00"
    ),
    ("query", "--storage", "nowhere.sqlite"): (
        "the storage nowhere.sqlite: there is no such file; wardround lab run creates it"
    ),
    ("export", "/nowhere/lab.jsonl"): (
        "/nowhere/lab.jsonl cannot be written: No such file or directory; name another file"
    ),
    ("import", "/nowhere/lab.jsonl"): (
        "/nowhere/lab.jsonl: No such file or directory; name a file that lab export wrote"
    ),
}


@pytest.mark.parametrize(("arguments", "message"), _REFUSALS.items())
def test_a_bad_option_is_one_sentence(
    repo: GitRepository, storage: SequenceStorage, arguments: tuple[str, ...], message: str
) -> None:
    done = repo.wardround("lab", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"wardround: {message}\n")


def test_a_damaged_export_adds_nothing(repo: GitRepository, storage: SequenceStorage, tmp_path: Path) -> None:
    file = tmp_path / "lab.jsonl"
    repo.wardround("lab", "export", str(file))
    file.write_bytes(file.read_bytes().replace(b"solve it", b"solve us"))
    done = repo.wardround("lab", "import", str(file), "--storage", str(tmp_path / "other.sqlite"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"wardround: {file}:4: the content does not have its digest: it was changed; export the file again\n"
    )
