"""The dependencies, lock files and install scripts that a change affects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wardround.analyses.analysis import Analysis, ReportLine, note_values
from wardround.analyses.note_texts import kind_counts, shorten_names
from wardround.change.change_source import ChangeSource, FileTexts, decode_any_encoding
from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.change.encoding import escape_undecodable
from wardround.context.document import ContextDocument
from wardround.findings import Plane
from wardround.semantics.supply_chain.manifests import is_manifest
from wardround.semantics.supply_chain.notes import (
    DependencyChange,
    DependencyNote,
    InstallNote,
    LockChange,
    LockNote,
    SupplyChainNotes,
)

if TYPE_CHECKING:
    from wardround.analyses.change_view import ChangeView
    from wardround.semantics.supply_chain.analysis import BothTexts

_LABEL = "supply chain: "
_MOST_LINES = 6
_WORDS = {
    DependencyChange.WIDENED: "wider range",
    DependencyChange.UNPINNED: "no longer pinned",
    DependencyChange.SOURCE: "not from a registry",
    DependencyChange.REGISTRY: "other package index",
    DependencyChange.INTEGRITY: "no longer verified",
    DependencyChange.RUNTIME: "now at runtime",
}
_MAY_MATTER = (
    ".json",
    ".yaml",
    ".yml",
    ".toml",
    ".txt",
    ".in",
    ".lock",
    ".cfg",
    ".py",
    ".npmrc",
    ".yarnrc",
    ".pth",
    ".lockb",
    ".gyp",
)


class SupplyChain(Analysis[SupplyChainNotes]):
    """The effects of the change on software that comes from others."""

    name = "supply_chain"
    plane = Plane.SECURITY
    notes_type = SupplyChainNotes

    def analyse(self, view: ChangeView) -> SupplyChainNotes:
        return supply_chain_of(view.review.source, view.change)

    def sample(self) -> SupplyChainNotes:
        return SupplyChainNotes(
            (DependencyNote("package.json", 1, DependencyChange.ADDED, "npm", "left-pad", "runtime"),),
            (LockNote("package-lock.json", 1, LockChange.LOCK_ONLY),),
            (InstallNote("package.json", 1, "script", "postinstall", "added"),),
        )

    def variables(self, notes: SupplyChainNotes, context: ContextDocument) -> Mapping[str, Any]:
        return {
            "dependencies": [note_values(note) for note in notes.dependencies],
            "locks": [note_values(note) for note in notes.locks],
            "installs": [note_values(note) for note in notes.installs],
        }

    def lines(self, notes: SupplyChainNotes, context: ContextDocument) -> Iterator[ReportLine]:
        """Yield a line for each kind of change and for each inconsistency; JSON has all of them."""
        for change in DependencyChange:
            named = [_dependency_text(note) for note in notes.dependencies if note.change is change]
            if named:
                names = list(dict.fromkeys(named))
                yield ReportLine(f"{_WORDS.get(change, change.value)}: {shorten_names(names)}", _LABEL)
        texts = [_lock(note) for note in notes.locks if note.change is not LockChange.LOCK_ONLY]
        texts += [_install(note) for note in notes.installs]
        for text in texts[:_MOST_LINES]:
            yield ReportLine(text, _LABEL)
        if len(texts) > _MOST_LINES:
            yield ReportLine(f"{len(texts) - _MOST_LINES} more", _LABEL)

    def derivation(self, notes: SupplyChainNotes) -> Iterator[str]:
        yield from kind_counts("dependencies", [note.change.value for note in notes.dependencies])
        yield from kind_counts("lock files", [note.change.value for note in notes.locks])
        yield from kind_counts("install scripts", [note.kind for note in notes.installs])


def _dependency_text(note: DependencyNote) -> str:
    if note.change in (DependencyChange.ADDED, DependencyChange.REMOVED):
        return note.name
    return f"{note.name} ({note.base or 'any'} -> {note.head or 'any'})"


def _lock(note: LockNote) -> str:
    entry = f":{note.line} {note.name}" if note.name else ""
    return f"{note.file}{entry}: {note.reason}"


def _install(note: InstallNote) -> str:
    return f"{note.file}:{note.line} {note.name}: {note.reason}"


def supply_chain_of(source: ChangeSource, change: Change) -> SupplyChainNotes:
    """Compare the manifests, lock files and install scripts of base and head."""
    files = [file for file in change.files if _may_matter(file)]
    if not files:
        return SupplyChainNotes()
    from wardround.semantics.supply_chain.analysis import is_relevant, supply_chain_notes  # 10 ms

    both = _contents_at_base_and_head(source, change, [file for file in files if is_relevant(file.path)])
    changed = {texts.path for texts in both}

    def read(path: str) -> str | None:
        return None if path in changed else _decode_content(source.read(path, "head"))

    return supply_chain_notes(both, read)


def _contents_at_base_and_head(
    source: ChangeSource, change: Change, files: Sequence[ChangedFile]
) -> list[BothTexts]:
    from wardround.semantics.supply_chain.analysis import BothTexts

    source.fetch(files)
    source.fetch(files, base=True)
    texts = FileTexts(source, change)
    both = []
    for file in files:
        base = _decode_content(texts.base_bytes(file.path))
        head = None if file.status is FileStatus.DELETED else _decode_content(texts.head_bytes(file.path))
        both.append(BothTexts(escape_undecodable(file.path), base, head))
    return both


def _decode_content(content: bytes | None) -> str | None:
    """Return the content of a file; binary content as a string that no parser accepts, since the file
    exists.
    """
    if content is None:
        return None
    return decode_any_encoding(content) or "\0" * bool(content)


def _may_matter(file: ChangedFile) -> bool:
    """Return True for a file by a test that needs no pattern."""
    if not file.is_regular or file.fragment:
        return False
    return file.path.endswith((*_MAY_MATTER, "Pipfile")) or is_manifest(file.path)
