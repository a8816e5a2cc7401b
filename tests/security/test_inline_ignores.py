"""Ignore comments of tools that a change adds hide no error where the target's configuration counts.

Each attack adds a defect together with the comment that switches its tool off there.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import GitRepository
from wardround import host
from wardround.change.diff import ChangedFile, FileStatus, Hunk
from wardround.context.added_ignores import blank_ignores

COMMENTS = host.load().ignore_comments
ERRORS = '[rules]\n"ty/*" = "error"\n"squawk/*" = "error"\n"shellcheck/*" = "error"\n"zizmor/*" = "error"\n'
ERRORS += '"docker-ci/DC113" = "error"\n"ast-grep/PY104" = "error"\n'
WORKFLOW = """\
on: issues
permissions: {}
jobs:
  greet:
    runs-on: ubuntu-latest
    timeout-minutes: 5
    steps:
      - run: echo "${{ github.event.issue.title }}"%s
"""
UNION = "SELECT a, b FROM t UNION ALL SELECT a FROM s;%s\n"
UNVERIFIED = "def trust(session):\n    session.verify = False%s\n"
TAINTED = """\
import os
from flask import request


def ping():
    os.system("ping -c 1 " + request.args["host"])%s
"""
PROJECT_RULES = """\
rules:
- {id: acme.no-shell, languages: [python], severity: ERROR, message: use subprocess, pattern: os.system(...)}
"""
LOST = "const a = { one: 1, one: 2 };%s\nexport default a;\n"


def _attack(repo: GitRepository, path: str, text: str, *options: str) -> tuple[int, dict[str, Any]]:
    """Review a change that adds a file, judged by the target."""
    repo.commit({".wardround.toml": "preview = true\n" + ERRORS + "[sql]\nsqlfluff = true\n"})
    repo.commit({path: text})
    return _review(repo, *options)


def _review(repo: GitRepository, *options: str) -> tuple[int, dict[str, Any]]:
    done = repo.wardround(
        "review", "--base", "HEAD~1", "--config-from", "base", "--format", "json", *options
    )  # fmt: skip
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def _blocking(report: dict[str, Any]) -> list[str]:
    open_ = [f for f in report["findings"] if f["status"] != "suppressed"]
    return [f["rule"] for f in open_ if f["severity"] == "error"]


@pytest.mark.parametrize(
    ("path", "text", "rule"),
    [
        pytest.param("a.py", "print(missing)  # noqa\n", "ruff/F821", id="ruff-noqa"),
        pytest.param("a.py", "print(missing)  # NoQA : F821\n", "ruff/F821", id="ruff-noqa-code"),
        pytest.param("a.py", "# ruff: noqa\nprint(missing)\n", "ruff/F821", id="ruff-file"),
        pytest.param("a.py", "# flake8: noqa\nprint(missing)\n", "ruff/F821", id="flake8-file"),
        pytest.param(
            "run", "#!/usr/bin/env python3\nprint(missing)  # noqa\n", "ruff/F821", id="ruff-script"
        ),
        pytest.param("a.py", "x = [1]\nx()  # ty: ignore\n", "ty/not-callable", id="ty-ignore"),
        pytest.param("a.py", "x = [1]\nx()  # type: ignore\n", "ty/not-callable", id="type-ignore"),
        pytest.param(
            "a.py",
            UNVERIFIED.replace("    session", "    # ast-grep-ignore\n    session") % "",
            "ast-grep/PY104",
            id="ast-grep",
        ),
        pytest.param(
            "a.js", f"// eslint-disable-next-line\n{LOST % ''}", "oxlint/no-dupe-keys", id="eslint-next-line"
        ),
        pytest.param("a.js", LOST % " // oxlint-disable-line", "oxlint/no-dupe-keys", id="oxlint-line"),
        pytest.param(
            "a.js", f"/*\n eslint-disable\n*/\n{LOST % ''}", "oxlint/no-dupe-keys", id="eslint-block"
        ),
        pytest.param(
            "migrations/1.sql",
            "-- squawk-ignore ban-drop-table\nDROP TABLE orders;\n",
            "squawk/ban-drop-table",
            id="squawk",
        ),
        pytest.param("q.sql", UNION % " -- noqa", "sqlfluff/AM07", id="sqlfluff"),
        pytest.param(
            "Dockerfile",
            "FROM a:1\n# hadolint ignore=DL3011\nEXPOSE 80000\n",
            "hadolint/DL3011",
            id="hadolint",
        ),
        pytest.param(
            "Dockerfile",
            "# hadolint global ignore=DL3011\nFROM a:1\nEXPOSE 80000\n",
            "hadolint/DL3011",
            id="hadolint-global",
        ),
        pytest.param(
            "a.sh",
            "#!/bin/sh\n# shellcheck disable=SC2114\nrm -rf /usr\n",
            "shellcheck/SC2114",
            id="shellcheck",
        ),
        pytest.param(
            "a.sh",
            '#!/bin/sh\necho "$0"\n# shellcheck disable=SC2086\nrm -rf $1\n',
            "docker-ci/DC113",
            id="shellcheck-for-our-check",
        ),
        pytest.param(
            ".github/workflows/a.yml",
            WORKFLOW % "  # zizmor: ignore[template-injection]",
            "zizmor/template-injection",
            id="zizmor",
        ),
    ],
)
def test_an_added_ignore_hides_no_error(repo: GitRepository, path: str, text: str, rule: str) -> None:
    status, report = _attack(repo, path, text)
    reported = {source for f in report["findings"] if f["severity"] == "error" for source in f["sources"]}
    assert (status, rule in reported) == (1, True), report["findings"]


@pytest.mark.parametrize(
    ("text", "rule", "specialist"),
    [
        pytest.param(
            "print(missing)  # pyright: ignore # noqa # ty: ignore\n", "pyright/", "python", id="pyright"
        ),
        pytest.param(TAINTED % "  # nosemgrep", "semgrep/acme.no-shell", "project-rules", id="semgrep"),
        pytest.param(TAINTED % "  # NOSEM", "semgrep/acme.no-shell", "project-rules", id="semgrep-short"),
    ],
)
def test_an_added_ignore_hides_no_error_from_slow_tools(
    repo: GitRepository, text: str, rule: str, specialist: str
) -> None:
    repo.commit({".semgrep.yml": PROJECT_RULES})
    status, report = _attack(repo, "a.py", text, "--profile", "ci", "--only", specialist)
    reported = {source for f in report["findings"] if f["severity"] == "error" for source in f["sources"]}
    assert (status, any(source.startswith(rule) for source in reported)) == (1, True), report["findings"]


def test_an_added_ignore_hides_what_would_not_block(repo: GitRepository) -> None:
    status, report = _attack(repo, "a.py", "import os  # noqa: F401\n", "--only", "python")
    found = [(f["rule"], f["status"]) for f in report["findings"]]
    assert (status, found) == (0, [("ruff/F401", "suppressed"), ("wardround/waiver-added", "new")])


def test_at_commit_ignores_count(repo: GitRepository) -> None:
    repo.stage({"a.py": "print(missing)  # noqa  # ty: ignore\n"})
    assert repo.wardround("review", "--only", "python").returncode == 0


FIRST = "def start():\n    return missing  # noqa: F821 # ty: ignore\n"


@pytest.mark.parametrize(
    ("after", "blocked"),
    [
        pytest.param(f"import os\n\nprint(os.name)\n\n\n{FIRST}", False, id="untouched"),
        pytest.param(FIRST.replace("return missing", "return [missing]"), False, id="code-edited-beside-it"),
        pytest.param(FIRST.replace("F821", "F821,F401"), False, id="comment-widened-on-old-code"),
        pytest.param(f"{FIRST}\n\n{FIRST.replace('start', 'stop')}", True, id="copied-to-other-code"),
        pytest.param(f"# ruff: noqa\n{FIRST}\n\nprint(other)  # ty: ignore\n", True, id="file-level-added"),
    ],
)
def test_ignores_of_the_base_count(repo: GitRepository, after: str, blocked: bool) -> None:
    repo.commit({"a.py": FIRST})
    repo.commit({"a.py": after})
    status, report = _review(repo, "--only", "python")
    assert (status, bool(_blocking(report))) == (int(blocked), blocked), report["findings"]


def test_an_ignore_moved_with_its_code_counts(repo: GitRepository) -> None:
    others = [f"def task_{number}():\n    return {number}\n" for number in range(6)]
    repo.commit({"a.py": "\n\n".join([FIRST, *others])})
    repo.commit({"a.py": "\n\n".join([*others, FIRST])})
    status, report = _review(repo, "--only", "python")
    assert (status, _blocking(report)) == (0, [])


def test_a_line_put_below_an_ignore_of_the_base_is_not_covered(repo: GitRepository) -> None:
    old = "const b = { two: 1, two: 2 };\nexport default b;\n"
    ignore = "// eslint-disable-next-line no-dupe-keys\n"
    repo.commit({"a.js": ignore + old})
    repo.commit({"a.js": f"{ignore}const a = {{ one: 1, one: 2 }};\n{old}"})
    assert _review(repo, "--only", "typescript")[0] == 1


def test_a_region_that_grows_covers_nothing_new(repo: GitRepository) -> None:
    region = "/* eslint-disable */\nexport const b = { two: 1, two: 2 };\n"
    repo.commit({"a.js": f"{region}/* eslint-enable */\n"})
    repo.commit({"a.js": f"{region}export const a = {{ one: 1, one: 2 }};\n"})
    status, report = _review(repo, "--only", "typescript")
    assert (status, [f["line"] for f in report["findings"] if f["severity"] == "error"]) == (1, [3])


def test_code_added_to_a_region_of_the_base_is_covered(repo: GitRepository) -> None:
    region = "/* eslint-disable */\nexport const b = { two: 1, two: 2 };\n"
    repo.commit({"a.js": f"{region}/* eslint-enable */\n"})
    repo.commit({"a.js": f"{region}export const a = {{ one: 1, one: 2 }};\n/* eslint-enable */\n"})
    assert _review(repo, "--only", "typescript")[0] == 0


@pytest.mark.parametrize(
    "line",
    [
        "x = 1  # noqa", "x = 1  #NOQA:F401", "#\truff : noqa", "x = 1  # type:ignore[attr-defined]",
        "x = 1  # pyright: basic", "/* eslint no-debugger: 0 */", " * eslint-disable no-debugger",
        "// @ts-expect-error", "//@ts-nocheck", "// biome-ignore-all lint: x", "-- squawk-ignore-file",
        "# shellcheck shell=sh disable=SC2086", "#checkov:skip=CKV_K8S_1", "bridgecrew.io/skip1: CKV_1=x",
        "token # gitleaks:allow", "f(x) # nosem", "  # ast-grep-ignore: PY104", "# check=skip=all",
        "x = 1  #\u00a0noqa: S307", "x = 1  #\u3000noqa",
    ],
)  # fmt: skip
def test_blanking_keeps_every_position(line: str) -> None:
    file = ChangedFile("f", None, FileStatus.ADDED, "100644")
    both = blank_ignores(COMMENTS, file, None, f"é\n{line}\n".encode())
    assert both is not None
    _, after, _ = both.head.decode().split("\n")
    assert (len(after), after != line) == (len(line), True)
    assert blank_ignores(COMMENTS, file, None, both.head) is None


@pytest.mark.parametrize(
    "line",
    ['import x from "eslint";', "#type = 3", "ty.ignore(x)", "const noqa = 1", "// eslinted", "# types: a"],
)
def test_other_words_stay(line: str) -> None:
    assert (
        blank_ignores(COMMENTS, ChangedFile("f", None, FileStatus.ADDED, "100644"), None, line.encode())
        is None
    )


def test_bytes_that_are_no_text_stay() -> None:
    file = ChangedFile("f", "f", FileStatus.MODIFIED, "100644", hunks=(Hunk(1, 1, 1, 1),))
    both = blank_ignores(COMMENTS, file, b"\xff 1\n\xfe", b"\xff 2  # noqa\n\xfe")
    assert both is not None
    assert (both.base, both.head) == (b"\xff 1\n\xfe", b"\xff 2  # xxxx\n\xfe")


def test_a_tools_ignore_comment_silences_the_check_of_the_same_defect(repo: GitRepository) -> None:
    uses = WORKFLOW.partition("      - run")[0] + "      - uses: shop/greet@main%s\n"
    repo.commit({".github/workflows/greet.yml": uses.replace("@main", "@v1") % ""})
    repo.commit({".github/workflows/greet.yml": uses % " # zizmor: ignore[unpinned-uses]"})
    status, report = _review(repo, "--only", "docker-ci")
    found = [item for item in report["findings"] if item["defect_class"] == "unpinned-action"]
    security = next(item for item in report["signals"] if item["plane"] == "security")
    assert (status, {item["status"] for item in found}) == (0, {"suppressed"})
    assert "docker-ci/DC056" in {source for item in found for source in item["sources"]}
    assert {item["fingerprint"] for item in found} <= set(security["findings"])
