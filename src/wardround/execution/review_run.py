"""The two sides of a change: which files are looked at, and how the tools get to see them."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import TYPE_CHECKING, Self

import msgspec
from msgspec.structs import replace

from wardround.change.change_source import (
    NOT_UTF8,
    ChangeSource,
    FileTexts,
    SideName,
    decoded,
    in_any_encoding,
    is_lfs_pointer,
)
from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.change.snapshot import Snapshot, scratch_root
from wardround.change.trees import MAX_FILE_BYTES
from wardround.checks.source import Budget, ChangedFileView, ChangeView
from wardround.config.loader import read
from wardround.config.request import ReviewRequest
from wardround.config.schema import OWN_FILE, SHARED_FILE, Config
from wardround.context.added_ignores import Blanked, blanked
from wardround.context.newly_reviewed import as_first_reviewed, with_deletions
from wardround.errors import ConfigError
from wardround.execution.change_check_runner import RepositoryView, refusal, run_change_checks
from wardround.execution.check_runner import change_budget_s
from wardround.execution.model import (
    ChangeCheckResult,
    ChangeReview,
    Results,
    ResultSource,
    ReviewSide,
    WorkUnit,
    content_digest,
    reviewers_of,
)
from wardround.execution.scheduler import Scheduler
from wardround.findings import UNMERGED, RawFinding, Unreviewed
from wardround.host import PluginHost
from wardround.inference.api import Models, NoModels
from wardround.processors.tamper import config_file_names, settings_differ, tools_for
from wardround.specialists import Specialist
from wardround.storage.result_cache import ResultCache
from wardround.tools.process import Processes
from wardround.tools.tool import Tool

if TYPE_CHECKING:
    from wardround.inference.broker import ModelBroker

_FILE_LIMIT = 2 * 1024 * 1024
"""Bytes; what is larger is generated or data, and no tool answers about it within a commit."""
_TEXT_LIMIT = MAX_FILE_BYTES - 1
"""The same for specialists that look at any text, line by line."""


class RawReview(msgspec.Struct):
    """What was said about both sides.

    Attributes:
        change: the change as it was reviewed: content that no review can have covered counts as added.
        claimed: path at the head -> the specialists that looked at it.
        digests: path at the head -> digest of its content.
        unreviewed: what was asked for and did not happen, on either side.
        unwaived_head, unwaived_base: the same of the files to which a change that is not trusted adds ignore
            comments of tools, without those comments.
        notes: what models did not look at, and why, and which configured tools are not installed.
    """

    change: Change
    head: Results
    base: Results
    claimed: dict[str, list[Specialist]] = msgspec.field(default_factory=dict)
    digests: dict[str, bytes] = msgspec.field(default_factory=dict)
    unreviewed: list[Unreviewed] = msgspec.field(default_factory=list)
    notes: tuple[str, ...] = ()
    unwaived_head: Results = msgspec.field(default_factory=Results)
    unwaived_base: Results = msgspec.field(default_factory=Results)


class ReviewRun:
    """Runs the specialists over the head, and over as much of the base as there is to compare."""

    def __init__(
        self,
        origin: ChangeSource,
        change: Change,
        host: PluginHost,
        config: Config,
        request: ReviewRequest,
        processes: Processes,
        progress: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._origin = origin
        self._change = change
        self._host = host
        self._config = config
        self._request = request
        self._processes = processes
        self._progress = progress
        self._texts = FileTexts(origin, change)
        self._files = {file.path: file for file in change.files}
        self._claimed: dict[str, list[Specialist]] = {}
        self._digests: dict[str, bytes] = {}
        self._unreviewed: list[Unreviewed] = []
        self._snapshot: Snapshot | None = None
        self._named: list[ChangedFile] = []
        self._selected = [s for s in host.specialists if _is_selected(s.name, config, request)]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._processes.stop()  # before the folder goes that an interrupted tool still reads
        if "_bench" in self.__dict__:
            self._bench.cache.close()
        if self.__dict__.get("_desk") is not None:
            self.__dict__["_desk"].close()
        if self._snapshot is not None:
            self._snapshot.__exit__(kind, error, trace)
            self._snapshot = None

    def review(self) -> RawReview:
        """Look at the head, and at the old versions of the files about which something was said."""
        steps = self.side_requests()
        answer: Results | None = None
        while True:
            try:
                side, units = next(steps) if answer is None else steps.send(answer)
            except StopIteration as done:
                reviewed: RawReview = done.value
                return reviewed
            answer = self._bench.review(side, units, self._of_change if answer is None else None)

    def side_requests(self) -> Generator[tuple[ReviewSide, list[WorkUnit]], Results, RawReview]:
        """Ask for the results of one side after the other; whoever answers may do so for many changes."""
        units = self._units()
        head = yield self._side("head"), units
        spoken = self._merge_change_checks(head)
        old = self._base_units(units, head)
        base = (yield self._side("base"), old) if old else Results()
        for specialist, path in spoken:  # a check of the whole change has looked at both sides
            base.by_file.setdefault((specialist, self._files[path].base_path or path), [])
        not_compared = [
            replace(u, reason=f"its old version could not be compared: {u.reason}")
            for u in base.unreviewed
            if u.tool != u.specialist
        ]
        unreviewed = [*self._unreviewed, *head.unreviewed, *not_compared]
        notes = (*sorted(head.notes), *self._collect_model_notes(units, head, unreviewed))
        unwaived = yield from self._without_added_ignores(units, unreviewed)
        return RawReview(self._change, head, base, self._claimed, self._digests, unreviewed, notes, *unwaived)

    def _without_added_ignores(
        self, units: Sequence[WorkUnit], unreviewed: list[Unreviewed]
    ) -> Generator[tuple[ReviewSide, list[WorkUnit]], Results, tuple[Results, Results]]:
        """Review files once more without the ignore comments of tools that an untrusted change adds.

        Both sides, so that what the comment of a line hid before, and now hides again, is not taken for new.
        What fails only now is unreviewed: nobody knows what the comments hide.
        """
        found = self._ignores_blanked(units)
        if not found:
            return Results(), Results()
        again = [unit for unit in units if unit.path in found]
        heads = {path: both.head for path, both in found.items()}
        head = yield self._side("head", heads), [_of_copy(u, u.path, heads[u.path]) for u in again]
        bases = {self._files[path].base_path: both.base for path, both in found.items()}
        old = [_of_copy(u, path, bases[path]) for u in again if (path := self._files[u.path].base_path)]
        texts = {path: text for path, text in bases.items() if path is not None}
        base = (yield self._side("base", texts), old) if old else Results()
        known = {(u.file, u.specialist, u.tool) for u in unreviewed}
        unreviewed += [
            replace(u, reason=f"without the ignore comments that this change adds: {u.reason}")
            for u in (*head.unreviewed, *base.unreviewed)
            if (u.file, u.specialist, u.tool) not in known
        ]
        return head, base

    def _ignores_blanked(self, units: Sequence[WorkUnit]) -> dict[str, Blanked]:
        """Path at the head -> both sides of a file without the ignore comments that the change adds."""
        if self._untrusted_paths is None:
            return {}
        found = {}
        for path in dict.fromkeys(unit.path for unit in units):
            file = self._files[path]
            content = self._origin.content(file)
            if content is None or file.fragment:
                continue
            both = blanked(file, self._texts.base_bytes(path), content)
            if both is not None:
                found[path] = both
        return found

    @cached_property
    def _desk(self) -> ModelBroker | None:
        """Lends the models; there is none where no specialist asks for any that may have a say."""
        asked = {name for specialist in self._selected for name in specialist.models}
        if not asked or self._are_silent(asked):
            return None
        from wardround.inference.broker import open_desk

        changed = [path for file in self._change.files for path in (file.path, file.base_path) if path]
        return open_desk(
            self._config.root, self._request.profile, self._origin.root, changed, self._request.use_models
        )

    def _are_silent(self, names: Collection[str]) -> bool:
        """Whether these models would say nothing, nor anything be said of them."""
        root = self._config.root
        if root.models != "on" or root.log_shadow or root.model_folders:
            return False
        from wardround.inference.locations import all_shadow

        return all_shadow(names)

    def _collect_model_notes(
        self, units: Sequence[WorkUnit], head: Results, unreviewed: list[Unreviewed]
    ) -> tuple[str, ...]:
        """Take over what is to be said of models; the sentences that are left are notes."""
        if self._desk is None:
            return ()
        first = self._change.files[0].path if self._change.files else ""
        told = self._desk.summarize(units, self._hunks, first)
        self._desk.close()
        head.runs = sorted([*head.runs, *told.runs], key=lambda run: run.tool)
        unreviewed += told.unreviewed
        return told.notes

    @cached_property
    def _hunks(self) -> dict[str, int]:
        return {file.path: len(file.hunks) for file in self._change.files}

    @cached_property
    def _bench(self) -> Scheduler:
        """The workbench of this change alone."""
        jobs = self._request.jobs or self._config.root.jobs or os.cpu_count() or 1
        return Scheduler(
            root=self._origin.root,
            profile=self._request.profile,
            trusted=self._trusted,
            cache=ResultCache.open(),
            processes=self._processes,
            snapshot=self._open_snapshot,
            jobs=jobs,
            timeout_s=self._config.root.tool_timeout,
            is_secret=lambda rule: self._host.catalogue.rule(rule).masked,
            progress=self._progress,
            brought=self._untrusted_paths,
        )

    @cached_property
    def _untrusted_paths(self) -> list[str] | None:
        """What the change touches, where it is not trusted."""
        if self._request.trusted_side == "head":
            return None
        return [path for file in self._change.files for path in {file.path, file.base_path or file.path}]

    @cached_property
    def _base_settings(self) -> dict[str, bytes | None]:
        """The target's settings that one of the sides has in another version, where those do not count.

        Either the change touches them, or the target branch has moved on since the change was forked.
        """
        if not self._untrusted_paths:
            return {}
        tools = tools_for(self._host.specialists)
        watched, names = config_file_names(tools), {tool.name for tool in tools}
        touched = [path for path in self._untrusted_paths if path.rpartition("/")[2] in watched]
        found = {}
        for path in {*touched, *self._origin.moved_settings(watched)}:
            target, base, head = (self._origin.read(path, side) for side in ("target", "base", "head"))
            if settings_differ(path, target, base, names) or settings_differ(path, target, head, names):
                found[path] = target
        return found

    def _open_snapshot(self) -> Snapshot:
        if self._snapshot is None:
            self._snapshot = Snapshot(scratch_root(self._origin.root))
        return self._snapshot

    def _trusted(self, path: str) -> str | None:
        content = self._origin.read(path, self._request.trusted_side)
        return None if content is None else content.decode("utf-8", "surrogateescape")

    def _units(self) -> list[WorkUnit]:
        """The files to look at, for each specialist that claims them."""
        units: list[WorkUnit] = []
        selected = self._selected
        named = [f for f in self._change.files if _may_review(f.path, selected)]
        self._named = [file for file in named if file.is_regular]
        self._origin.fetch(self._named)
        for file in self._change.files:
            if file.is_link and file.status is not FileStatus.DELETED:
                self._inspect_link(file)
            if file.status is FileStatus.DELETED or not file.is_regular:
                continue
            if not _may_review(file.path, selected) and "." in file.path.rpartition("/")[2]:
                continue
            if file.status is FileStatus.UNMERGED:
                claiming = [s for s in selected if s.claims_name(file.path) and not s.reviews_all_text]
                self._not_reviewed(file.path, claiming, UNMERGED)
                continue
            content = self._origin.content(file)
            claiming = [
                s
                for s in self._host.specialists_for(file.path, (content or b"")[:_FILE_LIMIT])
                if s in selected
            ]
            if not claiming or self._config.for_file(file.path).excluded:
                continue
            readable = []
            alone = all(s.reviews_all_text for s in claiming)
            for specialist in claiming:
                reason = _why_unreadable(file, file.path, content, specialist)
                if reason is None:
                    readable.append(specialist)
                elif reason and (
                    not specialist.reviews_all_text or alone or not (content is None or file.fragment)
                ):
                    self._not_reviewed(file.path, [specialist], reason)
            claiming = readable
            if not claiming or content is None:
                continue
            self._claimed[file.path] = claiming
            units += self._units_of(file, content, claiming)
        self._treat_as(list(self._files.values()))
        return self._with_models(units)

    def _units_of(
        self, file: ChangedFile, content: bytes, readers: Sequence[Specialist]
    ) -> Iterator[WorkUnit]:
        """One file for each of the specialists that review it."""
        digest = self._digests[file.path] = content_digest(content)
        now = self._files[file.path] = as_first_reviewed(file, content, readers, self._covering_base)
        options = self._config.for_file(file.path).options
        before = (now.base_blob or "").encode()
        if now.base_path is not None and not before:
            before = content_digest(self._origin.content(file, base=True))
        for s in readers:
            first = s.name in now.first_for
            old = b"" if first else before
            yield WorkUnit(
                file.path, s, digest, len(content), options.get(s.name), old,
                requested=self._requested(s, file.path), first=first,
            )  # fmt: skip

    def _requested(self, specialist: Specialist, path: str) -> dict[str, tuple[str, ...]]:
        """By tool, the codes that are switched on for a file and left out by our selection."""
        levels = self._config.for_file(path).severities
        keys = [key.partition("/") for key, level in levels.items() if level is not None and "/" in key]
        found: dict[str, set[str]] = {}
        for tool in {t.name for t in (*specialist.tools, *specialist.borrowed_tools)} if keys else ():
            named = (
                self._host.maps[tool].content.requested(code, path) for name, _, code in keys if name == tool
            )
            found[tool] = {code for codes in named for code in codes}
        if self._host.requests_all:
            tools = tools_for([specialist])
            found = {
                tool.name: set(self._host.maps[tool.name].content.requested("*", path)) for tool in tools
            }
        return {tool: tuple(sorted(codes)) for tool, codes in found.items() if codes}

    def _treat_as(self, files: Sequence[ChangedFile]) -> None:
        """Go on with the change in which these files take the place of those git named."""
        if any(now is not file for file, now in zip(self._change.files, files, strict=True)):
            every = sorted(with_deletions(self._change.files, files), key=lambda file: file.path)
            self._change = replace(self._change, files=tuple(every))
            self._files = {file.path: file for file in every}
            self._texts = FileTexts(self._origin, self._change)

    def _covering_base(self, file: ChangedFile, readers: Sequence[Specialist]) -> Collection[Specialist]:
        """Those of the readers that reviewed the old version, by the configuration of then and of now."""
        self._fetch_base()
        content = self._origin.content(file, base=True)
        path = file.base_path
        if content is None or path is None:
            return ()
        configs = [self._config, *([self._config_before] if self._config_before is not None else [])]
        if any(config.for_file(path).excluded for config in configs):
            return ()
        claiming = [s for s in readers if s.claims_name(path)]
        if len(claiming) < len(readers):
            claiming = self._host.specialists_for(path, content[:_FILE_LIMIT])
        return [
            s
            for s in claiming
            if all(_is_selected(s.name, config, self._request) for config in configs)
            and _why_unreadable(file, path, content, s) is None
        ]

    @cached_property
    def _config_before(self) -> Config | None:
        """The configuration of the base, where the change itself brings the one that counts."""
        touched = {file.path.rpartition("/")[2] for file in self._change.files}
        if self._request.trusted_side == "target" or not touched & {OWN_FILE, SHARED_FILE}:
            return None
        paths = [path for file in self._change.files for path in (file.path, file.base_path) if path]
        try:
            return read(lambda path: self._origin.read(path, "base"), paths, self._host.specialists)
        except ConfigError:  # nothing was reviewed with it
            return None

    def _with_models(self, units: list[WorkUnit]) -> list[WorkUnit]:
        """The same, where models look at no more than the profile has time for."""
        if self._desk is None:
            return units
        from wardround.inference.broker import within_budget

        asking = {u.specialist for u in units if self._desk.is_asked_by(u.specialist)}
        scored = within_budget(
            self._desk.limits.hunks, [u for u in units if u.specialist in asking], self._hunks
        )
        return [replace(u, scored=u.path in scored) if u.specialist in asking else u for u in units]

    def _inspect_link(self, file: ChangedFile) -> None:
        """List a symbolic link out of the repository: what it names is not under review."""
        content = self._origin.content(file)
        target = (
            os.fsdecode(content) if content is not None else _target_on_disk(self._origin.root / file.path)
        )
        excluded = self._config.for_file(file.path).excluded
        if target is not None and not excluded and leaves_repository(file.path, target):
            reason = f"it is a symbolic link to {target!r}, outside the repository; link to a tracked file"
            self._unreviewed.append(Unreviewed(file.path, "wardround", "git", reason))

    def _not_reviewed(self, path: str, specialists: Iterable[Specialist], reason: str) -> None:
        self._unreviewed += [Unreviewed(path, s.name, "git", reason) for s in specialists]

    def _base_units(self, units: Sequence[WorkUnit], head: Results) -> list[WorkUnit]:
        """Old versions worth looking at: of files about which something was said, by those who said it."""
        spoken: list[WorkUnit] = []
        heard: dict[ResultSource, set[str]] = defaultdict(set)
        for unit in units:
            told = [
                (r, codes) for r in reviewers_of(unit.specialist) if (codes := self._codes(unit, r, head))
            ]
            spoken += [unit] if told else []
            for reviewer, codes in told:
                heard[reviewer] |= codes
        tools = frozenset(one for one in heard if isinstance(one, Tool))
        found = []
        for unit in spoken:
            file = self._files[unit.path]
            if file.base_path is None or file.fragment or unit.first:
                continue
            content = self._origin.content(file, base=True)
            reason = _why_unreadable(file, file.base_path, content, unit.specialist)
            if content is None or reason is not None:
                continue
            found.append(
                WorkUnit(
                    file.base_path, unit.specialist, content_digest(content), len(content), unit.options,
                    scored=unit.scored, codes=frozenset(heard[unit.specialist]), tools=tools,
                    requested=unit.requested,
                )
            )  # fmt: skip
        return found

    def _codes(self, unit: WorkUnit, reviewer: ResultSource, head: Results) -> set[str]:
        """What a reviewer said about a file, but for what is switched off there."""
        settings = self._config.for_file(unit.path)
        found = set()
        is_added = self._files[unit.path].is_added_line
        told = head.get(reviewer, unit.path) or ()
        for code in {one.code for one in told if not (one.only_caused and is_added(one.span.line))}:
            rule = self._host.catalogue.rule(f"{reviewer.name}/{code}")
            if settings.severity(rule.id, None if rule.disabled_reason else rule.severity) is not None:
                found.add(code)
        return found

    def _side(self, name: SideName, copies: Mapping[str, bytes] | None = None) -> ReviewSide:
        """A side of the change; with copies in place of some files, a side of its own."""
        by_base = {f.base_path: f for f in self._change.files if f.base_path is not None}

        def read(path: str) -> bytes | None:
            if copies is not None and path in copies:
                return copies[path]
            if name == "head":
                return self._origin.content(self._files[path]) if path in self._files else None
            return self._origin.content(by_base[path], base=True) if path in by_base else None

        def link(snapshot: Snapshot, room: str, patterns: tuple[str, ...]) -> None:
            present, absent = self._present(name)
            tools = () if self._untrusted_paths is None else tools_for(self._host.specialists)
            never = {n for tool in tools for n in tool.config_code}
            for path in present | self._base_settings.keys():
                wanted = not snapshot.has(room, path) and any(PurePosixPath(path).match(p) for p in patterns)
                overruled = path in self._base_settings
                content = (self._base_settings[path] if overruled else read(path)) if wanted else None
                if path.rpartition("/")[2] in never or (overruled and content is None):
                    absent.add(path)
                elif content is not None:
                    snapshot.write(room, path, content)
            differing = set(self._origin.differing(name)) - present - self._base_settings.keys()
            of_side = partial(self._origin.read, side=name)
            snapshot.link_project(room, self._origin.root, differing, of_side, patterns, absent, never)

        state = self._state(name)
        if copies is not None and state is not None:
            state += "".join(f" {content_digest(copies[path]).hex()}" for path in sorted(copies))
        return ReviewSide(
            name=name if copies is None else f"unwaived-{name}",
            read=read,
            state=state,
            layout=_layout(self._origin.root),
            has=self._origin.has_tracked,
            project=RepositoryView(self._origin, name),
            link=link,
            base_text=self._base_text if name == "head" else lambda path: None,
            is_added=self._is_added if name == "head" else lambda path, line: True,
            added_lines=self._added_lines if name == "head" else lambda path, count: range(1, count + 1),
            desk=self._desk if copies is None else None,
            changed=frozenset(self._files if name == "head" else by_base),
        )

    def _state(self, name: SideName) -> str | None:
        """What identifies a side as tools see it: its tree, and the target whose settings they see in it."""
        state = self._origin.state(self._change, name)
        return (
            state if state is None or self._untrusted_paths is None else f"{state} by {self._change.target}"
        )

    def _added_lines(self, path: str, count: int) -> Iterable[int]:
        return self._files[path].added_line_numbers(count)

    def _is_added(self, path: str, line: int) -> bool:
        return self._files[path].is_added_line(line)

    @cached_property
    def _of_change(self) -> ChangeReview:
        """The checks that look at more than one file."""
        budget_s = change_budget_s(self._request.profile, len(self._change.files))
        return ChangeReview(self._run_change_checks, self._refuse_the_whole, budget_s)

    def _run_change_checks(self) -> list[ChangeCheckResult]:
        told: list[ChangeCheckResult] = []
        for specialist, change in self._whole_changes():
            looked = partial(self._looked, specialist)
            budget = Budget(self._of_change.budget_s)
            said = run_change_checks(specialist, change, looked, budget, self._of_change.over_budget)
            told += [x if isinstance(x, Unreviewed) else (specialist.name, x) for x in said]
        return told

    def _refuse_the_whole(self, reason: str) -> list[ChangeCheckResult]:
        return [refusal(one, change.files[0].path, reason) for one, change in self._whole_changes()]

    def _whole_changes(self) -> Iterator[tuple[Specialist, ChangeView]]:
        """The specialists with checks of the whole change, and the change as each sees it."""
        for specialist in self._selected if self._change.files else ():
            change = self._whole_change(specialist) if specialist.change_checks else None
            if change is not None and change.files:
                yield specialist, change

    def _looked(self, specialist: Specialist, run: Callable[[Models], list[RawFinding]]) -> list[RawFinding]:
        return run(NoModels()) if self._desk is None else self._desk.run_change_check(specialist, run)

    def _merge_change_checks(self, head: Results) -> list[tuple[Specialist, str]]:
        """Add what was said of the whole change; where it is about, its specialist has looked."""
        named = {specialist.name: specialist for specialist in self._selected}
        places = []
        for one in self._of_change.run() if head.whole is None else head.whole:
            if isinstance(one, Unreviewed):
                self._unreviewed.append(one)
                continue
            specialist, result = named[one[0]], one[1]
            said = head.by_file.get((specialist, result.file), [])
            head.by_file[specialist, result.file] = [*said, result]
            claiming = self._claimed.setdefault(result.file, [])
            if specialist not in claiming:
                claiming.append(specialist)
            places.append((specialist, result.file))
        return places

    def _whole_change(self, specialist: Specialist) -> ChangeView:
        """The change as a specialist's checks see it, without what is excluded or no regular file."""
        files = []
        for file in self._change.files:
            if not file.is_regular or self._config.for_file(file.path).excluded or file.fragment:
                continue
            deleted = file.status is FileStatus.DELETED
            files.append(
                ChangedFileView(
                    file.path,
                    file.base_path,
                    file.is_added_line,
                    (lambda: None) if deleted else partial(self._texts.head, file.path),
                    partial(self._base_text, file.path),
                )
            )
        options = self._config.for_file("").options.get(specialist.name)
        neighbours = RepositoryView(self._origin, "head")
        return ChangeView(tuple(files), neighbours, self._origin.messages(self._change), options)

    def _base_text(self, path: str) -> str | None:
        """The text of a file before the change."""
        self._fetch_base()
        return self._texts.base(path)

    def _fetch_base(self) -> None:
        """Read the old contents of all files at once, the first time that one is needed."""
        if self._named:
            self._origin.fetch(self._named, base=True)
            self._named = []

    def _present(self, name: SideName) -> tuple[set[str], set[str]]:
        """The changed paths that exist on a side, and those that do not."""
        head = {f.path for f in self._change.files if f.status is not FileStatus.DELETED}
        base = {f.base_path for f in self._change.files if f.base_path is not None}
        return (head, base - head) if name == "head" else (base, head - base)


