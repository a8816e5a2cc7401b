"""The predicate of a review: everything from which its verdict is derived, and the tools that produced it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from wardround import __version__
from wardround.config.request import ReviewRequest
from wardround.config.schema import Config
from wardround.context.canonical import canonical_json, content_id
from wardround.context.document import ContextDocument, document_id
from wardround.context.run_evidence import RUN_PARTS, RunEvidence, RunPart
from wardround.host import PluginHost
from wardround.lazy import files_state, source_files
from wardround.planes.evidence import Evidence
from wardround.planes.signal import Signal
from wardround.policy.schema import Policy, require_valid
from wardround.policy.verdict import Verdict
from wardround.records.predicates import DIGEST, digest_of
from wardround.records.recorded_evidence import evidence_values, read_evidence
from wardround.records.statement import FIRST_SCHEMA, WITHOUT_SUMMARY
from wardround.storage.digest import sha256
from wardround.storage.memo import memoize_on_disk

if TYPE_CHECKING:
    from wardround.review_result import ReviewResult

SCHEMA = "wardround.review/1.2"
"""Raised with the form of a record, and with the derivation of signals and verdict from its evidence."""
DERIVED_ALIKE = frozenset({WITHOUT_SUMMARY, SCHEMA})
"""The schemas whose signals and verdict this version derives by the same rules."""
NOT_COVERED = (
    "components",
    "evidence.messages",
    "evidence.moves",
    "evidence.neighbours",
    "evidence.target_branch",
    "evidence.tools",
    "floor",
    "origin",
    "policy",
    "request",
)
"""The parts of a record that the id of the context does not cover, although a review depends on them."""
_RULES = "wardround_rules"
_COVERED = (".cjs", ".json", ".md", ".py", ".txt", ".yml")
"""The endings of source and of data: rules, policies, prompts with their schemas, word lists, programs."""


class RecordedContext(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The context and its id, the digest of the document.

    Attributes:
        not_covered: further inputs of a review; the digest of the record covers them.
    """

    id: str
    document: ContextDocument
    not_covered: tuple[str, ...] = NOT_COVERED


