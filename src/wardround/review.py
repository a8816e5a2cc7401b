"""The review itself: from a change to findings and a gate. Front ends call ``run`` and render what it returns."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Literal, Protocol

from wardround import config as configuration
from wardround.analysis.anchors import Anchors, fingerprints
from wardround.analysis.duplicates import merged
from wardround.analysis.new_only import Compared, statuses
from wardround.analysis.schedule import Results, Side, Unit, Workbench, content_digest, decoded
from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.change.snapshot import Snapshot
from wardround.config import Config, FailLevel, FilterMode
from wardround.errors import ConfigError, UsageError
from wardround.findings import (
    Finding,
    Plane,
    RawResult,
    Severity,
    Span,
    Status,
    ToolRun,
    Unreviewed,
)
from wardround.folders import cache_folder
from wardround.host import Host
from wardround.rules import Rule
from wardround.specialists import Specialist
from wardround.tools.process import Processes
from wardround.tools.result_cache import ResultCache
from wardround.tools.tool import Profile
from wardround.verdict import baseline as baselines
from wardround.verdict import suppressions
from wardround.verdict.gate import Gate, Outcome, gate
from wardround.verdict.suppressions import Suppression

_FILE_LIMIT = 2 * 1024 * 1024
"""Bytes; what is larger is generated or data, and no tool answers about it within a commit."""
_SNIFFED = 256
_CONTEXT_LINES = 3
_LFS = b"version https://git-lfs.github.com/spec/"
ConfigFrom = Literal["base", "head"]


@dataclass(frozen=True, slots=True)
class Request:
    """What a caller asks for; ``None`` leaves a setting to the configuration."""

    profile: Profile = Profile.COMMIT
    fail_level: FailLevel | None = None
    filter_mode: FilterMode | None = None
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    jobs: int | None = None
    config_file: Path | None = None
    config_from: ConfigFrom | None = None
    use_baseline: bool = True

    @property
    def trusted_side(self) -> ConfigFrom:
        """Whose configuration counts: in CI the base's, so that a change cannot alter its own judge."""
        return self.config_from or ("base" if self.profile is Profile.CI else "head")


class Origin(Protocol):
    """Where a change and the files around it come from: a repository, or a diff given as text."""

    root: Path

    def content(self, file: ChangedFile, *, base: bool = False) -> bytes | None: ...

    def read(self, path: str, side: ConfigFrom) -> bytes | None: ...

    def state(self, change: Change, side: ConfigFrom) -> str | None: ...

    def differing(self, side: ConfigFrom) -> Collection[str]: ...

    def files_with_word(self, words: Sequence[str], patterns: Sequence[str]) -> Sequence[str]: ...

    def tracked(self) -> Collection[str]: ...


@dataclass(frozen=True)
class Review:
    """The result of a review. ``findings`` are all of them, ``visible`` those the filter lets through."""

    change: Change
    context_id: str
    reviewed: tuple[str, ...]
    findings: tuple[Finding, ...]
    unreviewed: tuple[Unreviewed, ...]
    runs: tuple[ToolRun, ...]
    gate: Gate
    filter_mode: FilterMode
    profile: Profile
    blocks_on_inconclusive: bool
    seconds: float
    contents: Mapping[str, str]
    text_of: Callable[[str], str | None] = field(compare=False)

    @cached_property
    def visible(self) -> tuple[Finding, ...]:
        """The findings the filter mode lets through, in order."""
        return tuple(f for f in self.findings if self._passes(f))

    @property
    def held_back(self) -> int:
        """How many findings the filter mode keeps from view."""
        return len(self.findings) - len(self.visible)

    def _passes(self, finding: Finding) -> bool:
        if self.filter_mode in ("file", "nofilter") or finding.status in (Status.NEW, Status.CAUSED):
            return True
        file = self.change.file(finding.file)
        if file is None:
            return False
        if finding.status is Status.SUPPRESSED:
            return file.is_added_line(finding.span.line)
        return self.filter_mode == "diff_context" and file.is_near_change(finding.span.line, _CONTEXT_LINES)

    @property
    def exit_status(self) -> int:
        """0 pass, 1 blocked, 4 inconclusive where that blocks."""
        if self.gate.outcome is Outcome.BLOCKED:
            return 1
        if self.gate.outcome is Outcome.INCONCLUSIVE and self.blocks_on_inconclusive:
            return 4
        return 0


