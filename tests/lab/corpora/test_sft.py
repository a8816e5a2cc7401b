"""Files for instruction tuning: split by repository and time, the same for the same seed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wardround.errors import UsageError
from wardround_lab.corpora.audit_items import items_of
from wardround_lab.corpora.records import digest_of
from wardround_lab.corpora.sft import SftOptions, build

WORDS = (
    "basket",
    "invoice",
    "customer",
    "warehouse",
    "voucher",
    "delivery",
    "refund",
    "ledger",
    "queue",
    "stock",
)


def _row(number: int, **values: Any) -> dict[str, Any]:
    return {
        "instruction": f"Explain the {WORDS[number % 10]} of part {number}",
        "input": f"def f{number}(): ...",
        "output": f"It returns the {WORDS[number // 10 % 10]} {number}.",
        "repository": f"acme/{WORDS[number % 5]}",
        "time": 1000 + number,
        "licence": "MIT",
    } | values


def _write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def records(tmp_path: Path) -> Path:
    return _write(tmp_path / "records.jsonl", [_row(n) for n in range(100)])


def test_sides_share_neither_repositories_nor_times(tmp_path: Path, records: Path) -> None:
    built = build([records], tmp_path / "out", SftOptions(share=0.2))
    train, evaluation = (list(items_of(tmp_path / "out" / name)) for name in ("train.jsonl", "eval.jsonl"))
    assert {item.repository for item in train}.isdisjoint(item.repository for item in evaluation)
    assert max(item.time for item in train) < built.cut <= min(item.time for item in evaluation)
    assert (len(train), len(evaluation)) == (built.train, built.evaluation)
    assert built.train + built.evaluation + built.unused == 100
    assert {item.licence for item in train} == {"MIT"}


@pytest.mark.parametrize(
    ("repositories", "share", "least"),
    [(6, 0.1, 70), (6, 0.5, 58), (2, 0.1, 19), (2, 0.9, 19), (30, 0.1, 290)],
)
def test_of_balanced_records_few_are_lost(
    tmp_path: Path, repositories: int, share: float, least: int
) -> None:
    """Twenty of each repository over the same time."""
    rows = [_row(n, repository=f"acme/{n % repositories}") for n in range(20 * repositories)]
    built = build([_write(tmp_path / "r.jsonl", rows)], tmp_path / "out", SftOptions(share=share))
    retained = built.train + built.evaluation
    assert retained >= least
    assert built.evaluation / retained == pytest.approx(share, abs=0.05)


def test_a_large_held_out_repository_leaves_training_records(tmp_path: Path) -> None:
    names = ["acme/large" if n % 6 else "acme/small" for n in range(120)]
    rows = [_row(n, repository=name) for n, name in enumerate(names)]
    file = _write(tmp_path / "r.jsonl", rows)
    wishes = [SftOptions(seed=seed) for seed in range(8)]
    found = [build([file], tmp_path / f"out{wish.seed}", wish) for wish in wishes]
    assert {item.evaluation_repositories for item in found} == {("acme/large",), ("acme/small",)}
    for built in found:
        assert built.train >= built.evaluation
        assert built.train + built.evaluation >= 30


def test_repositories_of_other_times_lose_nothing(tmp_path: Path) -> None:
    rows = [_row(n, repository="acme/old" if n < 90 else "acme/new") for n in range(100)]
    built = build([_write(tmp_path / "r.jsonl", rows)], tmp_path / "out", SftOptions(seed=1))
    assert (built.evaluation_repositories, built.unused) == (("acme/new",), 0)


def _commit(number: int, **values: Any) -> dict[str, Any]:
    removed = [f"    {WORDS[number % 10]} = {number}"]
    hunk = {"base_line": 3, "line": 3, "removed": removed, "added": ["    pass"]}
    return {
        "kind": "bug-fix",
        "repository": f"acme/{WORDS[number % 5]}",
        "commit": f"{number:040x}",
        "time": 1000 + number,
        "subject": f"Fix the {WORDS[number // 10]} {number}",
        "body": "",
        "files": [{"path": "a.py", "base_path": "a.py", "hunks": [hunk]}],
    } | values


def test_mined_commits_become_their_message_and_their_change(tmp_path: Path) -> None:
    mined = _write(tmp_path / "bug-fix.jsonl", [_commit(n) for n in range(100)] + [_commit(1, files=[])])
    build([mined], tmp_path / "out", SftOptions(template="plain", share=0.2))
    lines = (tmp_path / "out" / "train.jsonl").read_text(encoding="utf-8").splitlines()
    (row,) = [line for line in lines if "Fix the basket 7\\n" in line]
    assert "--- a/a.py\\n+++ b/a.py\\n@@ -3,1 +3,1 @@\\n-    ledger = 7\\n+    pass" in row


def test_mined_choices_become_the_numbers_of_the_right_candidates(tmp_path: Path) -> None:
    rows = [
        {
            "repository": f"acme/{WORDS[n % 5]}", "time": 1000 + n, "group": f"g{n}", "query": f"query {n}",
            "candidates": [f"{WORDS[n % 10]} {n}", f"{WORDS[n // 10]} {n} other"], "right": [1],
        }
        for n in range(100)
    ]  # fmt: skip
    built = build([_write(tmp_path / "task.jsonl", rows)], tmp_path / "out", SftOptions(share=0.2))
    assert built.train > 0


def test_the_seed_alone_decides(tmp_path: Path, records: Path) -> None:
    first = build([records], tmp_path / "a", SftOptions(seed=1))
    assert build([records], tmp_path / "b", SftOptions(seed=1)) == first
    assert first.train_sha256 == digest_of(tmp_path / "a" / "train.jsonl")
    others = {
        build([records], tmp_path / "c", SftOptions(seed=seed)).evaluation_repositories
        for seed in range(2, 9)
    }
    assert len(others) > 1


def test_templates(tmp_path: Path) -> None:
    rows = [_row(1, repository="acme/a", time=2), _row(2, repository="acme/b", time=1, input="")]
    rows += [_row(3, repository="acme/a", time=1), _row(4, repository="acme/b", time=2)]
    file = _write(tmp_path / "r.jsonl", rows)
    build([file], tmp_path / "chat", SftOptions(template="chat", system="Be short.", cut=2, share=0.5))
    build([file], tmp_path / "plain", SftOptions(template="plain", system="Be short.", cut=2, share=0.5))
    chat = json.loads((tmp_path / "chat" / "train.jsonl").read_text("utf-8"))
    plain = json.loads((tmp_path / "plain" / "train.jsonl").read_text("utf-8"))
    row = next(
        item for item in rows if item["repository"] == chat["origin"]["repository"] and item["time"] == 1
    )
    requested = row["instruction"] + (f"\n\n{row['input']}" if row["input"] else "")
    assert chat["messages"] == [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": requested},
        {"role": "assistant", "content": row["output"]},
    ]
    assert plain["prompt"].startswith(f"Be short.\n\n### Instruction\n{row['instruction']}\n\n")
    assert plain["prompt"].endswith("### Response\n")
    assert ("### Input" in plain["prompt"]) is bool(row["input"])
    assert (plain["completion"], plain["origin"]) == (row["output"], chat["origin"])


def test_duplicates_and_near_duplicates_of_the_evaluation_are_excluded(tmp_path: Path) -> None:
    long = " ".join(f"word{n}" for n in range(60))
    rows = [_row(n, repository="acme/a", time=1) for n in range(10)]
    rows += [_row(n, repository="acme/b", time=5) for n in range(20, 30)]
    rows += [_row(3, repository="acme/a", time=1)]
    rows += [
        _row(50, repository="acme/a", time=1, input=long),
        _row(50, repository="acme/b", time=5, input=long + " x"),
    ]
    rows += [
        _row(51, repository="acme/b", time=1, input=long + " y"),
        _row(51, repository="acme/a", time=5, input=long),
    ]
    built = build([_write(tmp_path / "r.jsonl", rows)], tmp_path / "out", SftOptions(share=0.5, cut=3))
    assert (built.duplicates, built.near) == (1, 1)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([_row(1, time=0)], "r.jsonl:1: the record has no origin"),
        ([_row(1), _row(2, output=" ")], "r.jsonl:2: the instruction and the output must not be empty"),
        ([{"instruction": "x"}], "r.jsonl:1: Object missing required field `output`"),
        ([_row(1) | {"inptu": ""}], "r.jsonl:1: Object contains unknown field `inptu`"),
        ([_row(5), _row(10)], "all records are of one repository"),
        ([_row(1, time=1), _row(2, time=1)], "the records leave"),
        ([], "the files have no records"),
    ],
)
def test_records_that_cannot_be_split_are_rejected(
    tmp_path: Path, rows: list[dict[str, Any]], says: str
) -> None:
    with pytest.raises(UsageError) as caught:
        build([_write(tmp_path / "r.jsonl", rows)], tmp_path / "out", SftOptions())
    assert says in str(caught.value)
    assert not (tmp_path / "out").exists()
