"""One sequence to read."""

from __future__ import annotations

import msgspec
from markupsafe import Markup

from wardround_lab.dashboard import markup
from wardround_lab.dashboard.markup import render
from wardround_lab.dashboard.views.experiment_instances import SequenceChoice
from wardround_lab.experiments.report.shown_sequence import ShownEntry, ShownSequence
from wardround_lab.experiments.storage.model import EntryKind

_MOST = 100
"""Entries on one page."""
_SHORT = 1500
"""Characters of an entry that is open from the start; patches are always open."""
_PATCH = f"{EntryKind.PATCH}: "


class FoldedEntry(msgspec.Struct, frozen=True):
    """An entry with a heading, open or closed."""

    heading: str
    body: Markup
    is_open: bool


def sequence_section(choice: SequenceChoice, sequence: ShownSequence) -> Markup:
    """Return the facts and the entries of a sequence."""
    facts = [("Sequence", sequence.id), ("Run", choice.run), ("Outcome", sequence.outcome), *sequence.rewards]
    left = len(sequence.entries) - _MOST
    command = f"wardround lab query --show {sequence.id}"
    return markup.join(
        markup.facts(facts),
        render("entries.html", entries=[_fold(entry) for entry in sequence.entries[:_MOST]]),
        markup.hint(f"{left} more entries are printed by this command.", command) if left > 0 else Markup(),
    )


def _fold(entry: ShownEntry) -> FoldedEntry:
    if entry.heading.startswith(_PATCH):
        return FoldedEntry(entry.heading, diff(entry.text), is_open=True)
    return FoldedEntry(entry.heading, markup.code(entry.text), is_open=len(entry.text) <= _SHORT)


def diff(text: str) -> Markup:
    """Return a unified diff with its added and removed lines in colours."""
    return render("diff.html", text=text)
