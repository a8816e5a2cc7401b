"""The options that record a review, and the record itself."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.messages import echo_err
from wardround.cli.record_store import store_location
from wardround.errors import UsageError

if TYPE_CHECKING:
    from securesystemslib.signer import Signer

    from wardround.change.repository import Repository
    from wardround.cli.options import RecordSpec
    from wardround.config.record_settings import CommitMode
    from wardround.host import PluginHost
    from wardround.records.bundle import Bundle
    from wardround.review_result import ReviewResult


def record_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a record in a file to a command."""
    return _record_option(sign_options(command))


def sign_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of the signature of a record to a command."""
    for option in reversed(_SIGN_OPTIONS):
        command = option(command)
    return command


_record_option = click.option(
    "--record", "record_file", type=click.Path(path_type=Path), metavar="FILE",
    help="Write the record of the review, *.intoto.jsonl.",
)  # fmt: skip
_SIGN_OPTIONS = (
    click.option(
        "--sign-with", default="", envvar="WARDROUND_SIGN_WITH", metavar="KEY",
        help="Sign the record: a key file, env:VARIABLE or a key URI (default: your own key).",
    ),
    click.option(
        "--public-key", default="", envvar="WARDROUND_PUBLIC_KEY", metavar="FILE",
        help="Public key of a key URI.",
    ),
    click.option(
        "--passphrase-env", default="", metavar="VARIABLE", help="Variable with the passphrase of the key."
    ),
)  # fmt: skip


def require_signer(spec: RecordSpec) -> None:
    """Require that a local key can sign a requested record, before time is spent on the review.

    Raises:
        UsageError: the key is missing, or is none.
    """
    is_requested = spec.file is not None or spec.sink is not None
    if is_requested and spec.sign_with and signer_uri(spec.sign_with).startswith(("file:", "env:")):
        _signer(spec)


def record_review(
    spec: RecordSpec, review: ReviewResult, host: PluginHost, repository: Repository | None, work_tree: Path
) -> None:
    """Sign and store the record of a review, if one is requested or the configuration records the profile.

    A store that cannot be written costs a message; a requested store, file or signature that fails is an
    error.

    Raises:
        UsageError: the file or the requested store cannot be written, or the signer failed.
    """
    attach = _commit_mode(spec, review)
    is_stored = uses_store(spec, review)
    if spec.file is None and spec.sink is None and not is_stored:
        return
    from wardround.records.recording import facts_of

    author = "" if repository is None else repository.author(review.change.head)
    facts = facts_of(review.conclusion, str(work_tree), author)
    created = _make_bundle(spec, review, host, facts)
    problem = _store(created, facts, spec.store) if is_stored else None
    _write(created, spec, work_tree)
    if problem is None:
        _remember(repository, review, created.digest, attach)
    elif spec.store:
        raise problem
    else:
        echo_err(f"wardround: the review is not recorded: {problem}")


def uses_store(spec: RecordSpec, review: ReviewResult) -> bool:
    """Return True if the record of a review is stored."""
    return bool(spec.store) or _commit_mode(spec, review) != "off" or _is_recorded(review)


def _commit_mode(spec: RecordSpec, review: ReviewResult) -> CommitMode:
    """Return how the commit names the record; only a git hook's review has a commit."""
    is_named = spec.for_commit and review.change.files
    return review.config.root.recording.commit if is_named else "off"


def _is_recorded(review: ReviewResult) -> bool:
    """Return True if the configuration records the profile."""
    profiles = {"off": (), "ci": ("ci",), "on": ("ci", "commit")}
    return review.profile.value in profiles[review.config.root.recording.profiles]


def _write(created: Bundle, spec: RecordSpec, work_tree: Path) -> None:
    """Write a record to the requested file and the requested sink."""
    from wardround.records import bundle

    if spec.file is not None:
        bundle.save(created, spec.file, work_tree)
    if spec.sink is not None:
        spec.sink(created.data)


def _make_bundle(spec: RecordSpec, review: ReviewResult, host: PluginHost, facts: Any) -> Bundle:
    import datetime

    from wardround.delivery.run_origin import origin_of_run
    from wardround.records.recording import make_record

    current, origin = datetime.datetime.now(datetime.UTC), origin_of_run(os.environ)
    return make_record(review, host, facts, _signer(spec), current, origin)


def _store(created: Bundle, facts: Any, name: str) -> UsageError | None:
    from wardround.records import store

    try:
        with store.open_store(store_location(name)) as records:
            records.append(created, facts)
    except UsageError as cause:  # also a location that is not one
        return cause
    return None


def _remember(repository: Repository | None, review: ReviewResult, digest: str, attach: CommitMode) -> None:
    """Remember the reviewed content for the hooks of the commit message and after the commit."""
    if attach == "off" or repository is None:
        return
    from wardround.records import reviewed_content
    from wardround.records.reviewed_content import ReviewedContent, content_of

    document = review.conclusion.context
    reviewed = ReviewedContent(digest, document.base, content_of(document), attach)
    try:
        reviewed_content.remember(repository, reviewed)
    except OSError as cause:
        echo_err(f"wardround: the commit will not name its record: {cause.strerror}")


def _signer(spec: RecordSpec) -> Signer | None:
    """Return the requested signer, or that of the user's own key; None if there is neither."""
    from wardround.records import signing

    uri = signer_uri(spec.sign_with)
    if not uri:
        return None
    return signing.open_signer(signing.SignerSettings(uri, spec.public_key, spec.passphrase_env), os.environ)


def signer_uri(requested: str) -> str:
    """Return the URI of the requested signer, or of the user's own key; empty if there is neither."""
    from wardround.records import keys

    if not requested:
        own = keys.own_key_file()
        return f"file:{own}" if own.exists() else ""
    is_file = ":" not in requested or os.path.exists(requested)
    return f"file:{requested}" if is_file else requested
