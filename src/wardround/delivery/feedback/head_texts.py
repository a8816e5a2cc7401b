"""The texts at the head of a change request, and whether the lines of a report are those of the head.

A CI system may check out a merge of the head into the target branch. A report about it has the lines of the
merge, and comments are on lines of the head: in a file that both branches changed, they may differ.
"""

from __future__ import annotations

from wardround.delivery.code_hosts.code_host import Feedback
from wardround.delivery.code_hosts.model import ChangeRequest, ChangeRequestState

_DIGITS = 12


class HeadTexts:
    """Reads each file once.

    Args:
        reviewed: id of the reviewed commit; empty if the report is not about one.
    """

    def __init__(self, feedback: Feedback, reviewed: str) -> None:
        self._feedback = feedback
        self._reviewed = reviewed
        self._texts: dict[tuple[str, str], str | None] = {}
        self.head = ""

    def stale_reason(self, request: ChangeRequest) -> str:
        """Return why a review is not posted; empty if it is about the head of an open change request."""
        if request.state is not ChangeRequestState.OPEN:
            return f"change request {request.number} is {request.state.value}"
        if request.head == self.head or self._is_about(request.head):
            self.head = request.head
            return ""
        reviewed = self._reviewed[:_DIGITS] or "no commit"
        return f"the report is about {reviewed}, and the last commit is {request.head[:_DIGITS]}"

    def _is_about(self, head: str) -> bool:
        if not self._reviewed:
            return False
        return self._reviewed == head or self._feedback.is_merge_of(self._reviewed, head)

    def text(self, path: str) -> str | None:
        """Return the text of a file at the head."""
        return self._read(path, self.head)

    def has_same_lines(self, path: str) -> bool:
        """Return True if the reviewed text of a file is that of the head."""
        return self._reviewed == self.head or self._read(path, self._reviewed) == self.text(path)

    def _read(self, path: str, commit: str) -> str | None:
        if (path, commit) not in self._texts:
            self._texts[path, commit] = self._feedback.text(path, commit)
        return self._texts[path, commit]
