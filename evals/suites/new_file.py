"""A case that consists of one new file, as in suites of linters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def case(
    name: str, language: str, path: str, text: str, lines: Sequence[int], meta: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a case of one added file, with a defect of ``meta["rule"]`` on each of ``lines``, 1-based."""
    return {
        "id": f"{meta['set']}/{name}",
        "language": language,
        "diff": _added_file_diff(path, text),
        "after": text,
        "expected": [{"file": path, "line": line, "category": meta["rule"]} for line in sorted(set(lines))],
        "meta": dict(meta),
    }


def _added_file_diff(path: str, text: str) -> str:
    """Return the unified diff that adds a file."""
    lines = text.split("\n")
    ends_in_newline = lines[-1] == ""
    if ends_in_newline:
        lines.pop()
    names = f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n"
    head = f"{names}@@ -0,0 +1,{len(lines)} @@\n"
    body = "".join(f"+{line}\n" for line in lines)
    return head + body + ("" if ends_in_newline else "\\ No newline at end of file\n")
