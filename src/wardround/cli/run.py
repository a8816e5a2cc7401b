"""Open a change, review it and write the reports, for ``review``, ``hook`` and ``baseline``."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.accepting import accepted_review, write_accepted_record
from wardround.cli.messages import echo_err
from wardround.cli.process import Interrupted
from wardround.cli.recording import record_review, require_signer
from wardround.cli.review_history import add_history
from wardround.cli.ticket import requested_ticket
from wardround.errors import UsageError
from wardround.own_command import use_own_command
from wardround.text.escaping import defuse_commands, is_ci_log, one_line

if TYPE_CHECKING:
    from wardround.change.change_source import ChangeSource
    from wardround.change.diff import Change
    from wardround.change.repository import Repository
    from wardround.cli.options import ChangeSpec, Colour, RecordSpec, ReportSpec, TicketSpec
    from wardround.config.request import ReviewRequest
    from wardround.review_result import ReviewResult
    from wardround.session import ReviewSession


@contextmanager
def open_change(target: ChangeSpec) -> Iterator[tuple[ChangeSource, Change, Repository | None]]:
    """Open the change of a target; it is readable inside the context."""
    from wardround.change.change_source import PatchChangeSource
    from wardround.change.opening import open_repository

    if target.diff_file is not None:
        source = PatchChangeSource(_diff_text(target.diff_file), (target.repo or Path.cwd()).resolve())
        yield source, source.change, None
        return
    with open_repository(target.repo, partial(_change, target=target)) as opened:
        yield opened


def _change(repository: Repository, target: ChangeSpec) -> Change:
    if target.all_files:
        return _all_files(repository, target)
    change = _named_change(repository, target)
    is_empty = not change.files and target.or_all_files
    return _all_files(repository, target) if is_empty else change


def _all_files(repository: Repository, target: ChangeSpec) -> Change:
    return repository.all_files([_inside(repository.root, path) for path in target.paths])


def _inside(root: Path, path: str) -> str:
    """Return a path of the work tree relative to its top; a link itself is not followed.

    Raises:
        UsageError: it is outside.
    """
    complete = Path(os.path.abspath(path))
    try:
        inside = (complete.parent.resolve() / complete.name).relative_to(root.resolve())
    except ValueError:
        if complete.resolve() == root.resolve():
            return ""
        raise UsageError(
            f"{path}: it is outside of {root}; name files and folders of the repository"
        ) from None
    return "" if str(inside) == "." else inside.as_posix()


def _tell_of_all_files(files: int) -> None:
    counted = f"{files} tracked file{'' if files == 1 else 's'}"
    echo_err(f"wardround: the change is empty, so {counted} of the work tree are reviewed")


def _named_change(repository: Repository, target: ChangeSpec) -> Change:
    from wardround.change.opening import change_between
    from wardround.change.revisions import require_revision

    if target.staged:
        return repository.staged_change()
    if target.worktree:
        return repository.worktree()
    if target.since_root:
        head = require_revision(target.head or "HEAD", target.named_by[1])
        return repository.range(repository.empty_tree, repository.commit(head))
    assert target.base is not None
    return change_between(repository, target.base, target.head or "HEAD", target.named_by)


def _diff_text(name: str) -> str:
    if name == "-" and sys.stdin.name == os.devnull:  # opened in place of what was closed
        raise UsageError("--diff-file -: standard input is closed; give a diff there, or name a file")
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as cause:
        raise UsageError(f"--diff-file {name}: {cause.strerror}; give a file or -") from cause
    if b"\0" in data:
        raise UsageError(f"--diff-file {name}: it is binary; give a unified diff, as git diff prints it")
    return data.decode("utf-8", "surrogateescape")


def run_and_report(
    target: ChangeSpec,
    request: ReviewRequest,
    outputs: Sequence[ReportSpec],
    amended: Callable[[ReviewResult], ReviewResult] = lambda review: review,
    record: RecordSpec | None = None,
    ticket: TicketSpec | None = None,
) -> ReviewResult:
    """Review a change, write the reports, and record the review.

    Args:
        amended: adds the caller's notes about the change to the review before it is reported.
    """
    request = request.merging_into(target.base)
    with open_change_async(target) as opening, progress_line() as progress:
        from wardround import host
        from wardround.cli.options import RecordSpec
        from wardround.execution.fork_executor import ForkExecutor
        from wardround.execution.resources import Resources
        from wardround.fixes.unfinished import is_unfinished
        from wardround.policy.gate import GateOutcome
        from wardround.reports import last_review, text
        from wardround.review import run_review
        from wardround.session import ReviewSession

        spec = record or RecordSpec()
        require_signer(spec)
        with redirect_stdout(sys.stderr):  # what a plugin prints is no part of a report
            loaded = host.load()
            origin, change, repository = opening.result()
            if change.all_files and not target.all_files:
                _tell_of_all_files(len(change.files))
            resources = Resources(progress=progress, executor=ForkExecutor())
            with ReviewSession(origin, loaded, request, resources, may_defer=True) as opened:
                session = _add_ticket(opened, ticket, repository)
                is_change = not change.all_files
                accepted = accepted_review(spec, session) if is_change else None
                done = amended(run_review(session) if accepted is None else accepted.review)
                done = add_history(done, spec, origin.root) if is_change else done
        progress("")
        if repository is not None:
            last_review.save(repository.root, done)
            if is_unfinished(repository.git_dir):
                echo_err("wardround: an earlier --fix was interrupted; wardround review --fix completes it")
        for output in outputs:
            write(output, done, origin.root)
        if done.gate.outcome is not GateOutcome.PASS and not any(
            output.is_read_at_once for output in outputs
        ):
            echo_err(text.summary_line(done))
        if accepted is None and is_change:
            record_review(spec, done, loaded, repository, origin.root)
        elif accepted is not None:
            write_accepted_record(spec, accepted, origin.root)
    if done.is_blocked_by_verdict and not done.is_declined:
        echo_err(_blocking_verdict_message(done))
    if done.unstaged:
        echo_err(_unstaged_message(done.unstaged))
    return done


def _add_ticket(
    session: ReviewSession, ticket: TicketSpec | None, repository: Repository | None
) -> ReviewSession:
    if ticket is None or not ticket.reference:
        return session
    return session.with_ticket(requested_ticket(ticket, session, repository))


def _blocking_verdict_message(review: ReviewResult) -> str:
    """Return the sentence for a verdict that blocks although the gate may pass."""
    failing = [name for name in review.request.failing_verdicts(review.config) if name != "declined"]
    named = " and ".join(dict.fromkeys(failing))
    return f"wardround: the verdict {review.conclusion.verdict.name} blocks: fail-on-verdict names {named}"


def _unstaged_message(paths: Sequence[str]) -> str:
    names = ", ".join(paths)
    differ = "differs" if len(paths) == 1 else "differ"
    hint = f"git add {' '.join(paths)} to use what is there"
    return f"wardround: reviewed with the staged {names}, which {differ} from the work tree; {hint}"


class ChangeOpening:
    """A change that another thread opens meanwhile."""

    def __init__(self, target: ChangeSpec) -> None:
        self._context = open_change(target)
        self._opened: tuple[ChangeSource, Change, Repository | None] | None = None
        self._trouble: BaseException | None = None
        self._thread = threading.Thread(target=self._open_session, daemon=True)
        self._thread.start()

    def _open_session(self) -> None:
        try:
            self._opened = self._context.__enter__()
        except BaseException as trouble:  # noqa: BLE001  (raised again in the thread that asks)
            self._trouble = trouble

    def result(self) -> tuple[ChangeSource, Change, Repository | None]:
        """Return the opened change, or raise the error of the thread."""
        self._thread.join()
        if self._trouble is not None:
            raise self._trouble
        assert self._opened is not None
        return self._opened

    def close(self, patience_s: float | None = None) -> None:
        """Close the change; a thread that is still opening it after the timeout is abandoned."""
        self._thread.join(patience_s)
        if not self._thread.is_alive() and self._opened is not None:
            self._context.__exit__(None, None, None)


@contextmanager
def open_change_async(target: ChangeSpec) -> Iterator[ChangeOpening]:
    """Run git diff in a thread while the specialists are loaded."""
    opening = ChangeOpening(target)
    patience_s: float | None = None
    try:
        yield opening
    except Interrupted:
        patience_s = 0.0  # git may take long, and nobody reads its answer any more
        raise
    finally:
        opening.close(patience_s)


def apply_fixes(target: ChangeSpec, request: ReviewRequest) -> None:
    """Apply the safe fixes of a review and print a summary on standard error.

    A fix that an earlier run started and did not complete is completed first.
    """
    from msgspec.structs import replace

    from wardround import host
    from wardround.change.repository import Repository
    from wardround.execution.fork_executor import ForkExecutor
    from wardround.execution.resources import Resources
    from wardround.fixes import journal
    from wardround.fixes.apply import fix
    from wardround.review import review_once

    if not target.is_uncommitted:
        raise UsageError("--fix needs --staged, --worktree or --all-files; a commit cannot be changed")
    with Repository(target.repo) as unfinished:
        for path in journal.recover(unfinished):
            echo_err(f"{path}: an unfinished fix was dropped, since the file or the clone has changed")
    loaded = host.load()
    with open_change(target) as (origin, _, repository):
        assert repository is not None
        still = replace(request, run=())
        done = review_once(origin, loaded, still, Resources(executor=ForkExecutor()))
        fixed = fix(repository, done, loaded.breakage)
    for reason in fixed.refused:
        echo_err(f"not fixed: {reason}")
    if fixed.files:
        echo_err(f"fixed {fixed.findings} in {', '.join(fixed.files)}; as a patch: {fixed.patch}")


def write(output: ReportSpec, review: ReviewResult, work_tree: Path) -> None:
    """Write one report to its file or to standard output, never through a link of the work tree."""
    from wardround.reports import renderer
    from wardround.storage import directories

    if output.format == "text" and output.path is None:
        _print_text(output, review)
        return
    rendered = renderer(output.format)(review)
    is_escaped = output.format == "github"
    if output.path is None:
        emit(rendered, escaped=is_escaped)
        return
    try:
        directories.write_file(output.path, _printable(rendered, escaped=is_escaped), work_tree)
    except directories.LinkRefusedError as cause:
        raise UsageError(f"--format {output.format}={output.path}: {cause}") from cause
    except OSError as cause:
        raise UsageError(
            f"--format {output.format}={output.path}: {cause.strerror}; give another file"
        ) from cause


def _columns(default: int) -> int:
    """Return the width of the terminal; the default without one."""
    if not sys.stdout.isatty():
        return default
    import shutil  # loads archive formats

    return shutil.get_terminal_size((default, 0)).columns


def _print_text(output: ReportSpec, review: ReviewResult) -> None:
    """Print the report for people, as wide as the terminal."""
    from wardround.reports import finding_lines, terminal, text

    with terminal.wrap_at_columns(_columns(terminal.WIDTH)):
        if not wants_colour(output.colour):
            emit(text.render(review))
            return
        link = finding_lines.link_text if sys.stdout.isatty() else finding_lines.skip_link
        rendered = text.render(review, text.colour, link)
    emit(defuse_commands(rendered) if is_ci_log(os.environ) else rendered, escaped=True)


def emit(text: str, *, escaped: bool = False) -> None:
    """Print lines as UTF-8 whatever the locale, escaped for a terminal and a CI log.

    Args:
        escaped: the lines are already escaped and contain our own colours or workflow commands.
    """
    sys.stdout.flush()
    sys.stdout.buffer.write(_printable(text, escaped=escaped))
    sys.stdout.buffer.flush()


def emit_line(text: str) -> None:
    """Print a message on one line; commands in it are those of this installation."""
    emit(one_line(use_own_command(text)) + "\n")


def _printable(text: str, *, escaped: bool) -> bytes:
    from wardround.text.escaping import lines_for_log

    return (text if escaped else lines_for_log(text, os.environ)).encode("utf-8", "backslashreplace")


def wants_colour(requested: Colour = "auto") -> bool:
    """Return True if colours are requested, or standard output is a terminal and they are not disabled.

    The option decides, then NO_COLOR, then FORCE_COLOR, then the terminal.
    """
    if requested != "auto":
        return requested == "always"
    if os.environ.get("NO_COLOR"):
        return False
    forced = os.environ.get("FORCE_COLOR")
    if forced:
        return forced != "0"
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


color_option = click.option(
    "--color", "colour", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True,
    help="Colours of the text report; auto follows the terminal, NO_COLOR and FORCE_COLOR.",
)  # fmt: skip


@contextmanager
def progress_line() -> Iterator[Callable[[str], None]]:
    """Show the current step on a terminal line; nothing without a terminal."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda text: None
        return

    def show(text: str) -> None:
        print(f"\r\x1b[K{one_line(text)[:79]}", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        show("")


def require_one(options: dict[str, bool], hint: str) -> None:
    """Reject more than one way to name the change."""
    given = [name for name, used in options.items() if used]
    if len(given) > 1:
        raise click.UsageError(f"{' and '.join(given)} cannot go together; {hint}")


def require_base(head: str | None, base: str | None) -> None:
    """Reject a head without a base."""
    if head is not None and base is None:
        raise click.UsageError("--head needs --base; name the commit it is compared with")