def _of_copy(unit: WorkUnit, path: str, content: bytes) -> WorkUnit:
    """The unit of a file of which a copy is reviewed."""
    return replace(unit, path=path, digest=content_digest(content), scored=False)


def _is_selected(name: str, config: Config, request: ReviewRequest) -> bool:
    """Whether a specialist takes part in this review."""
    only = request.only or config.root.only
    skip = (*request.skip, *config.root.skip)
    return name not in skip and (not only or name in only)


def _layout(root: Path) -> str:
    """The names at the top of the work tree and in ``src``: what decides whether an import is first-party."""
    names: list[str] = []
    for folder in (root, root / "src"):
        with suppress(OSError):
            names += sorted(os.listdir(folder))
    return "\0".join(names)


def _target_on_disk(path: Path) -> str | None:
    """The target of a link of the work tree."""
    with suppress(OSError):
        return os.readlink(path)
    return None


def leaves_repository(path: str, target: str) -> bool:
    """Return True if a link at a path has a target outside the repository."""
    landed = os.path.normpath(os.path.join(os.path.dirname(path), target))
    return target.startswith("/") or landed == ".." or landed.startswith("../")


def _may_review(path: str, specialists: Sequence[Specialist]) -> bool:
    """Whether the name of a file is reason to read it."""
    return any(s.claims_name(path) or s.sniffs_content(path) for s in specialists)


