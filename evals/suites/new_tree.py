"""A case of several new files, composed of single-file cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from new_file import case


def case_of_files(
    name: str,
    language: str,
    files: Mapping[str, str],
    expected: Sequence[tuple[str, int, str]],
    meta: Mapping[str, Any],
) -> dict[str, Any]:
    """Return a case whose files were all added, with defects at (path, 1-based line, category)."""
    parts = [
        case(name, language, path, text, [], {**meta, "rule": ""})
        for path, text in sorted(files.items())
        if text
    ]
    return {
        "id": parts[0]["id"],
        "language": language,
        "diff": "".join(part["diff"] for part in parts),
        "expected": [
            {"file": file, "line": line, "category": category}
            for file, line, category in sorted(set(expected))
        ],
        "meta": dict(meta),
    }
