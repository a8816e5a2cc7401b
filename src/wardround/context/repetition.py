"""An added function that repeats an existing one of the repository."""

from __future__ import annotations

import enum

import msgspec


class RepetitionKind(enum.StrEnum):
    """The way in which an added function repeats another, the most certain first."""

    IDENTICAL = "identical"
    REORDERED = "reordered"
    LITERALS = "literals"
    SIMILAR = "similar"
    MEANING = "meaning"


_SHOWN = frozenset({RepetitionKind.IDENTICAL})
"""The kinds with a read precision of at least 0.7 on other repositories; see ``evals/README.md``."""


class Repetition(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """An added function, and the existing one that it repeats; lines are 1-based and inclusive.

    Attributes:
        path: path of the file with the added function, at the head.
        existing_path: path of the file with the existing function, which the change does not modify.
        is_exported: other files can import the existing function without a change.
        kind: ``identical`` except for names of locals, ``reordered`` tokens, only other ``literals``,
            ``similar``, or of the same ``meaning`` by the base model.
        similarity: the share of common runs of tokens, 0 to 1; of ``meaning`` the cosine of the vectors.
    """

    path: str
    line: int
    end_line: int
    name: str
    existing_path: str
    existing_line: int
    existing_end_line: int
    existing_name: str
    is_exported: bool
    kind: RepetitionKind
    similarity: float

    @property
    def is_shown(self) -> bool:
        """True if reports for people show repetitions of this kind; the JSON report has all of them."""
        return self.kind in _SHOWN
