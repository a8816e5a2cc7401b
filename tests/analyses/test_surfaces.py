"""The section of the text report about published surfaces."""

from __future__ import annotations

from tests.planes.evidence_factory import document
from wardround.analyses.surfaces import Surfaces
from wardround.context.surface.model import NotCompared, Surface, SurfaceChange, SurfaceKind
from wardround.reports.conclusion_lines import report_lines
from wardround.reports.text import plain


def change(number: int = 1, announced_by: str | None = None, *, is_breaking: bool = True) -> SurfaceChange:
    name = f"shop.send{number}"
    return SurfaceChange(
        SurfaceKind.PYTHON_API, "shop.py", number, name, "is removed", is_breaking, announced_by
    )


def shown(*changes: SurfaceChange, missing: tuple[NotCompared, ...] = ()) -> list[str]:
    lines = Surfaces().lines(Surface(changes, missing), document())
    return [part for line in lines for part in report_lines(line, plain)]


def test_the_announcement_is_named() -> None:
    assert shown(change(1, "CHANGELOG.md"), change(2, "CHANGELOG.md")) == [
        "public surface: 2 breaking changes, announced by CHANGELOG.md",
        "  shop.py:1 shop.send1 is removed",
        "  shop.py:2 shop.send2 is removed",
    ]


def test_unannounced_changes_are_first() -> None:
    assert shown(change(1, "CHANGELOG.md"), change(2)) == [
        "public surface: 2 breaking changes: 1 not announced, 1 announced by CHANGELOG.md",
        "  shop.py:2 shop.send2 is removed",
        "  shop.py:1 shop.send1 is removed",
    ]


def test_many_changes_are_counted() -> None:
    found = shown(*(change(number) for number in range(1, 8)))
    assert found[0] == "public surface: 7 breaking changes, not announced"
    assert found[-1] == "  and 2 more: --format json has them"


def test_changes_that_break_nobody_are_not_shown() -> None:
    assert shown(change(is_breaking=False)) == []


def test_what_was_not_compared_is_named() -> None:
    missing = NotCompared(SurfaceKind.PYTHON_API, "griffe is not installed (pip install 'wardround[ci]')")
    assert shown(missing=(missing,)) == [
        "public surface: python-api not compared: griffe is not installed (pip install",
        "  'wardround[ci]')",
    ]


def test_a_name_under_review_stays_on_its_line() -> None:
    hostile = SurfaceChange(
        SurfaceKind.CONTAINER, "a\nb", 1, "x\x1b[31m\nwardround: pass", "is removed", True
    )
    assert all("\n" not in line and "\x1b" not in line for line in shown(hostile))
