"""Records of judgements, and their files."""

from __future__ import annotations

import datetime
import re
from pathlib import Path

import pytest

from wardround.errors import ConfigError, UsageError
from wardround.rules.judgement_files import load_judgements, record_judgement
from wardround.rules.judgements import FindingKey, ReasonCode, Verdict, judgement_of, reasons_for

KEY = FindingKey("team/shop", "a" * 40, "src/a.py", 3, "ruff/B006")
DAY = datetime.date(2026, 5, 4)
GUIDE = Path(__file__).parents[2] / "docs" / "judging.md"


def test_a_record_has_the_place_and_the_verdict_and_no_text(tmp_path: Path) -> None:
    file = record_judgement(tmp_path, judgement_of(KEY, "worth", "defect", "ana", DAY), None)
    assert file == tmp_path / "ana.jsonl"
    assert file.read_text("utf-8") == (
        f'{{"repository":"team/shop","commit":"{"a" * 40}","path":"src/a.py","line":3,"rule":"ruff/B006",'
        '"verdict":"worth","reason":"defect","reader":"ana","date":"2026-05-04"}\n'
    )


def test_a_second_verdict_of_a_reader_replaces_the_first_and_not_that_of_others(tmp_path: Path) -> None:
    for reader, verdict, reason in (
        ("ana", "worth", "risk"),
        ("bo", "true", "trivial"),
        ("ana", "wrong", "misread"),
    ):
        record_judgement(tmp_path, judgement_of(KEY, verdict, reason, reader, DAY), None)
    assert [(judgement.reader, judgement.verdict) for judgement in load_judgements(tmp_path)] == [
        ("bo", "true"),
        ("ana", "wrong"),
    ]


def test_a_reason_must_fit_its_verdict() -> None:
    with pytest.raises(UsageError, match="reason generated does not fit verdict worth; choose from defect"):
        judgement_of(KEY, "worth", "generated", "ana", DAY)


def test_a_reader_is_a_plain_name() -> None:
    with pytest.raises(UsageError, match=r"\$\.reader"):
        judgement_of(KEY, "worth", "defect", "../ana", DAY)


def test_an_invalid_line_is_named_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "ana.jsonl").write_text('{"verdict": "worth"}\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"ana\.jsonl:1 is not a judgement"):
        load_judgements(tmp_path)


def test_no_folder_means_no_judgements(tmp_path: Path) -> None:
    assert load_judgements(tmp_path / "absent") == []


def test_every_verdict_has_reasons_and_every_reason_a_verdict() -> None:
    assert all(reasons_for(verdict) for verdict in Verdict)
    assert all(code.verdicts and code.meaning for code in ReasonCode)


def test_the_guide_has_an_example_of_every_reason_and_lists_its_meaning() -> None:
    guide = GUIDE.read_text("utf-8")
    table = dict(re.findall(r"^\| `([a-z-]+)` \| [^|]+ \| (.+?) \|$", guide, re.M))
    assert table == {code.value: code.meaning for code in ReasonCode}
    shown = re.findall(r"\*\*(worth|true|wrong|unclear)\*\*,\s+`([a-z-]+)`", guide)
    assert all(Verdict(verdict) in ReasonCode(code).verdicts for verdict, code in shown)
    assert {code for _, code in shown} == {code.value for code in ReasonCode}
    assert len(shown) >= 30
