"""Reports of the claims of a language model: those that were upheld, with the reason, and the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_language_model import CLAIM, ENV, HEAD, configuration, exchanges, findings, review
from tests.conftest import GitRepository
from tests.planes.language_model.loopback import (
    NOTHING,
    Behaviour,
    Received,
    answers,
    by_plane,
    claims,
    endpoint,
    verdicts,
)

pytestmark = pytest.mark.usefixtures("without_slow_tools")

RANGE = ("--profile", "ci", "--base", "HEAD~1")
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
REASON = "The slice ends at 11, not at 10."
THREE = claims(
    CLAIM,
    {"line": 1, "quote": "x = 1", "message": "x is never read."},
    {"line": 9, "quote": "y = 1", "message": "y is never read."},
)
"""An upheld claim, a refuted one, and one with a quote that was not sent."""
VERDICTS = answers(
    json.dumps(
        {
            "claims": [
                {"claim": 1, "verdict": "upheld", "reason": REASON, "quote": "values[:11]"},
                {"claim": 2, "verdict": "refuted", "reason": "Other files read x.", "quote": ""},
            ]
        }
    )
)
BRIEF = """\
  6:12 warn  Eleven values are returned. (contradiction) [language-model/intent]
     6 |     return values[:11]
       |            ^^^^^^^^^^^
    why  A language model reports that this line does not do what the ticket or
         the commit messages state. Compare the line with the description, and \u2026
    second pass: upheld: The slice ends at 11, not at 10.
"""
SHOWN = BRIEF.replace("and \u2026", "and\n         correct whichever of the two is wrong.")
COUNTED = """\
note: language model, intent: 3 claims, 1 upheld, 1 refuted, 1 discarded (quote
  not in the input)
"""
OTHERS = """\
  app.py:9 warn  y is never read. (contradiction) [language-model/intent]
    quote y = 1
    discarded: quote not in the input
  app.py:2 warn  x is never read. (contradiction, an unchanged line)
    [language-model/intent]
    quote x = 1
    second pass: refuted: Other files read x.
