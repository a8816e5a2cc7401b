"""Parsers of foreign text only raise documented exceptions, for any input; see ``benchmarks/fuzz.py``."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.benchmark_modules import benchmark

fuzz = benchmark("fuzz")
TARGETS = pytest.mark.parametrize("target", fuzz.TARGETS, ids=lambda target: target.name)


@TARGETS
def test_its_samples_are_read(target: Any) -> None:
    for sample in target.samples:
        if sample != fuzz.ODD_CONFIG:
            assert fuzz.attempt(target, sample) == "read"


@TARGETS
def test_mutated_samples_break_nothing(target: Any) -> None:
    random_ = random.Random(f"suite {target.name}")
    for _ in range(2_000):
        fuzz.attempt(target, fuzz.mutated(target, random_))


@TARGETS
@settings(max_examples=60, deadline=None, database=None)
@given(data=st.data())
def test_nothing_that_hypothesis_finds_breaks_it(target: Any, data: st.DataObject) -> None:
    pieces = st.sampled_from([*target.words, *target.samples]) | st.binary(max_size=12)
    fuzz.attempt(target, b"".join(data.draw(st.lists(pieces, max_size=8))))


@TARGETS
@pytest.mark.parametrize(
    "content",
    [b"", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"[" * 100_000, b"{" * 100_000, b'{"a":' * 100_000,
     b"\n" * 10_000, b"(" * 10_000, b"a.b=" * 10_000, b'"' * 9_999, b"x" * 1_000_000,
     b"# wardround: " * 50_000],
    ids=lambda content: f"{content[:14]!r}x{len(content)}",
)  # fmt: skip
def test_extremes_break_nothing(target: Any, content: bytes) -> None:
    fuzz.attempt(target, content)


@given(st.text().filter(lambda name: "\0" not in name), st.binary(max_size=5))
@settings(max_examples=150, deadline=None, database=None)
def test_a_path_that_git_quotes_comes_back(name: str, tail: bytes) -> None:
    path = name.encode("utf-8", "replace").decode() + tail.decode("utf-8", "surrogateescape")
    assert fuzz.unquote(fuzz.quoted(path)) == path
