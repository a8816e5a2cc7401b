"""The findings of many commits in one review, each attributed to the commit that added its line.

A finding that its author removed before the end of the window is not among them, so such findings are fewer
than in reviews of single commits. ``verify`` reviews the remaining commits separately.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from wardround.config.request import ReviewRequest
from wardround.host import PluginHost
from wardround_lab.evaluation.judging.findings_review import findings_of_head
from wardround_lab.evaluation.judging.history import Window, git_output
from wardround_lab.evaluation.judging.hits import Hit, Source, reviewed_commit

_MOST_LINES = 60
"""The findings of a commit whose windows are compared."""


class ReviewedWindow(msgspec.Struct, frozen=True):
    """Result of the review of one window.

    Attributes:
        commits: the number of commits in the window.
        only: the specialist that reviewed it; empty for all.
        hits: the findings on lines that a commit of the window added, under that commit, its path and line.
        unattributed: the number of the others.
        trouble: why the review failed; empty if it did not.
    """

    repository: str
    folder: str
    base: str
    head: str
    only: str = ""
    commits: int = 0
    added_lines: int = 0
    hits: tuple[Hit, ...] = ()
    unattributed: int = 0
    trouble: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        return (self.repository, self.base, self.head, self.only)


@dataclass(frozen=True, slots=True)
class BlamedLine:
    """The commit that added a line, and its position there."""

    commit: str
    path: str
    line: int
    time: int


def reviewed_window(
    source: Source, window: Window, only: str, host: PluginHost, request: ReviewRequest
) -> ReviewedWindow:
    """Review the files of one window and attribute its findings.

    Checks of the entire change run in the reviews of single commits only.
    """
    done = reviewed_commit(source, window.base, window.head, host, request, findings_of_head)
    hits = attribute_hits(source.folder, window, done.hits)
    return ReviewedWindow(
        source.name, str(source.folder), window.base, window.head, only, window.commits,
        done.added_lines,
        tuple(hits), len(done.hits) - len(hits), done.trouble,
    )  # fmt: skip


def attribute_hits(folder: Path, window: Window, hits: Iterable[Hit]) -> list[Hit]:
    """Return the findings at the commits that added their lines.

    The first line of a finding decides, and if it is older than the window, the newest of its lines.
    """
    by_path: dict[str, list[Hit]] = defaultdict(list)
    for hit in hits:
        by_path[hit.path].append(hit)
    found: list[Hit] = []
    for path, some in sorted(by_path.items()):
        lines = blame(folder, window, path, [_lines(hit) for hit in some])
        found += [_move_hit(hit, lines[n]) for hit in some if (n := _deciding_line(hit, lines))]
    return found


def _lines(hit: Hit) -> range:
    return range(hit.line, min(hit.end_line, hit.line + _MOST_LINES) + 1)


def _deciding_line(hit: Hit, lines: dict[int, BlamedLine]) -> int:
    """Return the number of the line that decides; 0 if there is none."""
    if hit.line in lines:
        return hit.line
    return max((n for n in _lines(hit) if n in lines), key=lambda n: lines[n].time, default=0)


def _move_hit(hit: Hit, to: BlamedLine) -> Hit:
    end_line = to.line + hit.end_line - hit.line
    return msgspec.structs.replace(hit, commit=to.commit, path=to.path, line=to.line, end_line=end_line)


def blame(folder: Path, window: Window, path: str, ranges: Sequence[range]) -> dict[int, BlamedLine]:
    """Return line at the head -> its origin, for those lines of the ranges that the window added."""
    options = [option for lines in ranges for option in ("-L", f"{lines.start},{lines.stop - 1}")]
    bounds = f"{window.base}..{window.head}"
    config = ("-c", "core.quotePath=false")
    text = git_output(folder, *config, "blame", "--line-porcelain", *options, bounds, "--", path)
    found: dict[int, BlamedLine] = {}
    header: list[str] = []
    for row in text.split("\n"):
        if not row.startswith("\t"):
            header.append(row)
            continue
        number, line = _blamed_line(header)
        if line is not None:
            found[number] = line
        header = []
    return found


def _blamed_line(header: Sequence[str]) -> tuple[int, BlamedLine | None]:
    """Return the line of a header of ``git blame``, and its origin unless that is older than the range."""
    commit, old, new, *_ = header[0].split()
    values = dict(row.partition(" ")[::2] for row in header[1:])
    if "boundary" in values:
        return int(new), None
    return int(new), BlamedLine(commit, values["filename"], int(old), int(values["committer-time"]))
