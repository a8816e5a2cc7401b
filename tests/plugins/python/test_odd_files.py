"""Python files with unusual line ends or without a suffix."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import GitRepository

SCRIPT = "#!/usr/bin/env python3\nimport sys\n\n\ndef run(seen=[]):\n    return seen + sys.argv\n"


def _places(report: dict[str, Any]) -> set[tuple[str, int, int]]:
    return {(found["rule"], found["line"], found["column"]) for found in report["findings"]}


def _unmerged(report: dict[str, Any]) -> set[tuple[str, int, int]]:
    """Return the positions except those of semgrep, whose findings merge with others of the same line."""
    return {location for location in _places(report) if not location[0].startswith("semgrep/")}


class TestCarriageReturns:
    """A single carriage return ends a line for Python and its tools, but not for git."""

    TEXT = (
        "import pickle\nfrom flask import request\n\n\n"
        "def load(seen=[]):\n    é = 'é'; eval(request.args['x'])\n"
        "    for row in seen:\n        seen.remove(row)\n"
        "    return pickle.loads(request.data), undefined, é\n"
    )

    @pytest.mark.parametrize("profile", ["commit", "ci"])
    def test_findings_have_the_line_numbers_of_git(self, repo: GitRepository, profile: str) -> None:
        repo.stage({"a.py": self.TEXT})
        expected = repo.report("--staged", "--profile", profile)
        repo.stage({"a.py": self.TEXT.replace("\n", "\r")})
        report = repo.report("--staged", "--profile", profile)
        assert report["unreviewed"] == []
        starts = [0, *(n + 1 for n, c in enumerate(self.TEXT) if c == "\n")]
        assert _unmerged(report) == {
            (rule, 1, starts[line - 1] + column) for rule, line, column in _unmerged(expected)
        }
        assert {"python/PY304", "python/PY025", "ruff/F821"} <= {rule for rule, _, _ in _places(report)}

    def test_an_added_line_after_carriage_returns_is_an_added_line(self, repo: GitRepository) -> None:
        before = 'TEXT = """one\rtwo\rthree"""\n\n\ndef f(x):\n    return x\n'
        repo.commit({"a.py": before})
        repo.stage({"a.py": before + "\n\nprint(undefined)\n"})
        report = repo.report("--staged")
        assert _places(report) == {("ruff/F821", 8, 7)}

    def test_a_change_of_such_a_file_is_reviewed_completely(self, repo: GitRepository) -> None:
        repo.commit({"a.py": self.TEXT.replace("\n", "\r"), "b.py": "from a import load\nload([])\n"})
        repo.stage({"a.py": self.TEXT.replace("seen=[]", "seen, *, deep").replace("\n", "\r")})
        assert repo.report("--staged", "--profile", "ci")["unreviewed"] == []

    def test_a_suppression_counts_on_its_line(self, repo: GitRepository) -> None:
        repo.stage({"a.py": "TEXT = '''a\rb'''\nprint(u)  # wardround: ignore[ruff/F821] made elsewhere\n"})
        report = repo.report("--staged")
        assert [(f["rule"], f["status"]) for f in report["findings"]] in ([], [("ruff/F821", "suppressed")])


@pytest.mark.parametrize("name", ["deploy", "tools/deploy", "app.pyw", "a b", "deploy=.py"])
def test_a_script_of_any_name_is_reviewed_by_every_tool(repo: GitRepository, name: str) -> None:
    repo.stage({name: SCRIPT, "deploy.py": "x = 1\n"})
    report = repo.report("--staged", "--profile", "ci")
    assert report["unreviewed"] == []
    assert {found["file"] for found in report["findings"]} == {name}
    assert ("ruff/B006", 5, 14) in _places(report)


@pytest.mark.parametrize("name", ["deploy", "app.pyw"])
def test_rules_of_our_own_engines_count_in_scripts(repo: GitRepository, name: str) -> None:
    text = "#!/usr/bin/env python3\nimport random\n\notp = random.randint(100000, 999999)\nprint(otp)\n"
    repo.stage({"plain.py": text, name: text})
    found = repo.report("--staged", "--profile", "ci")["findings"]
    by_file = {
        file: {(f["rule"], *f["sources"], f["line"]) for f in found if f["file"] == file}
        for file in ("plain.py", name)
    }
    assert by_file["plain.py"] == by_file[name]
    assert any("ast-grep/PY111" in row for row in by_file[name])


class TestEncoding:
    """Python reads UTF-8 unless a comment declares something else."""

    @pytest.mark.parametrize("name", ["a.py", "deploy"])
    def test_the_first_byte_that_is_not_utf8_is_a_finding(self, repo: GitRepository, name: str) -> None:
        content = "#!/usr/bin/env python3\nx = 'é'\ny = 'é: ".encode() + b"\xe9'\nz = '\xff'\n"
        repo.commit({"README": ""})
        repo.stage({name: content})
        [found] = repo.report("--staged")["findings"]
        assert (found["rule"], found["severity"], found["line"], found["column"]) == (
            "wardround/not-utf8", "error", 3, 9,
        )  # fmt: skip
        assert found["message"].startswith("byte 0xe9 is not UTF-8")

    @pytest.mark.parametrize(
        "first", ["# -*- coding: latin-1 -*-\n", "#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n"]
    )
    def test_a_declared_encoding_is_not_a_finding(self, repo: GitRepository, first: str) -> None:
        repo.commit({"README": ""})
        repo.stage({"a.py": first.encode() + b"x = '\xe9'\n"})
        report = repo.report("--staged")
        assert report["findings"] == []
        assert [item["reason"] for item in report["unreviewed"]] == ["it is not UTF-8 text"]

    def test_an_existing_byte_does_not_block(self, repo: GitRepository) -> None:
        repo.commit({"a.py": b"x = '\xe9'\n"})
        repo.stage({"a.py": b"x = '\xe9'\ny = 1\n"})
        report = repo.report("--staged")
        assert [found for found in report["findings"] if found["status"] == "new"] == []
        assert report["gate"]["outcome"] != "blocked"
