"""The claims of a language model as reports and records show them: in one line each, without secrets."""

from __future__ import annotations

from typing import Literal

import msgspec


class SecondPass(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The verdict of the second pass of a language model on a claim of the first.

    Attributes:
        reason, quote: text of the model, each in one line, shortened and without secrets.
        quote: quotation of the input; empty if the verdict quotes nothing of it.
        is_unfounded: the verdict quotes a line that is not in the input.
    """

    verdict: Literal["upheld", "refuted"]
    reason: str = ""
    quote: str = ""
    is_unfounded: bool = False


class ModelClaim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The part of a claim of a language model that only people read.

    Attributes:
        quote: the line that the claim quotes, shortened and without secrets.
        second_pass: None before it.
    """

    quote: str
    second_pass: SecondPass | None = None


class DroppedClaim(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A claim of a language model that did not become a finding, shortened and without secrets.

    Attributes:
        line: as the model counts it; 0 if no line has that number.
        reason: the key of ``Exchange.discarded`` that counts it.
        second_pass: None if it has no verdict.
    """

    file: str
    line: int
    severity: str
    message: str
    quote: str
    reason: str
    second_pass: SecondPass | None = None
