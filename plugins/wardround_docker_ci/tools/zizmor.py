"""zizmor: its command and its output."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, partial
from itertools import takewhile
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from wardround.errors import ToolOutputError
from wardround.findings import PARSE_FAILURE_PREFIX, Plane, RawFinding, Severity, Span
from wardround.lazy import LazyPattern
from wardround.tools.ignore_comments import IgnoreComment
from wardround.tools.parsing import collapse_whitespace, decode_output, map_of, relative
from wardround.tools.tool import Columns, Invocation, Probe, Tool, install_line
from wardround_docker_ci.file_kinds import FileKind, kind_of
from wardround_docker_ci.models.github_expressions import is_generated, is_owned
from wardround_docker_ci.specialist import YAML
from wardround_docker_ci.tools.false_positives.zizmor import AuditedPlace, is_bound, is_false_positive
from wardround_docker_ci.tools.trusted import configuration, overlay_above


class ZizmorPoint(msgspec.Struct):
    row: int
    column: int


class ZizmorPlace(msgspec.Struct):
    start_point: ZizmorPoint
    end_point: ZizmorPoint


class ZizmorConcrete(msgspec.Struct):
    location: ZizmorPlace
    feature: str = ""


class ZizmorFile(msgspec.Struct):
    verbatim_path: str


class ZizmorKey(msgspec.Struct, rename="pascal"):
    local: ZizmorFile


class ZizmorRoute(msgspec.Struct):
    route: list[Any]


class ZizmorSymbolic(msgspec.Struct):
    key: ZizmorKey
    annotation: str
    route: ZizmorRoute
    kind: str


class ZizmorLocation(msgspec.Struct):
    symbolic: ZizmorSymbolic
    concrete: ZizmorConcrete


class ZizmorJudgement(msgspec.Struct):
    confidence: str
    severity: str
    persona: str


class ZizmorResult(msgspec.Struct):
    ident: str
    desc: str
    determinations: ZizmorJudgement
    locations: list[ZizmorLocation]
    url: str | None = None
    ignored: bool = False


_CONFIDENCE = {"High": 1.0, "Medium": 0.7, "Low": 0.4, "Unknown": 0.4}
_SLIGHT = ("Informational", "Low")
_SURE = ("High", "Medium")
_KINDS = frozenset({FileKind.WORKFLOW, FileKind.ACTION, FileKind.DEPENDABOT})


def _images_once(found: Sequence[RawFinding], run: Invocation) -> list[RawFinding]:
    """Keep the first finding for each unpinned image of a file."""
    lines_of = cache(partial(_lines_in, run))
    reported: dict[tuple[str, str], RawFinding] = {}
    images = [result for result in found if result.code == "unpinned-images"]
    for finding in sorted(images, key=lambda image: (image.file, image.span.line)):
        line = lines_of(finding.file)[finding.span.line - 1]
        reported.setdefault((finding.file, line.partition(":")[2].strip(" '\"\r")), finding)
    first = set(reported.values())
    return [result for result in found if result.code != "unpinned-images" or result in first]


def _lines_in(run: Invocation, file: str) -> list[str]:
    return (run.root / file).read_text("utf-8", "replace").split("\n")


def _tags_that_count(found: Sequence[RawFinding], run: Invocation) -> list[RawFinding]:
    """Keep one finding for each action referenced by a tag, with another code if the file uses tags anyway.

    It matters if it is the only foreign action, if the step receives a secret, or if the file pins other
    actions. Otherwise every line that updates an action would repeat known facts.
    """
    lines_of = cache(partial(_lines_in, run))
    is_to_be_pinned = cache(lambda file: _is_to_be_pinned(lines_of(file)))
    out: list[RawFinding] = []
    reported: set[tuple[str, str]] = set()
    for result in found:
        if result.code != "tag-of-action":
            out.append(result)
            continue
        lines = lines_of(result.file)
        action = lines[result.span.line - 1].partition("uses")[2].partition("@")[0].strip(" :'\"")
        if (result.file, action) in reported:
            continue
        if is_to_be_pinned(result.file) or _uses_secret(lines, result.span.line):
            reported.add((result.file, action))
            out.append(result)
        else:
            out.append(replace(result, code="tag-like-the-others"))
    return out


def _is_to_be_pinned(lines: Sequence[str]) -> bool:
    """Return True if a workflow has one foreign action only, or pins others."""
    is_only = sum(_FOREIGN.search(line) is not None for line in lines) == 1
    return is_only or any(map(_PINNED.search, lines))


def _uses_secret(lines: Sequence[str], line: int) -> bool:
    """Return True if the step around a line (1-based) uses a secret other than the job's own token."""
    return any(_SECRET.search(lines[number - 1]) for number in _lines_of_step(lines, line))