def run(
    origin: Origin,
    change: Change,
    host: Host,
    request: Request,
    processes: Processes,
    progress: Callable[[str], None] = lambda text: None,
) -> Review:
    """Review a change.

    Raises:
        ConfigError: the configuration, the baseline or a suppression on an added line is wrong.
        UsageError: ``only`` or ``skip`` names no specialist.
    """
    started = time.monotonic()
    config = read_config(origin, change, host, request)
    work = _Work(origin, change, host, config, request, processes, progress)
    try:
        findings, results = work.findings()
    finally:
        work.close()
    unreviewed = tuple(sorted(set(results.unreviewed)))
    level = request.fail_level or config.root.fail_level
    default = "block" if request.profile is Profile.CI else "pass"
    return Review(
        change=change,
        context_id=_context_id(change, work.digests),
        reviewed=tuple(sorted(work.claimed)),
        findings=tuple(finding for finding, _ in findings),
        unreviewed=unreviewed,
        runs=tuple(results.runs),
        gate=gate([finding for finding, _ in findings], unreviewed, level),
        filter_mode=request.filter_mode or config.root.filter_mode,
        profile=request.profile,
        blocks_on_inconclusive=config.root.inconclusive.get(request.profile.value, default) == "block",
        seconds=time.monotonic() - started,
        contents={finding.fingerprint: content for finding, content in findings},
        text_of=work.text,
    )


def read_config(origin: Origin, change: Change, host: Host, request: Request) -> Config:
    """The configuration that counts for a change, from the trusted side."""
    explicit = None
    if request.config_file is not None:
        try:
            explicit = (str(request.config_file), request.config_file.read_bytes())
        except OSError as cause:
            raise ConfigError(f"--config {request.config_file}: {cause.strerror}; give a file") from cause
    paths = [file.path for file in change.files]
    side = request.trusted_side
    config = configuration.read(lambda path: origin.read(path, side), paths, host.specialists, explicit)
    names = {s.name for s in host.specialists}
    for asked in (*request.only, *request.skip, *config.root.only, *config.root.skip):
        if asked not in names:
            raise UsageError(f"no specialist is named {asked!r}; there are {', '.join(sorted(names))}")
    loaded = {o.name for o in host.origins}
    for name in config.root.required_plugins:
        if name not in loaded:
            raise ConfigError(
                f"{config.origins['required-plugins']}: required plugin {name!r} is not installed; install it"
            )
    return config


def _context_id(change: Change, digests: Mapping[str, bytes]) -> str:
    """A digest over what was under review."""
    digest = hashlib.sha256()
    for part in (change.base, change.head):
        digest.update(part.encode() + b"\0")
    for file in change.files:
        names = (file.path, file.base_path or "", file.status, file.mode, file.head_blob or "",
                 file.base_blob or "", digests.get(file.path, b"").hex())  # fmt: skip
        digest.update("\0".join(names).encode("utf-8", "surrogateescape") + b"\n")
    return f"sha256:{digest.hexdigest()}"


