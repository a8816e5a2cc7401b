"""The index of checks is cached, and rebuilt silently where the cache is stale, corrupt or not writable."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from wardround.checks import index
from wardround.checks.index import CheckEntry, check_index
from wardround.lazy import package_state

PACKAGE = "acme_rules.checks"
CHECK = """\
from wardround.checks.base import Check, ChangeCheck


class Todo({base}):
    \"\"\"A comment is not finished.\"\"\"

    ID = "{id}"
    NAME = "todo"

    @classmethod
    def prefilter_keys(cls):
        return ["b", "a"], ["{word}"]

    def run(self):
        pass
"""


class Acme:
    """A package of checks on disk, as separate runs of wardround read it."""

    def __init__(self, root: Path) -> None:
        self.folder = root / "acme_rules" / "checks"
        for folder in (self.folder.parent, self.folder, self.folder / "style"):
            folder.mkdir()
            (folder / "__init__.py").write_text("", encoding="utf-8")

    def write(self, name: str, **values: str) -> None:
        values = {"base": "Check", "id": "AC1", "word": "todo", **values}
        (self.folder / name).write_text(CHECK.format(**values), encoding="utf-8")

    def read(self) -> tuple[CheckEntry, ...]:
        """Return the index as another run would."""
        self.forget()
        return check_index(PACKAGE)

    def forget(self) -> None:
        check_index.cache_clear()
        package_state.cache_clear()
        for name in [name for name in sys.modules if name.partition(".")[0] == "acme_rules"]:
            del sys.modules[name]
        importlib.invalidate_caches()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "wardround" / "checks"


@pytest.fixture
def acme(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Acme]:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    created = Acme(tmp_path)
    created.write("style/todo.py")
    yield created
    created.forget()


def test_an_entry_has_what_a_check_is_chosen_by(acme: Acme) -> None:
    acme.write("style/whole.py", base="ChangeCheck", id="AC0")
    assert acme.read() == (
        CheckEntry("AC0", "style.whole:Todo", "change", ("a", "b"), ("todo",), ""),
        CheckEntry("AC1", "style.todo:Todo", "file", ("a", "b"), ("todo",), ""),
    )


def test_a_second_run_imports_no_check(acme: Acme) -> None:
    first = acme.read()
    assert acme.read() == first
    assert not [name for name in sys.modules if name.startswith("acme_rules.checks.style")]


def test_an_edited_check_is_indexed_again(acme: Acme) -> None:
    acme.read()
    acme.write("style/todo.py", word="fixme")
    assert [entry.words for entry in acme.read()] == [("fixme",)]


def test_an_edit_that_keeps_the_size_is_seen_by_the_time_of_the_file(acme: Acme) -> None:
    acme.read()
    acme.write("style/todo.py", word="oops")
    os.utime(acme.folder / "style" / "todo.py", ns=(1, 1))
    assert [entry.words for entry in acme.read()] == [("oops",)]


def test_added_and_removed_checks_are_seen(acme: Acme) -> None:
    acme.read()
    acme.write("style/more.py", id="AC2")
    (acme.folder / "style" / "todo.py").unlink()
    assert [entry.id for entry in acme.read()] == ["AC2"]


def test_an_index_of_another_version_is_not_used(acme: Acme, monkeypatch: pytest.MonkeyPatch) -> None:
    acme.read()
    monkeypatch.setattr(index, "__version__", "another")
    monkeypatch.setattr(index, "build_index", lambda package: ())
    assert acme.read() == ()


@pytest.mark.parametrize("damage", [b"", b"\0", b"\xff rubbish" * 9])
def test_a_corrupt_index_is_rebuilt_silently(
    acme: Acme, cache: Path, damage: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    first = acme.read()
    (file,) = cache.iterdir()
    sound = file.read_bytes()
    file.write_bytes(damage)
    assert acme.read() == first
    assert file.read_bytes() == sound
    assert capfd.readouterr() == ("", "")


def test_an_unwritable_cache_costs_time_only(
    acme: Acme, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    first = acme.read()
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    assert acme.read() == first
    assert capfd.readouterr() == ("", "")
