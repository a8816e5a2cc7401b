"""Split reviewed examples into training and evaluation files, as ``wardround data build-sft`` does."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

from wardround.errors import UsageError
from wardround_lab.corpora.audit import Audit
from wardround_lab.corpora.sft import EVALUATION, TRAIN, SftOptions, SftResult, build
from wardround_lab.dashboard.actions.example_audit import AuditRequest, audit_examples
from wardround_lab.dashboard.actions.form_values import shown_path

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,80}")
Template = Literal["chat", "plain"]


class SplitRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The files of a split, and its options.

    Attributes:
        inputs: files of reviewed records, or of ``wardround data mine``.
        name: of the new folder below that of the data.
        share: of the records for evaluation.
        since: start of the evaluation in seconds since 1970; None for the time that loses the fewest records.
    """

    inputs: tuple[Path, ...]
    name: str
    share: float = 0.1
    template: Template = "chat"
    seed: int = 1
    since: int | None = None

    def command(self, repository: Path, data: Path) -> str:
        """Return the command line of the same split, to be run in the repository."""
        words = ["wardround", "data", "build-sft", *(shown_path(repository, path) for path in self.inputs)]
        words += ["--out", shown_path(repository, data / self.name), "--template", self.template]
        words += ["--eval-share", f"{self.share:g}", "--seed", str(self.seed)]
        return shlex.join(words if self.since is None else [*words, "--since", str(self.since)])


class CheckedSplit(msgspec.Struct, frozen=True):
    """A split, and the audit of its training file against its evaluation file."""

    folder: Path
    result: SftResult
    audit: Audit


def split_examples(
    repository: Path, data: Path, request: SplitRequest, licences: tuple[str, ...], say: Callable[[str], None]
) -> CheckedSplit:
    """Write the two files into a new folder and check them for leaks.

    Args:
        licences: further licences that the audit accepts.

    Raises:
        UsageError: the request is invalid, the records cannot be split, or the folder exists.
    """
    _require_valid(data, request)
    folder = data / request.name
    options = SftOptions(template=request.template, share=request.share, cut=request.since, seed=request.seed)
    say("splitting")
    result = build(request.inputs, folder, options)
    audited = AuditRequest(train=(folder / TRAIN,), evaluation=(folder / EVALUATION,), licences=licences)
    return CheckedSplit(folder, result, audit_examples(repository, audited, say))


def _require_valid(data: Path, request: SplitRequest) -> None:
    if not request.inputs:
        raise UsageError("no file to split; choose at least one")
    if not 0 < request.share < 1:
        raise UsageError(f"share {request.share:g}: give a share between 0 and 1")
    if not _NAME.fullmatch(request.name):
        raise UsageError(f"{request.name!r}: a folder has a name of letters, digits, dots and dashes")
    if (data / request.name).exists():
        raise UsageError(f"{request.name}: exists already; nothing was written, choose another name")