class RecordedOrigin(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The run of a CI system that made a review, as named by its environment; empty if it is not named.

    Attributes:
        repository: its address.
        change_request: the number of the pull request.
        workflow_run: the address of the run.
        actor: who started it.
        workflow: the file that defines the workflow, with its ref: ``OWNER/REPOSITORY/PATH@REF``; or the
            address of the job, where a CI system names no file.
        workflow_commit: the commit of that file.
    """

    repository: str = ""
    change_request: str = ""
    workflow_run: str = ""
    actor: str = ""
    workflow: str = ""
    workflow_commit: str = ""


class RecordedGate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The outcome of the gate, and the severity that blocks."""

    outcome: str
    fail_level: str


class RecordedPolicy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A policy and its digest."""

    name: str
    digest: str
    document: Policy


class RecordedPlugin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A plugin: its distribution and version, and a digest of its source."""

    name: str
    distribution: str
    version: str
    digest: str


class Components(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The programs that produced the evidence, besides the tools, which the evidence lists.

    Attributes:
        engine: a digest of the source of the engine.
        rules: a digest of the rules as data.
        configuration: a digest of the configuration that applied.
        models: settings of the runtime for models: mode, provider and threads.
    """

    version: str
    engine: str
    rules: str
    plugins: tuple[RecordedPlugin, ...]
    configuration: str
    models: dict[str, str | int]


class RecordedRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of the caller that decide the scope of the review.

    Attributes:
        trusted_side: whose configuration applied: ``target`` or ``head``.
        models: models could be used.
        run: the parts that were run.
        sandbox: the requested isolation of the run; empty for the configured one.
    """

    trusted_side: Literal["target", "head"]
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    models: bool = True
    baseline: bool = True
    run: tuple[RunPart, ...] = ()
    sandbox: str = ""


class ReviewRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The content of a record, without anything that depends on the time or the machine.

    Attributes:
        policy: that of the repository.
        floor: that of the organisation.
        origin: None outside of CI systems.
    """

    context: RecordedContext
    gate: RecordedGate
    evidence: Evidence
    signals: tuple[Signal, ...]
    verdict: Verdict
    policy: RecordedPolicy
    components: Components
    request: RecordedRequest
    schema: str
    floor: RecordedPolicy | None = None
    origin: RecordedOrigin | None = None

    def __post_init__(self) -> None:
        if self.schema not in (FIRST_SCHEMA, *DERIVED_ALIKE):
            raise ValueError(f"schema {self.schema!r} is not one of {FIRST_SCHEMA} to {SCHEMA}")

    @property
    def policies(self) -> tuple[Policy, ...]:
        """The policy of the repository, and the floor if there is one."""
        floor = () if self.floor is None else (self.floor.document,)
        return (self.policy.document, *floor)


def record_of(result: ReviewResult, host: PluginHost, origin: RecordedOrigin | None = None) -> ReviewRecord:
    """Return the record of a review."""
    conclusion, request, config = result.conclusion, result.request, result.config
    evidence, policies = conclusion.evidence, [_policy(policy) for policy in conclusion.policies]
    return ReviewRecord(
        schema=SCHEMA,
        context=RecordedContext(document_id(conclusion.context), conclusion.context),
        gate=RecordedGate(evidence.gate, evidence.fail_level),
        evidence=evidence,
        signals=conclusion.signals,
        verdict=conclusion.verdict,
        policy=policies[0],
        floor=policies[1] if len(policies) > 1 else None,
        components=components_of(config, host),
        request=recorded_request(request, _parts(request.parts_to_run(config), conclusion.context.ran)),
        origin=origin,
    )


def _parts(requested: Sequence[RunPart], ran: RunEvidence) -> tuple[RunPart, ...]:
    """Return the requested parts if there was something to run."""
    return tuple(part for part in requested if part in ran.parts or (part not in RUN_PARTS and ran.parts))


def recorded_request(request: ReviewRequest, parts: tuple[RunPart, ...]) -> RecordedRequest:
    """Return the settings of the caller as a record keeps them.

    Args:
        parts: those of the change that ran.
    """
    return RecordedRequest(
        request.trusted_side,
        request.only,
        request.skip,
        request.use_models,
        request.use_baseline,
        parts,
        (request.sandbox or "") if parts else "",
    )


def predicate_of(record: ReviewRecord) -> dict[str, Any]:
    """Return a record as plain values, with its digest."""
    values = record_values(record)
    if record.schema != FIRST_SCHEMA:
        values[DIGEST] = digest_of(values)
    return values


def record_values(record: ReviewRecord) -> dict[str, Any]:
    """Return a record as plain values, without its digest."""
    values: dict[str, Any] = msgspec.to_builtins(record)
    return values | {"evidence": evidence_values(record.evidence)}


def read_record(predicate: Mapping[str, Any]) -> ReviewRecord:
    """Read a record from plain values.

    Raises:
        msgspec.ValidationError: a field is missing, unknown or of another form.
        ConfigError: a policy in it is not valid.
    """
    record = convert_record(predicate)
    for policy in record.policies:
        require_valid(policy, f"policy {policy.name}")
    return record


def convert_record(predicate: Mapping[str, Any]) -> ReviewRecord:
    """Read a record from plain values, without an evaluation of its policies.

    Raises:
        msgspec.ValidationError: a field is missing, unknown or of another form.
    """
    content = {name: value for name, value in predicate.items() if name != DIGEST}
    if "evidence" in content:
        content["evidence"] = read_evidence(content["evidence"])
    return msgspec.convert(content, ReviewRecord)


def source_digest(package: str) -> str:
    """Return a digest of the source and the data files of a package or module, the same on every machine.

    Compiled files do not count: they depend on the machine, and come from the source or from a distribution.
    """
    files = source_files(package, _COVERED)
    state = sha256(files_state(files).encode()).hexdigest()
    return memoize_on_disk("sources", state, lambda: _digest(files))


def _digest(files: Sequence[str]) -> str:
    contents = [content_id(Path(file).read_bytes()) for file in files]
    if len(contents) == 1:
        return contents[0]
    root = os.path.commonpath(files)
    lines = [
        f"{os.path.relpath(file, root)} {content}" for file, content in zip(files, contents, strict=True)
    ]
    return content_id("\n".join(lines).encode())


def _policy(policy: Policy) -> RecordedPolicy:
    return RecordedPolicy(policy.name, policy.digest, policy)


def components_of(config: Config, host: PluginHost) -> Components:
    """Describe the programs that produce the evidence of a review."""
    root = config.root
    return Components(
        version=__version__,
        engine=source_digest("wardround"),
        rules=source_digest(_RULES),
        plugins=tuple(_plugins(host)),
        configuration=content_id(canonical_json({layer.file: layer.values for layer in config.layers})),
        models={"mode": root.models, "provider": root.model_provider, "threads": root.model_threads},
    )


def _plugins(host: PluginHost) -> Sequence[RecordedPlugin]:
    return [
        RecordedPlugin(
            plugin.name, plugin.distribution, plugin.version, source_digest(plugin.module.partition(".")[0])
        )
        for plugin in sorted(host.plugins)
    ]
