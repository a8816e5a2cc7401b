"""Fixes of real tools parse in each language that has a parser, and an edit that breaks a file is found."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from wardround import host
from wardround.host import PluginHost
from wardround.languages import dockerfile_syntax

WORKFLOW = ".github/workflows/ci.yml"


class ToolFix(msgspec.Struct, frozen=True):
    """A file, the command that fixes it in place, and its text after an edit that breaks it."""

    path: str
    text: str
    command: Sequence[str]
    broken: str


FIXES = {
    "python": ToolFix(
        "a.py",
        "def f(a):\n    return a == None\n",
        ["ruff", "check", "--isolated", "--select=E711", "--fix", "--unsafe-fixes", "-q"],
        "def f(a):\n    return (a is None\n",
    ),
    "javascript": ToolFix(
        "a.js",
        "export const a = (b) => '\\d' + b;\n",
        ["oxlint", "--fix", "-D", "no-useless-escape"],
        "export const a = (b) => (b ? 'x' 'y');\n",
    ),
    "typescript": ToolFix(
        "a.ts",
        "export const a = (b: number): string => '\\d' + b;\n",
        ["oxlint", "--fix", "-D", "no-useless-escape"],
        "export const a = (b: number: string => 'x';\n",
    ),
    "workflow": ToolFix(
        WORKFLOW,
        "on: push\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n"
        "      - run: echo ${{ github.event.pull_request.title }}\n",
        ["zizmor", "--offline", "--fix=all", "--no-progress", "--persona=auditor"],
        "on: push\njobs:\n  a: [\n",
    ),
    "postgres": ToolFix(
        "a.sql",
        "select id,name from account where name is not null;\n",
        ["sqlfluff", "fix", "--dialect=postgres", "--rules=LT01,CP01", "--disable-progress-bar"],
        "select id, from account where;\n",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def plugins() -> PluginHost:
    return host.load()


@pytest.mark.parametrize("name", FIXES)
def test_the_fix_of_a_tool_parses_and_a_broken_file_does_not(
    plugins: PluginHost, tmp_path: Path, name: str
) -> None:
    fix = FIXES[name]
    fixed = _fixed(fix, tmp_path)
    assert fixed != fix.text
    assert plugins.unproven(fix.path, fix.text, fixed) is None
    assert plugins.breakage(fix.path, fix.text, fixed) is None
    assert plugins.unproven(fix.path, fix.text, fix.broken)
    assert plugins.breakage(fix.path, fix.text, fix.broken)


@pytest.mark.parametrize("name", FIXES)
def test_a_file_that_did_not_parse_may_be_fixed_and_gets_no_suggestion(
    plugins: PluginHost, name: str
) -> None:
    fix = FIXES[name]
    assert plugins.breakage(fix.path, fix.broken, fix.broken + fix.text) is None
    assert plugins.unproven(fix.path, fix.broken, fix.text)


def _fixed(fix: ToolFix, folder: Path) -> str:
    file = folder / fix.path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(fix.text)
    program, *options = fix.command
    found = Path(sys.executable).with_name(program)
    subprocess.run([str(found), *options, fix.path], cwd=folder, capture_output=True, check=False, timeout=60)
    return file.read_text()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.sh", "echo a\n"),
        ("a.vue", "<script>let a</script><template><p/></template>\n"),
        ("Jenkinsfile", "node { }\n"),
        ("notes.md", "text\n"),
        ("model.sql", "select * from {{ ref('a') }}\n"),
    ],
)
def test_a_language_without_a_parser_gets_no_suggestion(plugins: PluginHost, path: str, text: str) -> None:
    assert plugins.unproven(path, text, text) == "nothing parses files of this kind"
    assert plugins.breakage(path, text, "anything (") is None


@pytest.mark.parametrize(
    ("path", "text", "broken"),
    [
        ("mysql/a.sql", "select `a` from `b` limit 1;\n", "select `a` from `b` limit (;\n"),
        (
            "f.sql",
            "create function f() returns int language plpgsql as $$ begin return 1; end $$;\n",
            "create function f() returns int language plpgsql as $$ begin return 1 $$;\n",
        ),
        ("a.tsx", "export const A = () => <p>a</p>;\n", "export const A = () => <p>a</b>;\n"),
        ("Dockerfile", "FROM a:1\nRUN apt-get install curl\n", "FROM a:1\nRUNapt-get install -y curl\n"),
    ],
)
def test_each_dialect_has_its_parser(plugins: PluginHost, path: str, text: str, broken: str) -> None:
    assert plugins.unproven(path, text, text) is None
    assert plugins.unproven(path, text, broken)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("RUN a\n", "line 1: RUN is before the first FROM"),
        ("ARG a\n", "it has no FROM"),
        ("FROM a:1\nRNU a\n", "line 2: unknown instruction"),
        ("FROM a:1\nWORKDIR\n", "line 2: WORKDIR has no arguments"),
        ("FROM a:1 as\n", "line 1: FROM has other arguments than an image and AS with a name"),
        ("FROM a:1\nENV A=b c\n", "line 2: ENV has an argument without an equals sign"),
        ("FROM a:1\nENV A\n", "line 2: ENV has an argument without an equals sign"),
        ("FROM a:1\nCMD [\"a\", 'b']\n", "line 2: CMD has brackets and is not a JSON list of strings"),
        ("FROM a:1\nRUN <<EOF\na\nEO\n", "line 2: a here-document has no end"),
    ],
)
def test_errors_of_a_dockerfile_are_named(text: str, message: str) -> None:
    assert dockerfile_syntax.syntax_error(text) == message


def test_a_dockerfile_with_every_form_parses() -> None:
    text = (
        "# syntax=docker/dockerfile:1\nARG V=1\nFROM --platform=$BUILDPLATFORM a:$V AS b\nENV A b c\n"
        'LABEL a=b \\\n  # comment\n  c="d e"\nRUN <<-EOF cat\n\ta\n\tEOF\nCOPY <<a <<b /c/\n1\na\n2\nb\n'
        'RUN [ -f a ] && b\nONBUILD RUN a\nCMD ["a"]\nFROM scratch\n'
    )
    assert dockerfile_syntax.syntax_error(text) is None
