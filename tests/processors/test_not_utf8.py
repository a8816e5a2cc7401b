"""A file that its language requires to be UTF-8 gets a finding at its first invalid byte."""

from __future__ import annotations

from msgspec.structs import replace

from tests.processors.factory import PYTHON, InMemoryTexts, added, inputs, modified
from tests.variants import variant
from wardround.change.change_source import NOT_UTF8
from wardround.change.diff import ChangedFile, Hunk
from wardround.findings import Finding, Unreviewed
from wardround.processors.model import ReviewFindings
from wardround.processors.not_utf8 import ReportNotUtf8

STRICT = variant(PYTHON, needs_utf8=lambda content: True)
UNREAD = Unreviewed("a.py", "python", "git", NOT_UTF8)


def _notices(file: ChangedFile, *unreviewed: Unreviewed) -> list[Finding]:
    texts = InMemoryTexts({"a.py": b"# \xe4\nx = 1\n# \xfc\n"})
    given = inputs(file, specialists=(STRICT,), texts=texts, unreviewed=unreviewed)
    return list(ReportNotUtf8().apply(ReviewFindings(), given).notices)


def test_the_first_byte_is_reported() -> None:
    (notice,) = _notices(added("a.py"), UNREAD)
    assert (notice.rule, notice.span.line, notice.span.column) == ("wardround/not-utf8", 1, 3)
    assert notice.message.startswith("byte 0xe4 is not UTF-8")


def test_a_byte_on_an_added_line_comes_first() -> None:
    (notice,) = _notices(modified("a.py", Hunk(2, 0, 3, 1)), UNREAD)
    assert (notice.span.line, notice.status) == (3, "new")


def test_files_with_other_reasons_are_not_reported() -> None:
    assert _notices(added("a.py"), replace(UNREAD, reason="it is larger than 2 MiB")) == []
    assert _notices(added("a.py")) == []
