"""The text report fits a terminal, obeys no terminal code under review, and prints no secret."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from wardround.builtin import FORMATS
from wardround.cli import commands
from wardround.cli.run import wants_colour
from wardround.findings import Severity, Status, Unreviewed
from wardround.processors.triage import Triage
from wardround.reports import finding_lines, secret_lines, terminal, text

if TYPE_CHECKING:
    from tests.conftest import GitRepository
    from tests.reports.conftest import Factory

SECRET = "hunter2-Tr0ub4dor"
EVERYTHING = 'preview = true\nlint.select = ["ALL"]\nlint.ignore = ["S101"]\n'
CONTROLS = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]"
)


def lines_of(report: str) -> list[str]:
    assert report.endswith("\n")
    return report[:-1].split("\n")


class TestLayout:
    def test_a_complete_report(self, make: Factory) -> None:
        source = "def f(x=[], y=1):\n    return x\n"
        findings = [
            make.finding(sources=("ruff/B006", "semgrep/PY201"), suggested_fix=make.fix()),
            make.finding(
                "ruff/F401",
                place=(2, 5, 2, 11),
                severity=Severity.ERROR,
                status=Status.CAUSED,
                message="Unused " + "word " * 20,
                rationale="",
            ),
        ]
        lost = Unreviewed("q.py", "python", "ruff", "timed out after 10 s")
        review = make.review(*findings, texts={"src/a.py": source}, unreviewed=[lost])
        assert text.render(review) == (
            "src/a.py\n"
            "  2:5 error  Unused word word word word word word word word word word word word\n"
            "    word word word word word word word word [ruff/F401] (caused by this change)\n"
            "     2 |     return x\n"
            "       |     ^^^^^^\n"
            "\n"
            "  1:9 warn  Do not use mutable data structures for argument defaults [ruff/B006]\n"
            "     1 | def f(x=[], y=1):\n"
            "       |         ^^\n"
            "    why  The object is made once. Every call shares it.\n"
            "    also semgrep/PY201\n"
            "    fix  Replace with `None`\n"
            "         - def f(x=[], y=1):\n"
            "         + def f(x=None, y=1):\n"
            "\n"
            "not reviewed\n"
            "  q.py: ruff: timed out after 10 s\n"
            "\n"
            "wardround: blocked - 1 error, 1 warning, 1 file, 0.25 s, 1 not fully reviewed\n"
        )

    def test_why_a_rule_matters_is_reported_once(self, make: Factory) -> None:
        findings = [make.finding(place=(n + 1, 1, n + 1, 2)) for n in range(3)]
        report = text.render(make.review(*findings))
        assert report.count("[ruff/B006]") == 3
        assert report.count("    why  ") == 1

    def test_a_reason_takes_two_lines_unless_all_is_requested(self, make: Factory) -> None:
        review = make.review(make.finding(rationale="a reason of many words " * 20))
        short = text.render(review).partition("    why  ")[2].partition("\n\n")[0].split("\n")
        assert len(short) == 2
        assert short[1].endswith(" …")
        assert "…" not in text.render(replace(review, verbose=True))

    def test_of_one_rule_five_are_shown_and_the_rest_counted(self, make: Factory) -> None:
        findings = [make.finding(place=(n + 1, 1, n + 1, 2)) for n in range(8)]
        review = make.review(*findings)
        ranks = {finding.fingerprint: rank for rank, finding in enumerate(findings)}
        lines = lines_of(text.render(replace(review, triage=Triage(ranks))))
        assert sum("[ruff/B006]" in line for line in lines) == 5
        assert "  and 3 more of ruff/B006 in this file: --all shows them" in lines
        assert text.render(review).count("[ruff/B006]") == 8

    def test_a_tool_is_named_once_and_an_install_line_ends_its_line(self, make: Factory) -> None:
        missing = Unreviewed("q.sql", "sql", "squawk", "squawk is not installed; pip install 'wardround[x]'")
        report = text.render(make.review(unreviewed=[missing]))
        assert "  q.sql: squawk is not installed; pip install 'wardround[x]'\n" in report

    def test_a_line_that_is_cut_is_reported(self, make: Factory) -> None:
        source = "a" * 60 + " = wrong + " + "b" * 60 + "\n"
        finding = make.finding(place=(1, 64, 1, 69))
        shown = lines_of(text.render(make.review(finding, texts={finding.file: source})))
        (line,) = [item for item in shown if "wrong" in item]
        assert re.fullmatch(r" +1 \| …a+ = wrong \+ b+…", line)

    def test_what_is_waived_or_older_is_counted_only(self, make: Factory) -> None:
        findings = [
            make.finding(place=(1, 1, 1, 2), status=Status.SUPPRESSED),
            make.finding(place=(2, 1, 2, 2), status=Status.EXISTING),
            make.finding(place=(3, 1, 3, 2), status=Status.EXISTING),
        ]
        assert text.render(make.review(*findings)) == (
            "wardround: pass - no findings, 1 file, 0.25 s, 2 older not shown, 1 suppressed\n"
        )


class TestWidth:
    def test_no_line_is_wider_than_80_columns_but_of_a_longer_word(self, make: Factory) -> None:
        source = "\t" * 30 + "漢字" * 60 + "e\u0301" * 60 + "x" * 500
        findings = [
            make.finding(
                f"ruff/B{column:03}",
                place=(1, column, 1, column + width),
                message="漢字" * 70 + " " + "y" * 70 + " plain words" * 9,
                rationale="z" * 70 + " and so on" * 20,
                suggested_fix=make.fix("漢" * 100, place=(1, column, 1, column + 1)),
            )
            for column in (1, 20, 31, 100, 151, 270, 500, 770)
            for width in (0, 3, 400)
        ]
        lost = [Unreviewed("f" * 70, "python", "ruff", "r" * 70 + " s" * 50)]
        review = make.review(*findings, texts={"src/a.py": source}, unreviewed=lost)
        report = text.render(replace(review, verbose=True))
        assert max(terminal.columns(line) for line in lines_of(report)) <= 80

    @pytest.mark.parametrize(
        ("line", "place", "shown", "marked"),
        [
            ("x = 漢字 + y", (1, 5, 1, 7), "x = 漢字 + y", (4, 4)),
            ("漢字 = y", (1, 6, 1, 7), "漢字 = y", (7, 1)),
            ("\tx\ty", (1, 4, 1, 5), "    x    y", (9, 1)),
            ("e\u0301 = y", (1, 6, 1, 7), "e\u0301 = y", (4, 1)),
            ("x = y\r", (1, 5, 1, 6), "x = y", (4, 1)),
            ("x = y", (1, 5, 1, 5), "x = y", (4, 1)),
            ("x = (y", (1, 5, 3, 2), "x = (y", (4, 2)),
            ("x", (1, 40, 1, 50), "x", (1, 1)),
        ],
    )
    def test_the_mark_is_below_the_place(
        self, make: Factory, line: str, place: tuple[int, int, int, int], shown: str, marked: tuple[int, int]
    ) -> None:
        lines = lines_of(text.render(make.review(make.finding(place=place), texts={"src/a.py": line})))
        index = next(i for i, line in enumerate(lines) if line.startswith("     1 | "))
        assert lines[index] == f"     1 | {shown}"
        assert lines[index + 1] == f"       | {' ' * marked[0]}{'^' * marked[1]}"

    def test_one_line_of_a_megabyte_is_cut_around_the_place(self, make: Factory) -> None:
        source = "x" * 500_000 + "HERE" + "y" * 500_000
        findings = [
            make.finding(f"ruff/{n}", place=(1, 500_001, 1, 500_005), suggested_fix=None) for n in range(50)
        ]
        review = make.review(*findings, texts={"src/a.py": source})
        lines = lines_of(text.render(replace(review, verbose=True)))
        assert max(map(len, lines)) <= 80
        at = lines.index(next(line for line in lines if "HERE" in line))
        assert lines[at + 1].index("^^^^") == lines[at].index("HERE")
        assert lines[at + 1].count("^") == 4

    def test_thousands_of_findings_are_counted_exactly(self, make: Factory) -> None:
        old = [
            make.finding("ruff/Z", place=(n + 1, 1, n + 1, 2), status=Status.EXISTING) for n in range(1_500)
        ]
        report = text.render(make.review(*make.many(6_000), *old))
        assert lines_of(report)[-2] == (
            "wardround: blocked - 2000 errors, 2000 warnings, 2000 notes, 21 files, 0.25 s, "
            "1500 older not shown"
        )


class TestHostileText:
    def test_nothing_a_terminal_would_obey_comes_through(self, make: Factory) -> None:
        hostile = "\x1b[2J\x1b]0;owned\x07\x9b31m\b\b\b\r\x00\u202egnp.exe\u2066\u2028\ufeff\x7f\udcff"
        finding = make.finding(
            file=f"d/{hostile}.py",
            message=f"said {hostile}",
            suggested_fix=make.fix(hostile, f"d/{hostile}.py"),
        )
        lost = Unreviewed(f"u/{hostile}", "python", "ruff", hostile)
        source = f"def f(x={hostile}):"
        report = text.render(make.review(finding, texts={finding.file: source}, unreviewed=[lost]))
        assert CONTROLS.findall(report) == []
        assert "\\x1b[2J" in report
        report.encode("utf-8")

    def test_only_our_own_colours_are_printed(self, make: Factory) -> None:
        finding = make.finding(message="\x1b[31mred")
        review = make.review(finding, texts={"src/a.py": "\x1b[31m(x=[])"})
        report = text.render(review, text.colour)
        assert set(re.findall(r"\x1b[^m]*m", report)) <= {
            "\x1b[31;1m", "\x1b[33;1m", "\x1b[36;1m", "\x1b[2m", "\x1b[1m", "\x1b[32m", "\x1b[31m", "\x1b[0m",
        }  # fmt: skip
        assert re.sub(r"\x1b\[[0-9;]*m", "", report) == text.render(review)

    def test_the_id_of_a_rule_links_to_its_page_and_to_nothing_else(self, make: Factory) -> None:
        page = "https://docs.astral.sh/ruff/rules/B006"
        report = text.render(make.review(make.finding()), link=finding_lines.link_text)
        assert f"\x1b]8;;{page}\x1b\\[ruff/B006]\x1b]8;;\x1b\\" in report
        for address in ("file:///etc/passwd", "https://x\x1b\\", "javascript:x"):
            report = text.render(make.review(make.finding(url=address)), link=finding_lines.link_text)
            assert "\x1b" not in report

    @pytest.mark.parametrize(
        ("variables", "requested", "on_terminal", "elsewhere"),
        [
            ({}, "auto", True, False), ({"NO_COLOR": "1"}, "auto", False, False),
            ({"TERM": "dumb"}, "auto", False, False), ({"FORCE_COLOR": "1"}, "auto", True, True),
            ({"FORCE_COLOR": "0"}, "auto", False, False),
            ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, "auto", False, False),
            ({"NO_COLOR": "1"}, "always", True, True), ({"FORCE_COLOR": "1"}, "never", False, False),
        ],
    )  # fmt: skip
    def test_colour_is_for_terminals_whose_user_wants_it(
        self,
        monkeypatch: pytest.MonkeyPatch,
        variables: dict[str, str],
        requested: Any,
        on_terminal: bool,
        elsewhere: bool,
    ) -> None:
        for name in ("NO_COLOR", "FORCE_COLOR"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("TERM", "xterm")
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
        assert wants_colour(requested) is on_terminal
        monkeypatch.setattr("sys.stdout.isatty", lambda: False)
        assert wants_colour(requested) is elsewhere

    def test_a_path_that_is_not_a_utf_8_and_one_with_an_escape_are_printed(self, repo: GitRepository) -> None:
        repo.stage({os.fsdecode(b"bad\xff.py"): "import os\n", "e\x1b[31mvil.py": "import os\n"})
        done = repo.wardround("review")
        assert "bad\\xff.py" in done.stdout
        assert "e\\x1b[31mvil.py" in done.stdout
        assert "\x1b" not in done.stdout + done.stderr


class TestSecrets:
    @pytest.mark.parametrize(
        ("line", "path"),
        [
            ('jwt.decode(t, options={"verify_signature": False})', "a.py"),
            ('jwt.decode(t, os.environ["KEY"], verify=False, algorithms=["none"])', "a.py"),
            ("def connect(user, password=None):", "a.py"),
            ("ARG NPM_TOKEN", "Dockerfile"), ("ENV DB_PASSWORD=${DB_PASSWORD}", "Dockerfile"),
            ("  password: ${{ secrets.PASSWORD }}", "a.yml"), ("    POSTGRES_PASSWORD:", "compose.yml"),
        ],
    )  # fmt: skip
    def test_a_line_without_a_value_is_shown(self, make: Factory, line: str, path: str) -> None:
        finding = make.finding(file=path, place=(1, 1, 1, 4), masked=True)
        assert line in text.render(make.review(finding, texts={path: f"{line}\n"}))

    @pytest.mark.parametrize(
        ("line", "path"),
        [
            ("ENV PASSWORD hunter2", "Dockerfile"), ("ARG TOKEN=hunter2", "Dockerfile"), ("hunter2", "a.txt"),
            ("ENV A=${B} C=hunter2", "Dockerfile"), ("ENV A=${B:-hunter2}", "Dockerfile"),
            ("  password: hunter2", "a.yml"), ("x = 1  # hunter2", "a.py"), ('{"a": "hunter2"}', "a.py"),
            ('f("key", "hunter2")', "a.py"), ("hunter2", "a.ts"), ("password: hunter2 ${X}", "a.yml"),
            ('environ["a"] = "hunter2"', "a.py"), ("key = hunter2hunter2hunter2", "a.py"),
        ],
    )  # fmt: skip
    def test_a_line_with_a_value_is_not(self, make: Factory, line: str, path: str) -> None:
        finding = make.finding(file=path, place=(1, 1, 1, 4), masked=True)
        assert "nter2" not in text.render(make.review(finding, texts={path: f"{line}\n"}))

    @pytest.mark.parametrize(
        ("line", "shown"),
        [
            ("password = 'hunter2-hunter2'", "password = 'hu***"),
            ("password = 'short'", "password = '***"),
            ('f(token="a\\"hunter2-hunter2", password=\'x\')', 'f(token="a\\***'),
            ("    password = f'hunter2-hunter2'", "    password = f'hu***"),
            ('password = """hunter2-hunter2', 'password = """hu***'),
            ("hunter2-hunter2", "***"),
            ('    hunter2-hunter2"""', "    ***"),
            ("# password: hunter2-hunter2", "***"),
            ("password = hunter2hunter2  # 'x'", "***"),
        ],
    )
    def test_a_line_is_reduced_to_what_is_before_the_first_string(self, line: str, shown: str) -> None:
        assert secret_lines.mask_line(line) == shown

    def test_a_line_inside_a_string_of_several_lines_is_not_shown(self, make: Factory) -> None:
        source = f'password = """\nPASSWORD={SECRET} = "x"\n"""\n'
        finding = make.finding(place=(2, 1, 2, 3), masked=True)
        report = text.render(make.review(finding, texts={"src/a.py": source}))
        assert "     2 | ***" in report
        assert SECRET not in report

    @pytest.mark.parametrize("column", [1, 60, 200, 390])
    def test_a_long_line_is_masked_before_it_is_cut(self, make: Factory, column: int) -> None:
        source = f"password = '{'x' * 60}{SECRET * 20}'"
        finding = make.finding(place=(1, column, 1, column + 9), masked=True)
        report = text.render(make.review(finding, texts={"src/a.py": source}))
        assert "***" in report
        assert SECRET[:9] not in report

    def test_no_format_and_no_file_of_ours_holds_a_secret(
        self, repo: GitRepository, isolated_folders: Path
    ) -> None:
        source = (
            f"import os\npassword = '{SECRET}'\n"
            f"def connect(**options): ...\n"
            f"def login(token='{SECRET}'): return f'{SECRET}', token\n"
            f"connect(host='h', password='{SECRET}')\n"
            f"api_key: int = '{SECRET}'\n"
            f"secret = dict(password='{SECRET}')\n"
            f"if password == '{SECRET}': pass; x = '{SECRET}'.format()\n"
            f'token = """\n{SECRET}\n   trailing   \n"""\n'
        )
        repo.stage({"a.py": source, "ruff.toml": EVERYTHING})
        formats = [f"--format={name}" for name in FORMATS]
        done = repo.wardround("review", *formats)
        assert "ruff/S105" in done.stdout
        assert SECRET not in done.stdout + done.stderr
        for cached in isolated_folders.rglob("results.sqlite"):
            with closing(sqlite3.connect(cached)) as database:
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        holding = [
            f for f in isolated_folders.rglob("*") if f.is_file() and SECRET.encode() in f.read_bytes()
        ]
        assert holding == []

    def test_a_crash_keeps_no_secret(
        self,
        repo: GitRepository,
        isolated_folders: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        repo.stage({"a.py": f"password = '{SECRET}'\n"})
        monkeypatch.chdir(repo.root)
        monkeypatch.setattr("wardround.reports.text.summary_line", lambda *_: 1 / 0)
        assert commands.invoke(["review"]) == 5
        reported = capsys.readouterr()
        (trace,) = isolated_folders.rglob("crash.txt")
        assert "ZeroDivisionError" in trace.read_text("utf-8")
        assert SECRET not in reported.out + reported.err + trace.read_text("utf-8")
