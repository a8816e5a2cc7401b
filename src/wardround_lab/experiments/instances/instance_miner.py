"""Mining the instances of several repositories into a folder; an interrupted command continues there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from wardround import __version__
from wardround.change.repository import Repository
from wardround.errors import UsageError
from wardround.storage.digest import sha256
from wardround_lab.corpora.git_history import HistoryLimits, RepositoryHistory
from wardround_lab.corpora.miner import RecordLocation, record_limits
from wardround_lab.corpora.records import record_of, write_atomically, write_json
from wardround_lab.corpora.secret_scan import SecretScan
from wardround_lab.experiments.instances.candidates import Candidate, CandidateFilter
from wardround_lab.experiments.instances.instance_file import encode_instances
from wardround_lab.experiments.instances.mining_record import MiningRecord, RepositoryTries
from wardround_lab.experiments.instances.repository_mining import InstanceOptions, RepositoryMining
from wardround_lab.experiments.instances.try_log import Try, TryLog

NAME = "instances.jsonl"
_FORMAT = "1"
"""A part of the key of every log; raise it when other candidates or other tests follow from a commit."""


class InstanceMiner:
    """Mines the instances of repositories.

    Args:
        folder: that of the instances and their record; created if it does not exist.
        is_held_out: returns True if a repository is held out and must not be mined.
        environ: the caller's environment.
    """

    def __init__(
        self,
        folder: Path,
        limits: HistoryLimits,
        options: InstanceOptions,
        is_held_out: Callable[[str], bool],
        scan: SecretScan,
        environ: Mapping[str, str],
        say: Callable[[str], None],
    ) -> None:
        self._folder = folder
        self._limits = limits
        self._options = options
        self._is_held_out = is_held_out
        self._scan = scan
        self._environ = environ
        self._say = say

    def mine(self, locations: Sequence[RecordLocation]) -> MiningRecord:
        """Mine every repository. Instances that were verified are in the file, also after an interruption.

        Raises:
            UsageError: a repository is held out or given twice, or the folder cannot be written to.
            GitError: a path is not a repository.
            SandboxError: nothing can be run.
        """
        self._require_folder()
        self._require_admitted(locations)
        results: list[RepositoryTries] = []
        tries: list[Try] = []
        try:
            for location in locations:
                with self._open(location, results, tries) as (mining, candidates, log):
                    mining.mine(candidates, log)
        finally:
            record = self._write(results, tries)
        return record

    def _require_folder(self) -> None:
        try:
            (self._folder / "parts" / "instances").mkdir(parents=True, exist_ok=True)
        except OSError as cause:
            raise UsageError(f"{self._folder}: {cause.strerror}; choose a writable directory") from cause

    def _require_admitted(self, locations: Iterable[RecordLocation]) -> None:
        """Reject all repositories before the first one is mined, which takes long."""
        known: dict[str, Path] = {}
        for location in locations:
            with RepositoryHistory(location.folder, location.name, self._limits) as history:
                name = history.repository
            if self._is_held_out(name):
                raise UsageError(
                    f"{location.folder}: {name} is held out for evaluation; remove it from the arguments"
                )
            if name in known:
                raise UsageError(
                    f"{location.folder} and {known[name]} are both {name}; rename one with NAME=PATH"
                )
            known[name] = location.folder

    @contextmanager
    def _open(
        self, location: RecordLocation, results: list[RepositoryTries], tries: list[Try]
    ) -> Iterator[tuple[RepositoryMining, list[Candidate], TryLog]]:
        """Open a repository; its tries are counted at the end, also after an interruption."""
        with (
            RepositoryHistory(location.folder, location.name, self._limits) as history,
            Repository(location.folder) as repository,
        ):
            name = history.repository
            log = TryLog(self._log_file(name), self._key(history.head))
            self._say(f"{name}: reading its history")
            found = CandidateFilter(history, self._options.answer)
            candidates = list(found.candidates())
            mining = RepositoryMining(
                repository, name, self._options, self._scan, self._environ, self._folder / "parts",
                lambda text: self._say(f"{name}: {text}"),
            )  # fmt: skip
            try:
                yield mining, candidates, log
            finally:
                commits = len(history.ids())
                results.append(
                    RepositoryTries.of(
                        name, history.head, commits, found.excluded, len(candidates), log.tries
                    )
                )
                tries.extend(log.tries)

    def _log_file(self, name: str) -> Path:
        return self._folder / "parts" / "instances" / f"{name.replace('/', '+')}.jsonl"

    def _key(self, head: str) -> str:
        """Return the digest of everything on which a try depends; their number is not part of it."""
        options = msgspec.structs.replace(self._options, each=0)
        return sha256(msgspec.json.encode((_FORMAT, head, record_limits(self._limits), options))).hexdigest()

    def _write(self, results: Sequence[RepositoryTries], tries: Iterable[Try]) -> MiningRecord:
        instances = [result.instance for result in tries if result.instance is not None]
        digest = write_atomically(self._folder / NAME, [encode_instances(instances)])
        record = MiningRecord(
            version=__version__,
            filters=record_limits(self._limits) | _shown_options(self._options),
            repositories=tuple(results),
            instances=len(instances),
            sha256=digest,
        )
        write_json(record_of(self._folder / NAME), record)
        return record


def _shown_options(options: InstanceOptions) -> dict[str, str]:
    """Return the options as they are recorded."""
    values = {**msgspec.to_builtins(options), **msgspec.to_builtins(options.answer)}
    return {name: str(value) for name, value in values.items() if name != "answer" and value != ""}
