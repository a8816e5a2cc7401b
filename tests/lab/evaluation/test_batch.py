"""Cases in batch: as a review of each alone would have it, and none sees another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.variants import specialist
from wardround import host
from wardround.change.change_source import PatchChangeSource
from wardround.checks.base import ChangeCheck, Check
from wardround.config.request import ReviewRequest
from wardround.errors import UsageError
from wardround.findings import Severity, Span
from wardround.host import PluginHost
from wardround.review import review_once
from wardround_lab.evaluation.batch import CaseBatch, CaseOutcome, Settings
from wardround_lab.evaluation.cases import Case, Expected


def _case(name: str, files: dict[str, str], **values: Any) -> Case:
    """A case that adds files."""
    parts = []
    for path, text in files.items():
        lines = text.split("\n")[:-1]
        body = "".join(f"+{line}\n" for line in lines)
        parts.append(f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(lines)} @@\n{body}")
    return Case(name, f"set.jsonl:1 ({name})", "".join(parts), **values)


def _reviewed(loaded: PluginHost, cases: Sequence[Case], **settings: Any) -> list[CaseOutcome]:
    return list(CaseBatch(loaded, Settings(**settings)).review(cases, "set"))


class _Neighbours(Check):
    """Says which files it can see."""

    ID = "T001"
    NAME = "neighbours"

    def run(self) -> None:
        found = [self.source.path, *self.source.project.paths(["*"])]
        found += self.source.project.files_with_word(["word"], ["*.txt"])
        self.report(Span(1, 1, 1, 1), " ".join(found))


class _Whole(ChangeCheck):
    """Says which files are in the change, and its message."""

    ID = "T002"
    NAME = "whole"

    def run(self) -> None:
        paths = [file.path for file in self.change.files]
        self.report(paths[0], Span(1, 1, 1, 1), " ".join([*paths, *self.change.messages]))


class _Off(Check):
    """Is off by default."""

    ID = "T003"
    NAME = "off"
    OFF: ClassVar = "a test"
    SEVERITY = Severity.INFO

    def run(self) -> None:
        self.report(Span(1, 1, 1, 1), "off")


_SEEING = PluginHost(
    [specialist("seeing", (".github/*/*.txt", "*.txt"), checks=(_Neighbours,), change_checks=(_Whole,))]
)


def test_a_case_sees_its_own_files_under_their_own_names_and_no_other_case() -> None:
    outcomes = _reviewed(
        _SEEING,
        [
            _case("a", {".github/x/a.txt": "word\n"}, meta={"message": "add a", "set": "first"}),
            _case("b", {"b.txt": "b\n", "c.txt": "word\n"}),
            _case("d", {"d.txt": "d\n"}, before={"e.txt": "word\n"}),
        ],
    )
    assert [[s.message for s in outcome.said] for outcome in outcomes] == [
        [".github/x/a.txt .github/x/a.txt .github/x/a.txt", ".github/x/a.txt add a"],
        ["b.txt b.txt c.txt c.txt", "b.txt c.txt", "c.txt b.txt c.txt c.txt"],
        ["d.txt d.txt e.txt e.txt", "d.txt"],
    ]
    assert [outcome.set for outcome in outcomes] == ["first", "set", "set"]


def test_rules_that_are_off_can_be_enabled() -> None:
    loaded = PluginHost([specialist("off", ("*.txt",), checks=(_Off,))])
    case = _case("a", {"a.txt": "a\n"})
    assert [s.rule for s in _reviewed(loaded, [case])[0].said] == []
    assert [(s.rule, s.severity) for s in _reviewed(loaded, [case], all_rules=True)[0].said] == [
        ("off/T003", "info")
    ]


def test_old_findings_are_held_back() -> None:
    diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,3 @@\n a\n b\n+c\n"
    (outcome,) = _reviewed(_SEEING, [Case("a", "p", diff, before="a\nb\n")])
    assert [(s.rule, s.held_back) for s in outcome.said if s.rule == "seeing/T001"] == [
        ("seeing/T001", "existing")
    ]
    assert outcome.added_lines == 1


def test_an_unusable_case_and_one_that_crashes_do_not_stop_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cases = [_case("a", {"a.txt": "a\n"}), Case("b", "p:2", "nonsense"), _case("c", {"c.txt": "c\n"})]
    unusable = _reviewed(_SEEING, cases)
    assert [bool(o.unusable) for o in unusable] == [False, True, False]
    assert [bool(o.said) for o in unusable] == [True, False, True]


def test_an_unknown_specialist_is_rejected() -> None:
    with pytest.raises(UsageError, match="unknown specialist 'nobody'; choose one of seeing"):
        _reviewed(_SEEING, [], only=("nobody",))


_MIXED = {
    "app.py": "import os\n\n\ndef f(xs=[]):\n    return totl + eval(xs)\n",
    "tests/test_app.py": "def test_f():\n    assert (1, 'always')\n",
    "pkg/wrong.py": "def f(:\n",
    "query.py": "def q(c, name):\n    c.execute(f'SELECT * FROM t WHERE n = {name}')\n",
}


def test_a_batch_equals_separate_reviews_of_each_case(tmp_path: Path) -> None:
    loaded = host.load(only=("python",))
    cases = [_case(path, {path: text}) for path, text in _MIXED.items()]
    cases.append(_case("two", {"a.py": "def f(x: int) -> int: return x\n", "b.py": "import a\n\na.f()\n"}))
    cases.append(_case("one", {"b.py": "import a\n\na.f()\n"}))
    outcomes = _reviewed(loaded, cases)
    for case, outcome in zip(cases, outcomes, strict=True):
        origin = PatchChangeSource(case.diff, tmp_path)
        alone = review_once(origin, loaded, ReviewRequest(use_baseline=False))
        assert [(s.file, s.line, s.rule, s.message) for s in outcome.shown] == [
            (f.file, f.span.line, f.rule, f.message) for f in alone.visible
        ]
    reported = {
        case.id: [s.rule for s in outcome.shown] for case, outcome in zip(cases, outcomes, strict=True)
    }
    assert reported["app.py"]
    assert "ty/missing-argument" in reported["two"]
    assert reported["one"] == []


def test_a_fragment_is_reviewed_as_far_as_it_is_known() -> None:
    diff = (
        "--- a/m.py\n+++ b/m.py\n@@ -40,3 +40,5 @@ class X\n         a = known_above\n         b = 2\n"
        "+        c = eval(a)\n+        d = undefined_here\n         return c\n"
    )
    case = Case("a", "p", diff, expected=(Expected("m.py", 42),))
    (outcome,) = _reviewed(host.load(only=("python",)), [case])
    assert [(s.line, s.rule) for s in outcome.shown] == [(42, "ruff/S307")]
    assert {s.held_back for s in outcome.said if s.line in (42, 43)} == {"", "unproven"}
    assert outcome.unreviewed == ()
