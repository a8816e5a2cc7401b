"""Cached values are used only if they are unmodified."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wardround.storage import memo as keeping
from wardround.storage.memo import memoize_on_disk

if TYPE_CHECKING:
    from tests.conftest import GitRepository


def test_an_answer_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "cache_dir", lambda: tmp_path)
    assert memoize_on_disk("kind", "name", lambda: {"a": [1]}) == {"a": [1]}
    assert memoize_on_disk("kind", "name", lambda: {}) == {"a": [1]}


@pytest.mark.parametrize("damage", [b"", b"\0", b"\xa2\xff\xfe", b"\xff" * 40])
def test_a_damaged_answer_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes
) -> None:
    monkeypatch.setattr(keeping, "cache_dir", lambda: tmp_path)
    memoize_on_disk("kind", "name", lambda: "first")
    (tmp_path / "kind" / "name").write_bytes(damage)
    assert memoize_on_disk("kind", "name", lambda: "second") == "second"
    assert memoize_on_disk("kind", "name", lambda: "third") == "second"


def test_a_changed_bit_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "cache_dir", lambda: tmp_path)
    memoize_on_disk("kind", "name", lambda: "first")
    content = bytearray((tmp_path / "kind" / "name").read_bytes())
    content[-1] ^= 1
    (tmp_path / "kind" / "name").write_bytes(content)
    assert memoize_on_disk("kind", "name", lambda: "second") == "second"


def test_a_review_goes_on_with_a_damaged_cache(repo: GitRepository, isolated_folders: Path) -> None:
    repo.stage({"a.py": "print(nope)\n"})
    repo.report()
    files = [file for file in isolated_folders.rglob("rules/*") if file.is_file()]
    assert files
    for file in files:
        file.write_bytes(b"\xff\xfe rubbish")
    assert [found["rule"] for found in repo.report()["findings"]] == ["ruff/F821"]
