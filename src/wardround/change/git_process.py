"""Run git so that it changes nothing and never prompts.

Optional locks, external diffs, text conversion, terminal prompts, object fetching, replaced objects and the
programs of a file system monitor, of git hooks and of filters are off.
``GIT_INDEX_FILE`` is preserved: ``git commit -a`` and ``git commit PATH`` point it at the index that will be
committed.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property
from pathlib import Path

from wardround.change.git_programs import FILTERS, with_settings, without_filters
from wardround.errors import GitError

_NEUTRAL_CONFIG = (
    "-c", "diff.autoRefreshIndex=false", "-c", "diff.renames=true",
    "-c", "diff.interHunkContext=0", "-c", "core.quotePath=true", "-c", "diff.suppressBlankEmpty=false",
    "-c", "core.commitGraph=true", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
    "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "submodule.recurse=false",
)  # fmt: skip
_LOCATION_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR")


class GitProcess:
    """Runs git in a folder.

    Attributes:
        folder: the working directory; the top of the work tree, once that is known.
        env: its environment.
    """

    def __init__(self, folder: Path | None, environ: Mapping[str, str]) -> None:
        self.env = _git_environment(environ, keep_location=folder is None)
        self.folder = Path.cwd() if folder is None else folder
        if not self.folder.is_dir():
            raise GitError(f"{self.folder} is not a folder; give the root of a git repository")

    def argv(self, *arguments: str, literal: bool = True) -> list[str]:
        """Return the argument list for a git command; pathspecs are literal by default."""
        return ["git", *_NEUTRAL_CONFIG, *(("--literal-pathspecs",) if literal else ()), *arguments]

    @cached_property
    def unfiltered(self) -> GitProcess:
        """Git that compares and writes files of the work tree by their bytes, without filters."""
        keys = self.output("config", "--null", "--name-only", "--get-regexp", FILTERS, allow=(0, 1))
        other = copy(self)
        other.env = with_settings(self.env, without_filters(keys.split("\0")))
        return other

    def settings(self, pattern: str) -> dict[str, str]:
        """Return the settings whose key matches a pattern of git, the last value of each."""
        rows = self.output("config", "--null", "--get-regexp", pattern, allow=(0, 1)).split("\0")
        return {key: value for key, _, value in (row.partition("\n") for row in rows) if key}

    def popen(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start git; its standard output is a pipe."""
        return subprocess.Popen(
            self.argv(*arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            env=self.env,
            cwd=self.folder,
            start_new_session=True,
        )

    def output(
        self, *arguments: str, allow: tuple[int, ...] = (0,), literal: bool = True, stdin: bytes = b""
    ) -> str:
        """Run git and return its output, undecodable bytes as surrogate escapes.

        Raises:
            GitError: git is not installed, or exits with a status that is not allowed.
        """
        try:
            done = subprocess.run(
                self.argv(*arguments, literal=literal),
                capture_output=True,
                input=stdin,
                env=self.env,
                cwd=self.folder,
                check=False,
                start_new_session=True,
            )
        except FileNotFoundError as cause:
            raise GitError("git is not on PATH; install git, or add it to PATH") from cause
        if done.returncode not in allow:
            raise GitError(_git_complaint(self.folder, arguments, done.stderr))
        return os.fsdecode(done.stdout)


def _git_environment(environ: Mapping[str, str], *, keep_location: bool) -> dict[str, str]:
    env = dict(environ)
    for name in _LOCATION_VARIABLES:
        if name not in env:
            continue
        if keep_location:
            # Git sets these relative to the folder it starts a hook in; wardround runs it at the root.
            env[name] = os.path.abspath(env[name])
        else:
            del env[name]
    if not keep_location:
        env.pop("GIT_PREFIX", None)
    for name in ("GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_PAGER", "GIT_TRACE", "GIT_CONFIG"):
        env.pop(name, None)
    env |= {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "LC_ALL": "C",
    }
    return env


def _git_complaint(folder: Path, arguments: Sequence[str], stderr: bytes) -> str:
    text = os.fsdecode(stderr).strip()
    last = text.splitlines()[-1] if text else "no reason given"
    if "not a git repository" in text:
        return f"{folder} is not in a git repository; run wardround in one, or give --repo DIR"
    if "dubious ownership" in text:
        return (
            f"git does not trust {folder}, which another user owns; "
            f"run git config --global --add safe.directory {folder}"
        )
    return f"git {arguments[0]} failed in {folder}: {last.removeprefix('fatal: ')}"
