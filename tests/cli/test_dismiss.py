"""``wardround dismiss`` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import GitRepository

FILE = ".wardround-dismissals.json"
BAD = "def f(x=[]):\n    return x\n\n\ndef g():\n    return missing\n"


@pytest.fixture
def shop(repo: GitRepository) -> GitRepository:
    """A warning and an error are staged."""
    repo.commit({"README": "x\n"})
    repo.stage({"a.py": BAD})
    return repo


def named(repo: GitRepository, rule: str, *options: str) -> dict[str, str]:
    return next(f for f in repo.report(*options)["findings"] if f["rule"] == rule)


def dismiss(repo: GitRepository, rule: str = "ruff/B006", reason: str = "shared on purpose") -> str:
    fingerprint = named(repo, rule)["fingerprint"]
    done = repo.wardround("dismiss", fingerprint, "--reason", reason)
    assert done.returncode == 0, done.stderr
    added = f"git add {FILE} and commit it: reviews read the staged version"
    assert done.stdout == f"{FILE}: {rule} in a.py dismissed; {added}\n"
    return fingerprint


def test_a_dismissed_finding_is_suppressed_with_its_reason(shop: GitRepository) -> None:
    fingerprint = dismiss(shop)
    shop.stage()
    found = named(shop, "ruff/B006")
    assert (found["fingerprint"], found["status"], found["waived"]) == (
        fingerprint, "suppressed", "shared on purpose",
    )  # fmt: skip
    text = shop.wardround("review").stdout
    assert "B006" not in text
    assert "1 suppressed" in text
    sarif = json.loads(shop.wardround("review", "--format", "sarif").stdout)
    rows = [row["suppressions"] for row in sarif["runs"][0]["results"] if row["ruleId"] == "ruff/B006"]
    assert rows == [[{"kind": "external", "justification": "shared on purpose"}]]


def test_a_dismissed_error_no_longer_blocks(shop: GitRepository) -> None:
    assert shop.wardround("review").returncode == 1
    dismiss(shop, "ruff/F821", "made by the framework")
    shop.stage()
    assert shop.wardround("review").returncode == 0


def test_it_keeps_to_its_finding_when_lines_move_and_to_no_other(shop: GitRepository) -> None:
    dismiss(shop)
    shop.stage({"a.py": "import os\n\nprint(os)\n\n\n" + BAD + "\n\ndef h(y=[]):\n    return y\n"})
    statuses = [f["status"] for f in shop.report()["findings"] if f["rule"] == "ruff/B006"]
    assert statuses == ["suppressed", "new"]


def test_it_survives_a_renamed_file(shop: GitRepository) -> None:
    dismiss(shop)
    shop.commit()
    shop.git("mv", "a.py", "b.py")
    shop.commit()
    shop.stage({"b.py": BAD + "\nz = 1\n"})
    assert named(shop, "ruff/B006", "--filter-mode", "nofilter")["status"] == "suppressed"


def test_shown_lists_what_the_last_review_showed(shop: GitRepository) -> None:
    assert shop.wardround("dismiss", "--shown").stdout == "0 shown by the last review here\n"
    rows = [(f["fingerprint"], f["rule"], f["line"]) for f in shop.report()["findings"]]
    expected = "".join(f"{fingerprint}  {rule}  a.py:{line}\n" for fingerprint, rule, line in rows)
    assert shop.wardround("dismiss", "--shown").stdout == f"{expected}2 shown by the last review here\n"


def test_the_first_digits_are_enough(shop: GitRepository) -> None:
    fingerprint = named(shop, "ruff/B006")["fingerprint"]
    assert shop.wardround("dismiss", fingerprint[:8], "--reason", "x").returncode == 0
    assert json.loads(shop.read(FILE))["dismissed"][0]["fingerprint"] == fingerprint


def test_list_and_take_back(shop: GitRepository) -> None:
    fingerprint = dismiss(shop)
    listed = shop.wardround("dismiss", "--list").stdout
    assert listed.startswith(f"{fingerprint}  ")
    assert "\n    shared on purpose\n1 dismissed\n" in listed
    assert shop.wardround("dismiss", "--remove", fingerprint).returncode == 0
    assert shop.wardround("dismiss", "--list").stdout == "0 dismissed\n"
    shop.stage()
    assert named(shop, "ruff/B006")["status"] == "new"


def test_from_a_report_of_another_machine(shop: GitRepository, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    report.write_text(json.dumps(shop.report()), encoding="utf-8")
    fingerprint = named(shop, "ruff/B006")["fingerprint"]
    shop.wardround("review", "--only", "sql")
    done = shop.wardround("dismiss", fingerprint, "--reason", "x", "--report", str(report))
    assert done.returncode == 0, done.stderr
    shop.stage()
    assert named(shop, "ruff/B006")["status"] == "suppressed"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["0123456789abcdef", "--reason", "x"], "the last review here showed no finding '0123456789abcdef'"),
        (["0123456789abcdef"], "--reason is missing"),
        (["0123456789abcdef", "--reason", "  "], "--reason is missing"),
        ([], "which finding?"),
        (["--remove", "0123456789abcdef"], "no dismissal begins with"),
        (["--list", "--shown"], "cannot go together"),
        (["0123456789abcdef", "--reason", "x", "--report", "absent.json"], "absent.json: No such file"),
        (["0123456789abcdef", "--reason", "x", "--report", "a.py"], "give a report of --format json"),
    ],
)  # fmt: skip
def test_mistakes_get_one_sentence_and_change_nothing(
    shop: GitRepository, arguments: list[str], said: str
) -> None:
    done = shop.wardround("dismiss", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (shop.root / FILE).exists()


def test_a_file_that_cannot_be_read_stops_the_run(shop: GitRepository) -> None:
    shop.stage({FILE: "{"})
    for command in (["review"], ["dismiss", "--list"]):
        done = shop.wardround(*command)
        assert done.returncode == 2
        assert f"{FILE} holds no dismissals" in done.stderr


def test_what_is_reported_about_suppressions_cannot_be_dismissed(repo: GitRepository) -> None:
    repo.stage({"a.py": "x = 1  # wardround: ignore[B006] nothing here\n"})
    fingerprint = named(repo, "wardround/unused-suppression")["fingerprint"]
    done = repo.wardround("dismiss", fingerprint, "--reason", "x")
    assert done.returncode == 2
    assert "cannot be dismissed" in done.stderr


class TestUntrustedHead:
    """With the base's configuration, only dismissals of the base count, and a change to them is a finding."""

    def test_a_dismissal_of_the_change_itself_does_not_count(self, shop: GitRepository) -> None:
        dismiss(shop, "ruff/F821")
        shop.commit()
        report = shop.report("--base", "HEAD~1", "--config-from", "base")
        statuses = {f["rule"]: (f["status"], f["file"]) for f in report["findings"]}
        assert statuses["ruff/F821"] == ("new", "a.py")
        assert statuses["wardround/config-changed"] == ("new", FILE)

    def test_one_of_the_base_counts(self, shop: GitRepository) -> None:
        dismiss(shop, "ruff/F821")
        shop.git("add", FILE)
        shop.git("rm", "--cached", "--quiet", "a.py")
        shop.git("commit", "--quiet", "-m", "dismissed on the trusted branch")
        shop.commit()
        report = shop.report("--base", "HEAD~1", "--config-from", "base")
        statuses = {f["rule"]: f["status"] for f in report["findings"]}
        assert statuses["ruff/F821"] == "suppressed"
        assert "wardround/config-changed" not in statuses


