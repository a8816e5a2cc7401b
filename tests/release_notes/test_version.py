"""The suggested version: which part is raised, by which statement, and where nothing is suggested."""

from __future__ import annotations

import pytest

from wardround.context.surface.model import SurfaceKind
from wardround.context.surface.sides import TextSide
from wardround.release_notes.model import BreakingForm, NoteKind, Statement, VersionPart
from wardround.release_notes.version import is_calendar_version, manifest_version, suggested_version


def stated(*kinds: NoteKind) -> list[Statement]:
    return [Statement(kind, f"State a {kind}", ("a" * 40,)) for kind in kinds]


@pytest.mark.parametrize(
    ("current", "kind", "suggested", "part"),
    [
        ("1.2.3", NoteKind.BREAKING, "2.0.0", VersionPart.MAJOR),
        ("1.2.3", NoteKind.FEATURE, "1.3.0", VersionPart.MINOR),
        ("1.2.3", NoteKind.FIX, "1.2.4", VersionPart.PATCH),
        ("0.4.1", NoteKind.BREAKING, "0.5.0", VersionPart.MINOR),
        ("0.4.1", NoteKind.FIX, "0.4.2", VersionPart.PATCH),
        ("8.2", NoteKind.FEATURE, "8.3", VersionPart.MINOR),
        ("8.2", NoteKind.FIX, "8.2.1", VersionPart.PATCH),
        ("2.0.0rc1", NoteKind.BREAKING, "2.0.0", VersionPart.MAJOR),
        ("2.1.0rc1", NoteKind.BREAKING, "3.0.0", VersionPart.MAJOR),
        ("1.0.0-alpha.1", NoteKind.FEATURE, "1.0.0", VersionPart.MINOR),
        ("1.2.3.post1", NoteKind.FIX, "1.2.4", VersionPart.PATCH),
        ("10.8.0", NoteKind.BREAKING, "11.0.0", VersionPart.MAJOR),
    ],
)
def test_the_statement_that_raises_the_most_decides(
    current: str, kind: NoteKind, suggested: str, part: VersionPart
) -> None:
    found = suggested_version(current, stated(NoteKind.DOCUMENTATION, kind), 2025)
    assert (found.current, found.suggested, found.part) == (current, suggested, part)


def test_the_reason_is_the_statement_that_decides() -> None:
    found = suggested_version("1.2.3", stated(NoteKind.FIX, NoteKind.BREAKING), 2025)
    assert found.reason == "major: State a breaking"


def _python_range(old: str, new: str) -> Statement:
    form = BreakingForm(SurfaceKind.DEPENDENCIES, "requires-python", old, new, "", "pyproject.toml", 1)
    return Statement(NoteKind.BREAKING, "Require Python", ("a" * 40,), breaking=form)


def test_the_end_of_support_for_a_python_alone_raises_the_minor_version() -> None:
    found = suggested_version("1.2.3", [*stated(NoteKind.FIX), _python_range(">=3.9", ">=3.10")], 2025)
    assert found.suggested == "1.3.0"
    assert found.reason.startswith("minor: Require Python, which installers respect")


def test_with_another_breaking_change_that_one_decides() -> None:
    statements = [_python_range(">=3.9", ">=3.10"), *stated(NoteKind.BREAKING)]
    found = suggested_version("1.2.3", statements, 2025)
    assert (found.suggested, found.reason) == ("2.0.0", "major: State a breaking")


def test_a_lower_highest_python_is_a_major_change() -> None:
    assert suggested_version("1.2.3", [_python_range(">=3.9", ">=3.9,<3.13")], 2025).suggested == "2.0.0"


def test_the_reason_names_the_rule_below_1_0() -> None:
    assert (
        suggested_version("0.4.1", stated(NoteKind.BREAKING), 2025).reason
        == "minor below 1.0: State a breaking"
    )


@pytest.mark.parametrize("current", ["2024.1", "24.2.0", "25.1.0", "20240131"])
def test_after_a_calendar_version_nothing_is_suggested(current: str) -> None:
    found = suggested_version(current, stated(NoteKind.BREAKING), 2025)
    assert (found.suggested, found.part) == ("", VersionPart.NONE)
    assert "calendar version" in found.reason


def test_a_large_major_version_of_another_year_is_no_calendar_version() -> None:
    assert not is_calendar_version("20.4.0", 2025)


def test_without_a_current_version_nothing_is_suggested() -> None:
    found = suggested_version("", stated(NoteKind.FEATURE), 2025)
    assert (found.suggested, found.part) == ("", VersionPart.MINOR)
    assert found.reason == "no tag and no manifest of the base states a version"


def test_a_version_of_four_numbers_is_not_raised() -> None:
    assert suggested_version("1.2.3.4", stated(NoteKind.FIX), 2025).suggested == ""


def test_documentation_alone_raises_nothing() -> None:
    found = suggested_version("1.2.3", stated(NoteKind.DOCUMENTATION), 2025)
    assert (found.suggested, found.part) == ("1.2.3", VersionPart.NONE)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("package.json", '{"version": "1.4.0"}'),
        ("pyproject.toml", '[project]\nversion = "1.4.0"\n'),
        ("pyproject.toml", '[tool.poetry]\nversion = "1.4.0"\n'),
        ("setup.cfg", "[metadata]\nversion = 1.4.0\n"),
    ],
)
def test_a_manifest_states_the_version(name: str, text: str) -> None:
    assert manifest_version(TextSide({name: text})) == "1.4.0"


def test_a_manifest_without_a_version_states_none() -> None:
    assert manifest_version(TextSide({"pyproject.toml": '[project]\ndynamic = ["version"]\n'})) == ""
