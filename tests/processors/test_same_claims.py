"""Claims of several planes about one defect are one finding; two defects of one line remain two."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec.structs import replace

from tests.processors.factory import FINDING
from wardround.findings import LANGUAGE_MODEL, Finding, Plane, Severity, Span
from wardround.model_claims import ModelClaim, SecondPass
from wardround.processors.deduplicate import merge
from wardround.processors.same_claims import SameClaim

PAIRS: dict[str, list[list[dict[str, Any]]]] = yaml.safe_load(
    (Path(__file__).parent / "claim_pairs.yml").read_text("utf-8")
)


def claim(plane: Plane, line: int, quote: str, message: str, **values: Any) -> Finding:
    rule = f"{LANGUAGE_MODEL}/{plane}"
    return replace(
        FINDING,
        rule=rule,
        defect_class=f"language-model-{plane}",
        plane=plane,
        specialist=LANGUAGE_MODEL,
        sources=(rule,),
        span=Span(line, 1, line, 9),
        message=f"{message} (logic)",
        claim=ModelClaim(quote, SecondPass("upheld", f"{plane} holds")),
        **values,
    )


def merged(pair: list[dict[str, Any]]) -> int:
    first, second = pair
    return len(merge([claim(Plane.INTENT, **first), claim(Plane.SEMANTIC, **second)], SameClaim()))


@pytest.mark.parametrize("pair", PAIRS["same"], ids=lambda pair: pair[0]["quote"])
def test_one_defect_is_one_finding(pair: list[dict[str, Any]]) -> None:
    assert merged(pair) == 1


@pytest.mark.parametrize("kind", ["different", "missed"])
def test_other_claims_stay_apart(kind: str) -> None:
    """Two defects are two findings; of one defect the comparison, which is careful, misses some."""
    assert [pair[0]["quote"] for pair in PAIRS[kind] if merged(pair) != 2] == []


def test_the_finding_is_that_of_the_most_severe_claim_with_all_planes_as_sources() -> None:
    first, second = PAIRS["same"][0]
    claims = [
        claim(Plane.PERF, **first, severity=Severity.INFO),
        claim(Plane.INTENT, **first, severity=Severity.WARN),
        claim(Plane.SEMANTIC, **second, severity=Severity.WARN),
        claim(Plane.CONTRACT, **second, severity=Severity.INFO),
    ]
    (found,) = merge(claims, SameClaim())
    assert (found.rule, found.plane, found.severity) == (
        "language-model/semantic", Plane.SEMANTIC, Severity.WARN,
    )  # fmt: skip
    assert found.message == f"{second['message']} (logic)"
    assert found.claim == ModelClaim(second["quote"], SecondPass("upheld", "semantic holds"))
    assert found.sources == tuple(
        f"language-model/{plane}" for plane in sorted(item.plane for item in claims)
    )
    assert merge(reversed(claims), SameClaim()) == [found]


def test_a_missing_test_is_not_the_defect_that_it_would_find() -> None:
    first, second = PAIRS["same"][0]
    assert len(merge([claim(Plane.SEMANTIC, **first), claim(Plane.TESTS, **second)], SameClaim())) == 2


def test_a_more_severe_claim_of_another_plane_is_preferred() -> None:
    first, second = PAIRS["same"][0]
    claims = [
        claim(Plane.SEMANTIC, **first, severity=Severity.WARN),
        claim(Plane.SECURITY, **second, severity=Severity.ERROR),
    ]
    (found,) = merge(claims, SameClaim())
    assert (found.plane, found.severity) == (Plane.SECURITY, Severity.ERROR)


def test_two_claims_of_one_plane_are_two_findings() -> None:
    first, second = PAIRS["same"][0]
    assert len(merge([claim(Plane.INTENT, **first), claim(Plane.INTENT, **second)], SameClaim())) == 2


@pytest.mark.parametrize("values", [{"file": "b.py"}, {"line": 8}])
def test_claims_of_other_places_are_two_findings(values: dict[str, Any]) -> None:
    first, second = PAIRS["same"][0]
    other = claim(Plane.SEMANTIC, **(second | values))
    assert len(merge([claim(Plane.INTENT, **first), other], SameClaim())) == 2
