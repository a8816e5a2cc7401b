"""Comments that people dismiss: a thumbs-down, or a reply ``wardround: dismiss REASON``.

A dismissal is data: it becomes a judgement of the finding, which no review reads as an instruction. It counts
only from somebody who may write to the repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from wardround.delivery.code_hosts.code_host import Feedback
from wardround.delivery.code_hosts.model import Account, Thread
from wardround.delivery.feedback.state import FeedbackState
from wardround.delivery.reported_review import ReportedFinding
from wardround.rules.judgements import ReasonCode, Verdict

_REPLY = re.compile(r"^[ \t]*wardround: dismiss(?:[ \t]+([a-z-]{1,40}))?", re.MULTILINE | re.IGNORECASE)
_THUMBS_DOWN = frozenset({"-1", "thumbsdown"})


class Dismissal(msgspec.Struct, frozen=True):
    """A dismissed finding.

    Attributes:
        commit, line: those of the comment, so that the judgement is the same after a push.
    """

    finding: ReportedFinding
    commit: str
    line: int
    verdict: Verdict
    reason: ReasonCode


class Dismissals:
    """Finds the dismissed comments of this account."""

    def __init__(self, feedback: Feedback, state: FeedbackState, commit: str) -> None:
        self._feedback = feedback
        self._state = state
        self._commit = commit
        self._writers: dict[int, bool] = {}

    def of(self, findings: tuple[ReportedFinding, ...]) -> Iterator[Dismissal]:
        """Yield the dismissals of findings that have a thread."""
        for finding in findings:
            for thread in self._state.own_threads.get(finding.fingerprint, ())[:1]:
                word = self._word(thread)
                if word is not None:
                    verdict, reason = judged_as(word)
                    commit = thread.commit or self._commit
                    line = thread.first_line or finding.line
                    yield Dismissal(finding, commit, line, verdict, reason)

    def _word(self, thread: Thread) -> str | None:
        """Return the reason of the last dismissal, empty for a thumbs-down; None without any."""
        for reply in reversed(thread.replies):
            found = _REPLY.search(reply.body)
            if found and self._may_dismiss(reply.author):
                return (found[1] or "").lower()
        disliking = (account for name, account in thread.reactions if name in _THUMBS_DOWN)
        return "" if any(map(self._may_dismiss, disliking)) else None

    def _may_dismiss(self, account: Account) -> bool:
        if self._state.is_own(account) or not account.name:
            return False
        if account.id not in self._writers:
            self._writers[account.id] = self._feedback.can_write(account)
        return self._writers[account.id]


def judged_as(word: str) -> tuple[Verdict, ReasonCode]:
    """Return the judgement of a dismissal: by its code, or correct and not worth the change.

    A code that fits two verdicts is taken as the milder one: the claim is correct, and noise.
    """
    try:
        reason = ReasonCode(word)
    except ValueError:
        return Verdict.TRUE, ReasonCode.TRIVIAL
    for verdict in (Verdict.TRUE, Verdict.WRONG, Verdict.UNCLEAR):
        if verdict in reason.verdicts:
            return verdict, reason
    return Verdict.TRUE, ReasonCode.TRIVIAL
