"""``wardround hook``: the review as git, pre-commit, prek and lefthook call it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.change_options import only_option, skip_option
from wardround.cli.completion import complete_formats
from wardround.cli.fail_on_verdict import fail_on_verdict_option
from wardround.cli.messages import echo_err
from wardround.cli.run import apply_fixes, color_option, run_and_report

if TYPE_CHECKING:
    from wardround.cli.options import ChangeSpec, PushedRef, ReportSpec
    from wardround.config.request import ReviewRequest


_PARTIAL_INDEX = "next-index-"
"""The name of the temporary index of ``git commit PATH``, which git discards after it."""
_NAMING_STAGES = {"prepare-commit-msg", "commit-msg", "post-commit", "post-merge"}


@click.command("hook")
@click.option(
    "--stage",
    type=click.Choice(
        [
            "pre-commit",
            "pre-merge-commit",
            "prepare-commit-msg",
            "commit-msg",
            "post-commit",
            "post-merge",
            "pre-push",
            "manual",
        ]
    ),
    default="pre-commit",
    show_default=True,
    help="Stage of the git hook.",
)
@click.option(
    "--format", "formats", multiple=True, metavar="FORMAT", help="As for review. Repeatable.",
    shell_complete=complete_formats,
)  # fmt: skip
@click.option(
    "--fail-level", type=click.Choice(["none", "info", "warn", "error"]), help="Lowest severity that blocks."
)
@fail_on_verdict_option
@only_option
@skip_option
@click.option("--fix", is_flag=True, help="Apply the safe fixes to the staged change and the work tree.")
@color_option
@click.option("--verbose", is_flag=True, help="Show code, reasons and fixes even for many findings.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(stage: str, arguments: tuple[str, ...], **options: Any) -> int:
    """Review the staged change or the outgoing commits, as a git hook.

    PRE_COMMIT_FROM_REF and PRE_COMMIT_TO_REF name the commits if a hook runner sets them. As git's own
    pre-push hook it takes git's ARGUMENTS and reads the pushed refs from standard input.

    Started without a change, as "pre-commit run --all-files" does, it reviews all tracked files, or those
    that the runner names as ARGUMENTS. While git commits or pushes, it reviews nothing else than that.

    The stages of the commit message and after the commit review nothing: they name the record of the review
    in the commit, where the configuration has records.commit.
    """
    if stage in _NAMING_STAGES:
        from wardround.cli.commit_record import name_record

        return name_record(stage, arguments)
    from wardround.cli.review_options import ReviewOptions

    common = ReviewOptions(**options)
    request, outputs = common.request, common.outputs
    targets = _targets(stage, arguments)
    return max((_review(target, request, outputs, fix=common.fix) for target in targets), default=0)


def _review(target: ChangeSpec, request: ReviewRequest, outputs: Sequence[ReportSpec], *, fix: bool) -> int:
    from wardround.cli.options import RecordSpec

    if fix:
        _fix(target, request)
    record = RecordSpec(for_commit=target.staged)
    return run_and_report(target, request, outputs, record=record).exit_status


def _fix(target: ChangeSpec, request: ReviewRequest) -> None:
    """Apply the safe fixes where the commit will include them."""
    if not target.is_uncommitted:
        echo_err("wardround: not fixed: --fix fixes the staged change; commits that exist stay as they are")
    elif Path(os.environ.get("GIT_INDEX_FILE", "")).name.startswith(_PARTIAL_INDEX):
        echo_err(
            "wardround: not fixed: git commit PATH commits another index; git add the files, then commit"
        )
    else:
        apply_fixes(target, request)


def _targets(stage: str, arguments: Sequence[str]) -> Iterator[ChangeSpec]:
    """Return the changes that a hook reviews."""
    from wardround.cli.options import ChangeSpec

    named = _named_by_runner(os.environ)
    if named is not None:
        yield named
    elif stage == "pre-push":
        yield from _outgoing_changes(arguments)
    else:
        is_committing = "GIT_INDEX_FILE" in os.environ  # git sets it for the hooks of commit and merge
        yield ChangeSpec(staged=True, or_all_files=not is_committing, paths=tuple(arguments))


def _named_by_runner(environ: Mapping[str, str]) -> ChangeSpec | None:
    """Return the commits that pre-commit and prek set for pre-push hooks, ``--from-ref`` and ``--to-ref``."""
    from wardround.cli.options import ChangeSpec

    base, head = environ.get("PRE_COMMIT_FROM_REF"), environ.get("PRE_COMMIT_TO_REF")
    named = ("PRE_COMMIT_FROM_REF", "PRE_COMMIT_TO_REF")
    return (
        ChangeSpec(base=base, head=head, since_root=_is_null(base), named_by=named) if base and head else None
    )


def _outgoing_changes(arguments: Sequence[str]) -> Iterator[ChangeSpec]:
    """Return the outgoing commits of ``git push``, one change for each branch that is not deleted."""
    from msgspec.structs import replace

    from wardround.change.repository import Repository
    from wardround.cli.options import ChangeSpec, PushedRef

    remote = arguments[0] if arguments else "origin"
    pushed = _pushed_refs()
    is_pushing = bool(arguments or pushed or "PRE_COMMIT_REMOTE_NAME" in os.environ)
    with Repository() as repository:
        head = repository.head() if not pushed else None
        refs = [PushedRef(head, "0")] if head is not None else pushed
        for ref in refs:
            if _is_null(ref.local):
                continue  # a branch is deleted
            target = ChangeSpec(base=ref.remote, head=ref.local)
            if _is_null(ref.remote) or not repository.has(ref.remote):
                start = repository.outgoing_base(ref.local, remote)
                target = replace(target, base=start, since_root=start == repository.empty_tree)
            yield replace(target, or_all_files=not is_pushing)


def _pushed_refs() -> list[PushedRef]:
    """Return the refs that git writes to standard input."""
    from wardround.cli.options import PushedRef

    if sys.stdin is None or sys.stdin.isatty():
        return []
    refs = map(PushedRef.parse, sys.stdin.read().split("\n"))
    return [ref for ref in refs if ref is not None]


def _is_null(object_id: str | None) -> bool:
    return object_id is not None and not object_id.strip("0")
