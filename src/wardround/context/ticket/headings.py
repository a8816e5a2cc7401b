"""The headings that open a section of acceptance criteria, and those that open something else."""

from __future__ import annotations

import enum
import unicodedata
from functools import cache
from importlib.resources import files

from wardround.lazy import LazyPattern


class Section(enum.Enum):
    """The purpose of a section, by its heading."""

    ACCEPTANCE = "acceptance"
    EXCLUDED = "excluded"
    OTHER = "other"


_NOT_WORD = LazyPattern(r"[^\w]+")
_MARK_AFTER = LazyPattern(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])\s*:?\s*$")
_NUMBER_BEFORE = LazyPattern(r"^\s*(?:\d{1,2}(?:\.\d{1,2})*[.):]?\s+)")
_MAX_HEADING = 80
_INSIDE = ("acceptance criteria", "definition of done")
"""Phrases that decide inside a longer heading ("Backend acceptance criteria")."""


def section_of(heading: str) -> Section:
    """Classify a heading; case, accents, punctuation, numbering and a remark in brackets do not count."""
    if len(heading) > _MAX_HEADING:
        return Section.OTHER
    name = _normalize(_NUMBER_BEFORE.sub("", _MARK_AFTER.sub("", heading)))
    if name in _sections_by_heading():
        return _sections_by_heading()[name]
    return Section.ACCEPTANCE if any(phrase in name for phrase in _INSIDE) else Section.OTHER


def _normalize(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(character for character in decomposed if not unicodedata.combining(character))
    return " ".join(_NOT_WORD.sub(" ", letters).split())


@cache
def _sections_by_heading() -> dict[str, Section]:
    from wardround.rules.yaml_loader import load_yaml  # only a review with a ticket reads YAML here

    table = load_yaml((files(__package__) / "headings.yml").read_text("utf-8"))
    return {
        _normalize(heading): Section(kind)
        for kind, languages in table.items()
        for headings in languages.values()
        for heading in headings
    }
