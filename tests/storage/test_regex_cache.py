"""Patterns from the cache equal those that the interpreter would compile, even if the file is damaged."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.storage import cpython
from wardround.storage import regex_cache as regex_cache_module
from wardround.storage.regex_cache import RegexCache

PATTERNS = [
    (r"\b(?:is|has)_[a-z]+", 0),
    (r"(?P<name>\w+)\s*=\s*(?P<value>.+?)$", re.MULTILINE),
    (r"(?<=[.!?])\s+(?=[A-Z])|[\u00e9\U00020000]", re.IGNORECASE),
    (r"""(?x) a  # letters
         {2,}""", 0),
    (r"(\d)(?:(?P=a)|b)?".replace("(\\d)", r"(?P<a>\d)"), re.DOTALL),
]  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "patterns"


@pytest.mark.parametrize(("text", "flags"), PATTERNS)
def test_it_is_the_pattern_that_would_be_compiled(file: Path, text: str, flags: int) -> None:
    created, read = RegexCache(file).compile(text, int(flags)), RegexCache(file).compile(text, int(flags))

    assert created == read == re.compile(text, flags)
    assert dict(read.groupindex) == dict(created.groupindex)
    assert (read.flags, read.groups, read.pattern) == (created.flags, created.groups, created.pattern)


@given(st.text(alphabet="ab|()[]*+?.\\\\dw^$-{1,}:=!<P>", max_size=14), st.text(alphabet="ab1 -", max_size=8))
def test_any_pattern_matches_alike_or_is_rejected_alike(tmp_path_factory: pytest.TempPathFactory, text: str,
                                                       subject: str) -> None:  # fmt: skip
    file = tmp_path_factory.mktemp("patterns") / "file"
    try:
        expected = re.compile(text)
    except (re.error, FutureWarning):
        with pytest.raises((re.error, FutureWarning)):
            RegexCache(file).compile(text)
        return
    for _ in range(2):
        found = RegexCache(file).compile(text)
        assert [m.span() for m in found.finditer(subject)] == [m.span() for m in expected.finditer(subject)]


def test_the_second_time_nothing_is_compiled(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for text, flags in PATTERNS:
        RegexCache(file).compile(text, int(flags))
    size = file.stat().st_size
    monkeypatch.delattr(import_module("re._compiler"), "_code")
    known = RegexCache(file)

    assert all(known.compile(text, int(flags)).pattern == text for text, flags in PATTERNS)
    assert file.stat().st_size == size


def test_another_flag_is_another_pattern(file: Path) -> None:
    RegexCache(file).compile("a")

    assert RegexCache(file).compile("a", int(re.IGNORECASE)).match("A")
    assert not RegexCache(file).compile("a").match("A")


@pytest.mark.parametrize("at", [0, 5, 17, 19, 24, 30, -1])
def test_a_changed_byte_costs_time_alone(file: Path, at: int) -> None:
    RegexCache(file).compile(r"(?P<word>\w+)!")
    data = bytearray(file.read_bytes())
    data[at] ^= 0xFF
    file.write_bytes(data)

    found = RegexCache(file).compile(r"(?P<word>\w+)!").match("so!")

    assert found is not None
    assert found["word"] == "so"


def test_a_file_that_was_cut_off_is_begun_again(file: Path) -> None:
    RegexCache(file).compile("one+")
    RegexCache(file).compile("two+")
    file.write_bytes(file.read_bytes()[:-3])

    RegexCache(file).compile("two+")

    assert RegexCache(file).compile("two+").match("twos")
    assert file.stat().st_size < 400


def test_where_nothing_can_be_kept_it_is_compiled(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")

    assert RegexCache(tmp_path / "taken" / "patterns").compile("a+").match("aa")


def test_an_interpreter_that_compiles_in_another_way_is_queried(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_module("re._compiler"), "_code", lambda parsed, flags: ["no numbers"])
    monkeypatch.setattr(re, "compile", lambda text, flags=0: (text, flags))

    assert RegexCache(file).compile("a+", 2) == ("a+", 2)
    assert not file.exists()


def test_what_is_not_a_regular_expression_is_reported(file: Path) -> None:
    with pytest.raises(re.error, match="unterminated"):
        RegexCache(file).compile("(a")


@pytest.mark.parametrize("bounded", [False, True])
def test_an_untested_python_compiles_every_pattern_itself(
    file: Path, monkeypatch: pytest.MonkeyPatch, bounded: bool
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 99, 0, "final", 0))
    monkeypatch.setattr(cpython, "import_module", _refused)
    cache = RegexCache(file)

    assert cache.compile(r"(?P<word>\w+)!", bounded=bounded) is re.compile(r"(?P<word>\w+)!")
    assert regex_cache_module.bounded_pattern.__wrapped__("a+b") is re.compile("a+b")
    assert not file.exists()


def _refused(name: str) -> None:
    raise AssertionError(f"{name} is private")