def _lines_of_step(lines: Sequence[str], line: int) -> range:
    """Return the lines, 1-based, of the step around one of them."""
    first = next((n for n in range(line - 1, -1, -1) if lines[n].lstrip().startswith("- ")), line - 1)
    depth = len(lines[first]) - len(lines[first].lstrip())
    inside = lines[first + 1 :]
    rest = takewhile(lambda text: not text.strip() or len(text) - len(text.lstrip()) > depth, inside)
    return range(first + 1, first + 2 + sum(1 for _ in rest))


_CACHE = LazyPattern(r"\s+((?:enable-)?cache\s*:\s*[^#\n]*[^#\s])")
_FOREIGN = LazyPattern(r"^[\s-]*uses:\s*['\"]?(?!actions/|github/|\./)[\w.-]+/[^@\s]+@")
_PINNED = LazyPattern(r"uses:\s*['\"]?(?!actions/|github/)[\w.-]+/[^@\s]+@[0-9a-f]{40}\b")
_SECRET = LazyPattern(r"\bsecrets(?:\.(?!GITHUB_TOKEN\b)\w|\[)")


def _inherit_span(call: Span, file: Path) -> Span:
    """Return the span of ``secrets: inherit`` in the job that makes a call, which is the line to change."""
    from wardround_docker_ci.document import CiFile  # the parser; not needed to start the tool

    read = CiFile(FileKind.WORKFLOW, str(file), file.read_text("utf-8-sig", "surrogateescape"))
    for job in read.workflow.jobs:
        key, value = job.node.key("secrets"), job.node.scalar("secrets")
        uses = job.node.scalar("uses")
        if key and value and uses and read.places.line(uses.start) in range(call.line, call.end_line + 1):
            return read.places.span(key.start, value.end)
    return call


def _switch_of_cache(step: Span, file: Path) -> Span:
    """Return the span of the cache input of a step, if it has one, not of a changed version."""
    lines = file.read_text("utf-8", "replace").split("\n")
    for number in _lines_of_step(lines, step.line):
        if (switch := _CACHE.match(lines[number - 1])) is not None:
            return Span(number, switch.start(1) + 1, number, switch.end(1) + 1)
    return step


def _once_for_a_line(found: Sequence[RawFinding]) -> list[RawFinding]:
    """Merge the findings for expressions in one line of a script into one that names all of them."""
    out: list[RawFinding] = []
    at: dict[tuple[str, str, int], int] = {}
    for result in found:
        number = at.setdefault((result.code, result.file, result.span.line), len(out))
        if number == len(out) or not result.code.endswith("template-injection"):
            out.append(result)
        elif (also := result.message.split(": ")[1]) not in out[number].message:
            severest = min((out[number], result), key=_slightness)
            out[number] = replace(severest, message=f"{severest.message} (so does {also})")
    return out


def _slightness(item: RawFinding) -> int:
    return -len(Severity) if item.severity is None else -item.severity


def _is_within(result: ZizmorResult, place: ZizmorLocation, file: Path) -> bool:
    """Return True if the secrets go to a workflow of the same repository, whose authors have access."""
    if result.ident != "secrets-inherit":
        return False
    start, end = place.concrete.location.start_point.row, place.concrete.location.end_point.row
    lines = file.read_bytes().split(b"\n")[start : end + 1]
    return any(_LOCAL_CALL.match(line) for line in lines)


_LOCAL_CALL = re.compile(rb"\s*['\"]?uses['\"]?\s*:\s*['\"]?\./")


