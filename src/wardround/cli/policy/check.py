from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.run import emit_line

if TYPE_CHECKING:
    from wardround.policy.schema import Policy


@click.command("check")
@click.argument("policies", nargs=-1, required=True, metavar="POLICY...")
@click.option(
    "--against",
    metavar="REV",
    help="Revision to compare POLICY with (default: the target branch in CI, else HEAD).",
)
def command(policies: tuple[str, ...], against: str | None) -> None:
    """Validate each POLICY, a file or the name of a bundled policy, and print its digest.

    A policy whose content changed needs a higher version. A policy that lets changes through without people
    although evidence is missing or the gate is blocked is valid, with a warning.
    """
    from wardround.policy.bundled import BUNDLED
    from wardround.policy.checking import permissive_parts, require_new_version
    from wardround.policy.loading import policy_of_argument

    for name in policies:
        found = policy_of_argument(name, "policy")
        former = None if name in BUNDLED else _former(Path(name), against)
        if former is not None:
            require_new_version(found, former[0], name, former[1])
        emit_line(f"{name}: valid, {len(found.rules)} rules, {found.identity}")
        for text in permissive_parts(found):
            click.echo(f"wardround: warning: {name}: {text}", err=True)


def _former(file: Path, against: str | None) -> tuple[Policy, str] | None:
    """Return the policy at the revision to compare with, and the revision; None if there is none.

    Raises:
        GitError: the named revision does not exist.
    """
    from wardround.change.opening import change_between
    from wardround.change.repository import Repository
    from wardround.errors import ConfigError, GitError
    from wardround.policy.loading import parse_policy

    revision = against or _default_revision()
    try:
        with Repository(file.absolute().parent) as repository:
            base = change_between(repository, revision, "HEAD", ("--against", "HEAD")).base
            path = file.resolve().relative_to(repository.root.resolve()).as_posix()
            content = repository.revision(base).read(path)
        return None if content is None else (parse_policy(content, f"{revision}:{path}"), revision)
    except (ConfigError, ValueError):  # no policy yet, or a link to a file outside of the repository
        return None
    except GitError as cause:
        if against is not None:
            raise
        if revision != "HEAD":
            click.echo(f"wardround: warning: {file}: not compared with {revision}: {cause}", err=True)
        return None


def _default_revision() -> str:
    """Return the target branch of this CI run, or the commit before a push; HEAD outside of one."""
    from wardround.delivery.events import detect, read_event
    from wardround.errors import WardroundError

    try:
        event = read_event(detect(os.environ), os.environ)
    except WardroundError:
        return "HEAD"
    return f"refs/remotes/origin/{event.target}" if event.target else event.previous or "HEAD"
