"""The judge lowers warnings that are rarely worth raising and folds unlikely notes; nothing is lost."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.processors.factory import finding, inputs, review
from tests.processors.judge_factory import BAD, GOOD, NOISY, judge
from wardround.config.schema import Config, Layer
from wardround.errors import ConfigError
from wardround.findings import LANGUAGE_MODEL, Finding, Plane, Severity, Status
from wardround.processors.judge.features import FEATURES
from wardround.processors.judge.judge_findings import JudgeFindings
from wardround.processors.judge.model import Judge, default_judge, judge_content, load_judge, parse_judge
from wardround.processors.model import PipelineInputs

TEXTS = {"a.py": "x = 1\ny = 2\n"}


def judged(one: Finding, by: Judge | None = None, **values: object) -> Finding:
    given = inputs(head=TEXTS, judge=lambda: by or judge(), **values)
    return applied(given, one)[0]


def applied(given: PipelineInputs, *findings: Finding) -> tuple[Finding, ...]:
    return JudgeFindings().apply(review(*findings), given).findings


def of(rule: str, **values: object) -> Finding:
    return finding(1, rule=rule, sources=(rule,), **values)


class TestDecisions:
    def test_a_warning_that_is_worth_raising_remains_one(self) -> None:
        found = judged(of(GOOD))
        assert found.severity is Severity.WARN
        assert found.estimate is not None
        assert found.estimate.worth > 0.85
        assert not found.estimate.is_lowered
        assert not found.is_folded

    def test_a_warning_that_is_rarely_worth_raising_becomes_a_note(self) -> None:
        found = judged(of(NOISY))
        assert found.severity is Severity.INFO
        assert found.estimate is not None
        assert found.estimate.is_lowered
        assert not found.is_folded

    def test_a_note_that_is_likely_wrong_is_folded(self) -> None:
        found = judged(of(BAD, severity=Severity.INFO))
        assert found.is_folded
        assert found.likelihood < 0.2

    def test_the_confidence_is_the_probability_that_the_finding_is_not_wrong(self) -> None:
        found = judged(of(BAD))
        assert found.estimate is not None
        assert found.likelihood == pytest.approx(1 - found.estimate.wrong)
        assert found.confidence == 1

    def test_the_derivation_names_the_readings(self) -> None:
        known, unknown = judged(of(BAD)), judged(of("acme/A1"))
        assert known.estimate is not None
        assert known.estimate.derivation == "ruff/B006: 40 read, 0 worth raising, 38 wrong"
        assert unknown.estimate is not None
        assert unknown.estimate.derivation == (
            "acme/A1 was not read; all findings: 120 read, 42 worth raising, 38 wrong"
        )


class TestExceptions:
    def test_a_note_about_security_is_not_folded(self) -> None:
        assert not judged(of(BAD, severity=Severity.INFO, plane=Plane.SECURITY)).is_folded

    def test_a_note_of_a_rule_that_was_not_read_is_not_folded(self) -> None:
        strict = judge()
        limits = replace(strict.file.thresholds, note=1.0)
        by = replace(strict, file=replace(strict.file, thresholds=limits))
        assert not judged(of("acme/A1", severity=Severity.INFO), by).is_folded
        assert judged(of(GOOD, severity=Severity.INFO), by).is_folded

    @pytest.mark.parametrize("rule", ["acme/A1", "ruff/A001"])
    def test_a_warning_of_a_rule_that_was_not_read_stays(self, rule: str) -> None:
        found = judged(of(rule))
        assert found.estimate is not None
        assert found.estimate.worth < judge().file.thresholds.warning
        assert found.severity is Severity.WARN

    def test_a_warning_stays_if_one_of_its_rules_was_not_read(self) -> None:
        found = judged(replace(of(NOISY), sources=(NOISY, "ruff/A001")))
        assert found.severity is Severity.WARN

    def test_the_shipped_judge_leaves_warnings_about_tls_at_their_level(self) -> None:
        found = judged(of("ruff/S501", plane=Plane.SECURITY), default_judge())
        assert found.severity is Severity.WARN

    @pytest.mark.parametrize("severity", [Severity.WARN, Severity.INFO])
    def test_a_secret_stays(self, severity: Severity) -> None:
        found = judged(of(BAD, masked=True, severity=severity))
        assert (found.severity, found.is_folded) == (severity, False)

    @pytest.mark.parametrize("plane", [Plane.SECURITY, Plane.SEMANTIC])
    def test_an_error_stays(self, plane: Plane) -> None:
        found = judged(of(BAD, severity=Severity.ERROR, plane=plane))
        assert (found.severity, found.is_folded) == (Severity.ERROR, False)
        assert found.estimate is not None

    def test_a_rule_whose_severity_the_configuration_sets_stays(self) -> None:
        layer = Layer("", "pyproject.toml", {"rules": {"ruff/B00*": "warn"}})
        found = judged(of(BAD), config=Config(layers=(layer,)))
        assert (found.severity, found.is_folded) == (Severity.WARN, False)

    def test_a_confirmed_finding_stays(self) -> None:
        found = judged(of(NOISY, is_confirmed=True))
        assert (found.severity, found.is_folded) == (Severity.WARN, False)
        assert found.estimate is not None
        assert not judged(of(BAD, severity=Severity.INFO, is_confirmed=True)).is_folded

    def test_an_exempt_rule_stays(self) -> None:
        found = judged(of(BAD), judge(exempt=("ruff/B00[6-9]",)))
        assert (found.severity, found.is_folded) == (Severity.WARN, False)

    @pytest.mark.parametrize(
        ("trusted", "level", "expected"),
        [
            (False, "warn", Severity.WARN),
            (False, "info", Severity.WARN),
            (False, "error", Severity.INFO),
            (True, "warn", Severity.INFO),
        ],
    )
    def test_an_untrusted_change_cannot_lower_what_blocks_it(
        self, trusted: bool, level: str, expected: Severity
    ) -> None:
        assert judged(of(BAD), is_trusted=trusted, fail_level=level).severity is expected

    @pytest.mark.parametrize(
        "values",
        [
            {"status": Status.EXISTING},
            {"status": Status.SUPPRESSED},
            {"specialist": LANGUAGE_MODEL},
            {"rule": "wardround/unused-suppression"},
        ],
    )
    def test_only_findings_of_rules_that_the_change_introduces_are_judged(
        self, values: dict[str, object]
    ) -> None:
        item = replace(of(BAD), **values)
        assert judged(item) == item

    def test_without_a_judge_nothing_changes(self) -> None:
        given = inputs(head=TEXTS, judge=lambda: None)
        assert applied(given, of(BAD)) == (of(BAD),)

    def test_without_findings_no_judge_is_read(self) -> None:
        def read() -> Judge:
            raise AssertionError

        assert applied(inputs(head=TEXTS, judge=read)) == ()


class TestFile:
    def test_the_shipped_judge_is_read(self) -> None:
        known = load_judge("on", lambda path: None)
        assert known is default_judge()
        assert known.file.rates.all.read > 3000
        assert known.file.repositories > 150

    def test_a_team_commits_its_own(self) -> None:
        content = judge_content(judge().file)
        found = load_judge("team/judge.json", {"team/judge.json": content}.get)
        assert found.file == judge().file
        assert found.id.startswith("team/judge.json@sha256:")

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("none", "judge: 'none' is none of on, off and a JSON file of the repository; give one"),
            ("/etc/judge.json", "judge: '/etc/judge.json' is none of on, off"),
            ("../judge.json", "judge: '../judge.json' is none of on, off"),
            ("judge.json", "judge: judge.json does not exist on the trusted side; add it there first"),
        ],
    )
    def test_another_name_is_a_configuration_error(self, name: str, message: str) -> None:
        with pytest.raises(ConfigError) as caught:
            load_judge(name, lambda path: None)
        assert str(caught.value).startswith(message)

    @pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"repositories": 1}', b"\xff", b"null"])
    def test_another_file_is_a_configuration_error(self, content: bytes) -> None:
        with pytest.raises(ConfigError, match=r"judge\.json is not a judge: "):
            parse_judge(content, "judge.json")

    @pytest.mark.parametrize(("known", "broken"), [(b"[40,38,0]", b"[-4,38,0]"), (b":0.4,", b":4.0,")])
    def test_impossible_numbers_are_rejected(self, known: bytes, broken: bytes) -> None:
        content = judge_content(judge().file)
        assert known in content
        with pytest.raises(ConfigError, match="is not a judge"):
            parse_judge(content.replace(known, broken), "judge.json")

    def test_weights_of_another_version_are_rejected(self) -> None:
        content = judge_content(judge().file).replace(FEATURES[0].encode(), b"unknown")
        with pytest.raises(ConfigError, match="is not a judge"):
            parse_judge(content, "judge.json")

    def test_the_same_judge_has_the_same_content(self) -> None:
        shipped = default_judge()
        assert parse_judge(judge_content(shipped.file), "default") == shipped
