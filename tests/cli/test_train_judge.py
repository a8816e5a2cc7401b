"""``wardround adapters train --from-judgements`` learns from the verdicts of a team, or states why not."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from wardround.processors.judge.model import load_judge
from wardround.rules.judgement_files import record_judgement
from wardround.rules.judgements import FindingKey, judgement_of

TODAY = datetime.date(2026, 11, 27)
COMMITS = 10
FILES = 6


@pytest.fixture
def judged(repo: GitRepository, tmp_path: Path) -> Path:
    """Return a folder of judgements that contradict the shipped rates: unused imports are wrong here."""
    folder = tmp_path / "judgements"
    repo.commit({"README": "a\n"})
    for number in range(COMMITS):
        names = [f"m{number}_{part}.py" for part in range(FILES)]
        commit = repo.commit(dict.fromkeys(names, "import os\n\n\ndef f(a, b=[]):\n    return a, b\n"))
        for name in names:
            for line, rule, verdict, reason in (
                (1, "ruff/F401", "wrong", "framework"),
                (4, "ruff/B006", "worth", "defect"),
            ):
                key = FindingKey(repo.root.name, commit, name, line, rule)
                record_judgement(folder, judgement_of(key, verdict, reason, "ana", TODAY), None)
    return folder


def test_a_team_gets_a_judge_that_follows_its_verdicts(repo: GitRepository, judged: Path) -> None:
    out = repo.root / "judge.json"
    done = repo.wardround(
        "adapters", "train", "--from-judgements", judged, "--from-clones", repo.root.parent, "--out", out
    )
    assert done.returncode == 0, done.stderr
    assert f"{COMMITS * FILES * 2} findings of 1 repository; log-loss lower by +" in done.stdout
    assert 'judge = "judge.json"' in done.stdout
    known = load_judge("judge.json", lambda path: out.read_bytes()).file
    assert known.rates.groups["rule"]["ruff/F401"].wrong >= COMMITS * FILES
    repo.stage(
        {".wardround.toml": 'judge = "judge.json"\n', "judge.json": out.read_text(), "a.py": "import os\n"}
    )
    (found,) = repo.report()["findings"]
    assert found["confidence"] < 0.5
    again = repo.wardround("adapters", "train", "--from-judgements", judged, "--out", "second.json")
    assert again.returncode == 0, again.stderr
    assert (repo.root / "second.json").read_bytes() == out.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--from-judgements", "none"), "none: no judgements; record some with wardround eval judge"),
        (
            ("--from-judgements", "few", "--from-clones", "nowhere"),
            "--from-clones nowhere: no clone of o/r; clone them there",
        ),
        (("--from-judgements", "few"), "few/facts.csv cannot be read"),
        (("--from-judgements", "few", "--out", "judge"), "--out judge: a judge is a JSON file"),
        (("recipe.yml", "--from-judgements", "few"), "give one of RECIPE, --from-history REPO and"),
        (("--from-judgements", "few", "--hours", "1"), "--hours goes with --from-history only; leave it out"),
        (("--from-judgements", "few", "--seed", "1"), "--seed goes with RECIPE only; leave it out"),
    ],
)
def test_wrong_arguments_are_one_sentence(
    repo: GitRepository, arguments: tuple[str, ...], message: str
) -> None:
    key = FindingKey("o/r", "0" * 40, "a.py", 1, "ruff/F401")
    record_judgement(repo.root / "few", judgement_of(key, "worth", "upkeep", "ana", TODAY), None)
    done = repo.wardround("adapters", "train", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
