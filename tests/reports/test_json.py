"""The JSON report keeps its contract: keys, order, and the same bytes wherever and however it is made."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

import pytest

from wardround import __version__
from wardround.findings import Severity, Status, Unreviewed
from wardround.policy.loading import bundled_policy
from wardround.reports import json as report

if TYPE_CHECKING:
    from tests.conftest import GitRepository
    from tests.reports.conftest import Factory

FINDING_KEYS = [
    "fingerprint", "rule", "defect_class", "plane", "specialist", "severity", "confidence", "file", "line",
    "column", "end_line", "end_column", "message", "rationale", "status", "suggested_fix", "sources", "url",
]  # fmt: skip
FILES = {
    "pkg/__init__.py": "",
    "pkg/ä.py": "import os\n\n\ndef f(x=[]):\n    return x\n",
    "pkg/b.py": "from pkg.c import g\n\n\ndef h(y={}):\n    try:\n        g()\n    except:\n        pass\n",
    "pkg/c.py": "def g():\n    return undefined_name\n",
    "zz.py": "password = 'hunter2-hunter2'\nassert (1, 'x')\n",
    "broken.py": "def f(:\n",
}


def fixed(text: str) -> str:
    """A report without the parts that may differ."""
    text = re.sub(r'"(seconds|total_s)": [0-9.]+', r'"\1": 0', text)
    return re.sub(r'"cached": \d+', '"cached": 0', text)


class TestContract:
    def test_a_complete_report(self, make: Factory) -> None:
        finding = make.finding(severity=Severity.ERROR, suggested_fix=make.fix())
        lost = Unreviewed("q.py", "python", "ruff", "timed out after 10 s")
        old = make.finding("ruff/E501", status=Status.EXISTING)
        review = make.review(finding, old, unreviewed=[lost])
        text = report.render(review)
        assert text.endswith("}\n")
        found = json.loads(text)
        derived = {signal["plane"]: signal.pop("derivation") for signal in found["signals"]}
        assert found == {
            "schema": "wardround.report/1",
            "tool": {"name": "wardround", "version": __version__},
            "context": {
                "id": review.context.id,
                "base": "1" * 40,
                "target": "1" * 40,
                "head": ":index",
                "files": 1,
                "hunks": 1,
                "added_lines": 1,
            },
            "gate": {
                "outcome": "blocked",
                "fail_level": "error",
                "reasons": ["ruff/B006: 1", "ruff did not review 1 file: timed out after 10 s"],
            },
            "verdict": {
                "name": "human-review",
                "tier": "T4",
                "policy": bundled_policy("default").identity,
                "reasons": [
                    "tier T4 gives human-review",
                    "findings at or above the fail level",
                    "semantic: 1 finding, up to error",
                    "q.py: ruff: timed out after 10 s",
                    "source is changed without a test",
                ],
            },
            "signals": [
                {"plane": plane, "severity": "none", "confidence": 1.0, "status": "reviewed", "findings": []}
                | ({"severity": "error", "findings": [finding.fingerprint]} if plane == "semantic" else {})
                for plane in ("intent", "contract", "semantic", "tests", "security", "perf")
            ],
            "findings": [
                {
                    "fingerprint": finding.fingerprint,
                    "rule": "ruff/B006",
                    "defect_class": "mutable-default",
                    "plane": "semantic",
                    "specialist": "python",
                    "severity": "error",
                    "confidence": 1.0,
                    "file": "src/a.py",
                    "line": 1,
                    "column": 9,
                    "end_line": 1,
                    "end_column": 11,
                    "message": "Do not use mutable data structures for argument defaults",
                    "rationale": "The object is made once. Every call shares it.",
                    "status": "new",
                    "suggested_fix": {
                        "description": "Replace with `None`",
                        "safe": True,
                        "edits": [
                            {
                                "file": "src/a.py",
                                "line": 1,
                                "column": 9,
                                "end_line": 1,
                                "end_column": 11,
                                "replacement": "None",
                            }
                        ],
                    },
                    "sources": ["ruff/B006"],
                    "url": "https://docs.astral.sh/ruff/rules/B006",
                }
            ],
            "held_back": 1,
            "unreviewed": [
                {
                    "file": "q.py",
                    "specialist": "python",
                    "tool": "ruff",
                    "reason": "timed out after 10 s",
                }
            ],
            "runs": [{"tool": "ruff", "version": "0.17.6", "files": 1, "cached": 0, "seconds": 0.031}],
            "timings": {"total_s": 0.25},
        }
        assert derived["semantic"] == {
            "claims": [
                {
                    "text": "findings at error",
                    "confidence": 1.0,
                    "counts": True,
                    "sources": [
                        {"name": "ruff/B006", "kind": "tool", "precision": 1.0, "derived_from": "static"}
                    ],
                }
            ],
            "lines": ["findings at error: ruff/B006 1"],
        }

    def test_keys_stand_in_the_order_of_the_contract(self, make: Factory) -> None:
        data = json.loads(report.render(make.review(make.finding())))
        assert list(data) == [
            "schema", "tool", "context", "gate", "verdict", "signals", "findings", "held_back", "unreviewed",
            "runs", "timings",
        ]  # fmt: skip
        assert list(data["findings"][0]) == FINDING_KEYS

    def test_findings_are_sorted_by_file_line_column_and_rule(self, make: Factory) -> None:
        findings = [
            make.finding(rule, file, (line, column, line, column + 1))
            for file in ("b.py", "a.py", "a/b.py")
            for line, column in ((10, 1), (2, 9), (2, 10))
            for rule in ("ruff/Z", "ruff/A")
        ]
        data = json.loads(report.render(make.review(*findings)))
        locations = [(f["file"], f["line"], f["column"], f["rule"]) for f in data["findings"]]
        assert locations == sorted(locations)
        assert len(locations) == 18

    def test_a_path_that_is_not_a_utf_8_can_be_written(self, make: Factory) -> None:
        fix = make.fix("\udcfe", file="bad\udcff.py")
        finding = make.finding(file="bad\udcff.py", message="\udcfd", suggested_fix=fix)
        lost = Unreviewed("bad\udcff.py", "python", "ruff", "\udcfc")
        text = report.render(make.review(finding, unreviewed=[lost]))
        text.encode("utf-8")
        data = json.loads(text)
        assert data["findings"][0]["file"] == "bad\\xff.py"
        assert data["findings"][0]["suggested_fix"]["edits"][0]["replacement"] == "\\xfe"
        assert data["unreviewed"][0] == {
            "file": "bad\\xff.py", "specialist": "python", "tool": "ruff", "reason": "\\xfc",
        }  # fmt: skip

    def test_thousands_of_findings_are_all_there(self, make: Factory) -> None:
        data = json.loads(report.render(make.review(*make.many(6_000))))
        assert len(data["findings"]) == 6_000
        assert data["held_back"] == 0


class TestSameBytes:
    """Everything but ``seconds``, ``cached`` and ``timings``, on real repositories."""

    @pytest.fixture
    def staged(self, repo: GitRepository) -> GitRepository:
        repo.commit({"zz.py": "import sys\n", "pkg/c.py": "def g():\n    return 1\n", "old/x.py": ""})
        repo.stage(FILES)
        return repo

    def test_wherever_and_however_it_is_run(self, staged: GitRepository) -> None:
        first = staged.wardround("review", "--format", "json")
        assert json.loads(first.stdout)["findings"], first.stderr
        fresh = staged.root.parent / "fresh"
        ways: list[tuple[list[str], dict[str, str], str]] = [
            ([], {"PYTHONHASHSEED": "1", "TZ": "Pacific/Auckland"}, "."),
            (["--jobs", "1"], {"PYTHONHASHSEED": "2", "LC_ALL": "C", "LANG": "C"}, "pkg"),
            (["--jobs", "7"], {"PYTHONHASHSEED": "3", "LC_ALL": "tr_TR.UTF-8"}, "old"),
            (["--repo", str(staged.root)], {"XDG_CACHE_HOME": str(fresh)}, "../places"),
            ([], {"XDG_CACHE_HOME": "/dev/null/none", "GIT_CONFIG_COUNT": "2", "COLUMNS": "20",
                  "GIT_CONFIG_KEY_0": "diff.noprefix", "GIT_CONFIG_VALUE_0": "true",
                  "GIT_CONFIG_KEY_1": "diff.context", "GIT_CONFIG_VALUE_1": "9"}, "."),
        ]  # fmt: skip
        for options, env, folder in ways:
            done = staged.wardround("review", "--format", "json", *options, env=env, cwd=staged.root / folder)
            assert fixed(done.stdout) == fixed(first.stdout), (options, env, folder)

    def test_in_a_locale_that_is_not_utf_8(self, staged: GitRepository) -> None:
        first = staged.wardround("review", "--format", "json")
        done = staged.wardround("review", "--format", "json", env={"PYTHONUTF8": "0", "LC_ALL": "C"})
        assert fixed(done.stdout) == fixed(first.stdout), done.stderr

    def test_whatever_the_order_of_the_files_in_a_diff(self, staged: GitRepository) -> None:
        parts = re.split(r"(?m)^(?=diff --git )", staged.git("diff", "--cached"))[1:]
        reports = []
        for ordered in (parts, parts[::-1], sorted(parts, key=len)):
            done = staged.wardround("review", "--format", "json", "--diff-file", "-", stdin="".join(ordered))
            assert json.loads(done.stdout)["findings"], done.stderr
            reports.append(fixed(done.stdout))
        assert len(set(reports)) == 1

    def test_a_commit_is_judged_as_it_was_when_staged(self, staged: GitRepository) -> None:
        def told(data: dict[str, Any]) -> object:
            return data["findings"], data["unreviewed"], data["gate"], data["held_back"]

        before = staged.report()
        staged.git("commit", "--quiet", "--no-verify", "-m", "x")
        assert told(staged.report("--base", "HEAD~1")) == told(before)


def test_the_report_is_utf_8_whatever_the_terminal_speaks(repo: GitRepository) -> None:
    repo.stage({"ä.py": "import os\n"})
    file = os.fsdecode(b"bad\xff.py")
    repo.stage({file: "import os\n"})
    done = repo.wardround("review", "--format", "json", env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    assert [f["file"] for f in json.loads(done.stdout)["findings"]] == ["bad\\xff.py", "ä.py"]
