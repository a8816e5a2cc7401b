"""Parse the output of ``git diff-tree --stdin --raw -z`` into commits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wardround.training_tasks import Changed, Commit

COMPARE = (
    "diff-tree", "--stdin", "--root", "-r", "--raw", "-z", "--no-renames", "--no-abbrev", "--always",
    "--encoding=UTF-8", "--format=%H%x00%P%x00%ct%x00%s%x00%b%x00",
)  # fmt: skip
_HEADER_FIELDS = 5


def parse_commits(listing: bytes) -> Iterator[Commit]:
    """Parse the commits of a listing: five fields, then (differences, path) pairs, all terminated by NUL.

    A truncated commit is skipped.
    """
    tokens = listing.split(b"\0")
    ends = len(tokens) - 1
    location = 0
    while location < ends:
        if not tokens[location].strip(b"\n"):
            location += 1
            continue
        header = tokens[location : location + _HEADER_FIELDS]
        location += _HEADER_FIELDS
        rows = []
        while location < ends and (row := tokens[location].lstrip(b"\n"))[:1] in (b"", b":"):
            if row:
                rows.append((row, tokens[location + 1]))
                location += 1
            location += 1
        if location <= ends:
            yield _commit(header, rows)


def path_text(raw: bytes) -> str:
    """Return a path as text; bytes that are not UTF-8 are escaped, since records must be text."""
    return raw.decode("utf-8", "backslashreplace")


def _commit(header: Sequence[bytes], rows: Sequence[tuple[bytes, bytes]]) -> Commit:
    name, parents, time, subject, body = (field.decode("utf-8", "replace") for field in header)
    return Commit(
        id=name.strip("\n"),
        parent=parents.split()[0] if parents else None,
        time=int(time),
        subject=subject,
        body=body.strip(),
        changes=tuple(
            change for fields, path in rows if (change := _parse_row(fields.decode(), path_text(path)))
        ),
    )


def _parse_row(fields: str, path: str) -> Changed | None:
    """Parse one row; None unless it is a regular file at base and head and its content changed."""
    old_mode, new_mode, old, new, _ = fields.removeprefix(":").split(" ", 4)
    base_blob = old if old_mode.startswith("100") else None
    blob = new if new_mode.startswith("100") else None
    if base_blob == blob:
        return None
    return Changed(path, None if base_blob is None else path, blob, base_blob)