class _Work:
    """One run: what is claimed, what was said about it, and how that becomes findings."""

    def __init__(
        self,
        origin: Origin,
        change: Change,
        host: Host,
        config: Config,
        request: Request,
        processes: Processes,
        progress: Callable[[str], None],
    ) -> None:
        self.origin = origin
        self.change = change
        self.host = host
        self.config = config
        self.request = request
        self.digests: dict[str, bytes] = {}
        self.claimed: dict[str, list[Specialist]] = {}
        self.unreviewed: list[Unreviewed] = []
        self._files = {file.path: file for file in change.files}
        self._snapshot: Snapshot | None = None
        self._cache = ResultCache.open()
        self._bench = Workbench(
            root=origin.root,
            profile=request.profile,
            trusted=self._trusted,
            cache=self._cache,
            processes=processes,
            snapshot=self._open_snapshot,
            jobs=request.jobs or config.root.jobs or os.cpu_count() or 1,
            timeout_s=config.root.tool_timeout,
            progress=progress,
        )

    def close(self) -> None:
        self._cache.close()
        if self._snapshot is not None:
            self._snapshot.__exit__(None, None, None)
            self._snapshot = None

    def _open_snapshot(self) -> Snapshot:
        if self._snapshot is None:
            folder = Path(tempfile.gettempdir()).resolve()
            if folder.is_relative_to(self.origin.root):  # a snapshot must not lie in the work tree
                folder = cache_folder()
                folder.mkdir(parents=True, exist_ok=True)
            self._snapshot = Snapshot(folder)
        return self._snapshot

    def _trusted(self, path: str) -> str | None:
        content = self.origin.read(path, self.request.trusted_side)
        return None if content is None else content.decode("utf-8", "surrogateescape")

    # Reading

    def text(self, path: str) -> str | None:
        """The text of a changed file at the head."""
        content = self.origin.content(self._files[path])
        return None if content is None else decoded(content)

    def base_text(self, path: str) -> str | None:
        """The text of a changed file before the change."""
        file = self._files.get(path)
        if file is None or file.base_path is None:
            return None
        content = self.origin.content(file, base=True)
        return None if content is None else decoded(content)

    # The two sides

    def findings(self) -> tuple[list[tuple[Finding, str]], Results]:
        """Run everything and turn it into findings, each with its name that leaves out the file."""
        head_units = self._units()
        head = self._bench.review(self._side("head"), head_units)
        base_units = self._base_units(head_units, head)
        base = self._bench.review(self._side("base"), base_units) if base_units else Results()
        head.unreviewed += [
            replace(u, reason=f"its old version could not be compared: {u.reason}")
            for u in base.unreviewed
            if u.tool != u.specialist
        ]
        head.unreviewed += self.unreviewed
        found = _with_secrets_masked(merged(self._map(head, base)))
        found = self._identified(found)
        found, notes = self._suppressed(found, head)
        named = self._with_content_names([*found, *notes, *self._changed_rules()])
        head.unreviewed = [u for u in head.unreviewed if not self._said_already(u, found)]
        return self._accepted(named), head

    def _units(self) -> list[Unit]:
        """The files to look at, for each specialist that claims them."""
        units = []
        selected = [s for s in self.host.specialists if self._selected(s.name)]
        for file in self.change.files:
            if file.status is FileStatus.DELETED or not file.is_regular:
                continue
            if not any(s.claims_name(file.path) for s in selected) and "." in file.path.rpartition("/")[2]:
                continue
            if file.status is FileStatus.UNMERGED:
                self._not_reviewed(file.path, selected, "it has merge conflicts; resolve them first")
                continue
            content = self.origin.content(file)
            claiming = [s for s in self.host.claiming(file.path, (content or b"")[:_SNIFFED]) if s in selected]
            settings = self.config.for_file(file.path)
            if not claiming or settings.excluded:
                continue
            reason = _why_unreadable(file, content)
            if reason is not None or content is None:
                self._not_reviewed(file.path, claiming, reason or "")
                continue
            digest = content_digest(content)
            self.digests[file.path] = digest
            self.claimed[file.path] = claiming
            base = self.origin.content(file, base=True) if file.base_path else None
            before = content_digest(base) if base is not None else b""
            units += [Unit(file.path, s, digest, settings.options.get(s.name), before) for s in claiming]
        return units

    def _selected(self, name: str) -> bool:
        only = self.request.only or self.config.root.only
        skip = (*self.request.skip, *self.config.root.skip)
        return name not in skip and (not only or name in only)

    def _not_reviewed(self, path: str, specialists: Iterable[Specialist], reason: str) -> None:
        for specialist in specialists:
            if specialist.claims_name(path):
                self.unreviewed.append(Unreviewed(path, specialist.name, "git", reason))

    def _base_units(self, units: Sequence[Unit], head: Results) -> list[Unit]:
        """Old versions worth looking at: of files about which something was said."""
        found = []
        for unit in units:
            file = self._files[unit.path]
            spoken = any(head.of(tool, unit.path) for tool in self._tools_of(unit.specialist))
            if not spoken or file.base_path is None or file.fragment:
                continue
            content = self.origin.content(file, base=True)
            if content is None or decoded(content) is None or len(content) > _FILE_LIMIT:
                continue
            found.append(Unit(file.base_path, unit.specialist, content_digest(content), unit.options))
        return found

    @staticmethod
    def _tools_of(specialist: Specialist) -> list[str]:
        return [specialist.name, *(tool.name for tool in specialist.tools)]

    def _side(self, name: Literal["head", "base"]) -> Side:
        by_base = {f.base_path: f for f in self.change.files if f.base_path is not None}

        def read(path: str) -> bytes | None:
            if name == "head":
                return self.origin.content(self._files[path]) if path in self._files else None
            return self.origin.content(by_base[path], base=True) if path in by_base else None

        def link(snapshot: Snapshot, patterns: tuple[str, ...]) -> None:
            present, absent = self._present(name)
            for path in present:
                content = read(path) if any(PurePosixPath(path).match(p) for p in patterns) else None
                if content is not None:
                    snapshot.write(name, path, content)
            differing = set(self.origin.differing(name)) - present
            snapshot.link_project(
                name, self.origin.root, differing, lambda p: self.origin.read(p, name), patterns, absent
            )

        return Side(
            name=name,
            read=read,
            state=self.origin.state(self.change, name),
            layout=_layout(self.origin.root),
            project=_Neighbours(self.origin, name),
            link=link,
            base_text=self.base_text if name == "head" else lambda path: None,
        )

    def _present(self, name: Literal["head", "base"]) -> tuple[set[str], set[str]]:
        """The changed paths that exist on a side, and those that do not."""
        head = {f.path for f in self.change.files if f.status is not FileStatus.DELETED}
        base = {f.base_path for f in self.change.files if f.base_path is not None}
        return (head, base - head) if name == "head" else (base, head - base)

    # From results to findings

    def _map(self, head: Results, base: Results) -> list[Finding]:
        """Weigh every result: its rule, its severity here, and what it has to do with the change."""
        compared: dict[tuple[str, str], list[Compared]] = defaultdict(list)
        for path, specialists in sorted(self.claimed.items()):
            file = self._files[path]
            for specialist in specialists:
                for tool in self._tools_of(specialist):
                    said = head.of(tool, path)
                    if said:
                        compared[specialist.name, tool].append(self._compared(file, specialist, tool, said, base))
        findings = []
        for (specialist_name, tool), pairs in sorted(compared.items()):
            for pair, row in zip(pairs, statuses(pairs), strict=True):
                settings = self.config.for_file(pair.file.path)
                for result, status in zip(pair.head, row, strict=True):
                    rule = self.host.catalogue.rule(f"{tool}/{result.code}")
                    severity = settings.severity(rule.id, rule.severity)
                    if severity is not None:
                        findings.append(_finding(result, rule, specialist_name, severity, status))
        return findings

    def _compared(
        self, file: ChangedFile, specialist: Specialist, tool: str, said: Sequence[RawResult], base: Results
    ) -> Compared:
        before: Sequence[RawResult] | None = []
        base_anchors = None
        if file.base_path is not None:
            before = base.of(tool, file.base_path)
            if before and any(self._is_syntax_error(tool, result) for result in before):
                before = None  # it could not be understood, so nothing can be said about what it held
            base_anchors = self._anchors(specialist, file.path, base=True)
        anchors = self._anchors(specialist, file.path, base=False)
        ordered = sorted(said, key=lambda r: (r.span, r.code, r.message))
        return Compared(file, ordered, before, anchors, base_anchors)

    def _is_syntax_error(self, tool: str, result: RawResult) -> bool:
        return self.host.catalogue.rule(f"{tool}/{result.code}").defect_class == "syntax-error"

    def _anchors(self, specialist: Specialist, path: str, *, base: bool) -> Anchors:
        memo = self.__dict__.setdefault("_anchor_memo", {})
        where = (specialist.name, path, base)
        if where not in memo:
            text = (self.base_text(path) if base else self.text(path)) or ""
            memo[where] = Anchors(text, specialist.statements(text))
        anchors: Anchors = memo[where]
        return anchors

    def _identified(self, findings: Sequence[Finding]) -> list[Finding]:
        """Give every finding its fingerprint."""
        parts = [
            (f.defect_class, self._files[f.file].base_path or f.file, self._anchor(f)) for f in findings
        ]
        return [replace(f, fingerprint=n) for f, n in zip(findings, fingerprints(parts), strict=True)]

    def _anchor(self, finding: Finding) -> str:
        specialist = next((s for s in self.claimed.get(finding.file, ()) if s.name == finding.specialist), None)
        if specialist is None:
            return finding.message
        return self._anchors(specialist, finding.file, base=False).of(finding.span.line)

    def _with_content_names(self, findings: Sequence[Finding]) -> list[tuple[Finding, str]]:
        """Name every finding without its file too, for the baseline's renamed files."""
        names = fingerprints([(f.defect_class, "", self._anchor(f)) for f in findings])
        return list(zip(sorted(findings, key=lambda f: f.sort_key), names, strict=True))

    def _said_already(self, unreviewed: Unreviewed, findings: Sequence[Finding]) -> bool:
        """Whether a file that a check could not parse has a syntax error as a finding."""
        return unreviewed.tool == unreviewed.specialist and any(
            f.file == unreviewed.file and f.defect_class == "syntax-error" for f in findings
        )

    # Suppressions, baseline, changed rules

    def _suppressed(
        self, findings: Sequence[Finding], head: Results
    ) -> tuple[list[Finding], list[Finding]]:
        """Waive what suppressions cover; what is wrong with a suppression is a finding of its own."""
        out = list(findings)
        notes: list[Finding] = []
        for path, specialists in sorted(self.claimed.items()):
            content = self.origin.content(self._files[path])
            if content is None or b"wardround:" not in content:
                continue
            specialist = specialists[0]
            found, unreadable = suppressions.read(specialist.comments(decoded(content) or ""))
            for bad in unreadable:
                self._refuse(path, bad.line, f"{bad.text!r} is no suppression; write ignore[RULE] and a reason")
            for one in found:
                out, note = self._apply(path, specialist, one, out, head)
                notes += note
        return out, notes

    def _apply(
        self, path: str, specialist: Specialist, one: Suppression, findings: list[Finding], head: Results
    ) -> tuple[list[Finding], list[Finding]]:
        wanted: set[str] = set()
        for name in one.rules:
            rules = self.host.catalogue.resolve(name)
            if not rules:
                self._refuse(path, one.line, f"suppression names no known rule: {name!r}; see wardround rules")
            wanted |= {rule.id for rule in rules}
        if not one.reason:
            text = "this suppression gives no reason, so it waives nothing; write one behind the bracket"
            return findings, [self._note("suppression-without-reason", path, specialist, one, text)]
        hits = [
            f for f in findings if f.file == path and one.covers(f.span.line) and wanted & {f.rule, *f.sources}
        ]
        if hits and not self._is_trusted(path, one):
            text = f"this change adds a suppression of {', '.join(one.rules)}, which does not count here"
            return findings, [self._note("config-changed", path, specialist, one, text)]
        if hits:
            return [replace(f, status=Status.SUPPRESSED) if f in hits else f for f in findings], []
        if not any(head.of(rule.partition("/")[0], path) is not None for rule in wanted):
            return findings, []  # what it waives was not looked for in this profile
        text = f"nothing here breaks {', '.join(one.rules)}; remove the suppression"
        return findings, [self._note("unused-suppression", path, specialist, one, text)]

    def _is_trusted(self, path: str, one: Suppression) -> bool:
        """Whether a suppression counts: with the base's configuration, only if the base has it."""
        file = self._files[path]
        if self.request.trusted_side == "head" or not file.is_added_line(one.line):
            return True
        specialist = self.claimed[path][0]
        known, _ = suppressions.read(specialist.comments(self.base_text(path) or ""))
        return any((k.rules, k.reason) == (one.rules, one.reason) for k in known)

    def _refuse(self, path: str, line: int, text: str) -> None:
        if self._files[path].is_added_line(line):
            raise ConfigError(f"{path}:{line}: {text}")

    def _note(
        self, code: str, path: str, specialist: Specialist | None, one: Suppression, text: str
    ) -> Finding:
        rule = self.host.catalogue.rule(f"wardround/{code}")
        status = Status.NEW if self._files[path].is_added_line(one.line) else Status.EXISTING
        span = Span(one.line, one.column, one.line, one.column)
        result = RawResult(code, path, span, text)
        note = _finding(result, rule, specialist.name if specialist else "wardround", rule.severity, status)
        (name,) = fingerprints([(rule.defect_class, path, f"{text} {one.line}")])
        return replace(note, fingerprint=name)

    def _changed_rules(self) -> list[Finding]:
        """Where the base's configuration counts, a change to what judges it is a finding."""
        if self.request.trusted_side == "head":
            return []
        watched = {name for s in self.host.specialists for t in s.tools for name in t.config_names}
        watched |= {configuration.OWN_FILE, configuration.SHARED_FILE}
        found = []
        for file in self.change.files:
            names = {file.path.rpartition("/")[2], (file.base_path or "").rpartition("/")[2]}
            is_baseline = self.config.root.baseline in (file.path, file.base_path)
            if not is_baseline and not (names & watched and self._settings_differ(file)):
                continue
            line = next((h.head_start for h in file.hunks if h.head_length), 1)
            text = f"{file.path} steers this review; the base's version was used"
            found.append(self._note("config-changed", file.path, None, Suppression(line, 1, (), ""), text))
        return [replace(f, status=Status.NEW) for f in found]

    def _settings_differ(self, file: ChangedFile) -> bool:
        """Whether a configuration file says something else to wardround or its tools than before."""
        if not file.path.endswith(configuration.SHARED_FILE):
            return True
        sides = (self.origin.content(file), self.origin.content(file, base=True) if file.base_path else None)
        names = {"wardround", *(tool.name for s in self.host.specialists for tool in s.tools)}
        return _tables(sides[0], names) != _tables(sides[1], names)

    def _accepted(self, named: list[tuple[Finding, str]]) -> list[tuple[Finding, str]]:
        if not self.request.use_baseline:
            return named
        name = self.config.root.baseline
        baseline = baselines.load(self.origin.read(name, self.request.trusted_side), name)
        if not baseline.findings:
            return named
        acceptance = baselines.Acceptance(baseline, self.origin.tracked())
        out = []
        for finding, content in named:
            if finding.status in (Status.NEW, Status.CAUSED) and acceptance.takes(finding, content):
                finding = replace(finding, status=Status.EXISTING)
            out.append((finding, content))
        return out


