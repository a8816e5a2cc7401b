"""The formats for other programs show the same findings, and what was not reviewed, of any text."""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace

from wardround.builtin import FORMATS
from wardround.context.repetition import RepetitionKind
from wardround.findings import Edit, Severity, Span, Status, SuggestedFix, Unreviewed
from wardround.reports.entries import NOT_REVIEWED, entries

if TYPE_CHECKING:
    from tests.conftest import GitRepository
    from tests.reports.conftest import Factory
    from wardround.review_result import ReviewResult

LISTS = ("gitlab", "rdjson", "rdjsonl", "checkstyle", "warnings-ng")
NEW = (*LISTS, "junit")
HOSTILE = (
    "]]><script>alert(1)</script> \x1b[31m\u202e ::error::x ##[error]y ##vso[task.complete] "
    "[a](https://e.example) <!-- --> \x00\x0b\ufffe &amp; \" ' `"
)
PATH = "::error::/<a>&\"'\x1b ]]>\n##[debug]\udcff.py"


def rendered(name: str, review: ReviewResult) -> str:
    text: str = importlib.import_module(f"wardround.reports.{name.replace('-', '_')}").render(review)
    return text


def rows(name: str, review: ReviewResult) -> list[tuple[str, str, int]]:
    """The rule, the file and the line of every entry of a report."""
    text = rendered(name, review)
    if name == "gitlab":
        return [
            (e["check_name"], e["location"]["path"], e["location"]["lines"]["begin"])
            for e in json.loads(text)
        ]
    if name == "warnings-ng":
        return [(e["type"], e["fileName"], e["lineStart"]) for e in json.loads(text)["issues"]]
    if name == "checkstyle":
        return [
            (error.attrib["source"].split(".", 2)[2], file.attrib["name"], int(error.attrib["line"]))
            for file in ET.fromstring(text)
            for error in file
        ]
    lines = (
        [json.loads(line) for line in text.splitlines()]
        if name == "rdjsonl"
        else json.loads(text)["diagnostics"]
    )
    return [
        (d["code"]["value"], d["location"]["path"], d["location"]["range"]["start"]["line"]) for d in lines
    ]


@pytest.mark.parametrize("name", LISTS)
class TestWhichFindings:
    def test_open_findings_by_position_and_no_waived_one(self, make: Factory, name: str) -> None:
        review = make.review(
            make.finding("ruff/A", place=(3, 1, 3, 2), status=Status.CAUSED),
            make.finding("ruff/B", place=(1, 1, 1, 2)),
            make.finding("ruff/C", place=(2, 1, 2, 2), status=Status.SUPPRESSED),
            make.finding("ruff/D", place=(4, 1, 4, 2), status=Status.EXISTING),
        )
        assert rows(name, review) == [("ruff/B", "src/a.py", 1), ("ruff/A", "src/a.py", 3)]

    def test_existing_findings_where_the_filter_mode_shows_them(self, make: Factory, name: str) -> None:
        review = make.review(make.finding(status=Status.EXISTING), filter_mode="nofilter")
        assert rows(name, review) == [("ruff/B006", "src/a.py", 1)]

    def test_a_file_that_was_not_reviewed_does_not_look_clean(self, make: Factory, name: str) -> None:
        gap = Unreviewed("q.sql", "sql", "squawk", "timed out after 10 s")
        assert rows(name, make.review(unreviewed=[gap])) == [(NOT_REVIEWED, "q.sql", 1)]

    def test_notes_about_repetitions_as_in_sarif(self, make: Factory, name: str) -> None:
        review = make.repeating(make.review(make.finding()), RepetitionKind.IDENTICAL)
        assert rows(name, review)[-1] == ("wardround/repetition", "src/a.py", 3)

    def test_nothing(self, make: Factory, name: str) -> None:
        assert rows(name, make.review()) == []


def test_fingerprints_are_unique(make: Factory) -> None:
    gaps = [Unreviewed(path, "sql", tool, reason) for path in "ab" for tool in "xy" for reason in ("r", "s")]
    review = make.review(*make.many(20), unreviewed=gaps)
    assert len({entry.fingerprint for entry in entries(review)}) == 28


def test_long_texts_are_cut(make: Factory) -> None:
    (entry,) = entries(make.review(make.finding(message="m" * 5_000, rationale="r" * 5_000)))
    assert (len(entry.message), len(entry.rationale)) == (1_024, 1_024)


@pytest.mark.parametrize(
    ("message", "rationale", "text"),
    [
        ("It is slow", "Use b.", "It is slow. Use b."),
        ("It is slow.", "Use b.", "It is slow. Use b."),
        ("Slow", "", "Slow"),
    ],
)
def test_a_message_and_its_reason_are_sentences(
    make: Factory, message: str, rationale: str, text: str
) -> None:
    (entry,) = entries(make.review(make.finding(message=message, rationale=rationale)))
    assert entry.text == text


