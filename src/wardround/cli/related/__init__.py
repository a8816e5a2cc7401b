"""``wardround related``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from wardround.cli.change_options import repo_option
from wardround.cli.run import emit, open_change, progress_line, require_base, require_one
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.change.repository import Repository
    from wardround.cli.options import ChangeSpec
    from wardround.retrieval.hunk_search import Evidence
    from wardround.retrieval.protocols import TextEmbedder
    from wardround.retrieval.results import ModelUse, RelatedFiles, RelatedHunks

_LONGEST_QUERY = 100_000
_FILES_WITH_FUNCTIONS = 3

Progress = Callable[[str], None]
Found = TypeVar("Found")


@click.command("related")
@click.argument("query", metavar="TEXT", required=False)
@click.option("--tests", is_flag=True, help="Show the tests of FILE::FUNCTION, or of the changed functions.")
@click.option("--neighbours", is_flag=True, help="Show the files near a change: callers, callees, tests.")
@click.option("--staged", is_flag=True, help="Search the hunks of the staged change.")
@click.option("--worktree", is_flag=True, help="Search the hunks of all uncommitted changes.")
@click.option("--base", metavar="REF", help="Search the hunks from the merge base with REF ...")
@click.option("--head", metavar="REF", help="... to this commit (default HEAD).")
@click.option("--at", metavar="REF", help="Search the files of this commit (default: as staged).")
@click.option("--all", "everything", is_flag=True, help="Include tests, examples and documentation.")
@click.option("--limit", type=click.IntRange(min=1, max=1000), default=10, show_default=True, metavar="N")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--no-models", is_flag=True, help="Rank by words only.")
@repo_option
def command(
    query: str | None, tests: bool, neighbours: bool, staged: bool, worktree: bool, base: str | None,
    head: str | None, at: str | None, everything: bool, limit: int, form: str, no_models: bool,
    repo: Path | None,
) -> None:  # fmt: skip
    """Show the code that TEXT is most likely about: files and functions, or hunks of a change.

    TEXT is a bug report, a commit message or an acceptance criterion, the name of a file with one, or - for
    standard input. With --tests it is a function, as in src/rows.py::parse_row, and the tests that most
    likely cover it are shown; with --staged, --worktree or --base, and no TEXT, the tests of the changed
    functions. With --neighbours and a change, related files are shown, each with the reason: code that it
    uses or that uses it, its tests, similar code, and files that often changed together with its files.
    Nothing is run, and no model is used. Files are ranked by words, by messages and changes of earlier
    commits, and by the model if it is installed. The first use in a repository reads all its files, later
    ones only changed files.
    """
    from wardround.cli.options import ChangeSpec
    from wardround.retrieval.results import as_json, as_text

    ways = {"--staged": staged, "--worktree": worktree, "--base": base is not None, "--at": at is not None}
    require_one(ways, "say in one way what is searched")
    require_base(head, base)
    target = ChangeSpec(staged=staged, worktree=worktree, base=base, head=head, repo=repo)
    is_change = staged or worktree or base is not None
    if neighbours:
        _show_neighbours(query, tests, target if is_change else None, limit, form)
        return
    if tests:
        _show_tests(query, target if is_change else None, repo, at, limit, form)
        return
    if query is None:
        raise click.UsageError("Missing argument 'TEXT'.")
    text, file = _read_query(query)
    with progress_line() as progress:
        if is_change:
            found: RelatedFiles | RelatedHunks = _hunks(text, target, limit, no_models)
        else:
            found = _files(text, file, repo, at, everything, limit, no_models, progress)
    emit(as_json(found) if form == "json" else as_text(found))


def _show_neighbours(
    query: str | None, tests: bool, target: ChangeSpec | None, limit: int, form: str
) -> None:
    if query is not None or tests or target is None:
        raise click.UsageError(
            "--neighbours needs one of --staged, --worktree and --base, and neither TEXT nor --tests"
        )
    from wardround.cli.related.neighbours import of_change
    from wardround.retrieval.results import format_neighbours, neighbours_as_json

    found = of_change(target, limit)
    emit(neighbours_as_json(found) if form == "json" else format_neighbours(found))


def _show_tests(
    query: str | None, target: ChangeSpec | None, repo: Path | None, at: str | None, limit: int, form: str
) -> None:
    from wardround.cli.related.tests import of_change, of_function
    from wardround.retrieval.results import format_tests, tests_as_json

    if (query is None) is (target is None):
        raise click.UsageError(
            "--tests needs FILE::FUNCTION, or one of --staged, --worktree and --base, not both"
        )
    with progress_line() as progress:
        if target is None:
            found = of_function(query or "", repo, at, limit, progress)
        else:
            found = of_change(target, limit, progress)
    emit(tests_as_json(found) if form == "json" else format_tests(found))


def _read_query(query: str) -> tuple[str, Path | None]:
    """Return the query text, and its file if it is in one."""
    file = None
    if query == "-":
        data = sys.stdin.buffer.read(_LONGEST_QUERY * 4)
    elif _names_file(query):
        file = Path(query)
        try:
            data = file.read_bytes()
        except OSError as cause:
            raise UsageError(f"{query}: {cause.strerror}; give a text, a file or -") from cause
    else:
        data = os.fsencode(query)
    if b"\0" in data:
        raise UsageError(f"{query}: it is binary; give a text")
    text = data.decode("utf-8", "replace")[:_LONGEST_QUERY]
    if not text.strip():
        raise UsageError("the text is empty; say what the code you look for is about")
    return text, file


def _names_file(query: str) -> bool:
    try:
        return "\n" not in query and Path(query).is_file()
    except (OSError, ValueError):  # too long for a name, or no name at all
        return False


def _model(repository: Repository, side: str, no_models: bool) -> tuple[TextEmbedder | None, ModelUse]:
    """Return the base model that the repository's configuration selects, or None and the reason."""
    from wardround import host
    from wardround.config import loader
    from wardround.errors import ModelError
    from wardround.inference.base_embedder import base_embedder
    from wardround.retrieval.results import ModelUse

    if no_models:
        return None, ModelUse(None, "--no-models was given")
    tree = repository.tree(side)
    settings = loader.read(tree.read, (), host.load().specialists)
    if settings.root.models == "off":
        return None, ModelUse(None, f"models are switched off in {settings.origins['models']}")
    try:
        found = base_embedder(settings.root, repository.root)
    except ModelError as trouble:
        return None, ModelUse(None, str(trouble))
    return found, ModelUse(found.name, None)


