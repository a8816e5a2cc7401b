"""Audit files of records: index the evaluation part first, then check the training part against it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec

from wardround.errors import UsageError
from wardround_lab.corpora.audit import (
    SHARES,
    Audit,
    AuditCheck,
    AuditedFile,
    CheckCounter,
    assemble_audit,
    audit_of,
)
from wardround_lab.corpora.audit_items import Item, items_of
from wardround_lab.corpora.holdout import DEFAULT_FILE, HoldoutRepositories
from wardround_lab.corpora.licence_detection import PERMISSIVE, UNKNOWN
from wardround_lab.corpora.near_duplicates import NearIndex
from wardround_lab.corpora.quality_filters import is_generated, is_vendored, lacks_prose, rejection_reason
from wardround_lab.corpora.records import Corpus, digest_of, lines_of, record_of, write_atomically, write_json
from wardround_lab.corpora.secret_scan import SecretScan
from wardround_lab.corpora.shortcut_probes import ShortcutProbe, query_leaks, shortcut_scores
from wardround_lab.corpora.within_repository_split import OwnSides, WithinRepositorySplit, unit_of

Role = Literal["train", "evaluation", "both"]
_ANSWERS_AT_LEAST = 20
_EXAMPLE_LENGTH = 60
_CHECKS = (
    ("secrets", "hold a secret", "remove them, and revoke the real ones"),
    ("duplicates", "are duplicates of an earlier one", "keep one of each"),
    ("near-duplicates-across", "are near-duplicates of the evaluation", "remove them from the training side"),
    ("generated", "are of generated or vendored files", "take them out"),
    ("poor-text", "contain text that is unsuitable for training", "take them out"),
    ("licence", "are of repositories whose licence is not permissive or unknown",
     "exclude them, or set the licence with --licence NAME=ID or --allow-licence ID"),
    ("kept-for-measuring", "are of repositories held out for evaluation", "leave those out"),
    ("repository-leakage", "are of repositories on both sides, or have no repository",
     "split by repository"),
    ("group-leakage", "are of a group on both sides", "keep a group on one side"),
    ("time-leakage", "are not older than the whole evaluation, or have no time",
     "train on older items, with --since DATE"),
    ("echo", "repeat the answer in the question", "remove those words from the question"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class AuditPolicy:
    """Requirements of an audit.

    Attributes:
        hold_out: repositories of the evaluation, if one file contains both parts.
        since: seconds since 1970; in a file with both parts, older items are for training and newer ones for
            evaluation. Without held-out repositories all are in both parts, which is a leak unless it is
            allowed.
        licences: repository -> licence, for records without or with a wrong one.
        allowed: additional licences that count as permissive; ``unknown`` may be one.
        own: the rule by which one repository is split, whose licence then does not matter; ``since`` is then
            the boundary of its two parts.
        limits: check -> share, overriding the defaults.
    """

    hold_out: frozenset[str] = frozenset()
    since: int | None = None
    kept: HoldoutRepositories = field(default_factory=HoldoutRepositories)
    licences: Mapping[str, str] = field(default_factory=dict)
    allowed: frozenset[str] = frozenset()
    own: WithinRepositorySplit | None = None
    limits: Mapping[str, float] = field(default_factory=dict)


class AuditRunner:
    """One audit of several files together.

    Args:
        train: files for training; they contain the evaluation too if repositories are held out.
        evaluation: files for evaluation only.
        say: called with a line of progress.
    """

    def __init__(
        self,
        train: Sequence[Path],
        evaluation: Sequence[Path],
        demands: AuditPolicy,
        scan: SecretScan,
        say: Callable[[str], None],
    ) -> None:
        self._train = train
        self._evaluation = evaluation
        self._demands = demands
        self._scan = scan
        self._say = say
        self._tallies = {name: CheckCounter(name, fault, advice) for name, fault, advice in _CHECKS}
        self._hold_out = {name.lower() for name in demands.hold_out}
        self._limits = {**SHARES, **({} if demands.own is None else {"licence": 1.0}), **demands.limits}
        self._sides = self._repository_sides()
        self._framing = ShortcutProbe()
        self._answers: Counter[str] = Counter()
        self._near = NearIndex()
        self._seen: set[bytes] = set()
        self._eval_groups: set[str] = set()
        self._eval_repositories: Counter[str] = Counter()
        self._eval_names: set[str] = set()
        self._train_repositories: Counter[str] = Counter()
        self._oldest: int | None = None
        self._licences = _recorded_licences([*train, *evaluation]) | dict(demands.licences)
        self._faulty: dict[Path, set[int]] = {path: set() for path in train}

    def run(self) -> list[Audit]:
        """Audit the files and write each audit next to its file.

        Raises:
            UsageError: a file cannot be read, is malformed, or its audit cannot be written.
        """
        paths = [*self._evaluation, *self._train]
        if len({path.resolve() for path in paths}) < len(paths):
            raise UsageError("the same file is given twice; pass each once, for training or for evaluation")
        before = [digest_of(path) for path in paths]
        counts = dict.fromkeys(paths, 0)
        for path, item in self._read_items(evaluation=True):
            counts[path] += 1
            if self._look_at_evaluation(item) and self._sides is not None:
                self._faulty[path].add(int(item.place.rpartition(":")[2]))
        for path, item in self._read_items(evaluation=False):
            counts[path] += 1
            if self._look_at_training(item):
                self._faulty[path].add(int(item.place.rpartition(":")[2]))
        roles = [self._role(path) for path in paths]
        files = [
            AuditedFile(path.name, sha256, role, counts[path])
            for path, sha256, role in zip(paths, before, roles, strict=True)
        ]
        audits = [self._audit(file, files) for file in files]
        for path, audit in zip(paths, audits, strict=True):
            write_json(audit_of(path), audit)
        return audits

    def clean(self, folder: Path) -> list[Path]:
        """Write the training items that passed every check to files of the same names.

        For one repository that is split, the evaluation items are cleaned too; otherwise they stay unchanged.
        """
        written = []
        for path, faulty in self._faulty.items():
            target = folder / path.name
            if target.resolve() == path.resolve():
                raise UsageError(f"--clean-to {folder}: {path.name} already exists; choose another directory")
            retained = [line for number, line in lines_of(path) if number not in faulty]
            sha256 = write_atomically(target, retained)
            if (corpus := _corpus(path)) is not None:
                write_json(
                    record_of(target), msgspec.structs.replace(corpus, items=len(retained), sha256=sha256)
                )
            written.append(target)
        return written

    def _role(self, path: Path) -> Role:
        if path in self._evaluation:
            return "evaluation"
        return "both" if self._is_divided else "train"

    def _repository_sides(self) -> OwnSides | None:
        """Return the training and evaluation parts of the one repository that is split by its files, if
        any.
        """
        own, since = self._demands.own, self._demands.since
        if own is None:
            return None
        if since is None or self._evaluation:
            raise UsageError("one repository is also split by time, within the same files; add --since DATE")
        rows = (item for path in self._train for item in items_of(path))
        items = ((row.repository, _group_of(row), row.time) for row in rows)
        return OwnSides.of(own, since, since, items)

    @property
    def _is_divided(self) -> bool:
        """Return True if the training files contain the evaluation too."""
        return bool(self._demands.hold_out) or self._demands.since is not None

    def _read_items(self, *, evaluation: bool) -> Iterator[tuple[Path, Item]]:
        """Yield the items of one part; in a file with both parts, items of neither are skipped."""
        paths = [*self._evaluation, *self._train] if evaluation else list(self._train)
        number = 0
        for path in paths:
            complete = path in self._evaluation
            if evaluation and not complete and not self._is_divided:
                continue
            for item in items_of(path):
                if complete or self._belongs_to_split(item, evaluation):
                    number += 1
                    if number % 1000 == 0:
                        self._say(f"{path.name}: {number} items of the {_split_name(evaluation)} side")
                    yield path, item

    def _belongs_to_split(self, item: Item, evaluation: bool) -> bool:
        """Return True if an item of a file with both parts belongs to this one."""
        if self._sides is not None:
            side = self._sides.side(item.repository, _group_of(item), item.time)
            return side is not None and (side == "evaluation") == evaluation
        since = self._demands.since
        held = item.repository.lower() in self._hold_out if self._hold_out else evaluation
        in_time = since is None or (item.time >= since) == evaluation
        return held == evaluation and in_time

    def _look_at_evaluation(self, item: Item) -> bool:
        """Return True if an item must not be used for evaluation either."""
        self._near.add(item.core, item.place)
        self._eval_groups.add(item.group)
        self._eval_repositories[item.repository] += 1
        self._eval_names.add(self._split_unit_of(item))
        if item.time:
            self._oldest = item.time if self._oldest is None else min(item.time, self._oldest)
        return self._look(item)

    def _look_at_training(self, item: Item) -> bool:
        """Return True if an item must not be used for training."""
        self._train_repositories[item.repository] += 1
        faults = self._look(item)
        if self._eval_repositories:
            faults |= self._compare(item)
        digest = hashlib.blake2b(item.core.encode(), digest_size=16).digest()
        faults |= self._count_item("duplicates", item, digest in self._seen)
        self._seen.add(digest)
        faults |= self._count_item(
            "kept-for-measuring", item, item.repository in self._demands.kept, item.repository
        )
        return faults

    def _compare(self, item: Item) -> bool:
        """Properties that an item of the training part may not share with the evaluation."""
        like = self._near.like(item.core)
        faults = self._count_item("near-duplicates-across", item, like is not None, f"like {like}")
        unknown = not item.repository or "" in self._eval_names
        shared = unknown or self._split_unit_of(item) in self._eval_names
        faults |= self._count_item(
            "repository-leakage", item, shared, item.repository or "says no repository"
        )
        faults |= self._count_item(
            "group-leakage", item, bool(item.group) and item.group in self._eval_groups
        )
        late = not item.time or self._oldest is None or item.time >= self._oldest
        return faults | self._count_item("time-leakage", item, late, f"time {item.time}")

    def _split_unit_of(self, item: Item) -> str:
        """Return the unit that must be in one part: the repository, or the file if one repository is
        split.
        """
        return item.repository.lower() if self._sides is None else unit_of(_group_of(item), item.time)

    def _look(self, item: Item) -> bool:
        """Apply the checks for all items."""
        path = item.path or "records.txt"
        kinds = sorted({kind for text in item.texts for kind in self._scan.kinds(text, path)})
        faults = self._count_item("secrets", item, bool(kinds), ", ".join(kinds))
        written = item.path and (is_vendored(item.path) or is_generated(item.path))
        marked = any(is_generated("", text) for text in item.texts)
        faults |= self._count_item("generated", item, bool(written) or marked, item.path)
        reason = next((why for text in item.texts if (why := rejection_reason(text))), "")
        reason = reason or ("no words" if lacks_prose(item.core) else "")
        faults |= self._count_item("poor-text", item, bool(reason), reason)
        licence = self._licence(item)
        refused = licence not in PERMISSIVE and licence not in self._demands.allowed
        faults |= self._count_item(
            "licence", item, refused, f"{item.repository or 'no repository'}: {licence}"
        )
        return faults | self._look_at_framing(item)

    def _look_at_framing(self, item: Item) -> bool:
        if item.choice is not None:
            self._framing.add(item.choice)
            return self._count_item("echo", item, shortcut_scores(item.choice))
        if item.answer is not None:
            requested, reported = item.answer
            self._answers[" ".join(reported.split())] += 1
            return self._count_item(
                "echo", item, query_leaks(requested, reported) and len(reported) <= len(requested)
            )
        return False

    def _licence(self, item: Item) -> str:
        stated = self._demands.licences.get(item.repository)
        return stated or item.licence or self._licences.get(item.repository, UNKNOWN)

    def _count_item(self, name: str, item: Item, broken: bool, why: str = "") -> bool:
        """Count an item that breaks a check, or does not; whether it does and that is not allowed to all."""
        tally = self._tallies[name]
        tally.items += 1
        if broken:
            tally.add(f"{item.place}: {why[:_EXAMPLE_LENGTH]}" if why else item.place)
        return broken and self._limits[name] < 1

    def _audit(self, file: AuditedFile, files: Sequence[AuditedFile]) -> Audit:
        return assemble_audit(
            file,
            files,
            [tally.check(self._limits) for tally in self._all_tallies(file)],
            hold_out=sorted(self._demands.hold_out),
            since=self._demands.since,
            train=(self._train_repositories.total(), sorted(self._train_repositories)),
            evaluation=(self._eval_repositories.total(), sorted(self._eval_repositories)),
            scope="" if self._demands.own is None else self._demands.own.told,
        )

    def _all_tallies(self, file: AuditedFile) -> list[CheckCounter]:
        found = list(self._tallies.values())
        if not self._scan.is_able:
            found[0] = CheckCounter("secrets", "", "install a plugin that does", share=1.0)
            found[0].note = "nothing that looks for secrets is installed"
        if not self._demands.kept.origin:
            retained = self._tallies["kept-for-measuring"]
            retained.note, retained.looked = (
                f"no list given; name one with --kept, or have {DEFAULT_FILE} here",
                False,
            )
        return [
            _records(file),
            *found,
            self._split(),
            self._position(),
            self._length(),
            self._require_single_answer(),
        ]

    def _split(self) -> CheckCounter:
        sides = (self._train_repositories.total(), self._eval_repositories.total())
        tally = CheckCounter("split", "", "give --eval FILE, or --hold-out NAME and --since DATE")
        tally.note = f"{sides[0]} items to train on, {sides[1]} to evaluate with"
        tally.share = float(not all(sides))
        return tally

    def _position(self) -> CheckCounter:
        tally = CheckCounter(
            "position", "", "put the candidates in an order that has nothing to do with the answer"
        )
        name, rate = max(self._framing.by.items(), key=lambda pair: pair[1].gain, default=("", None))
        tally.share = 0.0 if rate is None else rate.gain
        tally.note = "no place of a candidate tells whether it is right"
        if rate is not None and rate.gain:
            tally.count = rate.right
            often = f"{rate.right} of {rate.items} times"
            tally.note = f"{name} is right {often}, {rate.gain:.0%} above chance"
        return tally

    def _length(self) -> CheckCounter:
        tally = CheckCounter("length", "", "choose wrong candidates of the length of the right ones")
        auc = self._framing.length_auc
        tally.share = abs(auc - 0.5)
        tally.note = f"length alone separates right from wrong with an AUC of {max(auc, 1 - auc):.2f}"
        return tally

    def _require_single_answer(self) -> CheckCounter:
        total = self._answers.total()
        tally = CheckCounter("one-answer", "", "balance the answers")
        most = max(self._answers.values(), default=0)
        tally.share = most / total if total >= _ANSWERS_AT_LEAST else 0.0
        tally.note = f"{most} of {total} items have the most common answer"
        return tally


def _group_of(item: Item) -> str:
    """Return the group of a choice as its task defines it."""
    return item.group if item.choice is None else item.choice.group


def check_limits(given: Mapping[str, float]) -> None:
    """Reject limits of unknown checks and limits that are not shares.

    Raises:
        UsageError: a limit is invalid.
    """
    for name, share in given.items():
        if name not in SHARES:
            raise UsageError(f"--limit {name}: unknown check; choose one of {', '.join(sorted(SHARES))}")
        if not 0 <= share <= 1:
            raise UsageError(f"--limit {name}={share:g}: the share must be between 0 and 1")


def summary(checks: Sequence[AuditCheck]) -> Iterator[str]:
    """Return the checks as lines of text."""
    for check in checks:
        mark = "FAIL" if not check.passed else "ok  " if check.looked else "none"
        yield f"  {mark} {check.name}: {check.said}"
        if not check.passed:
            yield from (f"         {example}" for example in check.examples)


def _records(file: AuditedFile) -> CheckCounter:
    tally = CheckCounter("records", "", "no file of records; pass at least one")
    tally.note = f"{file.items} records"
    tally.share = float(file.items == 0)
    return tally


def _recorded_licences(paths: Sequence[Path]) -> dict[str, str]:
    """Repository -> licence, from the mining records next to the files."""
    corpora = [corpus for path in paths if (corpus := _corpus(path)) is not None]
    return {repository.name: repository.licence for corpus in corpora for repository in corpus.repositories}


def _corpus(path: Path) -> Corpus | None:
    try:
        return msgspec.json.decode(record_of(path).read_bytes(), type=Corpus)
    except (OSError, msgspec.MsgspecError):
        return None


def _split_name(evaluation: bool) -> str:
    return "evaluation" if evaluation else "training"
