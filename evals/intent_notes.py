"""Evaluate the notes of the intent plane on commits of external repositories.

    python evals/intent_notes.py mine REPOSITORY ... --out FILE [--each N] [--seed N] [--stated]
    python evals/intent_notes.py scope|kind FILE ... [--show N]
    python evals/intent_notes.py companions REPOSITORY ... [--each N] [--seed N]

``mine`` samples commits with one parent from blocks evenly spaced over the newer half of a history: their
messages, hunks and files. With ``--stated`` only commits whose message states documentation, tests, style,
refactoring, CI or a version bump are taken.

``scope`` adds to each commit of three or more hunks one hunk of another commit, of a file that the commit
does not change, and prints how often that hunk gets the lowest score; then it prints the notes on the
unmodified commits. ``kind`` prints the notes on the stated kind, for manual judgement. ``companions`` hides
one existing file of each sampled commit of two to twenty files, and prints how often it is listed for the
others, and the share of hidden files among those listed.
"""

from __future__ import annotations

import argparse
import difflib
import math
import random
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from wardround.analyses.stated_intent.companions import companions
from wardround.analyses.stated_intent.kind import KindFile, kind_notes
from wardround.analyses.stated_intent.scope import FEWEST_HUNKS, HunkScope, is_judged, stray_hunks
from wardround.analyses.stated_intent.stated_kind import stated_kinds
from wardround.change.change_source import FileTexts, GitChangeSource
from wardround.change.diff import Hunk
from wardround.change.repository import Repository
from wardround.errors import GitError
from wardround.retrieval.commit_signals import MOST_FILES
from wardround.retrieval.file_search import is_accompanying_file
from wardround.retrieval.hunk_search import ChangedCode, changed_code
from wardround.retrieval.past_commits import commits_before

_BLOCKS = 10
_MOST_FILES = 60
_MOST_HUNKS = 150
_LONGEST_TEXT = 400_000


class FileRow(msgspec.Struct):
    """A changed file with its text at base and head; None for a version that does not exist or is not
    text.
    """

    path: str
    base_path: str | None
    base: str | None
    head: str | None
    hunks: tuple[Hunk, ...]


class HunkRow(msgspec.Struct):
    path: str
    line: int
    end_line: int
    function: str
    text: str

    def as_code(self) -> ChangedCode:
        return ChangedCode(self.path, self.line, self.end_line, self.function, self.text)


class CommitRow(msgspec.Struct):
    """A commit as a review sees it."""

    repository: str
    commit: str
    message: str
    files: list[FileRow]
    hunks: list[HunkRow]


def name_of(path: Path) -> str:
    return path.name if path.name != "repo" else path.parent.name.rpartition("+")[2]


