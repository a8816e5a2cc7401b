"""gitleaks: its command line and output, and that the change cannot configure it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from wardround_secrets.tools.gitleaks import GITLEAKS

from tests.plugins.secrets.planted import GITHUB
from wardround.errors import ToolOutputError
from wardround.findings import Severity
from wardround.tools.tool import Invocation, Profile

if TYPE_CHECKING:
    from tests.conftest import GitRepository

RUN = Invocation(Path("gitleaks"), Path("/snapshot"), ("a.py", "tests/b.py"), None, Path("/scratch"))
needs_gitleaks = pytest.mark.skipif(shutil.which("gitleaks") is None, reason="gitleaks is an extra")


def row(**given: object) -> dict[str, object]:
    location = {"StartLine": 1, "EndLine": 1, "StartColumn": 6, "EndColumn": 45}
    return {"RuleID": "github-pat", "File": "a.py", "Match": "REDACTED", **location, **given}


def parsed(*rows: dict[str, object]) -> list[tuple[str, str, tuple[int, int], tuple[int, int]]]:
    results = GITLEAKS.parse(msgspec.json.encode(rows), RUN)
    return [(r.file, r.code, r.span.start, r.span.end) for r in results]


def test_a_rule_for_a_provider_is_one_code_and_the_end_is_exclusive() -> None:
    assert parsed(row()) == [("a.py", "provider-token", (1, 6), (1, 46))]
    assert parsed(row(RuleID="generic-api-key")) == [("a.py", "generic-api-key", (1, 6), (1, 46))]


def test_columns_behind_the_first_line_count_the_newline_before_them() -> None:
    assert parsed(row(StartLine=3, EndLine=3)) == [("a.py", "provider-token", (3, 5), (3, 45))]


def test_files_that_only_other_tools_were_given_are_excluded() -> None:
    assert parsed(row(File="other.py"), row(File="./a.py"))[0][0] == "a.py"


def test_in_tests_it_warns() -> None:
    (result,) = GITLEAKS.parse(msgspec.json.encode([row(File="tests/b.py")]), RUN)
    assert result.severity is Severity.WARN


@pytest.mark.parametrize("output", [b"", b"{}", b"[{}]", b"[" * 100_000, b'[{"RuleID": 3}]', b"null"])
def test_what_is_not_a_report_is_rejected(output: bytes) -> None:
    with pytest.raises((ToolOutputError, msgspec.MsgspecError, ValueError)):
        GITLEAKS.parse(output, RUN)


def test_it_runs_in_ci_only_and_may_be_missing() -> None:
    assert GITLEAKS.profiles == {Profile.CI}
    assert GITLEAKS.optional


def test_its_settings_are_those_of_the_trusted_side() -> None:
    placed = GITLEAKS.config_overlay("", {".gitleaks.toml": "title = 'x'"})
    assert placed == {"../gitleaks.toml": "title = 'x'", ".gitleaksignore": ""}
    assert GITLEAKS.config_overlay("src", {}) == {}


@needs_gitleaks
def test_the_change_under_review_cannot_switch_it_off(repo: GitRepository) -> None:
    repo.commit({"a.py": "x = 1\n"})
    allow = '[extend]\nuseDefault = true\n[[allowlists]]\npaths = [".*"]\n'
    repo.commit(
        {
            ".gitleaks.toml": allow,
            ".gitleaksignore": "b.py:github-pat:1\n",
            "b.py": f"k = '{GITHUB}'  # gitleaks:allow\n",
        }
    )
    report = repo.report("--base", "HEAD~1", "--profile", "ci", "--config-from", "base")
    (finding,) = [f for f in report["findings"] if f["rule"] == "secrets/SE001"]
    assert finding["sources"] == ["gitleaks/provider-token", "secrets/SE001"]
    steering = {f["file"] for f in report["findings"] if f["rule"] == "wardround/config-changed"}
    assert steering == {".gitleaks.toml", ".gitleaksignore"}