def _search_with_model(
    repository: Repository,
    side: str,
    no_models: bool,
    search: Callable[[TextEmbedder | None, ModelUse], Found],
) -> Found:
    """Search with the model; without it if it fails."""
    from wardround.errors import ModelError
    from wardround.inference.base_embedder import BASE_MODEL
    from wardround.retrieval.results import ModelUse

    embedder, use = _model(repository, side, no_models)
    try:
        return search(embedder, use)
    except ModelError as trouble:
        return search(None, ModelUse(None, f"model {BASE_MODEL!r} cannot be used: {trouble}"))


def _hunks(text: str, target: ChangeSpec, limit: int, no_models: bool) -> RelatedHunks:
    from wardround.change.change_source import FileTexts
    from wardround.change.repository import INDEX
    from wardround.retrieval.hunk_search import changed_code, rank
    from wardround.retrieval.index import CachedEmbedder, SearchIndex, using
    from wardround.retrieval.results import RelatedHunks

    with open_change(target) as (origin, change, repository):
        assert repository is not None
        origin.fetch(change.files)
        hunks = changed_code(change, FileTexts(origin, change))

        def search(embedder: TextEmbedder | None, use: ModelUse) -> RelatedHunks:
            if embedder is None:
                found = [hunk for hunk in rank(text, hunks) if hunk.lexical > 0]
                return RelatedHunks(len(hunks), found[:limit], use)

            def work(index: SearchIndex) -> list[Evidence]:
                return rank(text, hunks, CachedEmbedder(embedder, index))

            return RelatedHunks(len(hunks), using(repository.git_dir, work)[:limit], use)

        side = INDEX if change.head.startswith(":") else change.head
        return _search_with_model(repository, side, no_models, search)


def _files(
    text: str, file: Path | None, repo: Path | None, at: str | None, everything: bool, limit: int,
    no_models: bool, progress: Progress,
) -> RelatedFiles:  # fmt: skip
    from wardround.change.repository import INDEX, Repository
    from wardround.cli.related.corpus import searched_revision
    from wardround.retrieval.blob_text import blob_text
    from wardround.retrieval.commit_signals import COMMITS
    from wardround.retrieval.file_search import (
        is_accompanying_file,
        is_source,
        locate_functions,
        search_files,
    )
    from wardround.retrieval.index import IndexedFile, SearchIndex, using
    from wardround.retrieval.results import RelatedFiles

    with Repository(repo) as repository:
        side = searched_revision(repository, at)
        own = _path_in_repository(repository, file)
        entries = [
            IndexedFile(path, blob)
            for path, blob in repository.blobs_of(side)
            if is_source(path) and (everything or not is_accompanying_file(path)) and path != own
        ]
        by_path = {entry.path: entry for entry in entries}
        head = repository.head() if side == INDEX else side
        commits = [] if head is None else repository.ancestors(head, COMMITS)

        def read(entry: IndexedFile) -> str | None:
            return blob_text(repository, entry.blob)

        def search(embedder: TextEmbedder | None, use: ModelUse) -> RelatedFiles:
            def work(index: SearchIndex) -> RelatedFiles:
                past = index.past(commits, repository.commits_touching)
                files = search_files(text, entries, read, index, embedder, progress, past)[:limit]
                first = [
                    (match.path, read(by_path[match.path]) or "") for match in files[:_FILES_WITH_FUNCTIONS]
                ]
                functions = locate_functions(text, first)[: limit * 2]
                return RelatedFiles(len(entries), files, functions, use, len(past))

            return using(repository.git_dir, work)

        return _search_with_model(repository, side, no_models, search)


def _path_in_repository(repository: Repository, file: Path | None) -> str | None:
    """Return the path of the queried file in the repository, if it is there."""
    if file is None or not file.resolve().is_relative_to(repository.root.resolve()):
        return None
    return file.resolve().relative_to(repository.root.resolve()).as_posix()
