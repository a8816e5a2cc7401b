"""``wardround policy check`` and ``test`` from outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import GitRepository
from wardround.cli.commands import invoke

CASES = """
- {name: clean, expect: auto-approve, tier: T1, approvals: 0, given: {run: {}}}
- {name: nothing ran, expect: human-review, tier: T2}
- {name: failed, expect: human-review, tier: T2, given: {run: {failed: 1}}}
- {name: untested, expect: human-review, tier: T2, given: {tested: false}}
- {name: secret, expect: escalate, given: {signals: {security: error}}}
- {name: crashed, expect: human-review, tier: T5, given: {signals: {semantic: inconclusive}}}
- {name: workflow, expect: human-review, given: {files: [.github/workflows/ci.yml]}}
"""


def run_table(tmp_path: Path, cases: str, *policy: str) -> int:
    (tmp_path / "cases.yml").write_text(cases)
    return invoke(["policy", "test", *(policy or ("default",)), str(tmp_path / "cases.yml")])


def test_a_table_that_is_valid(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_table(tmp_path, CASES) == 0
    assert capsys.readouterr().out == "7 cases, 0 failed\n"


def test_a_case_that_fails_shows_the_lines_that_decided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_table(tmp_path, "- {name: secret, expect: declined, given: {signals: {security: error}}}") == 1
    assert capsys.readouterr().out.splitlines() == [
        "failed: secret: verdict is escalate, expected declined",
        "  default#rules.security-error: security has an error",
        "  tier: security: 1 finding, up to error",
        "  tier: no run in a sandbox shows that all changed source ran in passing tests",
        "1 cases, 1 failed",
    ]


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ("[]", "it has no cases; add one"),
        ("- {name: a}", "Object missing required field `expect`"),
        ("- {name: a, expect: merge}", "Invalid enum value 'merge'"),
        (
            "- {name: a, expect: declined, given: {signals: {perf: bad}}}",
            "perf is 'bad'; use one of none, info",
        ),
        ("- [", "it is not valid YAML: "),
    ],
)
def test_a_table_with_a_mistake_is_a_usage_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cases: str, message: str
) -> None:
    assert run_table(tmp_path, cases) == 2
    assert message in capsys.readouterr().err


def test_check_prints_the_digest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["policy", "check", "default", "strict"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("default: valid, 6 rules, default@sha256:")
    assert len(lines) == 2


def test_check_names_the_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "p.yml").write_text("name: p\nversion: 1\ntiers: {T1: auto-merge}\n")
    assert invoke(["policy", "check", str(tmp_path / "p.yml")]) == 2
    assert "p.yml: tiers: T2 has no verdict; give all of T1 to T5" in capsys.readouterr().err


def test_a_table_can_have_a_language_model_that_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "p.yml").write_text(
        "{schema: wardround.policy/1, name: p, version: 1, description: d,"
        " tiers: {T1: auto-merge, T2: human-review, T3: human-review, T4: human-review, T5: human-review},"
        " rules: [{id: model, when: language_model_failed, at-least: escalate, because: no answer}]}"
    )
    cases = """
- {name: worked, expect: auto-merge, given: {run: {}}}
- {name: failed, expect: escalate, given: {language-model-failed: true, run: {}}}
"""
    assert run_table(tmp_path, cases, str(tmp_path / "p.yml")) == 0
    assert capsys.readouterr().out == "2 cases, 0 failed\n"


CHECKED = (
    "name: p\nversion: 1\ntiers: {T1: auto-merge, T2: auto-merge, T3: auto-merge, T4: auto-merge, T5: T5V}\n"
)
BLOCKED = 'rules: [{id: blocked, when: gate == "blocked", because: blocked}]\n'


@pytest.mark.parametrize(
    ("text", "warnings"),
    [
        (
            CHECKED.replace("T5V", "auto-merge"),
            ["T5 gives auto-merge: ", "a blocked gate gives auto-merge in T1, "],
        ),
        (CHECKED.replace("T5V", "auto-merge") + BLOCKED, ["T5 gives auto-merge: "]),
        (CHECKED.replace("T5V", "escalate"), ["a blocked gate gives auto-merge in T1, T2, T3, T4; "]),
        (CHECKED.replace("T5V", "escalate") + BLOCKED, []),
    ],
)
def test_check_warns_of_what_passes_without_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, warnings: list[str]
) -> None:
    (tmp_path / "p.yml").write_text(text)
    assert invoke(["policy", "check", str(tmp_path / "p.yml")]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(warnings)
    assert all(part in line for part, line in zip(warnings, lines, strict=True))


def test_check_rejects_changed_content_under_an_old_version(
    repo: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    text = CHECKED.replace("T5V", "escalate") + BLOCKED
    repo.commit({"ci/p.yml": text})
    file = repo.root / "ci" / "p.yml"
    file.write_text(f"# a comment\n{text}")
    assert invoke(["policy", "check", str(file)]) == 0
    file.write_text(text.replace("T4: auto-merge", "T4: escalate"))
    assert invoke(["policy", "check", str(file)]) == 2
    assert (
        "its content differs from HEAD, where it has version 1, and its version is 1"
        in capsys.readouterr().err
    )
    repo.commit({"ci/p.yml": file.read_text()})
    assert invoke(["policy", "check", str(file)]) == 0
    assert invoke(["policy", "check", "--against", "HEAD~1", str(file)]) == 2
    assert invoke(["policy", "check", "--against", "nowhere", str(file)]) == 2
    file.write_text(file.read_text().replace("version: 1", "version: 2"))
    assert invoke(["policy", "check", "--against", "HEAD~1", str(file)]) == 0
