"""Replay of level 2: the review of the recorded commits, run again, compared with the record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
from msgspec.structs import replace

from wardround.context.change_tests import ChangeTests
from wardround.context.document import document_id
from wardround.context.run_evidence import BehaviourRun, RunConditions, RunEvidence, TestsRun
from wardround.planes.evidence import FindingEvidence
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
            ``surface``, ``tests``, ``run``, ``signal`` or ``verdict``.
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
        *_tests(record.evidence.tests, conclusion.evidence.tests),
        *run_drifts(record.context.document.ran, conclusion.context.ran),
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
        old, new = before.get(name), after.get(name)
        if new is None:
            yield Drift("tool", f"{name} did not run")
        elif old is None:
            yield Drift("tool", f"{name} {new.version} ran, and did not in the record")
        elif old.version != new.version:
            yield Drift("tool", f"{name} is {new.version}, recorded {old.version}")
        elif old.digest != new.digest:
            yield Drift("tool", f"{name} {new.version} is another program of the same version")
    recorded = {(one.file, one.tool, one.reason) for one in record.evidence.missing}
    found = {(one.file, one.tool, one.reason) for one in conclusion.evidence.missing}
    for file, tool, reason in sorted(found - recorded):
        yield Drift("missing", f"{file}: {tool}: {reason}")
    for file, tool, reason in sorted(recorded - found):
        yield Drift("missing", f"{file}: {tool} reviewed it now, recorded: {reason}")


def _exchanges(record: ReviewRecord, conclusion: Conclusion) -> Iterator[Drift]:
    """The differences of the exchanges with a language model, apart from the texts of the answers."""
    before = {exchange.plane: exchange for exchange in record.evidence.exchanges}
    after = {exchange.plane: exchange for exchange in conclusion.evidence.exchanges}
    for plane in sorted(before.keys() | after.keys()):
        old, new = before.get(plane), after.get(plane)
        if old is None or new is None:
            how = "used, and not in the record" if old is None else "not used, and it is in the record"
            yield Drift("exchange", f"{plane}: a language model is {how}")
            continue
        for name in ("prompt", "model", "served_model", "seed", "requests", "answer_digest", "problem"):
            if getattr(old, name) != getattr(new, name):
                label = name.replace("_", " ")
                yield Drift("exchange", f"{plane}: the {label} of the language model differs")


def _findings(record: ReviewRecord, conclusion: Conclusion) -> Iterator[Drift]:
    before, after = _by_fingerprint(record.evidence.findings), _by_fingerprint(conclusion.evidence.findings)
    for fingerprint in sorted(before.keys() | after.keys()):
        old, new = before.get(fingerprint), after.get(fingerprint)
        if old is None or new is None:
            one, how = (new, "new") if old is None else (old, "gone")
            assert one is not None
            yield Drift("finding", f"{one.file}:{one.line}: {one.rule} is {how}")
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
    """The differences of the changes that break users of published surfaces."""
    before, after = set(record.evidence.surface.breaking), set(conclusion.evidence.surface.breaking)
    for one in sorted(before ^ after):
        how = "new" if one in after else "gone"
        yield Drift("surface", f"{one.path}:{one.line}: {one.name} {one.detail} is {how}")


def _tests(recorded: ChangeTests, found: ChangeTests) -> Iterator[Drift]:
    if recorded.problem != found.problem:
        yield Drift("tests", found.problem or f"the tests were searched, recorded: {recorded.problem}")
    elif (recorded.functions, recorded.lost) != (found.functions, found.lost):
        yield Drift("tests", "the tests that are found for the changed functions differ")
    before, after = ({one.path: one for one in some.coverage.files} for some in (recorded, found))
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path), after.get(path)
        states = ["absent" if one is None else one.state.value for one in (new, old)]
        if states[0] != states[1]:
            yield Drift("tests", f"{path} is {states[0]}, recorded {states[1]}")
    if before == after and recorded.coverage != found.coverage:
        yield Drift("tests", "the coverage of the changed lines differs")


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
    before, after = ({(one.path, one.function) for one in some.differences} for some in (recorded, found))
    for path, function in sorted(before ^ after):
        how = "differs" if (path, function) in after else "does not differ"
        yield Drift("run", f"{path}: {function} {how} now")


def _by_fingerprint(findings: tuple[FindingEvidence, ...]) -> Mapping[str, FindingEvidence]:
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
