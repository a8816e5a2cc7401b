"""``wardround eval judge`` and ``wardround eval rates`` as a user meets them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import GitRepository
from wardround.rules.judgements import judgement_of

OLD = "def total(prices):\n    return sum(prices)\n"
BAD = OLD + "\n\ndef add(item, seen=[]):\n    seen.append(item)\n    return seen\n"


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    """One commit adds a mutable default."""
    repo.commit({"shop.py": OLD})
    repo.commit({"shop.py": BAD})
    repo.git("remote", "add", "origin", "https://example.invalid/team/shop.git")
    return repo


def judge(shop: GitRepository, *arguments: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    results = shop.root.parent / "results.jsonl"
    return shop.wardround("eval", "judge", "--results", results, "--commits", "5", *arguments, stdin=stdin)


def recorded(shop: GitRepository, reader: str) -> list[dict[str, Any]]:
    return [json.loads(row) for row in shop.read(f"evals/judgements/{reader}.jsonl").splitlines()]


def test_a_verdict_is_recorded_with_the_place_of_the_finding(shop: GitRepository) -> None:
    done = judge(shop, ".", "--reader", "ana", stdin="worth defect\n")
    assert done.returncode == 0, done.stderr
    assert "1 judgements recorded in evals/judgements; 0 are left" in done.stderr
    (item,) = recorded(shop, "ana")
    assert item.pop("date")
    assert item == {
        "repository": "team/shop", "commit": shop.git("rev-parse", "HEAD").strip(), "path": "shop.py",
        "line": 5, "rule": "ruff/B006", "verdict": "worth", "reason": "defect", "reader": "ana",
    }  # fmt: skip


def test_a_screen_has_the_hunk_and_the_code_and_no_severity(shop: GitRepository) -> None:
    shown = judge(shop, ".", "--reader", "ana", stdin="q\n").stdout
    assert "shop.py:5" in shown
    assert "+def add(item, seen=[]):" in shown
    assert ">     5 def add(item, seen=[]):" in shown
    assert "warn" not in shown
    assert "preview" not in shown


def test_keys_show_the_reasons_and_the_neighbours_before_an_answer(shop: GitRepository) -> None:
    done = judge(shop, ".", "--reader", "ana", stdin="?\nn\nd\nworth generated\nt triv\n")
    assert "worth: defect (the code does something wrong)" in done.stdout
    assert "+++ after" in done.stdout
    assert [(item["verdict"], item["reason"]) for item in recorded(shop, "ana")] == [("true", "trivial")]


def test_a_second_run_resumes_and_needs_no_repository(shop: GitRepository) -> None:
    judge(shop, ".", "--reader", "ana", stdin="s\n")
    assert not (shop.root / "evals").exists()
    judge(shop, "--reader", "ana", stdin="wrong guarded\n")
    assert len(recorded(shop, "ana")) == 1
    assert "0 are left" in judge(shop, "--reader", "ana").stderr


def test_another_reader_gets_json_lines_and_returns_verdicts(shop: GitRepository) -> None:
    out, answers = shop.root.parent / "out.jsonl", shop.root.parent / "answers.jsonl"
    assert judge(shop, ".", "--reader", "bo", "--out", out).returncode == 0
    (question,) = [json.loads(row) for row in out.read_text("utf-8").splitlines()]
    assert "severity" not in question
    assert "+def add(item, seen=[]):" in question["hunk"]
    answers.write_text(
        json.dumps({**question, "verdict": "worth", "reason": "risk"}) + "\n", encoding="utf-8"
    )
    done = judge(shop, "--reader", "bo", "--import", answers)
    assert done.returncode == 0, done.stderr
    assert [(item["verdict"], item["reader"]) for item in recorded(shop, "bo")] == [("worth", "bo")]


def test_a_batch_has_the_next_findings_and_none_of_another_batch(shop: GitRepository) -> None:
    shop.commit({"cart.py": BAD, "till.py": BAD})
    batches = shop.root.parent / "batches"
    judge(shop, ".", "--reader", "ana", "--size", "2", "--out", batches / "ana-1.jsonl")
    judge(shop, "--reader", "bo", "--second-every", "9999999", "--size", "2", "--out", batches / "bo-1.jsonl")
    ana, bo = (
        [json.loads(row) for row in (batches / name).read_text("utf-8").splitlines()]
        for name in ("ana-1.jsonl", "bo-1.jsonl")
    )
    assert [len(ana), len(bo)] == [2, 1]
    assert len({item["id"] for item in (*ana, *bo)}) == 3
    (item,) = [item for item in (*ana, *bo) if item["path"] == "cart.py"]
    assert (item["name"], item["clone"], item["others"]) == (
        "mutable-argument-default", str(shop.root.resolve()), [],
    )  # fmt: skip
    assert ">     5 def add(item, seen=[]):\n" in item["code"]
    assert item["code"].splitlines()[5].endswith("^")


def test_a_batch_is_not_written_over_and_needs_the_name_of_its_reader(shop: GitRepository) -> None:
    batch = shop.root.parent / "ana-1.jsonl"
    assert judge(shop, ".", "--reader", "ana", "--size", "2", "--out", batch).returncode == 0
    again = judge(shop, "--reader", "ana", "--size", "2", "--out", batch)
    assert (again.returncode, "the batch exists; give the next number" in again.stderr) == (2, True)
    other = judge(shop, "--reader", "bo", "--size", "2", "--out", batch)
    assert (other.returncode, "--size needs --out FOLDER/bo-NUMBER.jsonl" in other.stderr) == (2, True)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"id": "0" * 16, "verdict": "worth", "reason": "risk"}, "no reviewed commit has the finding"),
        ({"id": "ID", "verdict": "worth", "reason": "trivial"}, "does not fit verdict worth"),
        ({"id": "ID"}, "a line needs id, verdict and reason"),
    ],
)
def test_no_answer_of_a_file_is_recorded_if_one_is_invalid(
    shop: GitRepository, answer: dict[str, str], message: str
) -> None:
    out, answers = shop.root.parent / "out.jsonl", shop.root.parent / "answers.jsonl"
    judge(shop, ".", "--reader", "bo", "--out", out)
    (question,) = [json.loads(row) for row in out.read_text("utf-8").splitlines()]
    good = {"id": question["id"], "verdict": "worth", "reason": "risk"}
    bad = {**answer, "id": question["id"] if answer["id"] == "ID" else answer["id"]}
    answers.write_text(f"{json.dumps(good)}\n{json.dumps(bad)}\n", encoding="utf-8")
    done = judge(shop, "--reader", "bo", "--import", answers)
    assert done.returncode == 2
    assert message in done.stderr
    assert not (shop.root / "evals").exists()


def test_a_secret_is_shown_to_no_reader_in_its_finding_or_next_to_another(shop: GitRepository) -> None:
    key = "AKIA" + "Q3EGRIZ7LWNTAYXB"
    shop.commit({"settings.py": f'AWS_ACCESS_KEY_ID = "{key}"\n'})
    shop.commit({"settings.py": f'AWS_ACCESS_KEY_ID = "{key}"\n\n\ndef f(x=[]):\n    x.append(1)\n'})
    out = shop.root.parent / "out.jsonl"
    assert judge(shop, ".", "--reader", "bo", "--out", out).returncode == 0
    text = out.read_text("utf-8")
    assert len(text.splitlines()) == 3
    assert "a line with a secret" in text
    assert key not in text


def test_a_secret_that_the_commit_replaced_is_shown_to_no_reader(shop: GitRepository) -> None:
    old, new = "kQ7hWz31", "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"
    fetch = "RUN curl 'https://geo.example.com/db?license_key={key}&suffix=tar.gz' | tar -xz -C /tmp\n"
    shop.commit({"Dockerfile": "FROM python:3.12-slim\n" + fetch.format(key=old)})
    shop.commit({"Dockerfile": "FROM python:3.12-slim\n" + fetch.format(key=new)})
    out = shop.root.parent / "out.jsonl"
    assert judge(shop, ".", "--reader", "bo", "--commits", "1", "--out", out).returncode == 0
    text = out.read_text("utf-8")
    assert "hadolint/DL4006" in text
    assert "a line with a secret" in text
    assert old not in text
    assert new not in text


def test_a_reader_is_required(shop: GitRepository) -> None:
    done = judge(shop, ".")
    assert (done.returncode, "--reader is missing" in done.stderr) == (2, True)


def test_rates_and_agreement_are_shown(shop: GitRepository) -> None:
    judge(shop, ".", "--reader", "ana", stdin="worth defect\n")
    judge(shop, "--reader", "bo", "--second-every", "1", stdin="true trivial\n")
    rates = shop.wardround("eval", "rates").stdout
    assert "ruff/B006" in rates
    agreed = shop.wardround("eval", "rates", "--agreement").stdout
    assert "0 of 1 second readings agree" in agreed
    assert "shop.py:5 ruff/B006: worth (defect), true (trivial)" in agreed
    assert "source" in shop.wardround("eval", "rates", "--by", "kind").stdout
    assert "python" in shop.wardround("eval", "rates", "--by", "specialist").stdout
    document = json.loads(shop.wardround("eval", "rates", "--format", "json").stdout)
    assert document["groups"][0]["group"] == "ruff/B006"


def test_a_catalogue_above_the_readings_has_status_1(shop: GitRepository) -> None:
    import datetime

    from wardround.rules.judgement_files import record_judgement
    from wardround.rules.judgements import FindingKey

    for line in range(1, 11):
        key = FindingKey(f"team/shop{line % 3}", "a" * 40, "a.py", line, "ruff/F632")
        item = judgement_of(key, "wrong", "misread", "ana", datetime.date(2026, 5, 4))
        record_judgement(shop.root / "evals/judgements", item, None)
    done = shop.wardround("eval", "rates", "--compare")
    assert (done.returncode, done.stdout) == (
        1, "ruff/F632 is at warn, and its readings allow preview:"
        " read 10 times in 3 repositories: 10 wrong\n",
    )  # fmt: skip
    written = shop.wardround("eval", "rates", "--write")
    assert (written.returncode, "set ruff/F632 to preview by hand" in written.stderr) == (1, True)
    shop.write(
        "evals/judgements/overrides.yml", "ruff/F632: {damage: data-loss, reason: shared between requests}\n"
    )
    assert shop.wardround("eval", "rates", "--compare").returncode == 0


def test_without_judgements_rates_are_rejected(shop: GitRepository) -> None:
    done = shop.wardround("eval", "rates")
    assert (done.returncode, "record some with wardround eval judge" in done.stderr) == (2, True)
