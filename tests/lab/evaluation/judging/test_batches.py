"""Batches of findings for several readers at once."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import pytest

from wardround.errors import UsageError
from wardround.rules.judgements import judgement_of
from wardround_lab.evaluation.judging.batches import alternate_rules, lock_folder, readers_by_finding
from wardround_lab.evaluation.judging.hits import Hit
from wardround_lab.evaluation.judging.queue import is_read_twice, queue


def hit(rule: str, line: int) -> Hit:
    return Hit("team/shop", "a" * 40, "a.py", line, rule, 1, line, "text", "python", "warn", "new")


HITS = [hit("ruff/B006", n) for n in range(1, 61)]


def write(folder: Path, name: str, hits: list[Hit]) -> None:
    (folder / name).write_text("".join(json.dumps({"id": item.id}) + "\n" for item in hits), encoding="utf-8")


def test_two_readers_share_only_the_findings_that_are_read_twice(tmp_path: Path) -> None:
    write(tmp_path, "ana-001.jsonl", HITS[:30])
    of_bo = queue(HITS, (), "bo", taken=readers_by_finding(tmp_path))
    assert of_bo == [item for item in HITS[:30] if is_read_twice(item)] + HITS[30:]
    assert queue(HITS, (), "ana", taken=readers_by_finding(tmp_path)) == HITS[30:]


def test_a_finding_in_the_batches_of_two_readers_is_for_no_third(tmp_path: Path) -> None:
    write(tmp_path, "ana-001.jsonl", HITS)
    write(tmp_path, "bo-001.jsonl", HITS)
    assert queue(HITS, (), "cem", taken=readers_by_finding(tmp_path)) == []


def test_a_disagreement_goes_to_one_third_reader(tmp_path: Path) -> None:
    day, item = datetime.date(2026, 5, 4), HITS[0]
    readings = [
        judgement_of(item.key, "true", "trivial", "ana", day),
        judgement_of(item.key, "wrong", "misread", "bo", day),
    ]
    for reader in ("ana", "bo"):
        write(tmp_path, f"{reader}-001.jsonl", [item])
    assert queue([item], readings, "cem", taken=readers_by_finding(tmp_path)) == [item]
    write(tmp_path, "cem-001.jsonl", [item])
    assert queue([item], readings, "dan", taken=readers_by_finding(tmp_path)) == []


def test_each_rule_has_one_finding_before_any_has_a_second() -> None:
    rare = [hit("python/PY001", n) for n in (1, 2)]
    assert alternate_rules([*rare, *HITS[:3]]) == [rare[0], HITS[0], rare[1], HITS[1], HITS[2]]


def test_a_file_that_is_not_a_batch_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "my-notes.jsonl").write_text("[]\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"my-notes\.jsonl is not a batch"):
        readers_by_finding(tmp_path)


def test_a_folder_for_batches_is_made_and_a_file_in_its_place_is_rejected(tmp_path: Path) -> None:
    with lock_folder(tmp_path / "new"):
        assert (tmp_path / "new").is_dir()
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="give a file in another folder"), lock_folder(tmp_path / "file"):
        pass
