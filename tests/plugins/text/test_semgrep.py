"""Invalid rules of semgrep fail a run; errors about a file leave that file unreviewed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from wardround_text.semgrep import SEMGREP, parse_semgrep

from wardround.errors import ToolOutputError
from wardround.findings import Severity
from wardround.tools.tool import Invocation

RUN = Invocation(Path("semgrep"), Path("/snapshot/head"), ("a.py", "b.py"), None, Path("/scratch"))
TIMEOUT = {
    "code": 2, "level": "warn", "type": "Timeout", "path": "b.py",
    "message": "Timeout when running semgrep-0.acme.eval on b.py:\n ",
}  # fmt: skip


def _output(*errors: Any, check_id: str = "semgrep-0.acme.eval", severity: str = "ERROR") -> bytes:
    result = {
        "check_id": check_id, "path": "a.py", "start": {"line": 1, "col": 5}, "end": {"line": 1, "col": 9},
        "extra": {"message": "no  eval", "severity": severity},
    }  # fmt: skip
    document = {"results": [result], "errors": errors, "paths": {"scanned": ["a.py", "b.py"]}}
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("severity", "expected"),
    [("CRITICAL", Severity.ERROR), ("WARNING", Severity.WARN), ("INFO", Severity.INFO), ("EXPERIMENT", None)],
)
def test_a_finding_has_the_severity_of_its_rule(severity: str, expected: Severity | None) -> None:
    (finding,) = parse_semgrep(_output(severity=severity), RUN, ["acme.eval"])
    assert (finding.code, finding.message, finding.severity) == ("acme.eval", "no eval", expected)


@pytest.mark.parametrize(
    ("check_id", "expected"),
    [("semgrep-0.acme.eval", "acme.eval"), ("eval", "eval"), ("semgrep-1.other", "other")],
)
def test_the_longest_id_that_a_rule_has_is_its_code(check_id: str, expected: str) -> None:
    (finding,) = parse_semgrep(_output(check_id=check_id), RUN, ["eval", "acme.eval"])
    assert finding.code == expected


def test_a_file_on_which_a_rule_takes_too_long_is_unreviewed_and_the_other_findings_count() -> None:
    assert len(parse_semgrep(_output(TIMEOUT), RUN, ["acme.eval"])) == 1
    assert SEMGREP.unparsed_files(_output(TIMEOUT), RUN) == {
        "b.py": "Timeout when running semgrep-0.acme.eval on b.py:"
    }


def test_a_rule_that_semgrep_cannot_read_fails_the_run() -> None:
    error = {"message": "Rule parse error in rule acme.eval", "type": "Rule parse error"}
    with pytest.raises(ToolOutputError, match=r"Rule parse error in rule acme\.eval"):
        parse_semgrep(_output(error), RUN, ["acme.eval"])
