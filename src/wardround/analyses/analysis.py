"""The interface of an analysis; ``wardround_analyses`` in ``hookspecs`` registers one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar, get_origin

import msgspec

from wardround.findings import Plane
from wardround.text.escaping import one_line
from wardround.tools.tool import Profile

if TYPE_CHECKING:
    from wardround.analyses.change_view import ChangeView
    from wardround.context.document import ContextDocument
    from wardround.context.surface.model import ComparingTool

Notes = TypeVar("Notes")
CI = frozenset({Profile.CI})
"""The profile that has the time for every analysis."""
EVERY_PROFILE = frozenset(Profile)


class ReportLine(NamedTuple):
    """A line of the text report, which is wrapped to the width of the terminal.

    Attributes:
        head: the beginning of the line, which is not wrapped.
        indent: the number of spaces before the lines that a long text continues in.
        style: style of the head: ``bold``, ``dim``, ``add``, ``warn`` or ``error``; empty for none.
    """

    text: str
    head: str = ""
    indent: int = 2
    style: str = ""


class Analysis(ABC, Generic[Notes]):
    """An analysis of a change: its notes are for policies and readers, and no note is a finding.

    All methods but ``analyse`` are pure: a record has the notes, and everything else is derived again from
    them.

    Attributes:
        name: name of the notes in records, as registered.
        plane: the plane that the notes are about; an analysis that crashes leaves it inconclusive.
        profiles: the profiles in which it runs; in others it has no notes.
        notes_type: a struct with defaults, or a tuple of structs, as a record has it.
        model_names: the models that it can use, through ``ChangeView.models``.
    """

    name: ClassVar[str]
    plane: ClassVar[Plane]
    profiles: ClassVar[frozenset[Profile]] = CI
    notes_type: ClassVar[Any]
    model_names: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def analyse(self, view: ChangeView) -> Notes:
        """Return the notes about a change. Import slow modules here."""

    @classmethod
    def no_notes(cls) -> Notes:
        """Return the notes about a change that has nothing to note."""
        empty: Notes = (get_origin(cls.notes_type) or cls.notes_type)()
        return empty

    def sample(self) -> Notes:
        """Return notes of each kind, with which the conditions of a policy are checked."""
        return self.no_notes()

    def variables(self, notes: Notes, context: ContextDocument) -> Mapping[str, Any]:
        """Return the variables for the conditions of policies, the same names for all notes."""
        return {}

    def lines(self, notes: Notes, context: ContextDocument) -> Iterable[ReportLine]:
        """Return the lines of the text report."""
        return ()

    def derivation(self, notes: Notes) -> Iterable[str]:
        """Return lines for the derivation of the signal of the plane."""
        return ()

    def tools(self, notes: Notes) -> Iterable[ComparingTool]:
        """Return the libraries that some of the notes are from."""
        return ()

    def models(self, notes: Notes, view: ChangeView) -> Iterable[tuple[str, str]]:
        """Return name and version of the models that some of the notes are from."""
        return ()

    def measured_sources(self, notes: Notes) -> Iterable[str]:
        """Return the sources of the notes that the table of precision has."""
        return ()


def note_values(note: msgspec.Struct) -> dict[str, Any]:
    """Return a note with a ``file`` as conditions use it: the path on one line, where ``.`` matches no
    newline.
    """
    values: dict[str, Any] = msgspec.to_builtins(note)
    return values | {"file": one_line(values["file"])}
