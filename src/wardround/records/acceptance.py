"""The comparison that decides whether the record of an earlier review may replace a new one.

Pure: the record and the present state are values. All inputs of a review that a record names must be equal;
    otherwise, or if evidence is missing, the change is reviewed as usual.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

import msgspec

from wardround.analyses.change_tests import ChangedSourceTests
from wardround.planes.signal import PlaneStatus
from wardround.policy.gate import GateOutcome
from wardround.records.record import Components, RecordedPolicy, RecordedRequest, ReviewRecord
from wardround.records.rerun import component_drifts

CLOCK_SKEW = timedelta(minutes=5)
"""How far the clock of the signer may be ahead."""
MODEL = "model "
"""The beginning of a model's name among the tools of the evidence."""


class PresentReview(msgspec.Struct, frozen=True):
    """The state that a review of the change would have now.

    Attributes:
        policies: the name and digest of the policy of the repository, then of the floor if there is one.
        programs: name, version and digest of each static tool that would run.
        models: name -> version of each model that the checks could use.
        required_models: the names of those that the checks of single files use.
        uses_language_model: a language model would be used.
        missing: a reason why the review would be inconclusive; empty if there is none.
        coverage_file: the path of a coverage file in the work tree; empty if there is none.
    """

    context: str
    profile: str
    fail_level: str
    target_branch: str
    policy_file: str
    request: RecordedRequest
    policies: tuple[tuple[str, str], ...]
    components: Components
    programs: frozenset[tuple[str, str, str]]
    models: Mapping[str, str]
    required_models: frozenset[str]
    uses_language_model: bool
    missing: str = ""
    coverage_file: str = ""


def differences(record: ReviewRecord, present: PresentReview) -> Iterator[str]:
    """Yield the parts of a record that differ from the present state, a phrase each."""
    evidence = record.evidence
    if record.context.id != present.context:
        yield f"the context is {present.context}, recorded {record.context.id}"
    for name, old, new in (
        ("profile", evidence.profile, present.profile),
        ("fail level", evidence.fail_level, present.fail_level),
        ("target branch", evidence.target_branch, present.target_branch),
        ("policy file", evidence.policy_file, present.policy_file),
    ):
        if old != new:
            yield f"the {name} is {new!r}, recorded {old!r}"
    if present.request.run:
        yield "the change is to be run, and a record does not show what a run would show now"
    elif record.request != present.request:
        yield "the options of the review differ"
    yield from _policies(record, present)
    yield from (drift.text for drift in component_drifts(record.components, present.components))
    if record.components.models != present.components.models:
        yield "the settings of models differ"
    yield from _programs(record, present)
    yield from _models(record, present)
    yield from _coverage(record, present)
    if bool(evidence.exchanges) != present.uses_language_model:
        how = "is used, and not in the record" if present.uses_language_model else "is not used now"
        yield f"a language model {how}"


def missing_evidence(record: ReviewRecord) -> Iterator[str]:
    """Yield the reasons why a record is inconclusive, a phrase each."""
    if record.evidence.gate == GateOutcome.INCONCLUSIVE:
        yield "it is inconclusive"
    for gap in record.evidence.missing:
        yield f"{gap.tool} did not review {gap.file}"
    for signal in record.signals:
        if signal.status is PlaneStatus.INCONCLUSIVE:
            yield f"its plane {signal.plane} is inconclusive"


def age_fault(created: datetime, current: datetime, limit: timedelta) -> str | None:
    """Return the reason why the time of a record does not fit; None if it does."""
    if created > current + CLOCK_SKEW:
        return "it is dated in the future"
    if current - created > limit:
        days = limit / timedelta(days=1)
        return f"it is older than {days:g} day{'s' if days != 1 else ''}"
    return None


def _policies(record: ReviewRecord, present: PresentReview) -> Iterator[str]:
    own, floor = _policy_name(record.policy), _policy_name(record.floor)
    new_floor = present.policies[1] if len(present.policies) > 1 else None
    if own != present.policies[0]:
        yield f"the policy is {_policy_text(present.policies[0])}, recorded {_policy_text(own)}"
    if floor != new_floor:
        yield f"the policy floor is {_policy_text(new_floor)}, recorded {_policy_text(floor)}"


def _policy_name(policy: RecordedPolicy | None) -> tuple[str, str] | None:
    return None if policy is None else (policy.name, policy.digest)


def _policy_text(policy: tuple[str, str] | None) -> str:
    return "none" if policy is None else f"{policy[0]}@{policy[1]}"


def _programs(record: ReviewRecord, present: PresentReview) -> Iterator[str]:
    before = {tool.tool: (tool.version, tool.digest) for tool in record.evidence.tools if tool.digest}
    after = {name: (version, digest) for name, version, digest in present.programs}
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            yield f"the tool {name} would not run now"
        elif name not in before:
            yield f"the tool {name} {after[name][0]} did not run in the record"
        elif before[name] != after[name]:
            yield f"the tool {name} is {' '.join(after[name])}, recorded {' '.join(before[name])}"


def _coverage(record: ReviewRecord, present: PresentReview) -> Iterator[str]:
    """Yield the coverage files that count: a record names neither their content nor the run of the tests."""
    recorded = (file.path for file in record.evidence.notes_of(ChangedSourceTests).coverage.files)
    for path in sorted({*recorded, present.coverage_file} - {""}):
        yield f"the coverage file {path} may count, and a record does not name its content"


def _models(record: ReviewRecord, present: PresentReview) -> Iterator[str]:
    before = {tool.tool: tool.version for tool in record.evidence.tools if tool.tool.startswith(MODEL)}
    required = {name for name in present.models if name in present.required_models}
    for name in sorted(before.keys() | required):
        if before.get(name) != present.models.get(name):
            yield f"the {name} is {present.models.get(name, 'not used')}, recorded {before.get(name, 'none')}"