def _once_for_a_workflow(found: Sequence[RawFinding]) -> list[RawFinding]:
    """Report permissions once per workflow, with another code if its jobs are reported separately."""
    reported = {result.file for result in found if result.code == _OF_WORKFLOW}
    return [
        replace(result, code=_OF_WORKFLOW if result.file not in reported else _OF_JOB)
        if result.code == _OF_JOB
        else result
        for result in found
    ]


_OF_WORKFLOW = "default-permissions"
_OF_JOB = "default-permissions-of-job"


def _primary(result: ZizmorResult) -> ZizmorLocation:
    """Return the primary location of a finding.

    Raises:
        ToolOutputError: it has none.
    """
    main = next((location for location in result.locations if location.symbolic.kind == "Primary"), None)
    if main is None:
        raise ToolOutputError(f"zizmor reported {result.ident} without a location")
    return main


def _locate_audit(place: ZizmorLocation, file: Path) -> AuditedPlace:
    lines = file.read_text("utf-8", "replace").split("\n")
    step = _lines_of_step(lines, min(place.concrete.location.start_point.row + 1, len(lines)))
    return AuditedPlace(place.concrete.feature, "\n".join(lines[number - 1] for number in step), file)


def _span(where: ZizmorPlace, file: Path) -> tuple[Span, str]:
    """Return the span, and its source text if it is on one line."""
    start, end = where.start_point, where.end_point
    span = Span(start.row + 1, start.column + 1, end.row + 1, end.column + 1)
    lines = file.read_bytes().split(b"\n")
    on_one_line = start.row == end.row < len(lines)
    text = lines[start.row][start.column : end.column] if on_one_line else b""
    return span, text.decode("utf-8", "replace")


def _message(result: ZizmorResult, annotation: str, text: str) -> str:
    """Return the audit's description and annotation with the reported name."""
    named = f": {text}" if text and result.ident in ("template-injection", "unpinned-uses") else ""
    return collapse_whitespace(f"{result.desc}{named}: {annotation}")


_ACTION = LazyPattern(r"(?:uses:\s*)?['\"]?(?P<owner>[\w.-]+)/[^@\s]+(?:@(?P<ref>[^\s'\"]*))?")
_TAG = LazyPattern(r"v?\d")
_AT_COMMIT = LazyPattern(r"(?:uses:\s*)?['\"]?[^@\s]+\s*@\s*[0-9a-f]{40}\b")
"""An action pinned to its commit, with any blanks around the sign."""
_UNSURE = {"artipacked": "possible-artipacked", "template-injection": "possible-template-injection"}
_OWN = ("actions", "github")


def _is_used_by_one_job(place: ZizmorLocation, file: Path) -> bool:
    """Return True if only one job uses the workflow's permissions, because the others declare theirs."""
    from wardround_docker_ci.document import CiFile  # the parser; not needed to start the tool

    if "workflow level" not in place.symbolic.annotation:
        return False
    jobs = CiFile(FileKind.WORKFLOW, str(file), file.read_text("utf-8-sig", "surrogateescape")).workflow.jobs
    return sum(job.node.get("permissions") is None for job in jobs) < _SEVERAL


_SEVERAL = 2


def _is_of_a_release(place: ZizmorLocation, file: Path) -> bool:
    """Return True if a publishing job restores a cache in a workflow that only releases."""
    from wardround_docker_ci.analysis import deployments
    from wardround_docker_ci.document import CiFile  # the parser; not needed to start the tool

    read = CiFile(FileKind.WORKFLOW, str(file), file.read_text("utf-8-sig", "surrogateescape"))
    only_tags = read.workflow.root.mapping("on", "push").get("tags") is not None
    branches = read.workflow.root.mapping("on", "push").get("branches") is not None
    events = set(read.workflow.triggers) - {"workflow_dispatch", "release"}
    if events and not (events == {"push"} and only_tags and not branches):
        return False
    row = place.concrete.location.start_point.row + 1
    around = [job for job in read.workflow.jobs if job.key and read.places.line(job.key.start) <= row]
    return bool(around) and deployments.publishes_release(around[-1])


