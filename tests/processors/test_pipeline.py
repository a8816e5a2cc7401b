"""The pipeline is a list of pure steps: the same inputs give the same findings, and nothing else changes."""

from __future__ import annotations

from itertools import pairwise

import pytest
from wardround_python.tools import RUFF

from tests.processors.factory import added, inputs, raw
from tests.variants import specialist
from wardround.execution.model import Results
from wardround.findings import Unreviewed
from wardround.processors.baseline import ApplyBaseline
from wardround.processors.classify import ClassifyResults
from wardround.processors.deduplicate import MergeDuplicates
from wardround.processors.dismissals import ApplyDismissals
from wardround.processors.fingerprint import FingerprintFindings, NameByContent
from wardround.processors.mask_secrets import MaskNotices, MaskSecrets
from wardround.processors.model import PipelineInputs, Processor, SideResults
from wardround.processors.pipeline import PIPELINE, process
from wardround.processors.rank import RankFindings
from wardround.processors.refute import RefuteFindings
from wardround.processors.suppressions import ApplySuppressions
from wardround.processors.unreviewed import ReportUnreviewed

TEXT = "def f(x=[]):\n    return x\n\n\ny = 1  # wardround: ignore[ruff/B006]\n"


PYTHON = specialist("python", ("*.py",), tools=(RUFF,))


def _given() -> PipelineInputs:
    results = Results(by_file={(RUFF, "a.py"): [raw("B006", 1)]})
    missing = Unreviewed("a.py", "python", "ty", "it took longer than 60 s")
    return inputs(
        added("a.py", 5), head={"a.py": TEXT}, results=SideResults(results, Results()),
        unreviewed=(missing,), specialists=(PYTHON,),
    )  # fmt: skip


def test_results_become_findings_and_notices_in_order() -> None:
    done = process(_given())
    assert [(item.rule, item.span.line, item.status) for item in done.findings] == [
        ("ruff/B006", 1, "new"),
        ("wardround/suppression-without-reason", 5, "new"),
    ]
    assert len({item.fingerprint for item in done.findings}) == len(done.content_names) == 2
    assert [item.tool for item in done.unreviewed] == ["ty"]
    assert (done.candidates, done.notices) == ((), ())


def test_the_same_inputs_give_the_same_findings() -> None:
    given = _given()
    first, second = process(given), process(given)
    assert first.findings == second.findings
    assert first.unreviewed == second.unreviewed
    assert given.results.head.by_file == {(RUFF, "a.py"): [raw("B006", 1)]}


@pytest.mark.parametrize(
    ("earlier", "later"),
    list(pairwise((
        ClassifyResults, RefuteFindings, MergeDuplicates, MaskSecrets, FingerprintFindings,
            ApplySuppressions, MaskNotices, NameByContent, ApplyDismissals, ApplyBaseline, ReportUnreviewed,
            RankFindings,
    ))),
)  # fmt: skip
def test_steps_run_after_those_they_depend_on(earlier: type[Processor], later: type[Processor]) -> None:
    kinds = [type(step) for step in PIPELINE]
    assert kinds.index(earlier) < kinds.index(later)
