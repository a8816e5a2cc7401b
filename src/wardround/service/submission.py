"""A client's request for a review: a diff, or two revisions of a configured repository; with a ticket."""

from __future__ import annotations

from typing import Any

import msgspec

from wardround.change.revisions import require_ref
from wardround.context.run_evidence import RunPart
from wardround.context.ticket.sources.file import FileTicket

_DIFF = "a unified diff, as git diff prints it"
_REVISION = "a branch, a tag or a commit id"
_TICKET_SCHEMA: dict[str, Any] = {
    "description": "the request that the change answers",
    "oneOf": [
        {
            "type": "string",
            "description": "a reference that the server may fetch, as SHOP-12 or acme/shop#12",
        },
        {
            "type": "object",
            "description": "its text; the description is Markdown, or an Atlassian document",
            "properties": {
                "title": {"type": "string"},
                "description": {"oneOf": [{"type": "string"}, {"type": "object"}]},
                "criteria": {"type": "array", "items": {"type": "string"}},
                "key": {"type": "string"},
                "url": {"type": "string"},
            },
            "required": ["title"],
            "additionalProperties": False,
        },
    ],
}
_RUN_SCHEMA: dict[str, Any] = {
    "type": "array",
    "description": "the parts of the change to run, of those that the server permits",
    "items": {"enum": ["tests", "behaviour", "mutations"]},
}


class ReviewOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The options of one review, as the journal keeps them."""

    ticket: str | FileTicket | None = None
    run: tuple[RunPart, ...] = ()


class Submission(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The change to review, named in exactly one way.

    Attributes:
        ticket: the request that the change answers: a reference, or its text.
        run: the parts of the change to run.
    """

    diff: str | None = None
    repository: str | None = None
    base: str | None = None
    head: str | None = None
    ticket: str | FileTicket | None = None
    run: tuple[RunPart, ...] = ()

    @property
    def options(self) -> ReviewOptions:
        """The options besides the change."""
        return ReviewOptions(self.ticket, self.run)

    def __post_init__(self) -> None:
        named = (self.repository, self.base, self.head)
        if self.diff is None and None in named:
            raise ValueError("Give either diff, or repository with base and head")
        if self.diff is not None and named != (None, None, None):
            raise ValueError("Give diff alone, or repository with base and head")
        if self.diff is not None and "\0" in self.diff:
            raise ValueError("The diff is binary; give a unified diff, as git diff prints it")
        if self.diff is not None and self.run:
            raise ValueError("A diff cannot be run; give repository with base and head")


def parse_submission(body: bytes) -> Submission:
    """Parse the body of a request.

    Raises:
        msgspec.DecodeError: it is not JSON.
        msgspec.ValidationError: it is not a submission.
        GitError: a revision is not a branch, a tag or a commit id.
    """
    submission = msgspec.json.decode(body, type=Submission)
    for field, revision in (("base", submission.base), ("head", submission.head)):
        if revision is not None:
            require_ref(revision, field)
    return submission


def submission_schema() -> dict[str, Any]:
    """Return the JSON Schema of a submission, for the OpenAPI description."""

    def way(**fields: str) -> dict[str, Any]:
        properties = {name: {"type": "string", "description": text} for name, text in fields.items()}
        return {
            "type": "object",
            "properties": {**properties, "ticket": _TICKET_SCHEMA},
            "required": list(fields),
            "additionalProperties": False,
        }

    named = way(repository="the name of a configured repository", base=_REVISION, head=_REVISION)
    named["properties"]["run"] = _RUN_SCHEMA
    return {"oneOf": [way(diff=_DIFF), named]}
