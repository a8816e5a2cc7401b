"""A claim is a finding only if it quotes an added line; everything else is discarded and counted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.planes.language_model.loopback import claim
from tests.planes.language_model.questions_factory import HEAD, HUNK, settings
from wardround.findings import Plane, Severity, Span
from wardround.planes.language_model.answer import MOST_FINDINGS, Verified, decode_answer, verify
from wardround.planes.language_model.hunks import SentHunk
from wardround.planes.language_model.prompts import load_prompt
from wardround.text.redaction import redact_secrets


def verified(*claims: dict[str, Any], plane: Plane = Plane.INTENT, **values: Any) -> Verified:
    answer = decode_answer(json.dumps({"findings": claims}), load_prompt(plane))
    return verify(answer, plane, [HUNK], settings(**values), redact_secrets, lambda path: HEAD)


@pytest.mark.parametrize("stated", [3, 4, 5, 6, 7])
def test_a_quote_within_two_lines_of_the_stated_one_counts(stated: int) -> None:
    (found,) = verified(claim(line=stated, quote="return values[:11]")).findings
    assert found.span == Span(5, 5, 5, 23)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"line": 5, "quote": "return values[:12]"}, "quote not in an added line"),
        ({"line": 5, "quote": "RETURN VALUES[:11]"}, "quote not in an added line"),
        ({"line": 8, "quote": "return values[:11]"}, "quote not in an added line"),
        ({"line": -(10**30), "quote": "return values[:11]"}, "quote not in an added line"),
        ({"line": 1, "quote": "import os"}, "quote not in an added line"),
        ({"line": 4, "quote": "def limit(values):\n    return values[:11]"}, "quote not in an added line"),
        ({"line": 5, "quote": ""}, "no quote"),
        ({"line": 5, "quote": " re "}, "no quote"),
        ({"file": "other.py", "line": 5, "quote": "return values[:11]"}, "unknown file"),
        ({"file": "/etc/passwd", "line": 5, "quote": "return values[:11]"}, "unknown file"),
        ({"file": "../app.py", "line": 5, "quote": "return values[:11]"}, "unknown file"),
        ({"line": 5, "quote": "return values[:11]", "message": " \n "}, "no message"),
    ],
)
def test_a_claim_without_a_quote_of_an_added_line_is_discarded(values: dict[str, Any], reason: str) -> None:
    assert verified(claim(**values)) == Verified((), {reason: 1})


def test_discarded_claims_are_counted_by_reason() -> None:
    bad = [claim(quote="invented text"), claim(quote="another one"), claim(quote="x")]
    found = verified(claim(line=5, quote="values[:11]"), *bad)
    assert len(found.findings) == 1
    assert found.discarded == {"no quote": 1, "quote not in an added line": 2}


def test_the_same_claim_twice_is_one_finding_of_the_higher_severity() -> None:
    good = claim(line=5, quote="values[:11]", severity="info")
    found = verified(good, good | {"severity": "warn"}, good | {"message": "Something else."})
    assert [one.severity for one in found.findings] == [Severity.WARN, Severity.INFO]
    assert found.discarded == {"repeated": 1}


@pytest.mark.parametrize("plane", [plane for plane in Plane if plane is not Plane.SECURITY])
def test_a_model_alone_reports_no_error(plane: Plane) -> None:
    kind = sorted(load_prompt(plane).kinds)[0]
    (found,) = verified(
        claim(line=5, quote="values[:11]", severity="error", kind=kind), plane=plane, security_errors=True
    ).findings
    assert found.severity is Severity.WARN


@pytest.mark.parametrize(("configured", "severity"), [(False, Severity.WARN), (True, Severity.ERROR)])
def test_an_error_of_the_security_plane_needs_configuration(configured: bool, severity: Severity) -> None:
    bad = claim(line=5, quote="values[:11]", severity="error", kind="injection")
    (found,) = verified(bad, plane=Plane.SECURITY, security_errors=configured).findings
    assert found.severity is severity


def test_a_message_is_one_bounded_line_without_control_characters() -> None:
    text = "a\nb\r\n::error::c\x1b[31m\u202ed " + "x " * 5000
    (found,) = verified(claim(line=5, quote="values[:11]", message=text)).findings
    assert found.message.startswith("a b ::error::c\\x1b[31m\\u202ed x")
    assert found.message.isprintable()
    assert len(found.message) < 350


def test_a_secret_in_a_message_is_masked() -> None:
    token = "ghp_" + "a1B2" * 9
    (found,) = verified(claim(line=5, quote="values[:11]", message=f"Uses {token}.")).findings
    assert found.message == "Uses ***. (contradiction)"


def test_a_quote_of_a_masked_line_covers_the_line() -> None:
    hunk = SentHunk("app.py", "app.py", ('1 + key = "***"',), {1: 'key = "***"'})
    answer = decode_answer(
        json.dumps({"findings": [claim(line=1, quote='key = "***"')]}), load_prompt(Plane.INTENT)
    )
    found = verify(answer, Plane.INTENT, [hunk], settings(), str, lambda path: 'key = "secret-value"\n')
    assert found.findings[0].span == Span(1, 1, 1, 21)


def test_more_findings_than_the_schema_permits_are_not_usable() -> None:
    prompt = load_prompt(Plane.INTENT)
    assert prompt.schema["properties"]["findings"]["maxItems"] == MOST_FINDINGS
