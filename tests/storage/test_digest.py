"""Digests of several parts."""

from __future__ import annotations

from wardround.storage.digest import digest_key


def test_no_part_of_a_key_runs_into_the_next() -> None:
    assert digest_key("ab", "c") != digest_key("a", "bc")
    assert digest_key("a", b"\xff") != digest_key("a", "\udcff\udcff")
