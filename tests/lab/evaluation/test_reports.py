"""The reports of a measurement."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

from wardround_lab.evaluation.batch import CaseFinding, CaseOutcome, ExpectedPosition, NotReviewed
from wardround_lab.evaluation.reports import MeasuredSet, render
from wardround_lab.evaluation.scoring import score

_NASTY = "<script>alert('x')</script>\"&"


def _measured(*outcomes: CaseOutcome, interrupted: int = 0) -> MeasuredSet:
    return MeasuredSet(
        score(outcomes), f"{_NASTY}.jsonl", {"profile": "commit", "only": ""}, "1.0", 2.0, interrupted
    )


def _outcomes() -> list[CaseOutcome]:
    reported = CaseFinding(
        "a.py", 3, 3, "ruff/B006", ("ruff/B006",), "mutable-default", "python", "warn", _NASTY
    )
    old = CaseFinding(
        "a.py", 30, 30, "ruff/F401", ("ruff/F401",), "unused-import", "python", "info", "m", "existing"
    )
    locations = (ExpectedPosition("a.py", 2, 2, _NASTY), ExpectedPosition("a.py", 30, 30, ""))
    return [
        CaseOutcome("1", "s.jsonl:1", "one", "python", locations, (reported, old), (), 20, seconds=0.5),
        CaseOutcome(
            "2",
            "s.jsonl:2",
            _NASTY,
            "sql",
            (),
            (reported,),
            (NotReviewed("q", "t", _NASTY),),
            30,
            seconds=0.1,
        ),
        CaseOutcome("3", "s.jsonl:3", "one", "sql", unusable=_NASTY),
    ]


def test_the_text_report_has_every_table() -> None:
    text = render("text", _measured(*_outcomes(), interrupted=9))
    rows = {line.split("  ")[0]: line.split() for line in text.split("\n")}
    assert rows["one"] == ["one", "20", "5.00", "5.00", "0.00", "100.0%", "21-100", "0", "-", "-"]
    assert rows["ruff/B006"] == ["ruff/B006", "2", "0", "1", "1", "100.0%", "1", "0"]
    assert rows["(none given)"] == ["(none", "given)", "1", "0.0%", "0.0%", "0.0%", "100.0%", "nothing"]
    assert "interrupted: 3 of 9 cases were reviewed" in text
    assert f"    1  t: {_NASTY}" in text
    assert f"  s.jsonl:3: {_NASTY}" in text


def test_the_json_report_names_its_schema_and_has_the_counts() -> None:
    report = json.loads(render("json", _measured(*_outcomes())))
    assert report["schema"] == "wardround.eval/1"
    total = report["total"]
    assert (total["cases"], total["unusable_cases"], total["added_lines"]) == (3, 1, 50)
    assert total["recall"]["near"] == {"hits": 1, "of": 2, "value": 0.5, "low": 0.0945, "high": 0.9055}
    assert total["recall"]["near_with_held_back"]["hits"] == 2
    assert total["held_back"] == {"existing": 1}
    assert total["false_alarms"]["hits"] == 1
    assert report["unreviewed"] == [{"tool": "t", "reason": _NASTY, "cases": 1}]
    answers = {c["category"]: c["answered_by_defect_class"] for c in report["categories"]}
    assert answers == {"": {}, _NASTY: {"mutable-default": 1}}


class _Page(HTMLParser):
    """Collects the tags of a page and checks that they close."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("meta", "br"):
            assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)


def test_the_page_is_complete_escaped_and_needs_nothing_else() -> None:
    text = render("html", _measured(*_outcomes()))
    page = _Page()
    page.feed(text)
    page.close()
    assert page.open == []
    assert page.links == []
    assert "script" not in page.tags
    assert "https://" not in text
    assert "prefers-color-scheme: dark" in text


def test_the_plots_of_the_page_are_wellformed() -> None:
    text = render("html", _measured(*_outcomes()))
    drawn = text.split("<svg")[1:]
    plots = [ET.fromstring("<svg" + part.partition("</svg>")[0] + "</svg>") for part in drawn]
    assert [plot.get("aria-label") for plot in plots] == [
        "share of expected lines found", "share of expected lines found", "findings by rule",
    ]  # fmt: skip


def test_nothing_measured_is_a_report_too() -> None:
    for form in ("text", "json", "html"):
        assert render(form, _measured())
        assert render(form, _measured(CaseOutcome("1", "s:1", "s", "")))
