"""Readers of the XML formats: Cobertura and Clover.

Expat resolves no references here: a document type may be named, as writers of Cobertura do, but one with
declarations is rejected, and so is every entity.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn
from xml.parsers import expat

from wardround.context.line_coverage.model import CoverageUnreadable, LineTable, MeasuredLines

_MOST_DEPTH = 100
_LONGEST_SOURCE = 4_000


def read_xml(content: bytes) -> tuple[str, MeasuredLines]:
    """Return the format and the lines of an XML report.

    Raises:
        CoverageUnreadable: it does not have one of these formats.
    """
    reader = _CoverageReader()
    parser = expat.ParserCreate()
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.StartDoctypeDeclHandler = _require_plain_doctype
    parser.EntityDeclHandler = _refuse_entity
    parser.ExternalEntityRefHandler = _refuse_entity
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    try:
        parser.Parse(content, True)
    except expat.ExpatError as cause:
        raise CoverageUnreadable(f"it is not XML: {cause}") from cause
    if not reader.format:
        raise CoverageUnreadable("it is neither Cobertura nor Clover")
    return reader.format, MeasuredLines(reader.table.files, tuple(reader.roots))


def _require_plain_doctype(name: str, system: str | None, public: str | None, has_subset: int) -> None:
    if has_subset:
        raise CoverageUnreadable("its DOCTYPE has declarations, which are refused; remove them")


def _refuse_entity(*arguments: object) -> NoReturn:
    raise CoverageUnreadable("it declares an entity, which is refused")


class _CoverageReader:
    """Collects the lines of the files in the elements of a document."""

    def __init__(self) -> None:
        self.table = LineTable()
        self.roots: list[str] = []
        self.format = ""
        self._path = ""
        self._depth = 0
        self._source: list[str] | None = None

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise CoverageUnreadable(f"its elements are nested more than {_MOST_DEPTH} deep")
        if name == "coverage" and self._depth == 1:
            self.format = "clover" if "clover" in attributes or "generated" in attributes else "cobertura"
        elif self.format == "cobertura":
            self._cobertura(name, attributes)
        elif self.format == "clover":
            self._clover(name, attributes)

    def _cobertura(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "source":
            self._source = []
        elif name == "class":
            self._path = attributes.get("filename", "")
            self.table.file(self._path)
        elif name == "line" and self._path:
            self.table.add(self._path, _number(attributes, "number"), ran=_number(attributes, "hits") > 0)

    def _clover(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "file":
            self._path = attributes.get("path") or attributes.get("name", "")
            self.table.file(self._path)
        elif name == "line" and self._path:
            self.table.add(self._path, _number(attributes, "num"), ran=_number(attributes, "count") > 0)

    def text(self, data: str) -> None:
        if self._source is not None and sum(map(len, self._source)) < _LONGEST_SOURCE:
            self._source.append(data)

    def end(self, name: str) -> None:
        self._depth -= 1
        if name == "source" and self._source is not None:
            self.roots.append("".join(self._source).strip())
            self._source = None
        elif name in ("class", "file"):
            self._path = ""


def _number(attributes: Mapping[str, str], name: str) -> int:
    text = attributes.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise CoverageUnreadable(f"the {name} of a line is {text[:20]!r}, not a number")
    return int(text)
