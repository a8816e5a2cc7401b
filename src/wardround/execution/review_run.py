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
    ChangeSource,
    FileTexts,
    SideName,
)
from wardround.change.diff import Change, FileStatus
from wardround.change.repository_view import RepositoryView
from wardround.change.snapshot import Snapshot, scratch_root
from wardround.checks.source import Budget, ChangedFileView, ChangeView
from wardround.config.request import ReviewRequest
from wardround.config.schema import Config
from wardround.context.added_ignores import Blanked, blanked
from wardround.context.claims import files_to_fetch, selected_specialists
from wardround.context.config_files import config_file_names, settings_differ, tools_for
from wardround.context.readability import why_unreadable
from wardround.context.review_context import ReviewContext
from wardround.context.work_units import WorkUnit, content_digest, work_units
from wardround.execution.change_check_runner import refusal, run_change_checks
from wardround.execution.check_runner import change_budget_s
from wardround.execution.model import (
    ChangeCheckResult,
    ChangeReview,
    Results,
    ResultSource,
    ReviewSide,
    reviewers_of,
)
from wardround.execution.scheduler import Scheduler
from wardround.findings import RawFinding, Unreviewed
from wardround.host import PluginHost
from wardround.inference.api import Models, NoModels
from wardround.specialists import Specialist
from wardround.storage.result_cache import ResultCache
from wardround.tools.process import Processes
from wardround.tools.tool import Tool

if TYPE_CHECKING:
    from wardround.inference.broker import ModelBroker


class RawReview(msgspec.Struct):
    """What was said about both sides.

    Attributes:
        change: the change as it was reviewed: content that no review can have covered counts as added.
        claimed: path at the head -> the specialists that looked at it.
        unreviewed: what was asked for and did not happen, on either side.
        unwaived_head, unwaived_base: the same of the files to which a change that is not trusted adds ignore
            comments of tools, without those comments.
        notes: what models did not look at, and why, and which configured tools are not installed.
    """

    change: Change
    head: Results
    base: Results
    claimed: dict[str, list[Specialist]] = msgspec.field(default_factory=dict)
    unreviewed: list[Unreviewed] = msgspec.field(default_factory=list)
    notes: tuple[str, ...] = ()
    unwaived_head: Results = msgspec.field(default_factory=Results)
    unwaived_base: Results = msgspec.field(default_factory=Results)


class ReviewRun:
    """Runs the specialists over the head, and over as much of the base as there is to compare."""

    def __init__(
        self,
        origin: ChangeSource,
        context: ReviewContext,
        host: PluginHost,
        config: Config,
        request: ReviewRequest,
        processes: Processes,
        progress: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._origin = origin
        self._context = context
        self._change = context.change
        self._host = host
        self._config = config
        self._request = request
        self._processes = processes
        self._progress = progress
        self._texts = FileTexts(origin, context.change)
        self._files = {file.path: file for file in context.change.files}
        self._claimed = {one.file.path: list(one.specialists) for one in context.claimed}
        self._unreviewed = list(context.unreviewed)
        self._snapshot: Snapshot | None = None
        self._selected = selected_specialists(host, config, request)
        self._unfetched = files_to_fetch(context.change, self._selected)

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
        units = self._with_models(work_units(self._context.claimed, self._host, self._config))
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
        return RawReview(self._change, head, base, self._claimed, unreviewed, notes, *unwaived)

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
            reason = why_unreadable(file, file.base_path, content, unit.specialist)
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
            usual = rule.severity if rule.runs(preview=settings.preview) else None
            if settings.severity(rule.id, usual) is not None:
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
        if self._unfetched:
            self._origin.fetch(self._unfetched, base=True)
            self._unfetched = []

    def _present(self, name: SideName) -> tuple[set[str], set[str]]:
        """The changed paths that exist on a side, and those that do not."""
        head = {f.path for f in self._change.files if f.status is not FileStatus.DELETED}
        base = {f.base_path for f in self._change.files if f.base_path is not None}
        return (head, base - head) if name == "head" else (base, head - base)


def _of_copy(unit: WorkUnit, path: str, content: bytes) -> WorkUnit:
    """The unit of a file of which a copy is reviewed."""
    return replace(unit, path=path, digest=content_digest(content), scored=False)


def _layout(root: Path) -> str:
    """The names at the top of the work tree and in ``src``: what decides whether an import is first-party."""
    names: list[str] = []
    for folder in (root, root / "src"):
        with suppress(OSError):
            names += sorted(os.listdir(folder))
    return "\0".join(names)
