"""Attacks: a change whose paths, text or settings are commands for a terminal or a CI runner once printed."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wardround.cli.messages import echo_err
from wardround.text.escaping import defuse_commands, json_text, lines_for_log, markdown_code, one_line

if TYPE_CHECKING:
    from tests.conftest import GitRepository

V2, V1 = "::add-mask::found", "##[add-mask]found"
ACTIONS = {"GITHUB_ACTIONS": "true", "CI": "true"}
RAW = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]")
HOSTILE = {
    "newline": f"a\n{V2}\n.py",
    "carriage-return": f"a\r{V2}\r.py",
    "at-the-start": f"{V2}.py",
    "after-a-space": f" {V2}.py",
    "after-a-no-break-space": f"\u00a0{V2}.py",
    "line-separator": f"a\u2028{V2}\u2028.py",
    "next-line": f"a\u0085{V2}\u0085.py",
    "form-feed": f"a\x0c{V2}\x0c.py",
    "after-an-ignorable-mark": f"\ufe0f{V2}.py",
    "colons-apart-by-an-ignorable-mark": f":\u034f{V2[1:]}.py",
    "first-form-anywhere": f"a {V1}.py",
    "first-form-apart-by-an-ignorable-mark": f"a #\ufe0f{V1[1:]}.py",
    "azure": "a ##vso[task.setvariable variable=x]found.py",
    "teamcity": "a ##teamcity[setParameter name='x' value='found'].py",
    "title-of-a-terminal": "a\x1b]0;owned\x07.py",
    "erased-lines": "a\x1b[2J\x1b[1A.py",
    "one-byte-csi": "a\x9b2J.py",
    "backspaces": "a\b\b\b.py",
    "right-to-left": "a\u202eyp.exe.py",
    "isolate": "a\u2066b\u2069.py",
}


def commands_in(printed: str) -> list[str]:
    """The commands a runner finds, which splits lines as .NET does and ignores what has no weight."""
    found = []
    for line in re.split(r"\r\n|\r|\n|\x85|\u2028|\u2029", printed):
        visible = "".join(c for c in line if unicodedata.category(c) not in ("Mn", "Cf", "Cc") or c == "\t")
        at_start = re.match(r"\s*::([a-z-]+)[^:]*?::", visible)
        anywhere = re.search(r"##([a-z]*)\[[^\]]*\]", visible)
        found += [match[0].strip() for match in (at_start, anywhere) if match]
    return found


def assert_silent(*printed: str) -> None:
    for text in printed:
        assert commands_in(text) == []
        assert RAW.findall(text) == []


EACH = pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
QUOTED = pytest.mark.parametrize(
    "hostile",
    [f"x\n{V2}\r{V2}\u2028{V2} {V1}\x1b[2J\u202e", f"\ufe0f{V2}"],
    ids=["on-lines-of-its-own", "at-the-start"],
)


def test_the_model_of_a_runner_finds_commands() -> None:
    found = [name for name, text in HOSTILE.items() if commands_in(text)]
    assert len(found) == 13
    assert commands_in("src::x: std::vector::of #1 ##") == []


class TestText:
    @EACH
    def test_a_message_on_standard_error(
        self, hostile: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("CI", "true")
        echo_err(hostile)
        printed = capsys.readouterr().err
        assert printed.count("\n") == 1
        assert_silent(printed)

    @EACH
    def test_json_keeps_its_meaning(self, hostile: str) -> None:
        encoded = json_text(json.dumps({hostile: hostile}, ensure_ascii=False, indent=1).encode())
        assert json.loads(encoded) == {hostile: hostile}
        assert_silent(encoded)

    def test_markdown_shows_it_and_renders_nothing(self) -> None:
        text = "a|b](https://x.example)![i](j)\n@all #1 <b>`*_~ ##[x] www.x.example"
        shown = markdown_code(text)
        inside = shown.removeprefix("<code>").removesuffix("</code>")
        assert not set("|[]()!@<>`*_~\n:.\\") & set(inside)
        assert re.sub("&#(\\d+);", lambda match: chr(int(match[1])), inside) == one_line(text)

    @pytest.mark.parametrize(
        "text", ["a::b::c", "error: ::x::", "# Title", "## [1.0]", "x[1]", "tests/a.py::test_b", ": a"]
    )
    def test_what_is_not_a_command_is_printed_as_it_is(self, text: str) -> None:
        assert lines_for_log(text, ACTIONS) == text
        assert defuse_commands(text) == text

    def test_a_terminal_is_shown_colons_as_they_are(self) -> None:
        assert lines_for_log(f"{V2} {V1}", {}) == f"{V2} {V1}"

    def test_undecodable_bytes_are_named(self) -> None:
        assert one_line("a\udcff\ud800\U000e0001") == "a\\xff\\ud800\\U000e0001"

    @pytest.mark.parametrize(
        "piece", [":", "#", "##", " ", "\t", "\ufe0f", "a", "##a", "#\ufe0f", ": ", "##aa["]
    )
    def test_long_lines_take_no_longer_than_their_length(self, piece: str) -> None:
        defuse_commands("##[:" + piece * 200_000)


class TestCommands:
    """Every command that prints something of the change, on both streams, in a CI job."""

    @pytest.fixture
    def staged(self, repo: GitRepository) -> GitRepository:
        repo.commit({"README": "x\n"})
        source = f"import os\nx = 'a{chr(27)}[2J'\nimport sys  # {V1}\n"
        repo.stage(dict.fromkeys(HOSTILE.values(), source) | {f"bad{V1}\n{V2}.py": b"x = '\xff'\n"})
        return repo

    def test_a_review_as_text(self, staged: GitRepository) -> None:
        done = staged.wardround("review", "--all", env=ACTIONS)
        assert done.stdout.count("ruff/F401") >= len(HOSTILE)
        assert_silent(done.stdout, done.stderr)

    def test_a_review_in_the_ci_profile(self, staged: GitRepository) -> None:
        staged.commit(message=f"a\n{V2}\n{V1}")
        done = staged.wardround(
            "review", "--base", "HEAD~1", "--profile", "ci", "--only", "python", env=ACTIONS
        )
        assert_silent(done.stdout, done.stderr)

    @pytest.mark.parametrize("form", ["json", "sarif"])
    def test_a_review_as_data(self, staged: GitRepository, form: str) -> None:
        done = staged.wardround("review", "--format", form, env=ACTIONS)
        assert json.loads(done.stdout)
        assert_silent(done.stdout, done.stderr)

    def test_a_review_as_annotations(self, staged: GitRepository) -> None:
        done = staged.wardround("review", "--format", "github", env=ACTIONS)
        names = {line.split(" ")[0] for line in commands_in(done.stdout)}
        assert {item for item in names if not item.startswith("::stop-commands")} <= {
            "::error", "::warning", "::notice", *(n for n in names if re.fullmatch(r"::[0-9a-f]{64}::", n)),
        }  # fmt: skip
        assert not re.search(r"##[a-z]*\[", done.stdout)
        assert RAW.findall(done.stdout) == []

    def test_a_report_in_a_file_that_a_job_prints(self, staged: GitRepository, tmp_path: Path) -> None:
        staged.wardround("review", "--format", f"text={tmp_path / 'report'}", env=ACTIONS)
        assert_silent((tmp_path / "report").read_text("utf-8"))

    def test_the_commands_around_a_review(self, staged: GitRepository) -> None:
        staged.wardround("review")
        for arguments in (
            ["dismiss", "--shown"], ["related", "import os x"], ["related", "--tests", "--staged"],
            ["related", "--staged", "import os x"], ["doctor"], ["review", "--fix"],
        ):  # fmt: skip
            done = staged.wardround(*arguments, env=ACTIONS)
            assert_silent(done.stdout, done.stderr)

    def test_baseline_and_dismissals(self, staged: GitRepository) -> None:
        staged.wardround("review")
        first = staged.wardround("dismiss", "--shown").stdout.split(" ")[0]
        for arguments in (
            ["dismiss", first, "--reason", f"x\r{V2}\r{V1}"], ["dismiss", "--list"],
            ["baseline", "write"], ["baseline", "show"],
        ):  # fmt: skip
            done = staged.wardround(*arguments, env=ACTIONS)
            assert_silent(done.stdout, done.stderr)


SETTINGS: Mapping[str, str] = {
    "an unknown key": '"{0}" = 1',
    "a wrong value": 'fail-level = "{0}"',
    "an unknown rule": '[rules]\n"{0}" = "off"',
    "an unknown specialist": 'skip = ["{0}"]',
    "a missing plugin": 'required-plugins = ["{0}"]',
    "an option": '[python]\n"{0}" = 1',
    "no TOML": "{0}",
}


class TestMessages:
    """A rejected value is quoted in a message; the quotation stays on its line."""

    @QUOTED
    @pytest.mark.parametrize("template", SETTINGS.values(), ids=SETTINGS)
    def test_settings(self, repo: GitRepository, hostile: str, template: str) -> None:
        written = json.dumps(hostile)[1:-1] if '"{0}"' in template else hostile
        repo.stage({".wardround.toml": template.format(written), "a.py": "x = 1\n"})
        done = repo.wardround("review", env=ACTIONS)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert_silent(done.stdout, done.stderr)

    @QUOTED
    @pytest.mark.parametrize(
        "arguments",
        [
            ["review", "--base", "{0}"], ["review", "--repo", "{0}"], ["review", "--diff-file", "{0}"],
            ["review", "--only", "{0}"], ["review", "--format", "{0}"], ["review", "--profile", "{0}"],
            ["review", "--{0}"], ["review", "{0}"], ["{0}"], ["explain", "{0}"],
            ["review", "--config", "{0}"], ["related", "--at", "{0}", "x"], ["dismiss", "{0}"],
            ["dismiss", "--remove", "{0}"],
        ],
        ids=" ".join,
    )  # fmt: skip
    def test_arguments(self, repo: GitRepository, hostile: str, arguments: list[str]) -> None:
        repo.commit({"a.py": "x = 1\n"})
        done = repo.wardround(*(argument.format(hostile) for argument in arguments), env=ACTIONS)
        assert done.returncode == 2
        assert done.stderr.count("\n") <= 3
        assert_silent(done.stdout, done.stderr)

    @QUOTED
    @pytest.mark.parametrize("name", ["PRE_COMMIT_FROM_REF", "PRE_COMMIT_TO_REF"])
    def test_refs_of_a_hook_runner(self, repo: GitRepository, hostile: str, name: str) -> None:
        repo.commit({"a.py": "x = 1\n"})
        refs = {"PRE_COMMIT_FROM_REF": "HEAD", "PRE_COMMIT_TO_REF": "HEAD", name: hostile}
        done = repo.wardround("hook", env={**ACTIONS, **refs})
        assert done.returncode == 2
        assert_silent(done.stdout, done.stderr)
