"""Notes in every format: complete outputs, and text of commits as data."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from wardround.context.surface.model import SurfaceKind
from wardround.release_notes.formats import NAMES, renderer
from wardround.release_notes.formats.context import RenderContext, suggested_heading
from wardround.release_notes.formats.json import schema
from wardround.release_notes.formats.markdown_text import markdown_line
from wardround.release_notes.model import (
    BreakingForm,
    NoteKind,
    NotesCommit,
    ReleaseNotes,
    Statement,
    SuggestedVersion,
    Unattributed,
    VersionPart,
)

PUBLISHED = Path(__file__).parents[2] / "docs" / "release-notes.schema.json"
A, B, C, M = (letter * 40 for letter in "abcd")
FORM = BreakingForm(
    SurfaceKind.PYTHON_API,
    "shop.total",
    "total(cart, rounding)",
    "total(cart)",
    "round yourself",
    "shop.py",
    3,
)
REMOVED = BreakingForm(SurfaceKind.PYTHON_API, "shop.tax", "tax(cart)", "", "use `total`", "shop.py", 9)
NOTES = ReleaseNotes(
    base="v1.0.0",
    base_commit="0" * 40,
    head="HEAD",
    head_commit=M,
    date="2026-03-01",
    version=SuggestedVersion("1.0.0", "2.0.0", VersionPart.MAJOR, "major: Remove `shop.tax`"),
    commits=(
        NotesCommit(A, "Add a limit", "", 1),
        NotesCommit(B, "fix tests", "", 2),
        NotesCommit(C, "Keep rows", "", 3),
        NotesCommit(M, "Limit carts", "", 4, merged=(A, B)),
    ),
    statements=(
        Statement(NoteKind.BREAKING, "Remove the parameter `rounding` of `shop.total`", (C,), breaking=FORM),
        Statement(NoteKind.BREAKING, "Remove `shop.tax`", (C,), breaking=REMOVED),
        Statement(NoteKind.FEATURE, "Limit carts", (A, B, M), "cart", ("#12",)),
        Statement(NoteKind.FIX, "Keep <b>rows</b> of @everyone", (C,)),
        Statement(NoteKind.DEPENDENCIES, "Require `httpx` `>=0.28`", (C,)),
        Statement(NoteKind.DOCUMENTATION, "Describe carts", (C,)),
        Statement(NoteKind.INTERNAL, "Sort imports", (C,)),
    ),
    unattributed=(Unattributed("Add x", "reverted within the range by cccccccccc", (A, C)),),
)


def _rendered(form: str, version: str = "2.0.0", url: str = "") -> str:
    return renderer(form)(NOTES, RenderContext(version, url))


def test_markdown_stands_alone_with_its_evidence() -> None:
    assert _rendered("markdown") == (
        "# 2.0.0\n\n4 commits from v1.0.0 to HEAD, 2026-03-01.\n\n"
        "Suggested version after 1.0.0: 2.0.0 (major: Remove `shop.tax`).\n\n"
        "## Breaking changes\n\n"
        "- Remove the parameter `rounding` of `shop.total` (`cccccccc`)\n"
        "  `total(cart, rounding)` is now `total(cart)`; round yourself\n"
        "- Remove `shop.tax` (`cccccccc`)\n  Use `total`\n\n"
        "## Features\n\n- **cart:** Limit carts (`dddddddd`, #12)\n\n"
        "## Fixes\n\n- Keep &lt;b>rows&lt;/b> of `@everyone` (`cccccccc`)\n\n"
        "## Dependencies\n\n- Require `httpx` `>=0.28` (`cccccccc`)\n\n"
        "## Documentation\n\n- Describe carts (`cccccccc`)\n\n"
        "## Internal\n\n1 internal change: tests, tooling, structure of the code.\n\n"
        "## Not stated above\n\n"
        "- Add x: reverted within the range by cccccccccc (`aaaaaaaa`, `cccccccc`)\n"
    )


def test_a_changelog_has_its_usual_sections_with_breaking_changes_first() -> None:
    assert _rendered("keep-a-changelog") == (
        "## [2.0.0] - 2026-03-01\n\n"
        "### Added\n\n- cart: Limit carts (#12, dddddddd)\n\n"
        "### Changed\n\n"
        "- **Breaking:** Remove the parameter `rounding` of `shop.total` (cccccccc)\n"
        "  `total(cart, rounding)` is now `total(cart)`; round yourself\n"
        "- Require `httpx` `>=0.28` (cccccccc)\n"
        "- Documentation: Describe carts (cccccccc)\n\n"
        "### Removed\n\n- **Breaking:** Remove `shop.tax` (cccccccc)\n  Use `total`\n\n"
        "### Fixed\n\n- Keep &lt;b>rows&lt;/b> of `@everyone` (cccccccc)\n"
    )


def test_a_changelog_without_a_version_is_unreleased() -> None:
    assert _rendered("keep-a-changelog", version="").startswith("## [Unreleased]\n")


def test_a_release_on_github_has_links_only_for_a_known_host() -> None:
    known = _rendered("github", url="https://github.com/ann/shop")
    assert "- **cart:** Limit carts (#12, dddddddd)\n" in known
    assert known.endswith("**Full changelog**: https://github.com/ann/shop/compare/v1.0.0...HEAD\n")
    other = _rendered("github")
    assert "- **cart:** Limit carts (#12, `dddddddd`)\n" in other
    assert "http" not in other.replace("httpx", "")


def test_json_has_everything_and_matches_the_published_schema() -> None:
    assert PUBLISHED.read_text(encoding="utf-8") == schema()
    document = json.loads(_rendered("json"))
    jsonschema.validate(document, json.loads(schema()))
    assert [statement["kind"] for statement in document["statements"]][-1] == "internal"
    assert document["statements"][2]["commits"] == [A, B, M]


@pytest.mark.parametrize("form", NAMES)
def test_no_format_prints_control_characters(form: str) -> None:
    statement = Statement(NoteKind.FIX, "Keep \x1b[31m\u202erows", (A,), "\x07", ("#\x1b",))
    hostile = ReleaseNotes(
        base="v1\x1b", base_commit=A, head="HEAD", head_commit=B, date="2026-03-01",
        version=NOTES.version, commits=(), statements=(statement,),
    )  # fmt: skip
    text = renderer(form)(hostile, RenderContext("2\x1b", "https://github.com/ann/shop"))
    assert text.replace("\n", "").isprintable()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Ping @everyone and @ann/team", "Ping `@everyone` and `@ann/team`"),
        ("``@team`` `@ann`", "\\`\\``@team`\\`\\` `@ann`"),
        ("<script>alert(1)</script> <!-- x", "&lt;script>alert(1)&lt;/script> &lt;!-- x"),
        (
            "[x](javascript:alert(1)) ![i](http://e.org/x)",
            "\\[x\\](javascript:alert(1)) !\\[i\\](http&#58;//e.org/x)",
        ),
        ("see www.example.org", "see www&#46;example.org"),
        ("*a* _b_ snake_case ~c~ $d$", "\\*a\\* \\_b\\_ snake_case \\~c\\~ \\$d\\$"),
        ("1. first", "1\\. first"),
        ("- first", "\\- first"),
        ("> quoted", "\\> quoted"),
        ("&lt; and R&D", "&amp;lt; and R&D"),
        ("mail a@b.example", "mail a@b.example"),
        ("1.2.0", "1.2.0"),
    ],
)
def test_text_of_commits_is_no_markup(text: str, shown: str) -> None:
    assert markdown_line(text) == shown


def test_the_heading_is_the_tag_of_the_head_or_the_suggestion() -> None:
    assert suggested_heading(NOTES) == "2.0.0"
    tagged = ReleaseNotes(
        base="v1", base_commit=A, head="v1.9.0", head_commit=B, date="2026-03-01",
        version=NOTES.version, commits=(), statements=(),
    )  # fmt: skip
    assert suggested_heading(tagged) == "1.9.0"
