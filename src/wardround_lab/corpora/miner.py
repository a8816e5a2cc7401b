"""Mine repositories one after another; an interrupted run continues after the last finished one.

Each repository's items are in a separate file under ``parts``; the corpus is their union without duplicates.
A part is valid as long as its repository's head, the filters and the miner are the same.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import msgspec

from wardround import __version__
from wardround.errors import UsageError
from wardround.lazy import source_files
from wardround.training_tasks import (
    AnyTask,
    Choice,
    Commit,
    LabelledText,
    LineTask,
    Task,
    TextTask,
    Window,
)
from wardround_lab.corpora import defect_windows, licence_detection
from wardround_lab.corpora.commit_classes import CommitClassifier
from wardround_lab.corpora.git_history import HistoryLimits, RepositoryHistory
from wardround_lab.corpora.quality_filters import is_generated, is_vendored, lacks_prose, rejection_reason
from wardround_lab.corpora.records import (
    Corpus,
    Mined,
    MinedRepository,
    record_of,
    rows_of,
    write_atomically,
    write_json,
)
from wardround_lab.corpora.secret_scan import SecretScan

Progress = Callable[[str], None]
Item = Choice | Mined | Window | LabelledText


@dataclass(frozen=True, slots=True)
class RecordLocation:
    """A repository to mine: its location, and its ``owner/name`` if it was given."""

    folder: Path
    name: str | None = None


@dataclass(frozen=True, slots=True)
class MiningSource:
    """A source of items: a task of a plugin, or a class of commits.

    Attributes:
        name: the name of its files.
    """

    name: str
    task: AnyTask | None = None

    @property
    def record(self) -> type[Item]:
        """Yield its items."""
        return _RECORDS[type(self.task)]

    @property
    def digest(self) -> str:
        """Return a digest of the mining code: the plugin's package, this one and the readers they share."""
        packages = ["wardround_lab.corpora", "wardround.languages"]
        if self.task is not None:
            mine = self.task.inject if isinstance(self.task, LineTask) else self.task.mine
            mine = mine.func if isinstance(mine, partial) else mine
            packages.append(mine.__module__.partition(".")[0])
        return _code_digest(tuple(packages))

    def items(self, history: RepositoryHistory, kinds: CommitClassifier) -> Iterator[Item]:
        if isinstance(self.task, LineTask):
            return defect_windows.windows(self.task, history, kinds)
        return kinds.mine_commits(self.name) if self.task is None else self.task.mine(history)


_RECORDS: dict[type, type[Item]] = {
    Task: Choice, LineTask: Window, TextTask: LabelledText, type(None): Mined,
}  # fmt: skip


class MinedPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The inputs and the result of a finished repository."""

    version: str
    code: str
    filters: dict[str, str]
    repository: MinedRepository


class Miner:
    """Mine several repositories into a directory.

    Args:
        folder: the directory of ``NAME.jsonl`` and its record; created if it does not exist.
        limits: the part of each history that is read.
        kept: returns True if a repository is held out and must not be mined.
        scan: detects secrets; an item that contains one is excluded.
        say: called with a line of progress.
    """

    def __init__(
        self,
        folder: Path,
        limits: HistoryLimits,
        kept: Callable[[str], bool],
        scan: SecretScan,
        say: Progress,
    ) -> None:
        self._folder = folder
        self._limits = limits
        self._kept = kept
        self._scan = scan
        self._say = say
        self._filters = record_limits(limits)

    def mine(self, sources: Sequence[MiningSource], places: Sequence[RecordLocation]) -> list[Corpus]:
        """Mine every source in every repository; one record for each source, in their order.

        Raises:
            UsageError: a repository is held out or given twice, or the directory cannot be written to.
            GitError: a path is not a repository.
        """
        for source in sources:
            self._make_folder(self._folder / "parts" / source.name)
        began = time.monotonic()
        known: dict[str, Path] = {}
        parts: dict[str, list[MinedPart]] = {source.name: [] for source in sources}
        for number, location in enumerate(places):
            with RepositoryHistory(location.folder, location.name, self._limits) as history:
                name = history.repository
                self._admit(name, location.folder, known)
                rate = (time.monotonic() - began) / number if number else None
                left = "" if rate is None else f" ({_duration(rate * (len(places) - number))} left in all)"
                where = f"{number + 1}/{len(places)} {name}{left}"
                self._say(where)
                for source, part in self._mine_repository(sources, history, where):
                    parts[source.name].append(part)
        return [self._join_parts(source, parts[source.name]) for source in sources]

    def _admit(self, name: str, folder: Path, known: dict[str, Path]) -> None:
        if self._kept(name):
            raise UsageError(f"{folder}: {name} is held out for evaluation; remove it from the arguments")
        if name in known:
            raise UsageError(f"{folder} and {known[name]} are both {name}; rename one with NAME=PATH")
        known[name] = folder

    def _mine_repository(
        self, sources: Sequence[MiningSource], history: RepositoryHistory, where: str
    ) -> Iterator[tuple[MiningSource, MinedPart]]:
        """Mine the parts of one repository; existing ones are reused."""
        todo = []
        for source in sources:
            part = self._finished_part(source, history)
            if part is None:
                todo.append(source)
            else:
                yield source, part
        if todo:
            licence, excluded = _licence(history)
            foreign = tuple(f"{folder}/*" for folder in excluded)
            limits = replace(self._limits, head=history.head, exclude=(*self._limits.exclude, *foreign))
            with _Counted(history.folder, history.repository, limits, self._say, where) as counted:
                kinds = CommitClassifier(counted, counted.show)
                for source in todo:
                    yield source, self._mine_part(source, counted, kinds, licence, excluded)

    def _finished_part(self, source: MiningSource, history: RepositoryHistory) -> MinedPart | None:
        items = self._part_file(source, history.repository)
        try:
            part = msgspec.json.decode(record_of(items).read_bytes(), type=MinedPart)
        except (OSError, msgspec.MsgspecError):
            return None
        reported = (part.version, part.code, part.filters, part.repository.head)
        same = reported == (__version__, source.digest, self._filters, history.head)
        return part if same and items.exists() else None

    def _mine_part(
        self,
        source: MiningSource,
        history: _Counted,
        kinds: CommitClassifier,
        licence: str,
        excluded: tuple[str, ...],
    ) -> MinedPart:
        began = time.monotonic()
        dropped: Counter[str] = Counter()
        count = 0

        def lines() -> Iterator[bytes]:
            nonlocal count
            for item in source.items(history, kinds):
                if reason := self._reason_to_exclude(item):
                    dropped[reason] += 1
                else:
                    count += 1
                    yield msgspec.json.encode(item) + b"\n"

        items = self._part_file(source, history.repository)
        digest = write_atomically(items, lines())
        oldest, newest = history.span()
        repository = MinedRepository(
            name=history.repository,
            head=history.head,
            licence=licence,
            excluded=excluded,
            commits=len(history.ids()),
            first=oldest,
            last=newest,
            items=count,
            dropped=dict(sorted(dropped.items())),
            damage=history.trouble.describe(),
            sha256=digest,
            seconds=round(time.monotonic() - began, 1),
        )
        part = MinedPart(__version__, source.digest, self._filters, repository)
        write_json(record_of(items), part)
        return part

    def _reason_to_exclude(self, item: Item) -> str:
        """Return the reason to exclude an item; empty if it is included."""
        path, texts = _path_and_texts(item)
        if is_vendored(path) or is_generated(path):
            return "generated or vendored"
        if any(rejection_reason(text) for text in texts) or lacks_prose("\n".join(texts)):
            return "poor text"
        return "secret" if any(self._scan.kinds(text) for text in texts) else ""

    def _join_parts(self, source: MiningSource, parts: Sequence[MinedPart]) -> Corpus:
        """Join the parts; duplicates of an earlier item are dropped."""
        seen: set[bytes] = set()
        count = 0

        def lines() -> Iterator[bytes]:
            nonlocal count
            for part in parts:
                items = self._part_file(source, part.repository.name)
                for item in rows_of(items, source.record):
                    digest = _digest(item)
                    if digest not in seen:
                        seen.add(digest)
                        count += 1
                        yield msgspec.json.encode(item) + b"\n"

        file = self._folder / f"{source.name}.jsonl"
        sha256 = write_atomically(file, lines())
        corpus = Corpus(
            schema="wardround.corpus/1",
            name=source.name,
            version=__version__,
            filters=self._filters,
            repositories=tuple(part.repository for part in parts),
            items=count,
            duplicates=sum(part.repository.items for part in parts) - count,
            sha256=sha256,
            seconds=round(sum(part.repository.seconds for part in parts), 1),
        )
        write_json(record_of(file), corpus)
        return corpus

    def _part_file(self, source: MiningSource, repository: str) -> Path:
        return self._folder / "parts" / source.name / f"{repository.replace('/', '+')}.jsonl"

    def _make_folder(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as cause:
            raise UsageError(f"{folder}: {cause.strerror}; choose a writable directory") from cause


class _Counted(RepositoryHistory):
    """A history that reports its progress and the remaining time."""

    _EVERY = 0.5

    def __init__(self, folder: Path, name: str, limits: HistoryLimits, say: Progress, where: str) -> None:
        super().__init__(folder, name, limits)
        self._say = say
        self._where = where
        self._began = self._said = time.monotonic()
        self._step = 0

    def every_commit(self) -> Iterator[Commit]:
        total = len(self.ids())
        self._began = time.monotonic()
        for number, commit in enumerate(super().every_commit()):
            self.show(number, total)
            yield commit

    def span(self) -> tuple[int, int]:
        """Return the times of the oldest and the newest commit within the limits."""
        times = self.times()
        return (min(times), max(times)) if times else (0, 0)

    def show(self, done: int, of: int) -> None:
        if done < self._step:  # another step has begun
            self._began = time.monotonic()
        self._step = done
        current = time.monotonic()
        if done and current - self._said >= self._EVERY:
            self._said = current
            left = _duration((current - self._began) / done * (of - done))
            self._say(f"{self._where}: {done} of {of}, {left} left in this step")


@cache
def _code_digest(packages: tuple[str, ...]) -> str:
    digest = hashlib.sha256()
    for name in packages:
        for file in map(Path, source_files(name)):
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def _licence(history: RepositoryHistory) -> tuple[str, tuple[str, ...]]:
    """Return the licence at the head, and the directories with another one."""
    texts = {
        path: history.text(blob) or "" for path, blob in history.tree(history.head, licence_detection.FILES)
    }
    return licence_detection.root_licence(texts), licence_detection.foreign_folders(texts)


def _path_and_texts(item: Item) -> tuple[str, tuple[str, ...]]:
    """Return the path of an item, if it has one, and all its texts."""
    if isinstance(item, Choice):
        return item.group.partition("@")[0], (item.query, *item.candidates)
    if isinstance(item, Window):
        return item.group.partition("@")[0], ("\n".join(item.lines),)
    if isinstance(item, LabelledText):
        return "", (item.text,)
    lines = [line for file in item.files for hunk in file.hunks for line in (*hunk.removed, *hunk.added)]
    return "", (item.subject, item.body, "\n".join(lines))


def _digest(item: Item) -> bytes:
    """Return a digest of the content of an item, independent of repository and time."""
    if isinstance(item, Choice):
        reported: object = (item.query, sorted(item.candidates), [item.candidates[at] for at in item.right])
    elif isinstance(item, Window):
        reported = (item.marks, item.lines)
    elif isinstance(item, LabelledText):
        reported = item.text.lower()
    else:
        reported = (item.kind, [(hunk.removed, hunk.added) for file in item.files for hunk in file.hunks])
    return hashlib.blake2b(msgspec.json.encode(reported), digest_size=16).digest()


def record_limits(limits: HistoryLimits) -> dict[str, str]:
    """Return the limits as they are recorded."""
    reported = {
        "head": limits.head,
        "since": "" if limits.since is None else str(limits.since),
        "until": "" if limits.until is None else str(limits.until),
        "limit": str(limits.commits or ""),
        "largest": str(limits.largest),
        "exclude": " ".join(limits.exclude),
    }
    return {key: value for key, value in reported.items() if value}


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