@pytest.mark.parametrize("name", NEW)
class TestHostileTexts:
    @pytest.fixture
    def review(self, make: Factory) -> ReviewResult:
        fix = SuggestedFix(HOSTILE, True, (Edit(PATH, Span(1, 1, 1, 2), HOSTILE),))
        finding = make.finding(
            HOSTILE, PATH, (1, 1, 1, 2), message=HOSTILE, rationale=HOSTILE, severity=Severity.ERROR,
            defect_class=HOSTILE, url="https://e.example/\"><script>", suggested_fix=fix, sources=(HOSTILE,),
        )  # fmt: skip
        gap = Unreviewed(PATH, HOSTILE, HOSTILE, HOSTILE)
        return make.review(finding, texts={PATH: "xyz\n"}, unreviewed=[gap])

    def test_the_report_is_read(self, name: str, review: ReviewResult) -> None:
        text = rendered(name, review)
        if name == "junit":
            assert ET.fromstring(text).attrib["failures"] == "2"
        else:
            assert len(rows(name, review)) == 2
        text.encode()

    def test_no_terminal_and_no_runner_obeys_it(self, name: str, review: ReviewResult) -> None:
        text = rendered(name, review)
        assert text.replace("\n", "").isprintable()
        assert not any(line.lstrip().startswith("::") for line in text.splitlines())
        assert "##[" not in text
        assert "##vso[" not in text

    def test_the_path_is_that_of_the_json_report(self, name: str, review: ReviewResult) -> None:
        (finding,) = json.loads(rendered("json", review))["findings"]
        if name == "junit":
            (failed,) = ET.fromstring(rendered(name, review)).findall(".//testcase[@file]")
            path: Any = failed.attrib["file"]
        else:
            path = rows(name, review)[-1][1]
        expected = (
            finding["file"].replace("\x1b", "\\x1b") if name in ("checkstyle", "junit") else finding["file"]
        )
        assert path == expected

    def test_an_empty_file_and_a_long_line_are_no_problem(self, make: Factory, name: str) -> None:
        long = "é" * 300_000
        places = [(1, column, 1, column + 2) for column in range(1, 400)]
        found = [make.finding(place=place, suggested_fix=make.fix(place=place)) for place in places]
        review = make.review(*found, make.finding(file="empty.py"), texts={"src/a.py": long, "empty.py": ""})
        assert len(rendered(name, review)) < 700_000


def test_a_secret_brings_no_fix_along(make: Factory) -> None:
    masked = make.finding(suggested_fix=make.fix("'hunter2-hunter2'"), masked=True)
    review = make.review(masked, texts={"src/a.py": "token = 'hunter2-hunter2'\n"})
    assert not any("hunter2" in rendered(name, review) for name in NEW)


def test_a_finding_of_an_older_commit_has_neither_columns_nor_a_fix_of_the_head(make: Factory) -> None:
    finding = replace(make.finding(suggested_fix=make.fix()), commit="3" * 40)
    review = make.review(finding, texts={"src/a.py": "another text\n"})
    (diagnostic,) = json.loads(rendered("rdjson", review))["diagnostics"]
    assert diagnostic["location"]["range"] == {"start": {"line": 1}, "end": {"line": 1}}
    assert "suggestions" not in diagnostic
    (issue,) = json.loads(rendered("warnings-ng", review))["issues"]
    assert "columnStart" not in issue


def test_thousands_of_findings_are_all_there(make: Factory) -> None:
    review = make.review(*make.many(6_000))
    starts = {"gitlab": '"check_name"', "checkstyle": "<error ", "warnings-ng": '"fileName"'}
    for name in LISTS:
        assert rendered(name, review).count(starts.get(name, '"message"')) == 6_000


def test_every_format_of_a_real_change_has_the_same_bytes_everywhere(repo: GitRepository) -> None:
    repo.commit()
    repo.stage({"ä.py": "import os\n\n\ndef f(xs=[]):\n    return xs == None\n", "b.py": "def f(\n"})
    outputs = [f"--format={name}" for name in NEW]
    first = repo.wardround("review", *outputs)
    ways: list[tuple[list[str], dict[str, str]]] = [
        (
            ["--jobs", "1"],
            {"PYTHONHASHSEED": "1", "TZ": "Pacific/Auckland", "LC_ALL": "C", "PYTHONUTF8": "0"},
        ),
        (["--jobs", "3"], {"PYTHONHASHSEED": "2", "LC_ALL": "tr_TR.UTF-8", "COLUMNS": "20"}),
    ]
    assert "ruff/F401" in first.stdout, first.stderr
    for options, env in ways:
        assert repo.wardround("review", *outputs, *options, env=env).stdout == first.stdout


def test_the_hook_writes_every_format_to_a_file(repo: GitRepository) -> None:
    repo.commit()
    repo.stage({"a.py": "import os\n"})
    done = repo.wardround("hook", *(f"--format={name}=../out/{name}" for name in FORMATS))
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in (repo.root.parent / "out").iterdir()) == sorted(FORMATS)
    assert all((repo.root.parent / "out" / name).stat().st_size for name in FORMATS)
