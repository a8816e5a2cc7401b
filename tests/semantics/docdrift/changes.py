"""Changes of documented callables for the tests, without any language."""

from __future__ import annotations

from wardround.semantics.docdrift.model import Code, DocumentedChange, Entry, Parameter, Signature, Words


def signature(*names: str, open_ended: bool = False, **defaults: str) -> Signature:
    plain = tuple(Parameter(name) for name in names)
    return Signature((*plain, *(Parameter(n, d) for n, d in defaults.items())), open_ended)


def words(text: str, *parameters: str, raises: tuple[str, ...] = (), returns: str | None = None) -> Words:
    lines = text.split("\n")

    def entry(name: str) -> Entry:
        line = next(n for n, line in enumerate(lines) if name in line)
        return Entry(name, lines[line].partition(name)[2], line)

    return Words(text, tuple(map(entry, parameters)), tuple(map(entry, raises)), returns)


def change(
    said: Words, old: Code | str, new: Code | str, *, name: str = "load", around: str = ""
) -> DocumentedChange:
    before, after = (Code(tuple(c.split("\n"))) if isinstance(c, str) else c for c in (old, new))
    return DocumentedChange(name, said, before, after, around)
