"""A claim is a finding only if it quotes a sent line; everything else is discarded and counted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.planes.language_model.loopback import claim
from tests.planes.language_model.questions_factory import HEAD, HUNK, settings
from wardround.findings import Plane, Severity, Span
from wardround.planes.language_model.answer import (
    MOST_FINDINGS,
    UnusableAnswer,
    decode_answer,
    verify,
)
from wardround.planes.language_model.hunks import RemovedLine, SentHunk
from wardround.planes.language_model.prompts import load_prompt
from wardround.planes.language_model.verified_claims import Verified
from wardround.text.redaction import redact_secrets


def verified(*claims: Any, plane: Plane = Plane.INTENT, hunk: SentHunk = HUNK, **values: Any) -> Verified:
    answer = decode_answer(json.dumps({"findings": claims}), load_prompt(plane))
    return verify(answer, plane, [hunk], settings(**values), redact_secrets, lambda path: HEAD)


@pytest.mark.parametrize("stated", [-(10**30), 3, 5, 8])
@pytest.mark.parametrize(
    "quote", ["return values[:11]", "5 +     return values[:11]", "\nreturn values[:11]\n\n"]
)
def test_a_quote_counts_wherever_the_model_counts_its_line(stated: int, quote: str) -> None:
    (found,) = verified(claim(line=stated, quote=quote)).findings
    assert found.span == Span(5, 5, 5, 23)


@pytest.mark.parametrize("quote", ["x = 1  # one", "x\t= 1   # one", "`x = 1 # one`", "x\u00a0= 1 # one"])
def test_the_number_of_spaces_in_a_quote_does_not_matter(quote: str) -> None:
    hunk = SentHunk("app.py", "app.py", ("5 + x   =\t1  # one",), {5: "x   =\t1  # one"})
    (found,) = verified(claim(line=5, quote=quote), hunk=hunk).findings
    assert found.span.line == 5


def test_of_equal_lines_the_nearest_changed_one_is_quoted() -> None:
    lines = ("1   return None", "2 + return None", "9 + return None")
    hunk = SentHunk("app.py", "app.py", lines, {2: "return None", 9: "return None"}, (), {1: "return None"})
    for stated, line in ((1, 2), (2, 2), (7, 9)):
        assert verified(claim(line=stated, quote="return None"), hunk=hunk).findings[0].span.line == line


def test_a_short_line_is_quoted_by_its_complete_text_and_its_number() -> None:
    hunk = SentHunk("app.py", "app.py", (), {4: '    """', 5: "", 6: '    """'})
    (found,) = verified(claim(line=6, quote='"""'), hunk=hunk).findings
    assert found.span.line == 6
    for line, quote in ((5, '"""'), (6, '""'), (5, ""), (7, '"""')):
        assert verified(claim(line=line, quote=quote), hunk=hunk).discarded == {"no quote": 1}


def test_a_quote_of_an_unchanged_line_is_a_finding_at_the_nearest_changed_one() -> None:
    hunk = SentHunk("app.py", "app.py", (), {5: "    return values[:11]"}, (), {1: "import os"})
    (found,) = verified(claim(line=1, quote="import os"), hunk=hunk).findings
    assert (found.span.line, found.message) == (
        5,
        "It does something else. (contradiction, an unchanged line)",
    )


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"line": 5, "quote": "return values[:12]"}, "quote not in the input"),
        ({"line": 5, "quote": "RETURN VALUES[:11]"}, "quote not in the input"),
        ({"line": 1, "quote": "import os"}, "quote not in the input"),
        ({"line": 5, "quote": ""}, "no quote"),
        ({"line": 5, "quote": " re "}, "no quote"),
        ({"file": "other.py", "line": 5, "quote": "return values[:11]"}, "unknown file"),
        ({"file": "/etc/passwd", "line": 5, "quote": "return values[:11]"}, "unknown file"),
        ({"file": "../app.py", "line": 5, "quote": "return values[:11]"}, "unknown file"),
        ({"line": 5, "quote": "return values[:11]", "message": " \n "}, "no message"),
    ],
)
def test_a_claim_without_a_quote_of_the_input_is_discarded(values: dict[str, Any], reason: str) -> None:
    found = verified(claim(**values))
    assert (found.findings, found.claims, found.discarded) == ((), (), {reason: 1})
    assert [item.reason for item in found.dropped] == [reason]


def test_discarded_claims_are_counted_by_reason() -> None:
    bad = [claim(quote="invented text"), claim(quote="another one"), claim(quote="x")]
    found = verified(claim(line=5, quote="values[:11]"), *bad)
    assert len(found.findings) == 1
    assert found.discarded == {"no quote": 1, "quote not in the input": 2}


def test_the_same_claim_twice_is_one_finding_of_the_higher_severity() -> None:
    good = claim(line=5, quote="values[:11]", severity="info")
    found = verified(good, good | {"severity": "warn"}, good | {"message": "Something else."})
    assert [finding.severity for finding in found.findings] == [Severity.WARN, Severity.INFO]
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


REMOVED = SentHunk(
    "app.py", "app.py", ("2 - if not allowed(user):", "3 -     return"), {},
    (RemovedLine(2, 4, "if not allowed(user):"), RemovedLine(3, 4, "    return")),
)  # fmt: skip


@pytest.mark.parametrize("stated", [1, 2, 4, 6])
def test_a_quote_of_a_removed_line_is_a_finding_at_the_line_after_it(stated: int) -> None:
    found = verified(claim(line=stated, quote="not allowed(user)"), hunk=REMOVED)
    assert [(finding.span, finding.message) for finding in found.findings] == [
        (Span(4, 1, 4, 19), "It does something else. (contradiction, a removed line)")
    ]


