"""Many findings take a line each; merge conflicts are named before all else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from wardround.findings import MERGE_CONFLICT, UNMERGED, Severity, Unreviewed
from wardround.reports import terminal, text

if TYPE_CHECKING:
    from tests.conftest import GitRepository
    from tests.reports.conftest import Factory

MORE = "wardround: --verbose shows the lines, the reasons and the fixes"
CONFLICT = "y = 0\n<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> other\n"


def test_ten_findings_are_shown_in_full(make: Factory) -> None:
    findings = [make.finding(place=(n, 1, n, 2)) for n in range(1, 11)]
    report = text.render(make.review(*findings))
    assert report.count(" why  ") == 1
    assert MORE not in report


def test_of_eleven_findings_only_the_messages_are_shown_in_one_order(make: Factory) -> None:
    warned = [make.finding(place=(n, 1, n, 2), message="long words " * 9) for n in range(10, 20)]
    wrong = make.finding(
        "ruff/F821",
        place=(99, 1, 99, 2),
        severity=Severity.ERROR,
        message="Undefined",
        suggested_fix=make.fix(),
    )
    other = make.finding("ruff/F401", "a.py", (1, 1, 1, 2), message="Unused")
    twice = replace(other, rule="pyflakes/F401", sources=("pyflakes/F401",))
    assert text.render(make.review(*warned, wrong, other, twice)).split("\n") == [
        "src/a.py",
        "  99:1 error  Undefined [ruff/F821]",
        "    fix  Replace with `None`",
        "",
        "a.py",
        "  1:1 warn  Unused [pyflakes/F401]",
        "",
        "src/a.py",
        *(
            line
            for n in range(10, 20)
            for line in (
                f"  {n}:1 warn  long words long words long words long words long words long words",
                "    long words long words long words [ruff/B006]",
            )
        ),
        "",
        "wardround: blocked - 1 error, 12 warnings, 2 files, 0.25 s",
        MORE,
        "",
    ]


@pytest.mark.parametrize("width", [40, 100])
def test_messages_are_wrapped_at_the_width_of_the_terminal_and_never_cut(make: Factory, width: int) -> None:
    message = "Undefined name in src/some/folder/of/a/rather/deep/tree/with/long/names.py and more words"
    findings = [make.finding(place=(n, 1, n, 2), message=message) for n in range(1, 12)]
    with terminal.wrap_at_columns(width):
        report = text.render(make.review(*findings))
    assert report.count("src/some/folder/of/a/rather/deep/tree/with/long/names.py") == 11
    lines = [line for line in report.split("\n") if "/tree/" not in line]
    assert max(map(terminal.columns, lines)) <= max(width, len(MORE))
    assert " ".join(report.split()).count(message) == 11


def test_words_of_wide_characters_are_divided(make: Factory) -> None:
    findings = [make.finding(message="\u6f22" * n * 9) for n in range(3)] + make.many(30)
    assert max(map(terminal.columns, text.render(make.review(*findings)).split("\n"))) <= 80


class TestAllFiles:
    def test_the_most_severe_are_shown_and_the_others_counted(self, make: Factory) -> None:
        review = make.review(*make.many(900))
        change = replace(review.change, all_files=True)
        review = replace(review, context=replace(review.context, change=change))
        report = text.render(review)
        assert report.count(" error  ") == 200
        assert "and 700 more of 900 findings: --all shows them" in " ".join(report.split())
        complete = text.render(replace(review, request=replace(review.request, show_all=True)))
        assert complete.count("[ruff/") == 900


def test_verbose_shows_all_in_full(make: Factory) -> None:
    review = make.review(*make.many(12))
    assert (
        text.render(replace(review, verbose=True)).count(" why  ") > text.render(review).count(" why  ") == 0
    )


@pytest.mark.parametrize("command", ["review", "hook"])
def test_a_review_of_many(repo: GitRepository, command: str) -> None:
    repo.stage({"a.py": "".join(f"print(y{n})\n" for n in range(32))})
    short = repo.wardround(command).stdout.split("\n")
    assert len(short) < 15
    assert short[-2] == MORE
    assert repo.wardround(command, "--verbose").stdout.count("     1 | print(y0)") == 1


class TestConflicts:
    def test_they_come_first(self, make: Factory) -> None:
        found = make.finding("secrets/SE015", "b.py", defect_class=MERGE_CONFLICT)
        lost = Unreviewed("a.py", "python", "git", UNMERGED)
        first = text.render(make.review(found, unreviewed=[lost])).split("\n")[0]
        assert first == "merge conflicts in a.py, b.py: resolve them first"

    def test_staged_markers_are_one_finding(self, repo: GitRepository) -> None:
        repo.stage({"a.py": CONFLICT})
        assert repo.wardround("review").stdout.startswith(
            "a merge conflict in a.py: resolve it first\n\na.py\n"
        )
        found = [(f["rule"], f["line"]) for f in repo.report()["findings"]]
        assert found == [("secrets/SE015", 2)]
        assert repo.report()["unreviewed"] == []

    def test_what_else_is_wrong_is_still_reported(self, repo: GitRepository) -> None:
        repo.stage({"a.ts": f"eval(location.hash)\n{CONFLICT}", "b.py": "import os\n"})
        found = [(f["file"], f["rule"]) for f in repo.report()["findings"]]
        assert ("b.py", "ruff/F401") in found

    def test_where_conflicts_are_disabled_syntax_errors_are_reported(self, repo: GitRepository) -> None:
        repo.stage({"a.py": CONFLICT, ".wardround.toml": '[rules]\n"secrets/SE015" = "off"\n'})
        assert "syntax-error" in [f["defect_class"] for f in repo.report()["findings"]]

    def test_an_unmerged_file_is_named_first(self, repo: GitRepository) -> None:
        repo.commit({"a.py": "x = 1\n"})
        repo.git("checkout", "-q", "-b", "other")
        repo.commit({"a.py": "x = 2\n"})
        repo.git("checkout", "-q", "main")
        repo.commit({"a.py": "x = 3\n"})
        assert repo.run("git", "merge", "-q", "other").returncode
        assert repo.wardround("review").stdout.startswith("a merge conflict in a.py: resolve it first\n")
