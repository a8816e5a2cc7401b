"""Notes about the trust boundaries of a change: for policies and readers, never a finding by themselves."""

from __future__ import annotations

import enum

import msgspec


class Boundary(enum.StrEnum):
    """The kind of a trust boundary."""

    ROUTE = "route"
    WEBHOOK = "webhook"
    UPLOAD = "upload"
    DESERIALISATION = "deserialisation"
    ACCESS = "access"
    WEB_POLICY = "web-policy"
    PRIVILEGED_WORKFLOW = "privileged-workflow"


class BoundaryNote(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """A changed place on a trust boundary.

    Attributes:
        line, end_line: the first and the last changed line in it, of the head.
        reason: the line that shows it.
    """

    file: str
    line: int
    end_line: int
    kind: Boundary
    reason: str
