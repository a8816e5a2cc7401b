"""Lines that a commit of a range adds and that the range as a whole does not: a later commit removes them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

import msgspec

from wardround.change.diff import unquote
from wardround.change.git_process import GitProcess
from wardround.change.revisions import END

MAX_COMMITS = 1_000
MAX_PATCH_BYTES = 32 * 2**20
"""Bytes of the patches of all commits together; git prints about 100 MB of them in a second."""

_LOG = (
    "log", "--format=%x00%H", "--topo-order", "--no-show-signature", "-p", "-U0", "--cc", "--root", "--text",
    "--full-index", "--no-renames", "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative",
    "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "-O/dev/null",
)  # fmt: skip
_HUNK = re.compile(rb"(@@+) (?:-\d+(?:,\d+)? )+\+(\d+)")
_INDEX = re.compile(rb"index [0-9a-f,]+\.\.([0-9a-f]+)")


class CommitFile(msgspec.Struct, frozen=True):
    """A file as a commit leaves it.

    Attributes:
        commit, blob: their object ids.
        lines: the 1-based numbers of the lines that the commit adds, and the range does not.
    """

    commit: str
    path: str
    blob: str
    lines: frozenset[int]


class WithdrawnLines(msgspec.Struct, frozen=True):
    """The files of the commits of a range with lines that were removed again, oldest commit first.

    Attributes:
        left_out: the part of the range that was not read, as a clause; empty if all of it was.
    """

    files: tuple[CommitFile, ...] = ()
    left_out: str = ""


class _CommitPatch(msgspec.Struct):
    """The patch of a commit: the removed lines, and by path and blob the added lines."""

    commit: str
    removed: set[bytes] = msgspec.field(default_factory=set)
    added: dict[tuple[str, str], dict[int, bytes]] = msgspec.field(default_factory=lambda: defaultdict(dict))


def withdrawn_lines(
    git: GitProcess,
    base: str,
    excluded: Collection[str],
    head: str,
    remaining: Collection[bytes],
    boundary: Collection[str] = (),
) -> WithdrawnLines:
    """Read the patches of the commits between base and head, by one call of git.

    For a merge, only lines that are in none of its parents count.

    Args:
        base: a commit; empty, if the range begins with the first commit.
        excluded: further commits whose history is not part of the range.
        remaining: the stripped lines that the range as a whole adds.
        boundary: the commits whose parents a shallow clone lacks; their patch is unknown.
    """
    revisions = [head, *(f"^{commit}" for commit in {base, *excluded} if commit)]
    process = git.popen(*_LOG, f"--max-count={MAX_COMMITS + 1}", END, *revisions, "--")
    assert process.stdout is not None
    with process.stdout as output:
        lines = _BoundedLines(output)
        patches = list(_patches(lines))
    left_out = _describe_unread(lines, patches, boundary)
    if process.wait() and not lines.is_cut:
        left_out = "commits whose files this clone lacks"
    known = [patch for patch in patches[:MAX_COMMITS] if patch.commit not in boundary]
    return WithdrawnLines(tuple(_withdrawn_files(reversed(known), remaining)), left_out)


class _BoundedLines:
    """The lines of a patch, up to the largest size.

    Attributes:
        is_cut: there are more.
    """

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._lines = lines
        self.is_cut = False

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for line in self._lines:
            size += len(line)
            if size > MAX_PATCH_BYTES:
                self.is_cut = True
                return
            yield line


def _describe_unread(lines: _BoundedLines, patches: list[_CommitPatch], boundary: Collection[str]) -> str:
    if lines.is_cut:
        return f"the commits before {patches[-1].commit[:7]}, beyond {MAX_PATCH_BYTES >> 20} MiB of patches"
    if len(patches) > MAX_COMMITS:
        return f"the commits before the last {MAX_COMMITS:,}"
    if any(patch.commit in boundary for patch in patches):
        return "the commits that this shallow clone lacks"
    return ""


def _patches(lines: Iterable[bytes]) -> Iterator[_CommitPatch]:
    """Parse the output of git log, newest commit first."""
    patch = _CommitPatch("")
    path, blob, number, parents, in_hunk = "", "", 0, 1, False
    for line in lines:
        if line.startswith(b"\0"):
            if patch.commit:
                yield patch
            patch, in_hunk = _CommitPatch(line[1:].strip().decode()), False
        elif line.startswith(b"diff "):
            path, blob, in_hunk = "", "", False
        elif line.startswith(b"@@"):
            header = _HUNK.match(line)
            in_hunk = header is not None
            if header is not None:
                parents, number = len(header[1]) - 1, int(header[2])
        elif in_hunk:
            number = _read_line(patch, (path, blob), number, parents, line)
        elif line.startswith(b"+++ "):
            path = unquote(line[4:].rstrip(b"\n\t").decode("utf-8", "surrogateescape")).removeprefix("b/")
        else:
            index = _INDEX.match(line)
            blob = index[1].decode() if index is not None else blob
    if patch.commit:
        yield patch


def _read_line(patch: _CommitPatch, file: tuple[str, str], number: int, parents: int, line: bytes) -> int:
    """Add a line of a hunk to a patch, and return the number of the next line of the file."""
    signs, text = line[:parents], line[parents:].strip()
    if b"-" in signs:
        patch.removed.add(text)
        return number
    if b"+" not in signs and signs.strip():
        return number  # a backslash: the file ends without a newline
    if text and not signs.strip(b"+"):
        patch.added[file][number] = text
    return number + 1


def _withdrawn_files(patches: Iterable[_CommitPatch], remaining: Collection[bytes]) -> Iterator[CommitFile]:
    """Yield the files with lines that neither the base nor the head has, from patches in their order."""
    seen: set[bytes] = set()
    of_base: set[bytes] = set()
    for patch in patches:
        of_base |= patch.removed - seen
        for (path, blob), added in patch.added.items():
            lines = {
                number for number, text in added.items() if text not in remaining and text not in of_base
            }
            seen.update(added.values())
            if lines:
                yield CommitFile(patch.commit, path, blob, frozenset(lines))
