"""Changes of documented callables for the tests, without any language."""

from __future__ import annotations

from wardround.semantics.docdrift.model import (
    DocComment,
    DocEntry,
    DocumentedChange,
    DocumentedCode,
    DocumentedSignature,
    Parameter,
)


def signature(*names: str, open_ended: bool = False, **defaults: str) -> DocumentedSignature:
    plain = tuple(Parameter(name) for name in names)
    return DocumentedSignature((*plain, *(Parameter(n, d) for n, d in defaults.items())), open_ended)


def words(
    text: str, *parameters: str, raises: tuple[str, ...] = (), returns: str | None = None
) -> DocComment:
    lines = text.split("\n")

    def entry(name: str) -> DocEntry:
        line = next(n for n, line in enumerate(lines) if name in line)
        return DocEntry(name, lines[line].partition(name)[2], line)

    return DocComment(text, tuple(map(entry, parameters)), tuple(map(entry, raises)), returns)


def change(
    said: DocComment,
    old: DocumentedCode | str,
    new: DocumentedCode | str,
    *,
    name: str = "load",
    around: str = "",
) -> DocumentedChange:
    before, after = (DocumentedCode(tuple(c.split("\n"))) if isinstance(c, str) else c for c in (old, new))
    return DocumentedChange(name, said, before, after, around)
