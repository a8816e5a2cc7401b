"""Each entry of the baseline accepts one existing finding, and no later one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.processors.factory import inputs, review
from wardround.errors import ConfigError
from wardround.findings import Finding, Plane, Severity, Span, Status
from wardround.processors.baseline import Acceptance, ApplyBaseline
from wardround.processors.baseline_file import Baseline, BaselineEntry, baseline_of, dump, load

if TYPE_CHECKING:
    from tests.conftest import GitRepository

PLAIN = Finding(
    "0" * 16, "ruff/B006", "mutable-default", Plane.SEMANTIC, "python", Severity.WARN, "a.py",
    Span(1, 1, 1, 2), "m", "", Status.NEW,
)  # fmt: skip
OLD = "import os\n\n\ndef f(x=[]):\n    return x\n"
names = st.text(alphabet="abcdef0123456789", min_size=2, max_size=4)
entries = st.lists(
    st.builds(BaselineEntry, st.sampled_from(["a.py", "ä b.py"]), st.just("r/1"), names, names)
)


def found(fingerprint: str, file: str = "a.py") -> Finding:
    return replace(PLAIN, fingerprint=fingerprint, file=file)


class TestFile:
    def test_no_file_is_an_empty_baseline(self) -> None:
        assert load(None, "b.json") == Baseline()

    @given(entries)
    def test_what_is_written_is_read(self, given_: list[BaselineEntry]) -> None:
        content = dump(Baseline(tuple(given_)))
        assert load(content, "b.json").findings == tuple(sorted(given_))
        assert dump(load(content, "b.json")) == content

    @given(entries)
    def test_it_has_one_line_for_each_finding(self, given_: list[BaselineEntry]) -> None:
        content = dump(Baseline(tuple(given_)))
        json.loads(content)
        assert content.endswith(b"\n")
        assert content.count(b"\n") == (len(given_) + 2 if given_ else 1)

    @pytest.mark.parametrize(
        "content",
        [
            b"", b"{", b"[]", b"\xff", b'{"schema": "wardround.baseline/2", "findings": []}',
            b'{"schema": "wardround.baseline/1", "findings": [{}]}',
            b'{"schema": "wardround.baseline/1", "extra": 1}',
        ],
    )  # fmt: skip
    def test_anything_else_stops_the_run_and_names_the_file(self, content: bytes) -> None:
        with pytest.raises(ConfigError, match=r"^b\.json is not a baseline: "):
            load(content, "b.json")

    def test_a_path_that_is_not_a_utf_8_can_be_accepted(self) -> None:
        content = dump(baseline_of([(found("f1", "bad\udcff.py"), "c1")]))
        assert len(load(content, "b.json").findings) == 1


class TestAcceptance:
    def test_each_entry_accepts_one_finding(self) -> None:
        acceptance = Acceptance(baseline_of([(found("f1"), "c1")]))
        assert acceptance.entry(found("f1"), "c1") is not None
        assert acceptance.entry(found("f1"), "c1") is None

    def test_the_same_in_another_file_is_not_accepted(self) -> None:
        acceptance = Acceptance(baseline_of([(found("f1"), "c1")]), present={"a.py", "b.py"})
        assert acceptance.entry(found("f2", "b.py"), "c1") is None

    def test_the_same_in_a_renamed_file_is(self) -> None:
        acceptance = Acceptance(baseline_of([(found("f1"), "c1")]), present={"b.py"})
        assert acceptance.entry(found("f2", "b.py"), "c1") is not None
        assert acceptance.entry(found("f3", "c.py"), "c1") is None

    @given(st.lists(st.tuples(names, names), max_size=8), st.lists(st.tuples(names, names), max_size=8))
    def test_never_more_than_there_are_entries(
        self, known: list[tuple[str, str]], seen: list[tuple[str, str]]
    ) -> None:
        baseline = baseline_of([(found(f), c) for f, c in known])
        acceptance = Acceptance(baseline, present=set())
        assert sum(acceptance.entry(found(f, "new.py"), c) is not None for f, c in seen) <= len(
            baseline.findings
        )


class TestInAReview:
    """``baseline write`` accepts the existing findings of the repository; later only new findings count."""

    @pytest.fixture
    def adopted(self, repo: GitRepository) -> GitRepository:
        repo.commit({"a.py": OLD, "b.py": OLD})
        done = repo.wardround("baseline", "write")
        assert done.returncode == 0, done.stderr
        repo.commit(message="adopt")
        return repo

    def brought(self, repo: GitRepository, *options: str) -> list[tuple[str, int, str]]:
        repo.stage()
        report = repo.report("--filter-mode", "nofilter", *options)
        return [
            (f["file"], f["line"], f["rule"]) for f in report["findings"] if f["status"] in ("new", "caused")
        ]

    def since_the_beginning(self, repo: GitRepository) -> list[tuple[str, int, str]]:
        """The findings that count if the complete history is one change."""
        empty = repo.git("commit-tree", "-m", "empty", repo.git("mktree").strip()).strip()
        merged = repo.git(
            "commit-tree", "-p", empty, "-m", "all", f"{repo.git('write-tree').strip()}"
        ).strip()
        return self.brought(repo, "--base", empty, "--head", merged)

    def test_accepted_findings_are_old(self, adopted: GitRepository) -> None:
        assert self.since_the_beginning(adopted) == []

    def test_it_may_stand_in_a_folder_that_is_not_there_yet(self, repo: GitRepository) -> None:
        repo.commit({"a.py": OLD, ".wardround.toml": "baseline = 'review/accepted.json'\n"})
        done = repo.wardround("baseline", "write")
        assert (done.returncode, done.stderr) == (0, "")
        repo.commit(message="adopt")
        assert self.since_the_beginning(repo) == []

    def test_a_renamed_file_stays_accepted(self, adopted: GitRepository) -> None:
        adopted.git("mv", "a.py", "zz.py")
        assert self.since_the_beginning(adopted) == []

    def test_a_renamed_file_stays_accepted_next_to_a_note(self, adopted: GitRepository) -> None:
        adopted.git("mv", "a.py", "zz.py")
        adopted.write("0.py", "# wardround: ignore[B006] why\nx = 1\n")
        adopted.stage()
        assert self.since_the_beginning(adopted) == [("0.py", 1, "wardround/unused-suppression")]

    def test_a_further_one_is_new(self, adopted: GitRepository) -> None:
        adopted.write("a.py", OLD + "\n\ndef g(x=[]):\n    return x\n")
        adopted.stage()
        assert self.since_the_beginning(adopted) == [("a.py", 8, "ruff/B006")]

    def test_a_file_that_cannot_be_read_stops_the_run(self, adopted: GitRepository) -> None:
        adopted.stage({".wardround-baseline.json": "{"})
        done = adopted.wardround("review")
        assert done.returncode == 2
        assert ".wardround-baseline.json is not a baseline" in done.stderr


def test_the_step_makes_accepted_findings_existing_and_no_others() -> None:
    accepted_one = BaselineEntry("a.py", "ruff/B006", "f1", "c1")
    waived = replace(found("f1"), status=Status.SUPPRESSED)
    inputs_ = inputs(baseline=Baseline((accepted_one,)))
    done = ApplyBaseline().apply(
        review(waived, found("f1"), found("f2"), content_names=("c1", "c1", "c2")), inputs_
    )
    assert [finding.status.value for finding in done.findings] == ["suppressed", "existing", "new"]
