"""Tables of acceptance criteria: one criterion per row."""

from __future__ import annotations

import re
from collections.abc import Sequence

_CRITERION = re.compile(
    r"acceptance|criteri(?:on|a|um|en)|kriteri(?:um|en)|critère|criterio|requirement|anforderung",
    re.IGNORECASE,
)
_LABEL = re.compile(r"(?:#|id|no\.?|nr\.?|n°|number|key|ref|ac)$", re.IGNORECASE)
_ABOUT_WORK = re.compile(
    r"(?:status|state|done\??|priority|prio|owner|assignee|estimate|points|tested\??|✓|✔|ok|moscow|sprint)$",
    re.IGNORECASE,
)
"""Columns about the work on a criterion."""


def has_criteria_column(rows: Sequence[Sequence[str]]) -> bool:
    """Return True if a header cell names criteria."""
    return bool(rows) and any(_CRITERION.search(cell) for cell in rows[0])


def row_texts(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the criterion of each row that has one: ``AC1: text`` if a column has labels.

    The text consists of the columns that name criteria; if there are none, of every column with its header.
    """
    header = [cell.strip() for cell in rows[0]] if rows else []
    named: list[int] = []
    labels: list[int] = []
    content: list[int] = []
    for column, cell in enumerate(header):
        if _CRITERION.search(cell):
            named.append(column)
        if _LABEL.match(cell):
            labels.append(column)
        elif not _ABOUT_WORK.match(cell):
            content.append(column)
    texts = (_row(header, row, named[:1] or content, labels[:1]) for row in rows[1:])
    return list(filter(None, texts))


def _row(header: Sequence[str], row: Sequence[str], columns: Sequence[int], labels: Sequence[int]) -> str:
    cells = [(header[i], row[i].strip()) for i in columns if i < len(row) and row[i].strip()]
    if not cells:
        return ""
    text = cells[0][1] if len(columns) == 1 else "; ".join(_prefix_header(*cell) for cell in cells)
    label = row[labels[0]].strip() if labels and labels[0] < len(row) else ""
    return f"{label}: {text}" if re.fullmatch(r"[A-Za-z]{1,4}[-_.]?\d{1,3}", label) else text


def _prefix_header(header: str, cell: str) -> str:
    return f"{header}: {cell}" if header else cell
