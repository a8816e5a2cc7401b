"""A matcher for comparisons is not recommended for dates and texts, which it rejects."""

from __future__ import annotations

import pytest
from wardround_tests.specialist import TestsSpecialist

from wardround.findings import Span


@pytest.mark.parametrize(
    ("comparison", "is_refuted"),
    [
        ("new Date(a) > b", True),
        ("row.createdAt >= end", True),
        ("end < row.seen", True),
        ("given <= row.seen", True),
        ("dueDate < limit", True),
        ("row.name > 'a'", True),
        ("row.createdAt > 0", False),
        ("row.createdAt.getTime() > end.getTime()", False),
        ("row.count > 3", False),
        ("row.count > limit", False),
        ("row.createdAt === end", False),
    ],
)
def test_comparison_inside_expect(comparison: str, *, is_refuted: bool) -> None:
    line = f"  expect({comparison}).toBe(true);"
    text = f"it('orders', (given: Date, limit: number) => {{\n  const end = new Date();\n{line}\n}});\n"
    location = line.index("toBe") + 1
    span = Span(3, location, 3, location + 4)
    found = TestsSpecialist().refutes("a.test.ts", text, "suboptimal-assert", span, {}.get)
    assert found is is_refuted