"""


@pytest.fixture
def change(repo: GitRepository) -> GitRepository:
    repo.commit({"app.py": "x = 1\n"})
    return repo


def test_the_text_report_shows_the_verdict_under_a_finding(change: GitRepository) -> None:
    with endpoint(by_plane(NOTHING, intent=THREE), second=[VERDICTS]) as server:
        review(change, server)
        plain = change.wardround("review", *RANGE, env=ENV).stdout
        verbose = change.wardround("review", *RANGE, "--verbose", env=ENV).stdout
    for text, shown in ((plain, BRIEF), (verbose, SHOWN)):
        assert shown in text
        assert COUNTED in text
    assert "Other files" not in plain
    assert f"claims of the language model that are no findings\n{OTHERS}\n" in verbose


def test_replay_shows_the_claims_of_the_record(change: GitRepository, tmp_path: Path) -> None:
    record = tmp_path / "r.intoto.jsonl"
    with endpoint(by_plane(NOTHING, intent=THREE), second=[VERDICTS]) as server:
        report = review(change, server, "--record", record)
    done = change.wardround("replay", record, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    upheld = f"[language-model/intent]\n    quote values[:11]\n    second pass: upheld: {REASON}\n"
    assert f"{upheld}{OTHERS}" in done.stdout
    (intent, *_) = report["language_model"]
    assert exchanges(record)["intent"]["dropped"] == intent["dropped"]


def test_the_json_report_has_every_claim(change: GitRepository) -> None:
    with endpoint(by_plane(NOTHING, intent=THREE), second=[VERDICTS]) as server:
        report = review(change, server)
    (found,) = findings(report)
    second = {"verdict": "upheld", "reason": REASON, "quote": "values[:11]"}
    assert found["claim"] == {"quote": "values[:11]", "second_pass": second}
    intent, *others = report["language_model"]
    common = {"severity": "warn", "file": "app.py"}
    assert intent == {
        "plane": "intent",
        "model": "served-model",
        "claims": 3,
        "upheld": 1,
        "discarded": {"quote not in the input": 1, "refuted": 1},
        "dropped": [
            common
            | {
                "line": 9,
                "message": "y is never read. (contradiction)",
                "quote": "y = 1",
                "reason": "quote not in the input",
            },
            common
            | {
                "line": 2,
                "message": "x is never read. (contradiction, an unchanged line)",
                "quote": "x = 1",
                "reason": "refuted",
                "second_pass": {"verdict": "refuted", "reason": "Other files read x."},
            },
        ],
        "problems": [],
    }
    assert [(item["plane"], item["claims"]) for item in others] == [
        (plane, 0) for plane in ("contract", "semantic", "tests", "security", "perf")
    ]


def test_sarif_and_annotations_have_the_verdict(change: GitRepository) -> None:
    with endpoint(by_plane(NOTHING, intent=claims(CLAIM)), second=[VERDICTS]) as server:
        report = review(change, server)
        sarif = json.loads(change.wardround("review", *RANGE, "--format", "sarif", env=ENV).stdout)
        github = change.wardround("review", *RANGE, "--format", "github", env=ENV).stdout
    (result,) = (item for item in sarif["runs"][0]["results"] if item["ruleId"] == "language-model/intent")
    assert result["properties"]["claim"] == findings(report)[0]["claim"]
    assert f"%0Asecond pass: upheld: {REASON}" in github


def test_a_quote_of_a_line_that_the_report_does_not_show_is_printed(change: GitRepository) -> None:
    removed = claims({"line": 6, "quote": "values[:11]", "message": "The limit is gone."})
    with endpoint(by_plane(NOTHING, intent=removed)) as server:
        change.commit({".wardround.toml": configuration(server), "app.py": HEAD})
        change.commit({"app.py": HEAD.replace("    return values[:11]\n", "")}, "Return ten values")
        text = change.wardround("review", *RANGE, env=ENV).stdout
    assert "    quote values[:11]\n    second pass: upheld: The line shows it.\n" in text


def test_a_reason_is_one_line_without_secrets_and_control_characters(
    change: GitRepository, tmp_path: Path
) -> None:
    record = tmp_path / "r.intoto.jsonl"
    reason = f"::error::a\nb \x1b[2J {TOKEN} {ENV['WARDROUND_TEST_KEY']}"
    found = [
        {"claim": n, "verdict": v, "reason": reason, "quote": ""} for n, v in ((1, "upheld"), (2, "refuted"))
    ]
    second = answers(json.dumps({"claims": found}))
    with endpoint(by_plane(NOTHING, intent=THREE), second=[second]) as server:
        report = review(change, server, "--record", record)
        text = change.wardround("review", *RANGE, "--verbose", env=ENV | {"CI": "1"}).stdout
    clean = "::error::a b \\x1b[2J *** ***"
    assert findings(report)[0]["claim"]["second_pass"]["reason"] == clean
    assert f"second pass: upheld: {clean}" in text
    assert f"second pass: refuted: {clean}" in text
    for shown in (text, json.dumps(report), record.read_text()):
        assert TOKEN not in shown
        assert ENV["WARDROUND_TEST_KEY"] not in shown
        assert "\x1b" not in shown


def by_message(**found: str) -> Behaviour:
    """Judge each claim by a word of its message; claims without one are upheld."""

    def send(request: Received, connection: Any) -> None:
        messages = [claim["message"] for claim in request.input["claims"]]
        judged = [next((found[word] for word in found if word in text), "upheld") for text in messages]
        verdicts(*judged)(request, connection)

    return send


SAME = {
    "intent": ("info", "limit returns eleven values; the commit message promises the first ten values."),
    "semantic": (
        "info",
        "The slice returns eleven values, while the docstring and the commit message say ten.",
    ),
    "contract": ("warn", "Callers get eleven values, although the commit message and the docstring say ten."),
    "tests": ("info", "No test checks the length of the result."),
}
KINDS = {"intent": "contradiction", "semantic": "logic", "contract": "unannounced", "tests": "untested"}


def of_planes(**messages: tuple[str, str]) -> dict[str, Behaviour]:
    return {
        plane: claims(CLAIM | {"severity": severity, "message": message, "kind": KINDS[plane]})
        for plane, (severity, message) in messages.items()
    }


def test_a_defect_that_several_planes_report_is_one_finding(change: GitRepository, tmp_path: Path) -> None:
    record = tmp_path / "r.intoto.jsonl"
    with endpoint(by_plane(NOTHING, **of_planes(**SAME))) as server:
        report = review(change, server, "--record", record)
        text = change.wardround("review", *RANGE, env=ENV).stdout
        replayed = change.wardround("replay", record, cwd=tmp_path)
    merged, other = sorted(findings(report), key=lambda one: -len(one["sources"]))
    assert (merged["rule"], merged["severity"], merged["plane"]) == (
        "language-model/contract", "warn", "contract",
    )  # fmt: skip
    assert merged["sources"] == [f"language-model/{plane}" for plane in ("contract", "intent", "semantic")]
    assert other["rule"] == "language-model/tests"
    assert "    also language-model/intent, language-model/semantic\n" in text
    signals = {one["plane"]: one["findings"] for one in report["signals"]}
    for plane in ("contract", "intent", "semantic"):
        assert merged["fingerprint"] in signals[plane]
    assert {
        plane: one["findings"] for plane, one in exchanges(record).items() if one["findings"]
    } == dict.fromkeys(SAME, 1)
    assert replayed.returncode == 0
    assert "also language-model/intent, language-model/semantic" in replayed.stdout


def test_a_refuted_claim_of_one_plane_is_not_a_source_of_the_finding_of_another(
    change: GitRepository,
) -> None:
    second = [by_message(Callers="refuted")]
    with endpoint(by_plane(NOTHING, **of_planes(**SAME)), second=second) as server:
        report = review(change, server)
    merged = max(findings(report), key=lambda one: len(one["sources"]))
    assert merged["sources"] == ["language-model/intent", "language-model/semantic"]
    assert (merged["rule"], merged["severity"]) == ("language-model/semantic", "info")


def test_a_git_hook_shows_the_verdict_where_the_model_is_used_at_commit(change: GitRepository) -> None:
    change.git_hook("pre-commit", "exec wardround hook")
    with endpoint(by_plane(NOTHING, intent=THREE), second=[VERDICTS]) as server:
        change.write(".wardround.toml", configuration(server, profiles=["commit"]))
        change.stage({"app.py": HEAD})
        env = ENV | {"WARDROUND_LANGUAGE_MODEL": "on"}
        done = change.run("git", "commit", "-qm", "Return the first ten values", env=env)
    assert done.returncode == 0, done.stderr
    assert BRIEF in done.stdout + done.stderr
    assert COUNTED in done.stdout + done.stderr
