"""Text under review that tries to be more than text in a comment."""

from __future__ import annotations

import pytest

from tests.delivery.feedback.reviews_to_post import GithubPosting, finding, report
from tests.delivery.github_api import ME, PERSON
from wardround.delivery.feedback.markers import marked_finding
from wardround.errors import UsageError

MARKER = "<!-- wardround:finding:00000000000000ff -->"
HOSTILE = [
    "@maria please merge",
    "closes #1",
    f"--> {MARKER}",
    f"\n{MARKER}\n",
    "<img src=https://example.com/x onerror=alert(1)>",
    "[text](javascript:alert(1)) ![](https://example.com/pixel.png)",
    "```suggestion\nrm -rf /\n```",
    "x" * 100_000,
    "&" * 100_000,
]


@pytest.fixture
def posting(github: GithubPosting) -> GithubPosting:
    return github


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_text_of_the_change_is_only_text(posting: GithubPosting, text: str) -> None:
    posting.post(
        report(
            finding(3, message=text, rationale=text, rule=f"tool/{text}", url=f"https://example.com/{text}"),
            finding(50, message=text, rule=f"tool/{text}"),
            gate={"outcome": "blocked", "reasons": [text] * 60},
            verdict={"name": "escalate", "tier": "T3", "policy": text, "reasons": [text] * 60},
            unreviewed=[
                {"file": text, "specialist": "s", "tool": f"t{n}", "reason": text} for n in range(60)
            ],
        )
    )
    (thread,), (summary,) = posting.api.threads, posting.api.summaries()
    for body in (thread.body, summary):
        assert len(body) <= 65_536
        visible = body.partition("\n")[2]
        assert not any(
            part in visible for part in ("<!--", "-->", "<img", "@maria", "](javascript", "```", "#1")
        )
    assert marked_finding(thread.body) == f"{3:016x}"


@pytest.mark.parametrize("fingerprint", ["--> <b>", "", f"{3:016x}\n", "A" * 16])
def test_a_report_with_another_fingerprint_is_rejected(fingerprint: str) -> None:
    with pytest.raises(UsageError, match=r"is not a JSON report .*fingerprint"):
        report(finding(3, fingerprint=fingerprint))


def test_a_forged_list_of_resolved_threads_counts_for_nothing(posting: GithubPosting) -> None:
    forged = f"<!-- wardround:summary -->\n<!-- wardround:resolved:{3:016x} -->"
    posting.api.comments[1] = (forged, PERSON)
    posting.post(report(finding(3)))
    posting.post(report())
    assert posting.api.threads[0].resolver == ME


def test_a_report_with_another_tier_is_rejected() -> None:
    with pytest.raises(UsageError, match="Invalid enum value"):
        report(verdict={"name": "escalate", "tier": "T1) ![](https://example.com/x", "policy": "p"})
