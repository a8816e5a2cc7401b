"""The XML of Checkstyle, which most programs that show static analysis read.

An error has the position where it starts, and columns count code points. A file that was not reviewed has an
error, too.

Sources: ``XMLLogger`` of Checkstyle; the readers of reviewdog and of Jenkins (analysis-model).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from wardround.findings import Severity
from wardround.reports.entries import Entry, entries
from wardround.review_result import ReviewResult
from wardround.text.xml_text import xml_text

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<checkstyle version="10.0">'
"""The version is that of the format; readers require one."""
_SEVERITY = {Severity.INFO: "info", Severity.WARN: "warning", Severity.ERROR: "error"}


def render(review: ReviewResult) -> str:
    """Return the report as one XML document."""
    by_file = sorted(entries(review), key=lambda entry: entry.file)
    files = [
        line for path, group in groupby(by_file, lambda entry: entry.file) for line in _file(path, group)
    ]
    return "\n".join((_HEAD, *files, "</checkstyle>")) + "\n"


def _file(path: str, group: Iterable[Entry]) -> Iterator[str]:
    yield f'<file name="{xml_text(path)}">'
    for entry in group:
        place = f'line="{entry.span.line}" column="{entry.span.column}"'
        yield (
            f'<error {place} severity="{_SEVERITY[entry.severity]}"'
            f' message="{xml_text(entry.text)}" source="{xml_text(_source(entry))}"/>'
        )
    yield "</file>"


def _source(entry: Entry) -> str:
    """Return the rule after its category, which Jenkins shows in columns of their own."""
    return f"wardround.{entry.category}.{entry.rule}"