def commits_of(repository: Repository, each: int, draw: random.Random) -> Iterator[str]:
    """Yield commits of each block in random order, and the end of a block as an empty text."""
    every = repository._git.output("rev-list", "--no-merges", "HEAD").split()
    every = every[: max(len(every) // 2, min(len(every), 500))]
    size = math.ceil(len(every) / _BLOCKS)
    for block in range(_BLOCKS):
        commits = every[block * size : (block + 1) * size]
        draw.shuffle(commits)
        yield from commits
        yield ""


def row_of(repository: Repository, name: str, commit: str, with_texts: bool) -> CommitRow | None:
    parents = repository._git.output("rev-list", "--parents", "-n1", commit).split()[1:]
    if len(parents) != 1:
        return None
    change = repository.range(parents[0], commit)
    if not change.files or len(change.files) > _MOST_FILES:
        return None
    origin = GitChangeSource(repository, change)
    origin.fetch(change.files)
    origin.fetch(change.files, base=True)
    texts = FileTexts(origin, change)
    hunks = changed_code(change, texts)
    if len(hunks) > _MOST_HUNKS:
        return None
    files = []
    for file in change.files:
        if file.is_regular and not file.lost:
            base, head = texts.base(file.path), texts.head(file.path)
            files.append(FileRow(
                file.path, file.base_path,
                (base or "")[:_LONGEST_TEXT] if with_texts and base is not None else base and "",
                (head or "")[:_LONGEST_TEXT] if with_texts and head is not None else head and "",
                file.hunks,
            ))  # fmt: skip
    rows = [HunkRow(hunk.path, hunk.line, hunk.end_line, hunk.function, hunk.text[:8000]) for hunk in hunks]
    return CommitRow(name, commit, origin.messages(change)[0], files, rows)


def stated_of(repository: Repository) -> set[str]:
    """Return the commits whose message states a kind of change."""
    texts = repository._git.output("log", "--no-merges", "-z", "--format=%H%n%B", "HEAD").split("\0")
    pairs = (text.partition("\n") for text in texts)
    return {commit for commit, _, message in pairs if stated_kinds([message])}


def mine(paths: Sequence[Path], each: int, seed: int, is_stated: bool) -> Iterator[CommitRow]:
    for path in paths:
        draw = random.Random(f"{path} {seed}")
        with Repository(path) as repository:
            found, stated = 0, stated_of(repository) if is_stated else set()
            for commit in commits_of(repository, each, draw):
                if not commit:
                    found = 0
                    continue
                if found * _BLOCKS >= each or (is_stated and commit not in stated):
                    continue
                try:
                    row = row_of(repository, name_of(path), commit, with_texts=True)
                except GitError:
                    continue
                if row is not None:
                    found += 1
                    yield row


def load(paths: Sequence[Path]) -> list[CommitRow]:
    return [row for path in paths for row in msgspec.msgpack.decode(path.read_bytes(), type=list[CommitRow])]


_NEAR = 3
_DRAWS = 3


def aliens(rows: Sequence[CommitRow]) -> Iterator[tuple[CommitRow, list[ChangedCode]]]:
    """Yield the commits of three or more hunks, each with a hunk of another commit as the last one."""
    draw = random.Random(1)
    for at, row in enumerate(rows):
        if len(row.hunks) < FEWEST_HUNKS:
            continue
        own = {hunk.path for hunk in row.hunks}
        others = [other for other in rows[max(0, at - _NEAR) : at + _NEAR + 1] if other is not row]
        pool = [
            hunk
            for other in others
            if other.repository == row.repository
            for hunk in other.hunks
            if hunk.path not in own
        ]
        for hunk in draw.sample(pool, min(_DRAWS, len(pool))):
            yield row, [*(hunk.as_code() for hunk in row.hunks), hunk.as_code()]


def report_scope(rows: Sequence[CommitRow], shown: int) -> None:
    choices: dict[bool, list[float]] = {False: [], True: []}
    noted = chance = 0.0
    for row, hunks in aliens(rows):
        scores = HunkScope([row.message], hunks).scores()
        lowest = [at for at, score in enumerate(scores) if score <= min(scores) + 1e-12]
        hit = (len(hunks) - 1 in lowest) / len(lowest)
        choices[is_judged(hunks[-1])].append(hit)
        chance += 1 / len(hunks)
        noted += len(hunks) - 1 in HunkScope([row.message], hunks).stray()
    every = choices[False] + choices[True]
    print(f"foreign hunk has the lowest score: {statistics.fmean(every):.3f} of {len(every)} "
          f"(chance {chance / len(every):.3f}); with enough words {statistics.fmean(choices[True]):.3f} of "
          f"{len(choices[True])}; it gets a note: {noted / len(every):.3f}")  # fmt: skip
    notes = [(row, stray_hunks([row.message], [hunk.as_code() for hunk in row.hunks])) for row in rows]
    with_notes = [(row, found) for row, found in notes if found]
    enough = sum(len(row.hunks) >= FEWEST_HUNKS for row in rows)
    print(f"{len(with_notes)} of {len(rows)} commits have a note ({enough} have three or more hunks), "
          f"{sum(len(found) for _, found in notes)} notes")  # fmt: skip
    for row, found in random.Random(1).sample(with_notes, min(shown, len(with_notes))):
        print(f"\n== {row.repository} {row.commit[:10]} {row.message[:300]!r}, {len(row.hunks)} hunks")
        texts = {(hunk.path, hunk.line): hunk.text for hunk in row.hunks}
        for note in found:
            print(f"-- {note.file}:{note.line}\n{texts[note.file, note.line][:500]}")


def report_kind(rows: Sequence[CommitRow], shown: int) -> None:
    stated = [row for row in rows if stated_kinds([row.message])]
    noted = []
    for row in stated:
        files = [
            KindFile(file.path, file.base, file.head, file.hunks, is_accompanying_file(file.path))
            for file in row.files
        ]
        if found := kind_notes([row.message], files):
            noted.append((row, found))
    print(f"{len(noted)} of {len(stated)} commits that state a kind have a note")
    for row, found in random.Random(1).sample(noted, min(shown, len(noted))):
        print(f"\n== {row.repository} {row.commit[:10]} {row.message[:200]!r}")
        for note in found:
            print(f"-- {note.file}:{note.line} {note.stated}: {note.reason}")
            file = next(file for file in row.files if file.path == note.file)
            texts = [(file.base or "").split("\n"), (file.head or "").split("\n")]
            diff = list(difflib.unified_diff(*texts, lineterm="", n=0))[2:]
            print("\n".join(line[:160] for line in diff[:16]))


def hidden_companions(paths: Sequence[Path], each: int, seed: int) -> Iterator[tuple[str, bool, int, int]]:
    """Yield for each commit its repository, True if the hidden file is listed, the number of listed files,
    and that for the complete commit.
    """
    for path in paths:
        draw = random.Random(f"{path} {seed}")
        with Repository(path) as repository:
            found = 0
            for commit in commits_of(repository, each, draw):
                found = found if commit else 0
                parents = (
                    repository._git.output("rev-list", "--parents", "-n1", commit).split()[1:]
                    if commit
                    else []
                )
                if len(parents) != 1 or found * _BLOCKS >= each:
                    continue
                (_, _, changed), *_ = repository.commits_touching([commit])
                holds = repository.tree(parents[0]).holds
                existing = sorted(path for path in changed if holds(path))
                if not 2 <= len(changed) <= MOST_FILES or len(existing) < 2:
                    continue
                found += 1
                past = commits_before(repository, parents[0])
                hidden = draw.choice(existing)
                listed = [companion.file for companion in companions(set(changed) - {hidden}, past, holds)]
                yield name_of(path), hidden in listed, len(listed), len(companions(changed, past, holds))


def report_companions(rows: Sequence[tuple[str, bool, int, int]]) -> None:
    for name in (*sorted({row[0] for row in rows}), ""):
        some = [row for row in rows if row[0] == name or not name]
        hits, listed = sum(row[1] for row in some), sum(row[2] for row in some)
        print(f"{name or 'all':20} {len(some)} commits: {hits} hidden files listed, "
              f"{hits / max(listed, 1):.2f} of {listed} listed files; "
              f"{sum(row[3] > 0 for row in some)} complete commits have a list")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    mining = commands.add_parser("mine")
    mining.add_argument("repositories", nargs="+", type=Path)
    mining.add_argument("--out", type=Path, required=True)
    mining.add_argument("--each", type=int, default=60)
    mining.add_argument("--seed", type=int, default=1)
    mining.add_argument("--stated", action="store_true")
    for name in ("scope", "kind"):
        reporting = commands.add_parser(name)
        reporting.add_argument("rows", nargs="+", type=Path)
        reporting.add_argument("--show", type=int, default=0)
    hiding = commands.add_parser("companions")
    hiding.add_argument("repositories", nargs="+", type=Path)
    hiding.add_argument("--each", type=int, default=60)
    hiding.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.command == "mine":
        rows = list(mine(options.repositories, options.each, options.seed, options.stated))
        options.out.write_bytes(msgspec.msgpack.encode(rows))
        print(f"{len(rows)} rows")
    elif options.command == "companions":
        report_companions(list(hidden_companions(options.repositories, options.each, options.seed)))
    elif options.command == "scope":
        report_scope(load(options.rows), options.show)
    else:
        report_kind(load(options.rows), options.show)


if __name__ == "__main__":
    main()