def _why_unreadable(
    file: ChangedFile, path: str, content: bytes | None, specialist: Specialist
) -> str | None:
    """Why a specialist cannot review a side of a file, or None if it can.

    Empty where it has nothing to look at. ``path`` and ``content`` are those of the side.
    """
    limit = _TEXT_LIMIT if specialist.reviews_all_text else _FILE_LIMIT
    if file.fragment:
        return "only fragments of it are in the diff; give --repo with a matching checkout"
    if content is None:
        return "its content is not in this clone; fetch it (partial or damaged clone)"
    if specialist.reviews_all_text and (not _is_text(content, limit) or is_lfs_pointer(content)):
        return ""
    if is_lfs_pointer(content):
        return "it is a Git LFS pointer, and its content is not in the repository"
    if len(content) > limit:
        return f"it is larger than {limit // 1024 // 1024} MiB"
    text = None if specialist.reviews_all_text else decoded(content)
    if text is None:
        return None if specialist.reviews_all_text else NOT_UTF8
    return specialist.declines(path, text) or None if specialist.declines is not None else None


def _is_text(content: bytes, limit: int) -> bool:
    """Whether content can be read as text; of what is too large to be read, whether it looks like text."""
    text = in_any_encoding(content)
    return text is not None and (len(content) <= limit or "\0" not in text)
