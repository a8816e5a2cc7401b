"""Audit files of examples, as ``wardround data audit`` does."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import msgspec

from wardround import host
from wardround.errors import UsageError
from wardround_lab.corpora.audit import Audit
from wardround_lab.corpora.audit_runner import AuditPolicy, AuditRunner
from wardround_lab.corpora.holdout import DEFAULT_FILE, HoldoutRepositories
from wardround_lab.corpora.secret_scan import SecretScan
from wardround_lab.dashboard.actions.form_values import shown_path

_RUNNING = threading.Lock()


class AuditRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The files of an audit, and its options.

    Attributes:
        train: files to train on; ``evaluation``: files to evaluate with only.
        hold_out: repositories whose examples in ``train`` are for the evaluation.
        since: start of the evaluation in ``train``, in seconds since 1970.
        licences: further licences to accept.
    """

    train: tuple[Path, ...]
    evaluation: tuple[Path, ...] = ()
    hold_out: tuple[str, ...] = ()
    since: int | None = None
    licences: tuple[str, ...] = ()

    def command(self, repository: Path) -> str:
        """Return the command line of the same audit, to be run in the repository."""
        words = ["wardround", "data", "audit", *(shown_path(repository, path) for path in self.train)]
        return shlex.join([*words, *self._options(repository)])

    def _options(self, repository: Path) -> Iterator[str]:
        for path in self.evaluation:
            yield from ("--eval", shown_path(repository, path))
        for name in self.hold_out:
            yield from ("--hold-out", name)
        if self.since is not None:
            yield from ("--since", str(self.since))
        for licence in self.licences:
            yield from ("--allow-licence", licence)


def audit_examples(repository: Path, request: AuditRequest, progress: Callable[[str], None]) -> Audit:
    """Audit files together, write each audit next to its file, and return that of the last training file.

    Raises:
        UsageError: another audit is running, no file is given, or a file cannot be read.
    """
    if not request.train:
        raise UsageError("no file to train on; choose at least one")
    if not _RUNNING.acquire(blocking=False):
        raise UsageError("another audit is running; wait until it has ended")
    try:
        demands = AuditPolicy(
            hold_out=frozenset(request.hold_out),
            since=request.since,
            kept=_kept_for_measuring(repository),
            allowed=frozenset(request.licences),
        )
        runner = AuditRunner(request.train, request.evaluation, demands, secret_scan(), progress)
        return runner.run()[-1]
    finally:
        _RUNNING.release()


@cache
def secret_scan() -> SecretScan:
    """Return the scan for secrets of the installed specialists."""
    return SecretScan(host.load().specialists)


def _kept_for_measuring(repository: Path) -> HoldoutRepositories:
    """Return the list of held-out repositories that the repository has."""
    file = repository / DEFAULT_FILE
    return HoldoutRepositories.read(file) if file.is_file() else HoldoutRepositories()