GOOD = claim(line=5, quote="values[:11]")
TEXT = json.dumps({"findings": [GOOD]})
SURROUNDED = {
    "a fence": f"```json\n{TEXT}\n```",
    "reasoning": f'<think>{{"findings": []}} would hide it: {{x}} </think>\n\n{TEXT}',
    "reasoning without its first tag": f"Line 5 returns values[:11].\n</think>{TEXT}",
    "sentences": f"Here is [the] {{result}}:\n{TEXT}\nThat is all {{}}.",
    "a second document": f'{{"findings": []}}\n{TEXT}',
    "a document before it": f'{TEXT}\n{{"findings": []}}',
    "a further key": json.dumps(
        {"summary": "One.", "findings": [GOOD | {"end_line": 6}], "verdict": "approve"}
    ),
    "a list": json.dumps([GOOD]),
    "a number in quotes": json.dumps({"findings": [GOOD | {"line": "5"}]}),
    "a closing tag in a quotation after it": f'Claims: {TEXT} A comment has </think>{{"findings": []}}.',
    "brackets of reasoning without its first tag": f"{'values[:11] ' * 150}</think>{TEXT}",
    "a second list of claims": f'{TEXT[:-1]}, "findings": []}}',
    "a closing tag in a message": json.dumps({"findings": [GOOD | {"message": '</think>{"findings": []}'}]}),
}


@pytest.mark.parametrize("name", SURROUNDED)
def test_a_claim_is_read_whatever_surrounds_it(name: str) -> None:
    answer = decode_answer(SURROUNDED[name], load_prompt(Plane.INTENT))
    assert [item.quote for item in answer.claims] == ["values[:11]"]


def test_a_claim_of_another_form_costs_no_other_claim() -> None:
    bad = [{"quote": "values"}, "text", GOOD | {"line": "five"}, GOOD | {"kind": "x"}]
    found = verified(GOOD, *bad)
    assert len(found.findings) == 1
    assert found.discarded == {"not in the form of the schema": 3, "unknown kind": 1}


def test_a_key_with_two_values_that_differ_has_none() -> None:
    twice = json.dumps(GOOD)[:-1] + ', "quote": "another line"}'
    same = json.dumps(GOOD)[:-1] + f', "quote": {json.dumps(GOOD["quote"])}}}'
    text = f'{{"findings": [{twice}, {same}]}}'
    answer = decode_answer(text, load_prompt(Plane.INTENT))
    assert ([item.quote for item in answer.claims], answer.discarded) == (
        ["values[:11]"],
        {"not in the form of the schema": 1},
    )


HOSTILE_VALUES = {
    "not a number": {"line": float("nan")},
    "an endless number": {"line": float("inf")},
    "a list of lines": {"line": [5]},
    "no line": {"line": None},
    "half of a character in the quote": {"quote": "values\ud800[:11]"},
    "half of a character in the file": {"file": "app\ud800.py"},
    "half of a character in the kind": {"kind": "logic\ud800"},
    "a space of no width": {"quote": "return\u200b values[:11]"},
    "a letter of another alphabet": {"quote": "return v\u0430lues[:11]"},
    "a quote of 10,000 characters": {"quote": "values[:11]" + "x" * 10_000},
    "a file of 10,000 characters": {"file": "app.py" * 2_000},
    "a value in many lists": {"message": json.loads("[" * 500 + "]" * 500)},
}


@pytest.mark.parametrize("name", HOSTILE_VALUES)
def test_a_hostile_claim_costs_no_other_claim(name: str) -> None:
    found = verified(GOOD | HOSTILE_VALUES[name], GOOD)
    assert [item.quote for item in found.claims] == ["values[:11]"]
    assert sum(found.discarded.values()) == 1


def test_a_message_of_10_000_characters_is_shortened() -> None:
    (found,) = verified(GOOD | {"message": "All of it is wrong. " * 500}).findings
    assert len(found.message) <= 320


@pytest.mark.parametrize(("word", "severity"), [("Warning", "warn"), ("critical", "error"), ("LOW", "info")])
def test_a_severity_of_another_scale_is_read(word: str, severity: str) -> None:
    text = json.dumps({"findings": [GOOD | {"severity": word}]})
    assert decode_answer(text, load_prompt(Plane.INTENT)).claims[0].severity == severity


def test_of_too_many_claims_the_most_severe_are_retained_and_the_others_counted() -> None:
    notes = [GOOD | {"severity": "info", "message": f"Note {number}."} for number in range(25)]
    found = verified(*notes, GOOD)
    assert len(found.findings) == MOST_FINDINGS
    assert max(finding.severity for finding in found.findings if finding.severity) is Severity.WARN
    assert found.discarded == {"more than 20": 6}


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        "{" + '"a":[1],' * 100_000 + '"a":[]}',
        '{"a":' * 100_000,
        "{" * 500_000,
        '{"a' * 100_000,
    ],
)
def test_a_hostile_text_is_not_a_answer(text: str) -> None:
    with pytest.raises(UnusableAnswer):
        decode_answer(text, load_prompt(Plane.INTENT))


def test_the_limit_is_that_of_the_schema() -> None:
    prompt = load_prompt(Plane.INTENT)
    assert prompt.schema["properties"]["findings"]["maxItems"] == MOST_FINDINGS
