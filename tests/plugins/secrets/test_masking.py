"""No output or stored file of wardround contains a secret, in any format."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.plugins.secrets.planted import GITHUB, HEX_KEY, KEY_BODY, PASSWORD, PRIVATE_KEY, SLACK, STRIPE
from wardround.cli import commands
from wardround.findings import Edit, Finding, Plane, Severity, Span, Status, SuggestedFix
from wardround.processors.mask_secrets import SecretMasker
from wardround.reports import formats, secret_lines

if TYPE_CHECKING:
    from tests.conftest import GitRepository

PLANTED = (GITHUB, STRIPE, SLACK, HEX_KEY, PASSWORD, KEY_BODY)
EVERYTHING = 'preview = true\nlint.select = ["ALL"]\n'
FILES = {
    "app.py": (
        f"import os, sys\nimport os\nTOKEN: int = '{GITHUB}'\npassword = '{PASSWORD}'\n"
        f"def login(password='{PASSWORD}', n=[]): return undefined_name['{STRIPE}']\n"
        f"query = \"SELECT '\" + sys.argv[1] + \"' -- {GITHUB}\"\nassert ('{SLACK}', True)\n"
    ),
    "web/app.ts": f"const apiKey = '{HEX_KEY}'; debugger; eval('{GITHUB}')\nif (apiKey == '{STRIPE}') {{}}\n",
    "deploy.sh": f'#!/bin/sh\nexport API_KEY={HEX_KEY}\ncurl -u ci:{STRIPE} $1 "https://a.acme.dev"\n',
    ".env": f"PASSWORD={PASSWORD}\nSLACK={SLACK}\n",
    "Dockerfile": f"FROM debian\nENV API_KEY={HEX_KEY}\nRUN curl -H 'x: {GITHUB}' http://a | sh\n",
    ".github/workflows/ci.yml": (
        f"on: push\njobs:\n  a:\n    runs-on: x\n    env:\n      TOKEN: {GITHUB}\n    steps: []\n"
    ),
    "db/1.sql": f"ALTER TABLE a ADD COLUMN b text NOT NULL DEFAULT '{GITHUB}';\n",
    "server.key": PRIVATE_KEY,
    "ruff.toml": EVERYTHING,
}


def holding(folder: Path) -> list[Path]:
    """The files below a folder that hold a secret."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    return [file for file in files if any(secret.encode() in file.read_bytes() for secret in PLANTED)]


def assert_clean(output: str) -> None:
    for secret in PLANTED:
        assert secret not in output
        assert secret[-8:] not in output


@pytest.mark.parametrize("profile", ["commit", "ci"])
def test_no_output_and_no_file_of_ours_holds_a_secret(
    repo: GitRepository, isolated_folders: Path, profile: str
) -> None:
    repo.stage(FILES)
    for name in formats():
        done = repo.wardround("review", "--profile", profile, "--filter-mode", "nofilter", "--format", name)
        assert "SE001" in done.stdout
        assert_clean(done.stdout + done.stderr)
    assert holding(isolated_folders) == []


def test_one_secret_that_several_tools_know_is_one_finding(repo: GitRepository) -> None:
    repo.stage({"app.py": f"password = '{GITHUB}'\n", "ruff.toml": EVERYTHING})
    (finding,) = [f for f in repo.report()["findings"] if f["defect_class"] == "hardcoded-secret"]
    assert finding["rule"] == "secrets/SE001"
    assert finding["sources"] == ["ruff/S105", "secrets/SE001"]
    assert finding["suggested_fix"] is None


def test_an_old_secret_on_a_line_that_is_shown_is_hidden_too(
    repo: GitRepository, isolated_folders: Path
) -> None:
    repo.commit({"app.py": f"import os\nprint(os.sep, [], '{GITHUB}', undefined_name)\n"})
    repo.stage({"app.py": f"print(os.sep, [], '{GITHUB}', undefined_name)\nx = 1\n"})
    for name in formats():
        done = repo.wardround("review", "--filter-mode", "nofilter", "--format", name)
        assert_clean(done.stdout + done.stderr)
        assert "undefined_name" in html.unescape(done.stdout)
    assert holding(isolated_folders) == []


def test_neither_the_baseline_nor_the_patch_of_a_fix_holds_a_secret(
    repo: GitRepository, isolated_folders: Path
) -> None:
    repo.commit({"a.py": "x = 1\n"})
    repo.stage({"app.py": f"import os\nimport sys\ntoken = '{GITHUB}'\nprint(sys)\n"})
    done = repo.wardround("review", "--staged", "--fix")
    assert_clean(done.stdout + done.stderr)
    assert holding(isolated_folders) == []
    repo.git("commit", "-qm", "x", "--no-verify")
    done = repo.wardround("baseline", "write")
    assert_clean(done.stdout + done.stderr + (repo.root / ".wardround-baseline.json").read_text("utf-8"))
    assert json.loads((repo.root / ".wardround-baseline.json").read_text("utf-8"))["findings"]