@dataclass(frozen=True, slots=True)
class _Neighbours:
    """The rest of the repository, as a check may ask for it."""

    origin: Origin
    side: Literal["head", "base"]

    def read(self, path: str) -> str | None:
        content = self.origin.read(path, self.side)
        return None if content is None else decoded(content)

    def files_with_word(self, words: Sequence[str], patterns: Sequence[str]) -> Sequence[str]:
        return self.origin.files_with_word(words, patterns)


def _layout(root: Path) -> str:
    """The names at the top of the work tree and in ``src``: what decides whether an import is first-party."""
    names: list[str] = []
    for folder in (root, root / "src"):
        with suppress(OSError):
            names += sorted(os.listdir(folder))
    return "\0".join(names)


def _finding(result: RawResult, rule: Rule, specialist: str, severity: Severity, status: Status) -> Finding:
    return Finding(
        fingerprint="",
        rule=rule.id,
        defect_class=rule.defect_class,
        plane=Plane(rule.plane),
        specialist=specialist,
        severity=severity,
        file=result.file,
        span=result.span,
        message=result.message,
        rationale=rule.why,
        status=status,
        confidence=result.confidence,
        sources=(rule.id,),
        url=result.url or rule.url,
        suggested_fix=result.fix,
        masked=rule.masked,
    )


