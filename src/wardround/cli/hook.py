"""``wardround hook``: the review as git, pre-commit, prek and lefthook call it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from wardround.cli.run import run_and_report

if TYPE_CHECKING:
    from wardround.cli.options import ChangeSpec, ReportSpec
    from wardround.config.request import ReviewRequest


_NAMING_STAGES = {"prepare-commit-msg", "commit-msg", "post-commit", "post-merge"}


@click.command("hook", context_settings={"ignore_unknown_options": True})
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
@click.option("--format", "formats", multiple=True, metavar="FORMAT", help="As for review. Repeatable.")
@click.option(
    "--fail-level", type=click.Choice(["none", "info", "warn", "error"]), help="Lowest severity that blocks."
)
@click.option("--only", multiple=True, metavar="NAME", help="Run only this specialist. Repeatable.")
@click.option("--skip", multiple=True, metavar="NAME", help="Skip this specialist. Repeatable.")
@click.option("--verbose", is_flag=True, help="Show code, reasons and fixes even for many findings.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(
    stage: str, formats: tuple[str, ...], fail_level: str | None, only: tuple[str, ...],
    skip: tuple[str, ...], verbose: bool, arguments: tuple[str, ...],
) -> int:  # fmt: skip
    """Review the staged change or the outgoing commits, as a git hook.

    PRE_COMMIT_FROM_REF and PRE_COMMIT_TO_REF name the commits if a hook runner sets them. As git's own
    pre-push hook it takes git's ARGUMENTS and reads the pushed refs from standard input.

    The stages of the commit message and after the commit review nothing: they name the record of the review
    in the commit, where the configuration has records.commit.
    """
    if stage in _NAMING_STAGES:
        from wardround.cli.commit_record import name_record

        return name_record(stage, arguments)
    from wardround.cli.options import ReportSpec
    from wardround.config.request import ReviewRequest
    from wardround.tools.tool import Profile

    request = ReviewRequest(
        profile=Profile.COMMIT,
        fail_level=fail_level,  # type: ignore[arg-type]  # click has checked it
        only=only,
        skip=skip,
        verbose=verbose,
    )
    outputs = [ReportSpec.parse(text) for text in formats or ("text",)]
    return max((_review(target, request, outputs) for target in _targets(stage, arguments)), default=0)


def _review(target: ChangeSpec, request: ReviewRequest, outputs: Sequence[ReportSpec]) -> int:
    from wardround.cli.options import RecordSpec

    record = RecordSpec(for_commit=target.staged)
    return run_and_report(target, request, outputs, record=record).exit_status


def _targets(stage: str, arguments: Sequence[str]) -> Iterator[ChangeSpec]:
    """Return the changes that a hook reviews."""
    from wardround.cli.options import ChangeSpec

    named = _named_by_runner(os.environ)
    if named is not None:
        yield named
    elif stage == "pre-push":
        yield from _outgoing(arguments)
    else:
        yield ChangeSpec(staged=True)


def _named_by_runner(environ: Mapping[str, str]) -> ChangeSpec | None:
    """Return the commits that pre-commit and prek set for pre-push hooks, ``--from-ref`` and ``--to-ref``."""
    from wardround.cli.options import ChangeSpec

    base, head = environ.get("PRE_COMMIT_FROM_REF"), environ.get("PRE_COMMIT_TO_REF")
    named = ("PRE_COMMIT_FROM_REF", "PRE_COMMIT_TO_REF")
    return (
        ChangeSpec(base=base, head=head, since_root=_is_null(base), named_by=named) if base and head else None
    )


def _outgoing(arguments: Sequence[str]) -> Iterator[ChangeSpec]:
    """Return the outgoing commits of ``git push``, one change for each branch that is not deleted."""
    from msgspec.structs import replace

    from wardround.change.repository import Repository
    from wardround.cli.options import ChangeSpec, PushedRef

    remote = arguments[0] if arguments else "origin"
    lines = [] if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read().split("\n")
    refs = [ref for ref in map(PushedRef.parse, lines) if ref is not None]
    with Repository() as repository:
        if not refs:
            head = repository.head()
            refs = [PushedRef(head, "0")] if head is not None else []
        for ref in refs:
            if _is_null(ref.local):
                continue  # a branch is deleted
            target = ChangeSpec(base=ref.remote, head=ref.local)
            if _is_null(ref.remote) or not repository.has(ref.remote):
                start = repository.outgoing_base(ref.local, remote)
                target = replace(target, base=start, since_root=start == repository.empty_tree)
            yield target


def _is_null(object_id: str | None) -> bool:
    return object_id is not None and not object_id.strip("0")
