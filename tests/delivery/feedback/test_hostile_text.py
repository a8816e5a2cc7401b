"""Text under review that tries to be more than text in a comment."""

from __future__ import annotations

import re

import pytest

from tests.delivery.feedback.reviews_to_post import Posting, finding, report
from tests.delivery.github_api import ME, PERSON
from wardround.delivery.feedback.markers import marked_finding
from wardround.errors import UsageError

MARKER = "<!-- wardround:finding:00000000000000ff -->"
MARKER_AT_END = re.compile(r"\n<!-- wardround:line:[0-9a-f]{40}:[0-9]+ -->\Z")
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


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_text_of_the_change_is_only_text(posting: Posting, text: str) -> None:
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
        visible = MARKER_AT_END.sub("", body.partition("\n")[2])
        assert not any(
            part in visible for part in ("<!--", "-->", "<img", "@maria", "](javascript", "```", "#1")
        )
    assert marked_finding(thread.body) == f"{3:016x}"


@pytest.mark.parametrize("fingerprint", ["--> <b>", "", f"{3:016x}\n", "A" * 16])
def test_a_report_with_another_fingerprint_is_rejected(fingerprint: str) -> None:
    with pytest.raises(UsageError, match=r"is not a JSON report .*fingerprint"):
        report(finding(3, fingerprint=fingerprint))


def test_a_forged_list_of_resolved_threads_counts_for_nothing(posting: Posting) -> None:
    forged = f"<!-- wardround:summary -->\n<!-- wardround:resolved:{3:016x} -->"
    posting.api.comments[1] = (forged, PERSON)
    posting.post(report(finding(3)))
    posting.post(report())
    assert posting.api.threads[0].resolver == ME


def test_a_report_with_another_tier_is_rejected() -> None:
    with pytest.raises(UsageError, match="Invalid enum value"):
        report(verdict={"name": "escalate", "tier": "T1) ![](https://example.com/x", "policy": "p"})


@pytest.mark.parametrize("command", ["/merge", "/Approve now", "/x"])
def test_a_suggestion_has_no_line_that_gitlab_carries_out(posting: Posting, command: str) -> None:
    edit = {"file": "src/a.py", "line": 3, "column": 1, "end_line": 3, "end_column": 8}
    replacement = f'x = """\n```\n{command}\n"""'
    fix = {"description": "", "safe": True, "edits": [{**edit, "replacement": replacement}]}
    posting.post(report(finding(3, suggested_fix=fix)))
    assert "suggestion" not in posting.api.threads[0].body


def test_the_address_of_the_run_ends_no_link(posting: Posting) -> None:
    posting.post(report(), run_url="https://ci.example/a)[b](https://evil.example) <img>?x=1&y=%20")
    address = "https://ci.example/a%29%5Bb%5D%28https://evil.example%29%20%3Cimg%3E?x=1&y=%20"
    assert f"More is in [the complete report]({address})." in posting.api.summaries()[0]