def _with_secrets_masked(findings: Sequence[Finding]) -> list[Finding]:
    """Mask every finding that shares a line with a secret; its fix would print the line, so it goes."""
    secret = {
        (f.file, line) for f in findings if f.masked for line in range(f.span.line, f.span.end_line + 1)
    }
    if not secret:
        return list(findings)
    return [
        replace(f, masked=True, suggested_fix=None)
        if any((f.file, line) in secret for line in range(f.span.line, f.span.end_line + 1))
        else f
        for f in findings
    ]


def _why_unreadable(file: ChangedFile, content: bytes | None) -> str | None:
    """Why a file cannot be reviewed, or None if it can."""
    if file.fragment:
        return "only fragments of it are in the diff; give --repo with a matching checkout"
    if content is None:
        return "its content is not in this clone; fetch it (partial or damaged clone)"
    if content.startswith(_LFS):
        return "it is a Git LFS pointer, and its content is not in the repository"
    if len(content) > _FILE_LIMIT:
        return f"it is larger than {_FILE_LIMIT // 1024 // 1024} MiB"
    return None if decoded(content) is not None else "it is not UTF-8 text"


def _tables(content: bytes | None, names: Collection[str]) -> object:
    """The named tables below ``tool`` of a TOML file; the bytes themselves if it cannot be read."""
    import tomllib

    try:
        tool = tomllib.loads((content or b"").decode("utf-8")).get("tool", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return content
    return {name: tool[name] for name in sorted(names) if name in tool}