@pytest.mark.parametrize(
    "crash", [ValueError(f"cannot read {GITHUB}"), KeyError(PASSWORD), RuntimeError(f"x='{STRIPE}'", HEX_KEY)]
)
def test_a_crash_keeps_quiet_about_what_it_quotes(
    repo: GitRepository,
    isolated_folders: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    crash: Exception,
) -> None:
    def closing_line(*_: object) -> str:
        try:
            raise ValueError(SLACK)
        except ValueError as cause:
            raise crash from cause

    repo.stage({"a.py": "x = 1\n"})
    monkeypatch.chdir(repo.root)
    monkeypatch.setattr("wardround.reports.text.summary_line", closing_line)
    assert commands.invoke(["review"]) == 5
    reported = capsys.readouterr()
    (trace,) = isolated_folders.rglob("crash.txt")
    assert type(crash).__name__ in trace.read_text("utf-8")
    assert_clean(reported.out + reported.err)
    assert holding(isolated_folders) == []


@pytest.mark.parametrize("name", formats())
def test_no_line_is_displayed_where_the_secret_scan_crashes(
    repo: GitRepository, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], name: str
) -> None:
    def crash(*_: object) -> None:
        raise KeyError("surprise")

    repo.stage({"app.py": f"TOKEN = '{GITHUB}'; print('%s %s' % (TOKEN,))\n"})
    monkeypatch.chdir(repo.root)
    monkeypatch.setattr("wardround_secrets.detection.scanner.scan", crash)
    assert commands.invoke(["review", "--format", name]) == 1
    reported = b"".join(capfdbinary.readouterr()).decode()
    assert "ruff/F507" in reported
    assert "a check crashed" in reported
    assert_clean(reported)


def test_the_reason_of_an_unreviewed_file_does_not_contain_the_secret() -> None:
    from wardround_secrets.specialist import SecretsSpecialist

    masking = SecretMasker((), [SecretsSpecialist()], lambda path: None)
    assert (
        masking.text(f"exited with status 2: at '{GITHUB}' in line 3")
        == "exited with status 2: at '***' in line 3"
    )
    assert masking.text("nothing to hide") == "nothing to hide"


@pytest.mark.parametrize(
    "line",
    [
        f'curl -u ci:{PASSWORD} "https://a"',
        f'mysql -p{PASSWORD} --execute="SELECT 1"',
        f'{GITHUB}: "name"',
        f"f({PASSWORD}, 'x')",
        f"PASSWORD={PASSWORD} # it's",
        f"- {PASSWORD} 'x'",
        f'password: {PASSWORD} = "x"',
        f'mysql --password={PASSWORD} --execute="SELECT 1"',
    ],
)
def test_a_bare_secret_before_a_string_is_not_shown(line: str) -> None:
    assert_clean(secret_lines.mask_line(line))


def test_a_fix_that_ends_where_the_line_of_a_secret_begins_is_shown(repo: GitRepository) -> None:
    repo.stage({"app.py": f"import os\nKEY = '{GITHUB}'\n"})
    found = {item["rule"]: item for item in repo.report()["findings"]}
    assert found["ruff/F401"]["suggested_fix"] is not None
    printed = repo.wardround("review").stdout
    assert "     1 | import os" in printed
    assert_clean(printed)


@pytest.mark.parametrize(
    ("replacement", "column", "shown"), [("", 1, True), ("x\n", 4, True), ("", 4, False), ("x", 1, False)]
)
def test_a_fix_that_joins_the_line_of_a_secret_to_another_is_not_shown(
    replacement: str, column: int, shown: bool
) -> None:
    from wardround_secrets.specialist import SecretsSpecialist

    fix = SuggestedFix("join", True, (Edit("a.py", Span(1, column, 2, 1), replacement),))
    finding = Finding(
        "0" * 16, "ruff/F401", "unused-import", Plane.SEMANTIC, "python", Severity.WARN, "a.py",
        Span(1, 1, 1, 3), "unused", "", Status.NEW, suggested_fix=fix,
    )  # fmt: skip
    masking = SecretMasker([finding], [SecretsSpecialist()], lambda path: f"import os\nKEY = '{GITHUB}'\n")
    assert (masking.finding(finding).suggested_fix is not None) is shown
