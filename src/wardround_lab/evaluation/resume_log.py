"""Outcomes of cases in a file from which a later run resumes.

A line is valid for a case under the settings and the reviewers of its run; if one of them has changed, the
case is reviewed again, and a line is appended.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import msgspec

from wardround.errors import UsageError
from wardround.plugin_discovery import GROUP, discover
from wardround.rules.model import RULES_PACKAGE
from wardround.storage.digest import file_stamp
from wardround_lab.evaluation.batch import CaseOutcome, Settings, digest_of
from wardround_lab.evaluation.cases import Case

_TELLING = {"cli", "reports"}
"""Directories of code that reports findings and does not detect them."""
_START = b'{"key":'


class Line(msgspec.Struct, frozen=True):
    """One outcome and its inputs."""

    key: str
    outcome: CaseOutcome


class ResumeLog:
    """The outcomes of a file; without a file none are read or stored."""

    def __init__(self, file: IO[bytes] | None, lines: Sequence[Line], settings: Settings) -> None:
        self._file = file
        self._lines = {line.key: line.outcome for line in lines}
        self._settings = settings

    @classmethod
    def open(cls, path: Path | None, settings: Settings) -> ResumeLog:
        """Open a file of outcomes for appending, and read it if it exists.

        Raises:
            UsageError: it cannot be read or written, or is malformed.
        """
        if path is None:
            return cls(None, (), settings)
        try:
            file = path.open("a+b")
            file.seek(0)
            complete, _, rest = file.read().rpartition(b"\n")
            found = _lines(complete, rest, path)
            if rest:  # a run that was killed wrote half a line
                file.truncate(len(complete) + 1 if complete else 0)
        except OSError as cause:
            raise UsageError(f"--results {path}: {cause.strerror}; choose another file") from cause
        return cls(file, found, settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def known_outcomes(self, cases: Sequence[Case]) -> dict[str, CaseOutcome]:
        """Return the outcomes of cases that were reviewed before, by their index in the case file."""
        if not self._lines:
            return {}
        keys = {case.place: self._key(case) for case in cases}
        return {
            location: msgspec.structs.replace(self._lines[key], place=location)
            for location, key in keys.items()
            if key in self._lines
        }

    def append(self, case: Case, outcome: CaseOutcome) -> None:
        """Append an outcome; it is on disk when this returns."""
        if self._file is not None:
            self._file.write(msgspec.json.encode(Line(self._key(case), outcome)) + b"\n")
            self._file.flush()

    def _key(self, case: Case) -> str:
        return digest_of(case, self._settings, reviewers_digest())


def _lines(whole: bytes, rest: bytes, path: Path) -> list[Line]:
    found = []
    for number, line in enumerate(whole.split(b"\n") if whole else (), 1):
        try:
            found.append(msgspec.json.decode(line, type=Line))
        except msgspec.MsgspecError as cause:
            raise UsageError(
                f"--results {path}:{number}: this is not an outcome; use a new file, or one of an earlier run"
            ) from cause
    if rest and not rest.startswith(_START[: len(rest)]):
        raise UsageError(f"--results {path}: this is not a file of outcomes; choose a new file")
    return found


@cache
def reviewers_digest() -> str:
    """Return a digest that changes with wardround, a plugin or a rule."""
    packages = [
        "wardround",
        RULES_PACKAGE,
        "wardround_adapters",
        *(plugin.module for plugin in discover(GROUP).plugins),
    ]
    digest = hashlib.sha256()
    for name in packages:
        spec = importlib.util.find_spec(name)
        locations = [] if spec is None else spec.submodule_search_locations or [spec.origin or ""]
        for location in locations:
            folder = Path(location)
            files = sorted(folder.rglob("*")) if folder.is_dir() else [folder]
            for file in files:
                if file.is_file() and file.suffix != ".pyc" and not _TELLING & {*file.parts}:
                    digest.update(f"{file} {file_stamp(file)}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()
