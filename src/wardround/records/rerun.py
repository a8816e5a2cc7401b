"""Replay of level 2: the review of the recorded commits, run again, compared with the record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
from msgspec.structs import replace

from wardround.analyses.change_tests import ChangedSourceTests
from wardround.analyses.registry import is_builtin_analysis
from wardround.analyses.surfaces import Surfaces
from wardround.context.change_tests import CoverageFile
from wardround.context.document import document_id
from wardround.context.run_evidence import BehaviourRun, RunConditions, RunEvidence, TestsRun
from wardround.planes.evidence import FindingEvidence, ToolEvidence
from wardround.policy.conclude import Conclusion
from wardround.records.record import Components, ReviewRecord

DEAD_BAND = 0.02
"""The largest difference of a model's score that is not drift: processors round differently.

Source: onnxruntime gives no guarantee of equal results between machines; the int8 models here differed by up
to 0.02 between instruction sets.
"""


class Drift(msgspec.Struct, frozen=True):
    """A difference between a record and the same review today.

    Attributes:
        kind: ``context``, ``component``, ``tool``, ``exchange``, ``missing``, ``finding``, ``score``,
            ``surface``, ``tests``, ``notes``, ``run``, ``signal`` or ``verdict``.
        text: for people, one line.
    """

    kind: str
    text: str


def compare_rerun(record: ReviewRecord, conclusion: Conclusion, components: Components) -> tuple[Drift, ...]:
    """Compare a record with the conclusion of the same review today, decided by the recorded policies."""
    return (
        *_context(record, conclusion),
        *component_drifts(record.components, components),
        *_tools(record, conclusion),
        *_exchanges(record, conclusion),
        *_findings(record, conclusion),
        *_surface(record, conclusion),
        *_tests(record, conclusion),
        *run_drifts(record.context.document.ran, conclusion.context.ran),
        *_other_notes(record, conclusion),
        *_decision(record, conclusion),
    )


def _context(record: ReviewRecord, conclusion: Conclusion) -> Iterator[Drift]:
    recorded = replace(record.context.document, run=msgspec.UNSET)
    found = document_id(conclusion.context)
    if recorded == replace(conclusion.context, run=msgspec.UNSET):
        return  # what ran is compared part by part
    if found != record.context.id:
        yield Drift("context", f"the context is {found}, recorded {record.context.id}")


def component_drifts(recorded: Components, found: Components) -> Iterator[Drift]:
    """Return the programs of ours that differ, and the configuration if it does."""
    for name in ("version", "engine", "rules", "configuration"):
        old, new = getattr(recorded, name), getattr(found, name)
        if old != new:
            yield Drift("component", f"{name} is {new}, recorded {old}")
    before = {plugin.name: plugin for plugin in recorded.plugins}
    after = {plugin.name: plugin for plugin in found.plugins}
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            yield Drift("component", f"plugin {name} differs")


def _tools(record: ReviewRecord, conclusion: Conclusion) -> Iterator[Drift]:
    before = {tool.tool: tool for tool in record.evidence.tools}
    after = {tool.tool: tool for tool in conclusion.evidence.tools}
    for name in sorted(before.keys() | after.keys()):
        if difference := _tool_difference(name, before.get(name), after.get(name)):
            yield Drift("tool", difference)
    recorded = {(entry.file, entry.tool, entry.reason) for entry in record.evidence.missing}
    found = {(entry.file, entry.tool, entry.reason) for entry in conclusion.evidence.missing}
    for file, tool, reason in sorted(found - recorded):
        yield Drift("missing", f"{file}: {tool}: {reason}")
    for file, tool, reason in sorted(recorded - found):
        yield Drift("missing", f"{file}: {tool} reviewed it now, recorded: {reason}")


def _tool_difference(name: str, old: ToolEvidence | None, new: ToolEvidence | None) -> str:
    if new is None:
        return f"{name} did not run"
    if old is None:
        return f"{name} {new.version} ran, and did not in the record"
    if old.version != new.version:
        return f"{name} is {new.version}, recorded {old.version}"
    if old.digest != new.digest:
        return f"{name} {new.version} is another program of the same version"
    return ""


def _exchanges(record: ReviewRecord, conclusion: Conclusion) -> Iterator[Drift]:
    """Yield the differences of the exchanges with a language model, except in the texts of the answers."""
    before = {(exchange.plane, exchange.step): exchange for exchange in record.evidence.exchanges}
    after = {(exchange.plane, exchange.step): exchange for exchange in conclusion.evidence.exchanges}
    for plane, step in sorted(before.keys() | after.keys()):
        old, new = before.get((plane, step)), after.get((plane, step))
        part = plane if step == "claims" else f"{plane}, second pass"
        if old is None or new is None:
            how = "used, and not in the record" if old is None else "not used, and it is in the record"
            yield Drift("exchange", f"{part}: a language model is {how}")
            continue
        for name in ("prompt", "model", "served_model", "seed", "last_request", "answer_digest", "problem"):
            if getattr(old, name) != getattr(new, name):
                label = name.replace("_", " ")
                yield Drift("exchange", f"{part}: the {label} of the language model differs")


def _findings(record: ReviewRecord, conclusion: Conclusion) -> Iterator[Drift]:
    before, after = (
        _index_by_fingerprint(record.evidence.findings),
        _index_by_fingerprint(conclusion.evidence.findings),
    )
    for fingerprint in sorted(before.keys() | after.keys()):
        old, new = before.get(fingerprint), after.get(fingerprint)
        if old is None or new is None:
            item, how = (new, "new") if old is None else (old, "gone")
            assert item is not None
            yield Drift("finding", f"{item.file}:{item.line}: {item.rule} is {how}")
        elif abs(old.confidence - new.confidence) > DEAD_BAND:
            yield Drift(
                "score",
                f"{new.file}:{new.line}: {new.rule} has {new.confidence:g}, recorded {old.confidence:g}",
            )
        elif (old.severity, old.status) != (new.severity, new.status):
            yield Drift(
                "finding",
                f"{new.file}:{new.line}: {new.rule} is {new.severity} and {new.status}, "
                f"recorded {old.severity} and {old.status}",
            )


def _surface(record: ReviewRecord, conclusion: Conclusion) -> Iterator[Drift]:
    """Yield the differences of the changes that break users of published surfaces."""
    before = set(record.evidence.notes_of(Surfaces).breaking)
    after = set(conclusion.evidence.notes_of(Surfaces).breaking)
    for change in sorted(before ^ after):
        how = "new" if change in after else "gone"
        yield Drift("surface", f"{change.path}:{change.line}: {change.name} {change.detail} is {how}")


def _tests(record: ReviewRecord, conclusion: Conclusion) -> Iterator[Drift]:
    recorded = record.evidence.notes_of(ChangedSourceTests)
    found = conclusion.evidence.notes_of(ChangedSourceTests)
    if recorded.problem != found.problem:
        yield Drift("tests", found.problem or f"the tests were searched, recorded: {recorded.problem}")
    elif (recorded.functions, recorded.lost) != (found.functions, found.lost):
        yield Drift("tests", "the tests that are found for the changed functions differ")
    before, after = ({file.path: file for file in tests.coverage.files} for tests in (recorded, found))
    for path in sorted(before.keys() | after.keys()):
        state, recorded_state = _coverage_state(after.get(path)), _coverage_state(before.get(path))
        if state != recorded_state:
            yield Drift("tests", f"{path} is {state}, recorded {recorded_state}")
    if before == after and recorded.coverage != found.coverage:
        yield Drift("tests", "the coverage of the changed lines differs")


def _coverage_state(file: CoverageFile | None) -> str:
    return "absent" if file is None else file.state.value


def _other_notes(record: ReviewRecord, conclusion: Conclusion) -> Iterator[Drift]:
    """Yield the analyses of plugins whose notes differ."""
    before, after = record.evidence.notes, conclusion.evidence.notes
    for name in sorted(before.keys() | after.keys()):
        if not is_builtin_analysis(name) and before.get(name) != after.get(name):
            yield Drift("notes", f"the notes of the analysis {name} differ")


def run_drifts(recorded: RunEvidence, found: RunEvidence) -> Iterator[Drift]:
    """Return the differences of two runs, apart from excerpts."""
    for name, old, new in (
        ("tests", recorded.tests, found.tests),
        ("behaviour", recorded.behaviour, found.behaviour),
    ):
        if old is None or new is None:
            if old is not new:
                how = (
                    "did not run, and did in the record" if new is None else "ran, and did not in the record"
                )
                yield Drift("run", f"{name} {how}")
            continue
        yield from _conditions(name, old.conditions, new.conditions)
    if recorded.tests is not None and found.tests is not None:
        yield from _test_runs(recorded.tests, found.tests)
    if recorded.behaviour is not None and found.behaviour is not None:
        yield from _behaviour_runs(recorded.behaviour, found.behaviour)


def _conditions(name: str, recorded: RunConditions, found: RunConditions) -> Iterator[Drift]:
    for field in ("state", "isolation", "environment"):
        old, new = getattr(recorded, field), getattr(found, field)
        if old != new:
            yield Drift("run", f"{name}: the {field} is {new or 'empty'}, recorded {old or 'empty'}")


def _test_runs(recorded: TestsRun, found: TestsRun) -> Iterator[Drift]:
    before, after = ({test.id: test.outcome.value for test in some.tests} for some in (recorded, found))
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name, "not chosen"), after.get(name, "not chosen")
        if old != new:
            yield Drift("run", f"{name} is {new}, recorded {old}")
    if recorded.lines != found.lines:
        yield Drift("run", "the changed lines that the tests ran differ")


def _behaviour_runs(recorded: BehaviourRun, found: BehaviourRun) -> Iterator[Drift]:
    before, after = (
        {(difference.path, difference.function) for difference in some.differences}
        for some in (recorded, found)
    )
    for path, function in sorted(before ^ after):
        how = "differs" if (path, function) in after else "does not differ"
        yield Drift("run", f"{path}: {function} {how} now")


def _index_by_fingerprint(findings: tuple[FindingEvidence, ...]) -> Mapping[str, FindingEvidence]:
    return {finding.fingerprint: finding for finding in findings}


def _decision(record: ReviewRecord, conclusion: Conclusion) -> Iterator[Drift]:
    for old, new in zip(record.signals, conclusion.signals, strict=False):
        if (old.status, old.severity) != (new.status, new.severity):
            yield Drift(
                "signal",
                f"{new.plane} is {new.status} ({new.severity}), recorded {old.status} ({old.severity})",
            )
    before, after = record.verdict, conclusion.verdict
    if (before.name, before.tier) != (after.name, after.tier):
        yield Drift("verdict", f"{after.name} ({after.tier}), recorded {before.name} ({before.tier})")
