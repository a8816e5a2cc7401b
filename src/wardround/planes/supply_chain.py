"""The notes about the supply chain of a change, from its source."""

from __future__ import annotations

from wardround.change.change_source import ChangeSource, FileTexts, in_any_encoding
from wardround.change.diff import Change, FileStatus
from wardround.change.encoding import escape_undecodable
from wardround.semantics.supply_chain.manifests import is_manifest
from wardround.semantics.supply_chain.notes import SupplyChainNotes


def supply_chain_of(source: ChangeSource, change: Change) -> SupplyChainNotes:
    """Compare the manifests, lock files and install scripts of both sides."""
    files = [
        file for file in change.files if file.is_regular and not file.fragment and _may_matter(file.path)
    ]
    if not files:
        return SupplyChainNotes()
    from wardround.semantics.supply_chain.analysis import BothTexts, is_relevant, supply_chain_notes  # 10 ms

    files = [file for file in files if is_relevant(file.path)]
    source.fetch(files)
    source.fetch(files, base=True)
    texts = FileTexts(source, change)
    both = [
        BothTexts(
            escape_undecodable(file.path),
            _text(texts.base_bytes(file.path)),
            None if file.status is FileStatus.DELETED else _text(texts.head_bytes(file.path)),
        )
        for file in files
    ]
    changed = {one.path for one in both}

    def read(path: str) -> str | None:
        return None if path in changed else _text(source.read(path, "head"))

    return supply_chain_notes(both, read)


def _text(content: bytes | None) -> str | None:
    """Return the text of a file; binary content as a text that no reader accepts, since the file exists."""
    return None if content is None else in_any_encoding(content) or "\0" * bool(content)


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


def _may_matter(path: str) -> bool:
    """Return True for a path by a test that needs no pattern."""
    return path.endswith(_MAY_MATTER) or is_manifest(path) or path.endswith("Pipfile")
