"""False positives of zizmor: the workflow excludes what the audit assumes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from wardround.languages.yaml.nodes import Mapping, Scalar
from wardround.lazy import LazyPattern
from wardround_docker_ci.file_kinds import FileKind
from wardround_docker_ci.models.github_conditions import is_limited
from wardround_docker_ci.models.github_workflow import Workflow, WorkflowJob, WorkflowStep

if TYPE_CHECKING:
    from wardround_docker_ci.document import CiFile

_AUTHOR = LazyPattern(
    r"github\.event\.pull_request\.user\.(?:login|id)\s*==|==\s*github\.event\.pull_request\.user\."
)
_OPENED = frozenset({"opened"})
_WRITES = LazyPattern(
    r">>?\s*[\"']?\$\{?GITHUB_(?:ENV|PATH)\b|(?:tee|Out-File|Add-Content)[^\n]*GITHUB_(?:ENV|PATH)\b"
)
_CONSTANT = LazyPattern(
    r"\s*echo\s+(?:-n\s+)?(?:[\w./:=\"'@,+ ~-]"
    r"|\$\{?(?:HOME|PWD|GITHUB_WORKSPACE|RUNNER_TEMP|RUNNER_TOOL_CACHE)\b\}?|\$\(pwd\))*"
    r">>?\s*[\"']?\$\{?GITHUB_(?:ENV|PATH)\}?[\"']?\s*(?:;|&&|#.*)?\s*"
)
"""A line that writes constants and folders of the runner."""
_NOT_TO_A_REGISTRY = LazyPattern(r"--publish[ =]never|--dry-run|\bpkg-pr-new\b")
_PRIVATE_INDEX = LazyPattern(
    r"TWINE_REPOSITORY_URL|UV_PUBLISH_URL|POETRY_REPOSITORIES_"
    r"|--(?:repository|publish|index)-url[ =](?!\S*pypi\.org)"
    r"|\brepository-url:\s*(?!\S*pypi\.org)\S|NPM_CONFIG_REGISTRY|--registry[ =](?!\S*registry\.npmjs\.org)"
)
"""Uploads to an index of a company, where only PyPI and npm have trusted publishing."""
_INPUT = LazyPattern(r"\s*(?:github\.event\.)?inputs\.([\w-]+)\s*$")
_REF = LazyPattern(r"\s*github\.ref(?:_name)?\s*$")
_SCHEDULED = frozenset({"schedule"})
_CLOSED_TYPES = frozenset({"choice", "boolean", "number", "environment"})
_MATRIX = LazyPattern(r"\s*matrix(?:\.[\w-]+)+\s*$")
_MATRIX_FROM_OUTSIDE = LazyPattern(
    r"fromJSON\(\s*(?:github\.event|github\.head_ref|inputs)\b",
)


class AuditedPlace(msgspec.Struct, frozen=True):
    """The text that an audit reports, the step around it, and its file."""

    feature: str
    step: str
    file: Path


def is_false_positive(audit: str, place: AuditedPlace) -> bool:
    """Return True if a result is wrong."""
    test = _TESTS.get(audit)
    return test is not None and test(place)


def is_bound(expression: str, file: Path, line: int) -> bool:
    """Return True if a workflow lists the values of an expression, or if they come from its own jobs.

    Values are listed where an input is declared, or in the condition of the job or step on a line (1-based).

    A schedule runs on the default branch only.
    """
    if _MATRIX.match(expression):
        return _MATRIX_FROM_OUTSIDE.search(file.read_text("utf-8-sig", "surrogateescape")) is None
    if any(is_limited(expression, condition) for condition in _conditions(file, line)):
        return True
    if _REF.match(expression):
        return frozenset(_workflow(file).triggers) == _SCHEDULED
    name = _INPUT.match(expression)
    if name is None:
        return False
    declared = _workflow(file).root.mapping("on", "workflow_dispatch", "inputs", name[1])
    return declared.text("type") in _CLOSED_TYPES


def _conditions(file: Path, line: int) -> list[str]:
    """Return the conditions of the step around a line and of its job."""
    read = _read(file)
    around: tuple[WorkflowJob, WorkflowStep] | None = None
    for job, step in read.workflow.all_steps:
        if read.places.line(step.node.start) > line:
            break
        around = job, step
    conditions = [part.condition for part in around] if around else []
    return [condition.value for condition in conditions if condition is not None]


def _read(file: Path) -> CiFile:
    from wardround_docker_ci.document import CiFile  # the parser; not needed to start the tool

    return CiFile(FileKind.WORKFLOW, str(file), file.read_text("utf-8-sig", "surrogateescape"))


def _workflow(file: Path) -> Workflow:
    return _read(file).workflow


def _names_the_author(place: AuditedPlace) -> bool:
    """Return True if a condition compares the author too, or if the actor is the author.

    A pull request is opened by its author; later events have other actors.
    """
    if _AUTHOR.search(place.feature):
        return True
    workflow = _workflow(place.file)
    events = [event for event in workflow.triggers if event != "workflow_dispatch"]
    return bool(events) and all(_types(workflow.root, event) == _OPENED for event in events)


def _types(root: Mapping, event: str) -> frozenset[str]:
    """Return the activity types of an event; none for an event of another kind than a pull request."""
    if not event.startswith("pull_request"):
        return frozenset()
    types = root.mapping("on", event).items_at("types")
    return frozenset(type_.value for type_ in types if isinstance(type_, Scalar))


def _writes_constants(place: AuditedPlace) -> bool:
    """Return True if every line that writes an environment file writes constants."""
    lines = [line for line in place.feature.split("\n") if _WRITES.search(line)]
    return bool(lines) and all(_CONSTANT.fullmatch(line) for line in lines)


def _has_no_trusted_publishing(place: AuditedPlace) -> bool:
    """Return True if a command publishes nothing to PyPI or npm."""
    return (
        _NOT_TO_A_REGISTRY.search(place.feature) is not None or _PRIVATE_INDEX.search(place.step) is not None
    )


_TESTS: dict[str, Callable[[AuditedPlace], bool]] = {
    "bot-conditions": _names_the_author,
    "github-env": _writes_constants,
    "use-trusted-publishing": _has_no_trusted_publishing,
}