def test_a_review_writes_nothing_into_the_repository(shop: GitRepository) -> None:
    before = shop.fingerprint()
    shop.wardround("review")
    shop.wardround("dismiss", "--shown")
    assert shop.fingerprint() == before


def test_a_dismissal_with_a_verdict_is_a_judgement_too(shop: GitRepository) -> None:
    fingerprint = named(shop, "ruff/B006")["fingerprint"]
    options = ("--reason", "shared on purpose", "--verdict", "true", "--code", "intended", "--reader", "ana")
    done = shop.wardround("dismiss", fingerprint, *options)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("evals/judgements/ana.jsonl: judgement recorded\n")
    item = json.loads(shop.read("evals/judgements/ana.jsonl"))
    assert (item["commit"], item["path"], item["line"], item["rule"], item["verdict"], item["reason"]) == (
        shop.git("rev-parse", "HEAD").strip(), "a.py", 1, "ruff/B006", "true", "intended",
    )  # fmt: skip
    assert "shared on purpose" not in str(item)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--verdict", "true"), "--verdict and --code go together"),
        (("--verdict", "true", "--code", "misread"), "does not fit verdict true"),
    ],
)
def test_nothing_is_dismissed_with_half_or_a_wrong_judgement(
    shop: GitRepository, options: tuple[str, ...], message: str
) -> None:
    fingerprint = named(shop, "ruff/B006")["fingerprint"]
    done = shop.wardround("dismiss", fingerprint, "--reason", "shared", *options)
    assert done.returncode == 2
    assert message in done.stderr
    assert not (shop.root / FILE).exists()
