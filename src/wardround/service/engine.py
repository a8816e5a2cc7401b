"""The review of one submission, with the bytes that the command line prints for the same change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import msgspec
from msgspec.structs import replace

from wardround.change.change_source import ChangeSource, PatchChangeSource
from wardround.change.diff import Change
from wardround.change.opening import change_between, open_repository
from wardround.change.repository import Repository
from wardround.config.request import ReviewRequest
from wardround.errors import DiffError, GitError, UsageError
from wardround.execution.resources import Resources
from wardround.host import PluginHost
from wardround.reports import json as json_report
from wardround.review import review_once
from wardround.sandbox.choices import AUTO
from wardround.service.recorder import Recorded, Recorder
from wardround.service.settings import Clone
from wardround.service.submission import Submission
from wardround.service.tickets import SubmittedTickets
from wardround.text.escaping import lines_for_log
from wardround.tools.process import Processes

_DIFF_REASON = "the diff cannot be read; give a unified diff, as git diff prints it"


class ServedReview(msgspec.Struct, frozen=True):
    """The result of a review: the JSON report, and the signed record if one was requested."""

    report: bytes
    recorded: Recorded | None = None

    @property
    def record(self) -> bytes | None:
        """The record as it is sent to clients."""
        return None if self.recorded is None else self.recorded.bundle.data


class ReviewEngine:
    """Reviews submissions; several threads may use it at once.

    Args:
        request: the settings of every review.
        clones: by the names of their repositories.
        empty: a folder without files, instead of the work tree of a diff.
        tickets: returns the tickets of submissions.
    """

    def __init__(
        self,
        host: PluginHost,
        request: ReviewRequest,
        clones: Mapping[str, Clone],
        empty: Path,
        recorder: Recorder,
        tickets: SubmittedTickets,
    ) -> None:
        self._host = host
        self._request = request
        self._clones = clones
        self._empty = empty
        self._recorder = recorder
        self._tickets = tickets

    def review(self, submission: Submission, processes: Processes) -> ServedReview:
        """Review a submission.

        Args:
            processes: the tools of this review; ``stop`` cancels it from another thread.

        Raises:
            WardroundError: the change cannot be read or reviewed; the message contains no path of this
                machine.
        """
        try:
            ticket = self._tickets.ticket(submission.ticket)
            with self._open_change(submission) as (source, author):
                request = replace(
                    self._request.merging_into(submission.base),
                    ticket=ticket,
                    run=submission.run,
                    sandbox=AUTO if submission.run else None,
                )
                result = review_once(source, self._host, request, Resources(processes))
                report = lines_for_log(json_report.render(result), {})
            recorded = self._recorder.record(result, self._host, submission.repository or "", author)
        except DiffError as cause:  # its text may quote the diff
            raise UsageError(_DIFF_REASON) from cause
        except UsageError as cause:
            raise UsageError(self._hide_paths(str(cause))) from cause
        return ServedReview(report.encode("utf-8", "backslashreplace"), recorded)

    def store_record(self, result: ServedReview) -> None:
        """Store the record of a review whose result is in the journal."""
        if result.recorded is not None:
            self._recorder.store(result.recorded)

    @contextmanager
    def _open_change(self, submission: Submission) -> Iterator[tuple[ChangeSource, str]]:
        """Open the change of a submission, with its author, who is empty for a diff."""
        if submission.diff is not None:
            patch = PatchChangeSource(submission.diff, self._empty)
            yield patch, ""
            return
        assert submission.repository is not None
        assert submission.base is not None
        assert submission.head is not None
        clone = self._clones.get(submission.repository)
        if clone is None:  # accepted by a server with another configuration
            raise UsageError(f"the repository {submission.repository!r} is not configured any more")
        between = partial(_change_between, base=submission.base, head=submission.head, bases=clone.bases)
        with open_repository(clone.folder, between) as (source, change, repository):
            yield source, repository.author(change.head)

    def _hide_paths(self, text: str) -> str:
        """Return a message with the names of repositories instead of their paths."""
        for name, clone in self._clones.items():
            for folder in (clone.folder, clone.folder.resolve()):
                text = text.replace(str(folder / ".git"), name).replace(str(folder), name)
        return text


def _change_between(repository: Repository, base: str, head: str, bases: Sequence[str]) -> Change:
    """Return the change between two revisions.

    Raises:
        GitError: a revision is unknown, or the base is in the history of none of the allowed branches.
    """
    target = repository.commit(base)
    if not any(repository.is_ancestor(target, repository.commit(allowed)) for allowed in bases):
        raise GitError(f"base {base!r} is not in the history of {' or '.join(bases)}; give a base that is")
    return change_between(repository, base, head)


def divide_cores(request: ReviewRequest, workers: int, cores: int) -> ReviewRequest:
    """Return the request with the cores divided among the workers, unless the configuration sets a number."""
    return request if request.jobs is not None else replace(request, jobs=max(1, cores // workers))