def _code(result: ZizmorResult, place: ZizmorLocation, text: str, file: Path) -> str:
    """Return the code of an audit, divided where one audit has findings of different severity."""
    persona = result.determinations.persona.lower()
    if persona != "regular":
        return f"{persona}-{result.ident}"
    line = place.concrete.location.start_point.row + 1
    if _is_unsure(result, text) or (result.ident == "template-injection" and is_bound(text, file, line)):
        return _UNSURE[result.ident]
    if result.ident == "excessive-permissions":
        return _permission_code(result.ident, place, file)
    if result.ident == "unpinned-uses":
        return _action_code(result.ident, text)
    # setup-node only restores a cache by itself if package.json names the package manager.
    is_sure = "package-manager-cache" not in place.symbolic.annotation
    if result.ident == "cache-poisoning" and is_sure and _is_of_a_release(place, file):
        return "cache-of-release"
    return result.ident


def _is_unsure(result: ZizmorResult, text: str) -> bool:
    if result.ident == "template-injection" and (is_owned(text) or is_generated(text)):
        return True
    determination = result.determinations
    is_doubtful = determination.confidence not in _SURE or determination.severity in _SLIGHT
    return result.ident in _UNSURE and is_doubtful


def _permission_code(audit: str, place: ZizmorLocation, file: Path) -> str:
    if place.symbolic.annotation.startswith("default permissions"):
        return _OF_JOB if place.symbolic.route.route else _OF_WORKFLOW
    return "pedantic-excessive-permissions" if _is_used_by_one_job(place, file) else audit


def _action_code(audit: str, text: str) -> str:
    action = _ACTION.match(text)
    if action is None or not _TAG.match(action["ref"] or ""):
        return audit
    return "tag-of-own-action" if action["owner"] in _OWN else "tag-of-action"


_FROM_OUTSIDE = LazyPattern(
    r"github\.head_ref|github\.event\.(?:(?:issue|pull_request|discussion)\.(?:title|body)"
    r"|pull_request\.head\.(?:ref|label)|pull_request\.head\.repo\.default_branch"
    r"|(?:comment|review|review_comment)\.body|workflow_run\.head_(?:branch|commit\.\S+)"
    r"|(?:head_commit|commits\[?\S*)\.(?:message|author\.\S+)|pages\S*\.page_name)"
)
"""Contexts that anyone who can open an issue or a pull request controls."""


_BRINGS_FOREIGN_FILES = re.compile(rb"checkout|download-artifact|gh (?:pr|run) ")


def _severity(code: str, determination: ZizmorJudgement, text: str, file: Path) -> Severity | None:
    """Return a lower severity than the rule's if zizmor is unsure, or if no untrusted text is involved."""
    if determination.severity in _SLIGHT or determination.confidence not in _SURE:
        return Severity.INFO
    if code == "dangerous-triggers" and not _BRINGS_FOREIGN_FILES.search(file.read_bytes()):
        return Severity.INFO
    is_harmless = code == "template-injection" and not _FROM_OUTSIDE.search(text)
    if is_harmless or determination.confidence == "Medium":
        return min(_usual_severity(code), Severity.WARN)
    return None


def _usual_severity(code: str) -> Severity:
    tool_map = map_of("zizmor")
    entry = tool_map.codes.get(code)
    if entry and entry.severity:
        return Severity.from_label(entry.severity)
    return Severity.from_label(tool_map.default.severity or "warn")


_COMPLETED = LazyPattern(r"completed (.+)$", re.MULTILINE)
_REFUSED = LazyPattern(r"failed to (?:validate|parse|load) (?:file://)?(\S+) as [\w ]+: (.+)$", re.MULTILINE)
_NO_YAML = LazyPattern(r"failed to parse input: (.+)$", re.MULTILINE)


_PLAIN_REPOSITORY = LazyPattern(r"\brepo['\"]?\s*:\s*['\"]?(?:git|http)://")


_CONFIGS = (".github/zizmor.yml", ".github/zizmor.yaml", "zizmor.yml", "zizmor.yaml")


