"""The trend of the HTML report: the earlier reviews of a store, next to the present one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tests.conftest import GitRepository
from wardround.reports import html, renderer
from wardround.review_history import PastReview, ReviewHistory, SeverityCounts

if TYPE_CHECKING:
    import pytest

    from tests.reports.conftest import Factory

PAST = (
    PastReview("2030-01-31T12:00:05Z", "c" * 40, "declined", "T5", SeverityCounts(1, 2, 1)),
    PastReview("2030-02-01T12:00:05Z", "d" * 40, "auto-merge", "T1", SeverityCounts()),
    PastReview("2030-02-02T12:00:05Z", "<b>", "<later-verdict>", "T9", None),
)


def trend_of(make: Factory, history: ReviewHistory | None) -> str:
    """The section of a review with one warning; empty without one."""
    review = replace(make.review(make.finding()), read_history=lambda: history)
    found = re.search(r'<section aria-labelledby="trend">.*?</section>', html.render(review))
    return found[0] if found else ""


def cells(section: str) -> list[list[str]]:
    return [re.findall(r"<td>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", section)][1:]


def test_the_table_has_the_earlier_reviews_and_then_the_present_one(make: Factory) -> None:
    rows = cells(trend_of(make, ReviewHistory(PAST)))
    assert rows[:3] == [
        ["2030-01-31 12:00", "c" * 12, "declined", "T5", "1", "2", "1"],
        ["2030-02-01 12:00", "d" * 12, "auto-merge", "T1", "0", "0", "0"],
        ["2030-02-02 12:00", "&lt;b&gt;", "&lt;later-verdict&gt;", "T9", *["not readable"] * 3],
    ]
    assert rows[3][0] == "this review"
    assert rows[3][4:] == ["0", "1", "0"]


def test_the_chart_has_a_bar_for_each_severity_and_a_dot_for_each_verdict(make: Factory) -> None:
    section = trend_of(make, ReviewHistory(PAST))
    bars = re.findall(r'<rect x="(\d+)" width="8" class="(\w+)" y="([\d.]+)" height="([\d.]+)">', section)
    assert bars == [
        ("102", "error", "74.0", "20.0"),
        ("102", "warn", "34.0", "40.0"),
        ("102", "info", "14.0", "20.0"),
        ("138", "warn", "74.0", "20.0"),
    ]
    assert len(re.findall("<circle", section)) == 3
    assert 'role="img" aria-label="' in section


def test_reviews_without_findings_have_a_chart(make: Factory) -> None:
    history = ReviewHistory(PAST[1:2])
    review = replace(make.review(), read_history=lambda: history)
    assert ">0 findings</text>" in html.render(review)


def test_a_store_without_an_earlier_review_or_with_an_error_is_a_sentence(make: Factory) -> None:
    assert "has no earlier review of this repository" in trend_of(make, ReviewHistory())
    assert "cannot be shown: x &lt;y&gt;<" in trend_of(make, ReviewHistory(problem="x <y>"))
    assert trend_of(make, None) == ""


def test_other_formats_do_not_read_the_store(make: Factory) -> None:
    def refuse() -> ReviewHistory:
        raise AssertionError("read")

    review = replace(make.review(make.finding()), read_history=refuse)
    for name in ("markdown", "json", "sarif", "text", "junit", "warnings-ng"):
        assert renderer(name)(review)


def test_a_recorded_review_shows_its_predecessors_and_a_repetition_the_same_page(repo: GitRepository) -> None:
    repo.commit({"a.py": "A = 1\n", ".gitignore": "*.html\n*.md\n*.sqlite\n"})
    for name, defects in (("1", 1), ("2", 2), ("3", 2)):
        repo.stage({"a.py": "A = 1\n" + "def f(xs=[]): ...\n" * defects})
        formats = (f"--format=html={name}.html", f"--format=markdown={name}.md")
        done = repo.wardround("review", "--only", "python", "--store", "s.sqlite", *formats)
        assert done.returncode == 0, done.stderr
    assert b'id="trend"' not in repo.read("1.html")  # the store was created after it
    assert len(cells(repo.read("2.html").decode().partition('id="trend"')[2])) == 2
    assert repo.read("2.html") == repo.read("3.html")
    pages = [re.sub(rb"[\d.]+ s\n", b"", repo.read(name)) for name in ("2.md", "3.md")]
    assert pages[0] == pages[1]  # but for the seconds of the review in its last line


def test_a_broken_store_of_the_environment_costs_the_trend_alone(
    repo: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARDROUND_RECORD_STORE", "broken.sqlite")
    repo.write(".wardround.toml", 'records = "on"\n')
    repo.write("broken.sqlite", "this is not a database of any kind")
    repo.commit({"a.py": "A = 1\n"})
    repo.stage({"a.py": "A = 2\n"})
    done = repo.wardround("review", "--only", "python", "--format", "html=r.html")
    assert done.returncode == 0, done.stderr
    assert b"cannot be shown: the record store broken.sqlite: file is not a database" in repo.read("r.html")
