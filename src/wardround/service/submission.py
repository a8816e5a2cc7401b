"""A client's request for a review: a diff, or two revisions of a configured repository."""

from __future__ import annotations

from typing import Any

import msgspec

from wardround.change.revisions import require_ref

_DIFF = "a unified diff, as git diff prints it"
_REVISION = "a branch, a tag or a commit id"


class Submission(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The change to review, named in exactly one way."""

    diff: str | None = None
    repository: str | None = None
    base: str | None = None
    head: str | None = None

    def __post_init__(self) -> None:
        named = (self.repository, self.base, self.head)
        if self.diff is None and None in named:
            raise ValueError("Give either diff, or repository with base and head")
        if self.diff is not None and named != (None, None, None):
            raise ValueError("Give diff alone, or repository with base and head")
        if self.diff is not None and "\0" in self.diff:
            raise ValueError("The diff is binary; give a unified diff, as git diff prints it")


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
            "properties": properties,
            "required": list(fields),
            "additionalProperties": False,
        }

    named = way(repository="the name of a configured repository", base=_REVISION, head=_REVISION)
    return {"oneOf": [way(diff=_DIFF), named]}