class Zizmor(Tool):
    """zizmor for workflows, actions and Dependabot files."""

    name = "zizmor"
    planes = frozenset({Plane.SECURITY})
    ignore_comments = (
        IgnoreComment(r"#\s*zizmor\s*:\s*ignore", ("ignore",), ((YAML, r"#\s*(zizmor\s*:\s*ignore\b)"),)),
    )
    probe = Probe(
        ".github/workflows/probe.yml",
        "on: issues\npermissions: {}\njobs:\n  probe:\n    runs-on: ubuntu-latest\n    steps:\n"
        "      - run: echo ${{ github.event.issue.title }}\n",
        "template-injection",
        7,
    )
    program = "zizmor"
    success_codes = frozenset({0, 3, 11, 12, 13, 14})
    typical_s = 0.2
    install = install_line("docker-ci")
    columns = Columns.UTF8
    distribution = "zizmor"
    config_names = _CONFIGS
    config_at_root = True

    def command(self, run: Invocation) -> Sequence[str]:
        """Return the command with the strictest persona; its own findings have codes of their own.

        The configuration is explicit or disabled: a change could add one, and zizmor would read a workflow
            named ``zizmor.yml`` as one.
        """
        config = configuration("zizmor", run)
        chosen = ["--config", str(config)] if config is not None else ["--no-config"]
        return [
            str(run.program), "--offline", "--no-progress", *chosen, "--persona=auditor",
            "--format", "json-v1", "--", *run.files,
        ]  # fmt: skip

    def parse(self, output: bytes, run: Invocation) -> list[RawFinding]:
        """Read ``zizmor --format json-v1``, whose positions are 0-based and whose columns are bytes."""
        found = []
        for result in decode_output(output, list[ZizmorResult]):
            audited = _primary(result)
            file = relative(audited.symbolic.key.local.verbatim_path, run)
            if is_false_positive(result.ident, _locate_audit(audited, run.root / file)):
                continue
            span, text = _span(audited.concrete.location, run.root / file)
            if result.ident == "secrets-inherit":
                span = _inherit_span(span, run.root / file)
            code = _code(result, audited, text, run.root / file)
            if code == "cache-of-release":
                span = _switch_of_cache(span, run.root / file)
            determination = result.determinations
            is_pinned = result.ident == "unpinned-uses" and _AT_COMMIT.match(text) is not None
            if not result.ignored and not is_pinned and not _is_within(result, audited, run.root / file):
                found.append(
                    RawFinding(
                        code, file, span, _message(result, audited.symbolic.annotation, text), result.url,
                        confidence=_CONFIDENCE.get(determination.confidence, 0.4),
                        severity=_severity(code, determination, text, run.root / file),
                    )
                )  # fmt: skip
        found.sort(key=lambda result: (result.file, result.span, result.code, result.message))
        found = _images_once(_once_for_a_line(_once_for_a_workflow(found)), run)
        return _tags_that_count(found, run)

    def skipped_files(self, errors: bytes, run: Invocation) -> Mapping[str, str]:
        """Return the files not reported as completed; zizmor only logs the files that it cannot read."""
        log = errors.decode("utf-8", "replace")
        completed = {match[1].strip() for match in _COMPLETED.finditer(log)}
        refused = {match[1]: match[2] for match in _REFUSED.finditer(log)}
        no_yaml = _NO_YAML.search(log)
        reasons = {}
        for file in run.files:
            if file in completed:
                continue
            if file in refused:
                reasons[file] = f"{PARSE_FAILURE_PREFIX}: {collapse_whitespace(refused[file])}"
            else:
                reasons[file] = f"{PARSE_FAILURE_PREFIX}: {no_yaml[1]}" if no_yaml else "zizmor skipped it"
        return reasons

    def accepts(self, path: str, text: str) -> bool:
        """Return True if zizmor audits a file; pre-commit's only with an ``http://`` repository.

        It fails on others that name a repository by a path or as ``git@host:name``.
        """
        kind = kind_of(path, text)
        return kind in _KINDS or (kind is FileKind.PRE_COMMIT and _PLAIN_REPOSITORY.search(text) is not None)

    def config_overlay(self, folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
        return overlay_above("zizmor", _CONFIGS, folder, configs)


ZIZMOR = Zizmor()
