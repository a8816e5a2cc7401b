"""The format of a coverage file, by its content."""

from __future__ import annotations

from wardround.context.line_coverage.json_reports import read_json
from wardround.context.line_coverage.lcov import read_lcov
from wardround.context.line_coverage.model import CoverageUnreadable, MeasuredLines
from wardround.context.line_coverage.sqlite_data import MAGIC, read_data

MOST_BYTES = 64 * 1024 * 1024


def read_coverage(content: bytes) -> tuple[str, MeasuredLines]:
    """Return the format and the lines of a coverage file.

    Raises:
        CoverageUnreadable: the format is unknown, or the content does not have its form.
    """
    if len(content) > MOST_BYTES:
        raise CoverageUnreadable(f"it has more than {MOST_BYTES} bytes")
    if content.startswith(MAGIC):
        return "coverage.py", read_data(content)
    start = content[:1000].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"<"):
        from wardround.context.line_coverage.xml_reports import read_xml  # loads expat

        return read_xml(content)
    if start.startswith(b"{"):
        return read_json(content)
    if start.startswith((b"TN:", b"SF:")):
        return "lcov", read_lcov(content)
    raise CoverageUnreadable("its format is unknown; use Cobertura, Clover, LCOV, coverage.py or Istanbul")
