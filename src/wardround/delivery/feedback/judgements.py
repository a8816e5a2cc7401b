"""Dismissed comments as judgements of their findings, in a file of the product's format."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from pathlib import Path

from wardround.delivery.feedback.dismissals import Dismissal
from wardround.rules.judgement_files import read_judgements, record_judgement
from wardround.rules.judgements import FindingKey, judgement_of

READER = "pull-requests"
_SUFFIX = ".jsonl"


class JudgementFile:
    """The file of the judgements from change requests.

    Args:
        path: the file ``READER.jsonl``, or the folder in which it is; other names are folders.
        repository: the public name of the reviewed repository.
    """

    def __init__(self, path: Path, repository: str) -> None:
        is_file = path.suffix == _SUFFIX
        self._folder = path.parent if is_file else path
        self._reader = path.stem if is_file else READER
        self._repository = repository

    def without_judgement(self, dismissals: Iterable[Dismissal]) -> Iterator[Dismissal]:
        """Yield the dismissals whose findings have no judgement in the file.

        Raises:
            ConfigError, UsageError: the file cannot be read.
        """
        judged = read_judgements(self._folder / f"{self._reader}{_SUFFIX}")
        known = {judgement.key for judgement in judged}
        for dismissal in dismissals:
            key = self._key(dismissal)
            if key not in known:
                known.add(key)
                yield dismissal

    def record(self, dismissal: Dismissal, date: datetime.date) -> None:
        """Write the judgement of a dismissal.

        Raises:
            ConfigError, UsageError: the file cannot be read or written.
        """
        entry = judgement_of(
            self._key(dismissal), dismissal.verdict.value, dismissal.reason.value, self._reader, date
        )
        record_judgement(self._folder, entry, None)

    def _key(self, dismissal: Dismissal) -> FindingKey:
        finding = dismissal.finding
        return FindingKey(self._repository, dismissal.commit, finding.file, dismissal.line, finding.rule)
