"""A comment waives one rule at one line, with a reason; any other form is reported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wardround_python.syntax.host_adapter import comments

from wardround.processors.suppressions import MalformedSuppression, Suppression, read
from wardround.specialists import Comment

if TYPE_CHECKING:
    from tests.conftest import GitRepository

BAD = "def f(x=[]):\n    return x\n"


class TestReading:
    @pytest.mark.parametrize(
        ("text", "rules", "reason"),
        [
            ("wardround: ignore[ruff/B006] shared on purpose", ("ruff/B006",), "shared on purpose"),
            ("wardround:ignore [B006,PY001]: both", ("B006", "PY001"), "both"),
            ("wardround: ignore[ B006 , ] - a reason", ("B006",), "a reason"),
            ("wardround: ignore[B006]", ("B006",), ""),
            ("wardround: ignore[B006] - ", ("B006",), ""),
            ("wardround: ignore[B006] -- why: because", ("B006",), "why: because"),
        ],
    )
    def test_what_is_understood(self, text: str, rules: tuple[str, ...], reason: str) -> None:
        assert read([Comment(3, text, 5)]) == ([Suppression(3, 5, rules, reason)], [])

    @pytest.mark.parametrize(
        "text",
        [
            "wardround: ignore", "wardround: ignore[] why", "wardround: ignore[,] why", "wardround: off",
            "wardround:", "wardround: ignore B006 why", "wardround: ignore[B006 why",
            "wardround: Ignore[B006] x",
        ],
    )  # fmt: skip
    def test_what_addresses_us_and_is_not_understood(self, text: str) -> None:
        assert read([Comment(3, text)]) == ([], [MalformedSuppression(3, 1, text)])

    @pytest.mark.parametrize("text", ["noqa: B006", "see wardround: ignore[B006]", "type: ignore[B006]", ""])
    def test_other_comments_are_not_ours(self, text: str) -> None:
        assert read([Comment(3, text)]) == ([], [])

    def test_it_covers_its_own_line_and_the_next(self) -> None:
        item = Suppression(3, 1, ("B006",), "why")
        assert [line for line in range(1, 7) if item.covers(line)] == [3, 4]

    def test_only_comments_count_not_strings(self) -> None:
        text = 's = "# wardround: ignore[B006] why"\nx = 1  # wardround: ignore[E722] why\n'
        assert read(comments(text)) == ([Suppression(2, 8, ("E722",), "why")], [])

    def test_comments_before_a_place_that_cannot_be_read_count(self) -> None:
        text = "x = 1  # wardround: ignore[E722] why\ny = '''\n"
        assert read(comments(text)) == ([Suppression(1, 8, ("E722",), "why")], [])

    @pytest.mark.parametrize("char", ["\0", "\r\ufffd", "\x0c", "\ufeff"])
    def test_odd_characters_are_no_crash(self, char: str) -> None:
        text = f"x = 1  # wardround: ignore[E722] why\ny = {char} 2  # wardround: ignore[B006] x\n"
        found, unreadable = read(comments(text))
        assert len(found) <= 2
        assert unreadable == []

    @given(st.lists(st.from_regex(r"[A-Za-z0-9/_-]{1,8}", fullmatch=True), min_size=1), st.text())
    def test_names_and_reason_come_back_as_written(self, names: list[str], reason: str) -> None:
        ((item,), unreadable) = read([Comment(1, f"wardround: ignore[{', '.join(names)}] {reason}")])
        assert unreadable == []
        assert item.rules == tuple(names)
        assert item.reason == reason.strip().lstrip("-:").strip()


class TestInAReview:
    def reviewed(self, repo: GitRepository, text: str, *options: str) -> list[tuple[Any, ...]]:
        repo.stage({"a.py": text})
        report = repo.report("--filter-mode", "nofilter", *options)
        return [(f["line"], f["rule"], f["status"]) for f in report["findings"]]

    @pytest.mark.parametrize(
        "text",
        [
            "def f(x=[]):  # wardround: ignore[ruff/B006] shared on purpose\n    return x\n",
            "# wardround: ignore[B006] shared on purpose\n" + BAD,
            "# wardround: ignore[B006, F401] shared on purpose\n" + BAD,
        ],
        ids=["same line", "line above", "one of two"],
    )
    def test_a_reason_waives(self, repo: GitRepository, text: str) -> None:
        ((_, rule, status),) = self.reviewed(repo, text)
        assert (rule, status) == ("ruff/B006", "suppressed")

    def test_no_reason_waives_nothing_and_is_a_finding(self, repo: GitRepository) -> None:
        text = "def f(x=[]):  # wardround: ignore[B006]\n    return x\n"
        assert self.reviewed(repo, text) == [
            (1, "ruff/B006", "new"),
            (1, "wardround/suppression-without-reason", "new"),
        ]

    def test_two_lines_above_is_too_far_and_then_it_is_unused(self, repo: GitRepository) -> None:
        text = "# wardround: ignore[B006] why\n\n" + BAD
        assert self.reviewed(repo, text) == [
            (1, "wardround/unused-suppression", "new"),
            (3, "ruff/B006", "new"),
        ]

    @pytest.mark.parametrize("comment", ["ignore[no_such_rule] why", "ignore B006", "silence"])
    def test_one_that_cannot_be_understood_is_a_finding_at_its_place(
        self, repo: GitRepository, comment: str
    ) -> None:
        text = f"def f(x=[]):  # wardround: {comment}\n    return x\n"
        assert self.reviewed(repo, text) == [
            (1, "ruff/B006", "new"),
            (1, "wardround/invalid-suppression", "new"),
        ]

    def test_the_other_files_are_reviewed(self, repo: GitRepository) -> None:
        repo.stage({"a.py": "x = 1  # wardround: silence\n", "b.py": "import os\n"})
        done = repo.wardround("review")
        assert done.returncode == 0
        assert "a.py\n  1:8 warn" in done.stdout
        assert "[ruff/F401]" in done.stdout

    def test_what_it_names_next_to_an_unknown_rule_is_waived(self, repo: GitRepository) -> None:
        text = "def f(x=[]):  # wardround: ignore[B006, no-such] shared on purpose\n    return x\n"
        assert self.reviewed(repo, text) == [
            (1, "ruff/B006", "suppressed"),
            (1, "wardround/invalid-suppression", "new"),
        ]

    def test_one_a_change_brings_does_not_count_where_the_base_judges(self, repo: GitRepository) -> None:
        repo.commit({"a.py": "x = 1\n"})
        text = "def f(x=[]):  # wardround: ignore[B006] let me in\n    return x\n"
        assert self.reviewed(repo, text, "--config-from", "base") == [
            (1, "ruff/B006", "new"),
            (1, "wardround/config-changed", "new"),
        ]

    def test_one_the_base_has_counts_there_too(self, repo: GitRepository) -> None:
        text = "def f(x=[]):  # wardround: ignore[B006] agreed\n    return x\n"
        repo.commit({"a.py": text})
        moved = f"import os\n\nprint(os)\n\n\n{text}"
        found = self.reviewed(repo, moved, "--config-from", "base")
        assert found == [(6, "ruff/B006", "suppressed")]
