"""The steps from the results of tools and checks to the findings of a report, in their order."""

from __future__ import annotations

from wardround.processors.baseline import ApplyBaseline
from wardround.processors.classify import ClassifyResults
from wardround.processors.conflict_echoes import DropConflictEchoes
from wardround.processors.deduplicate import MergeDuplicates
from wardround.processors.dismissals import ApplyDismissals
from wardround.processors.fingerprint import FingerprintFindings, NameByContent
from wardround.processors.hidden_findings import RevealHiddenFindings
from wardround.processors.intent_comments import LowerIntended
from wardround.processors.judge.judge_findings import JudgeFindings
from wardround.processors.mask_secrets import MaskNotices, MaskSecrets
from wardround.processors.model import PipelineInputs, Processor, ReviewFindings
from wardround.processors.model_findings import AddModelFindings
from wardround.processors.not_utf8 import ReportNotUtf8
from wardround.processors.rank import RankFindings
from wardround.processors.refute import RefuteFindings
from wardround.processors.run_findings import AddRunFindings
from wardround.processors.suppressions import ApplySuppressions
from wardround.processors.tamper import ReportTampering
from wardround.processors.test_data import DropTestDataFindings
from wardround.processors.tool_suppressions import ReportToolSuppressions
from wardround.processors.unfiltered import ReportUnfiltered
from wardround.processors.unreviewed import ReportUnreviewed

PIPELINE: tuple[Processor, ...] = (
    ClassifyResults(),
    DropTestDataFindings(),
    RefuteFindings(),
    RevealHiddenFindings(),  # after the steps that discard results, which apply to hidden ones too
    MergeDuplicates(),
    DropConflictEchoes(),
    AddModelFindings(),
    AddRunFindings(),
    MaskSecrets(),  # before identities, which are the message where the statement is unknown
    FingerprintFindings(),
    ReportNotUtf8(),
    ReportUnfiltered(),
    ApplySuppressions(),
    ReportTampering(),
    ReportToolSuppressions(),
    MaskNotices(),
    NameByContent(),
    ApplyDismissals(),
    ApplyBaseline(),  # after dismissals: an entry accepts only what is still open
    ReportUnreviewed(),  # after all findings, since one about the syntax of a file replaces its entries
    JudgeFindings(),  # after all findings, which its counts include
    LowerIntended(),  # after the judge, which no comment persuades
    RankFindings(),
)


def process(inputs: PipelineInputs) -> ReviewFindings:
    """Return the findings of a review."""
    review = ReviewFindings()
    for step in PIPELINE:
        review = step.apply(review, inputs)
    return review
