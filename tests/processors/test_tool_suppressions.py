"""Comments that switch tools off, of which a reader of the verdict must hear."""

from __future__ import annotations

import pytest

from wardround import host
from wardround.change.diff import ChangedFile, FileStatus, Hunk
from wardround.processors import tool_suppressions

SUPPRESSIONS = tool_suppressions.ToolSuppressions(host.load().ignore_comments)


def _added(path: str, text: str) -> list[tool_suppressions.ToolSuppression]:
    lines = text.count("\n") + 1
    file = ChangedFile(path, None, FileStatus.ADDED, "100644", hunks=(Hunk(0, 0, 1, lines),))
    return SUPPRESSIONS.added_comments(file, str, text)


@pytest.mark.parametrize(
    ("path", "line", "is_reported"),
    [
        ("a.py", "x = y  # noqa: S603  the list is fixed", False),
        ("a.py", "x = y  # noqa: S603, F821 (the list is fixed)", False),
        ("a.py", "x = y  # type: ignore[name-defined]  # set by the loader", False),
        ("a.ts", "// eslint-disable-next-line no-eval -- the text is a constant", False),
        ("a.tsx", "{/* biome-ignore lint/style/noVar: old browsers need it */}", False),
        ("a.ts", "x(); // @ts-expect-error the types of x are wrong", False),
        ("a.py", "x = y  # noqa: S603", True),
        ("a.py", "x = y  # noqa: S603, F821", True),
        ("a.py", "x = y  # noqa: S603  # type: ignore[name-defined]", True),
        ("a.py", "x = y  # noqa: S603  fine", True),
        ("a.py", "# ruff: noqa: S603  the list is fixed", True),
        ("a.ts", "// eslint-disable-next-line no-eval, no-alert", True),
        ("a.ts", "/* eslint-disable no-eval -- the text is a constant */", True),
        ("a.tsx", "{/* biome-ignore lint/style/noVar: */}", True),
    ],
)
def test_a_comment_for_one_line_that_states_a_reason_is_not_reported(
    path: str, line: str, is_reported: bool
) -> None:
    assert bool(_added(path, line)) is is_reported


@pytest.mark.parametrize(
    ("path", "line", "marker"),
    [
        ("a.py", "x = y  # noqa", "noqa"),
        ("a.py", "x = y  # NOQA: F821", "NOQA"),
        ("a.py", "# ruff: noqa", "ruff: noqa"),
        ("a.py", "# ruff: disable[F821]", "ruff: disable"),
        ("a.py", "# flake8: noqa", "flake8: noqa"),
        ("a.py", "x = y  # type: ignore[name-defined]", "type: ignore"),
        ("a.pyi", "x = y  # ty: ignore", "ty: ignore"),
        ("a.py", "x = y  # pyright: ignore", "pyright: ignore"),
        ("a.py", "# pyright: reportUndefinedVariable=false", "pyright: reportUndefinedVariable=false"),
        ("a.py", "x = y  # meant  # nosemgrep: eval", "nosemgrep"),
        ("a.ts", "// eslint-disable-next-line no-eval", "eslint-disable-next-line"),
        ("a.vue", "<!-- eslint-disable -->", "eslint-disable"),
        ("a.js", "/* oxlint-disable */", "oxlint-disable"),
        ("a.js", "/* eslint no-eval: 0 */", "eslint no-eval:"),
        ("a.tsx", "{/* biome-ignore lint: why */}", "biome-ignore"),
        ("a.ts", "x(); // @ts-expect-error", "@ts-expect-error"),
        ("a.ts", "const tag = '@generated';", "@generated"),
        ("a.sql", "-- squawk-ignore ban-drop-table", "squawk-ignore"),
        ("a.sql", "select 1 -- noqa: LT01", "noqa"),
        ("a.sql", "-- sqlfluff:rules:off", "sqlfluff:"),
        ("Dockerfile", "# hadolint ignore=DL3008", "hadolint ignore="),
        ("web/Dockerfile.prod", "# hadolint global ignore=DL3008", "hadolint global ignore="),
        ("Dockerfile", "# check=skip=all", "check=skip"),
        ("run", "# shellcheck disable=SC2086", "shellcheck disable="),
        (".github/workflows/ci.yml", "on: push # zizmor: ignore[dangerous-triggers]", "zizmor: ignore"),
        ("k8s/pod.yaml", "    checkov.io/skip1: CKV_K8S_16=x", "checkov.io/skip1"),
        ("k8s/pod.yaml", "privileged: true # checkov:skip=CKV_K8S_16", "checkov:skip="),
        (".env", "KEY=abc # gitleaks:allow", "gitleaks:allow"),
    ],
)
def test_what_disables_a_tool_is_found(path: str, line: str, marker: str) -> None:
    (found,) = _added(path, f"first\n{line}\n")
    assert (found.line, found.marker) == (2, marker)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", "x = 'noqa'"),
        ("a.py", "# noqanything"),
        ("a.py", "x: int  # type: str"),
        ("a.ts", "const rule = 'eslint-disable-line';"),
        ("a.md", "Write `# noqa` behind the line."),
        ("a.sh", "# noqa"),
        ("a.sql", "select noqa"),
        ("ci.yml", "name: zizmor"),
    ],
)
def test_other_words_are_none(path: str, line: str) -> None:
    assert _added(path, line + "\n") == []


def test_a_comment_that_stood_there_on_another_wording_is_none() -> None:
    before = "a = b  # noqa: F821\nc = d\n"
    after = "a = bb  # noqa: F821\nc = dd  # noqa: F821\n"
    file = ChangedFile("a.py", "a.py", FileStatus.MODIFIED, "100644", hunks=(Hunk(1, 2, 1, 2),))
    assert [comment.line for comment in SUPPRESSIONS.added_comments(file, lambda: before, after)] == [2]
    wider = after.replace(": F821", "")
    assert [comment.line for comment in SUPPRESSIONS.added_comments(file, lambda: before, wider)] == [
        1,
        2,
    ]
    other = ChangedFile("a.py", "a.py", FileStatus.MODIFIED, "100644", hunks=(Hunk(2, 1, 2, 1),))
    assert [comment.line for comment in SUPPRESSIONS.added_comments(other, lambda: before, after)] == [2]


def test_of_many_the_first_speak_for_all() -> None:
    found = _added("a.py", "x = y  # noqa\n" * 10)
    assert [(item.line, item.more) for item in found] == [(1, 0), (2, 0), (3, 7)]
