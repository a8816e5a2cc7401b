"""The checkout of a CI run: its commits, and those that must be fetched from ``origin`` first.

Fetching starts nothing that the change could contribute: no git hook, no submodule, no file system monitor,
no maintenance, and only protocols that run no command of their own. It moves no ref; it writes only the
commits and ``FETCH_HEAD``.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence

from wardround.change.git_process import GitProcess
from wardround.change.repository import Repository
from wardround.change.revisions import has_ancestry, is_ref_name, object_id
from wardround.errors import GitError

_FETCH_TIMEOUT_S = 300.0
_FETCH_SETTINGS = (
    "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.ext.allow=never",
    "-c", "fetch.writeCommitGraph=false", "-c", "submodule.recurse=false",
)  # fmt: skip
_FETCH = (
    "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-gc", "--refmap=",
    "--upload-pack=git-upload-pack",
)  # fmt: skip
_PROTOCOLS = "https:ssh:http:file"
_REMOTE = "origin"
_OBJECTS_AT_ONCE = 500
"""Maximum number of objects that are named in the arguments of one fetch."""
_DEEPENING = (50, 500)
"""Numbers of commits by which a shallow clone is deepened step by step, before all of its history is fetched.
"""


class Checkout:
    """The commits of a repository and of its remote ``origin``."""

    def __init__(self, repository: Repository, environ: Mapping[str, str], *, may_fetch: bool) -> None:
        self._git = GitProcess(repository.root, environ)
        self._may_fetch = may_fetch
        self._fetch_environment = {**self._git.env, "GIT_ALLOW_PROTOCOL": _PROTOCOLS}
        self.empty_tree = repository.empty_tree
        self.fetch_error = ""

    def local(self, revision: str) -> str | None:
        """Return the id of a local commit; git reads the name from its input, where nothing is an option."""
        out = self._git.output("cat-file", "--batch-check", stdin=os.fsencode(f"{revision}^{{commit}}\n"))
        fields = out.split()
        return fields[0] if len(fields) == 3 and fields[1] == "commit" else None

    def commit(self, revision: str) -> str | None:
        """Return the id of the commit that a revision names: of ``origin``, local, or still to be fetched."""
        tracked = None if revision == "HEAD" else self.local(f"refs/remotes/{_REMOTE}/{revision}")
        found = tracked or self.local(revision)
        if found is not None or not has_ancestry(revision):
            return found or self._fetch_revision(revision)
        head = self.local("HEAD")
        deeper = head is not None and self._is_shallow and self._fetch(f"--deepen={_DEEPENING[0]}", head)
        return self.local(revision) if deeper else None

    def branch(self, name: str, containing: str | None) -> str | None:
        """Return the tip of a branch of ``origin``, fetched unless the local one is new enough.

        Args:
            containing: a commit that the branch had at the time of the event.
        """
        if not is_ref_name(name):
            return None
        tracked = self.local(f"refs/remotes/{_REMOTE}/{name}")
        if tracked is not None and (
            containing is None or self._merge_base(containing, tracked) == containing
        ):
            return tracked
        return self._fetch_commit(f"refs/heads/{name}") or tracked

    def default_branch(self) -> str | None:
        """Return the tip of the branch that ``HEAD`` of ``origin`` names."""
        return self.local(f"refs/remotes/{_REMOTE}/HEAD") or self._fetch_commit("HEAD")

    def parents(self, commit: str) -> list[str]:
        """Return the ids of a commit's parents; in a shallow clone it may have none."""
        out = self._git.output("cat-file", "--batch", stdin=f"{commit}\n".encode())
        header = out.partition("\n")[2].partition("\n\n")[0]
        return [line.split(" ")[1] for line in header.split("\n") if line.startswith("parent ")]

    def first_parent(self, commit: str) -> str | None:
        """Return the first parent of a commit, fetched if a shallow clone lacks it; None for a root."""
        parents = self.parents(commit)
        if not parents:
            return None
        self.merge_base(parents[0], commit, deepening=(1, *_DEEPENING))
        return self.local(parents[0])

    def merge_base(
        self, value: str, other: str, *, deepening: tuple[int, ...] = _DEEPENING, complete: bool = True
    ) -> str | None:
        """Return the merge base of two commits; a shallow clone is deepened until they have one.

        Args:
            deepening: how many commits are fetched in each step.
            complete: fetch all of the history in the end.
        """
        for commits in deepening:
            found = self._merge_base(value, other)
            if found is not None or not self._is_shallow:
                return found
            if not self._fetch(f"--deepen={commits}", value, other):  # one of them may be local only
                self._fetch(f"--deepen={commits}")
        found = self._merge_base(value, other)
        if found is None and complete and self._is_shallow and self._fetch("--unshallow"):
            found = self._merge_base(value, other)
        return found

    def complete(self, *commits: str) -> None:
        """Fetch the folders and files of commits that a partial clone lacks.

        Objects that cannot be fetched remain missing, and their files are not reviewed.
        """
        if not self._git.output("config", "--get-regexp", r"^remote\..*\.promisor$", allow=(0, 1)):
            return
        missing = self._missing_objects(commits)
        while missing and all(
            self._fetch("--filter=blob:none", *missing[start : start + _OBJECTS_AT_ONCE])
            for start in range(0, len(missing), _OBJECTS_AT_ONCE)
        ):
            before, missing = missing, self._missing_objects(commits)
            if missing == before:
                return

    def _missing_objects(self, commits: Sequence[str]) -> list[str]:
        """Return the ids of the objects of the trees of commits that are not in the clone."""
        options = ("--objects", "--missing=print", "--no-walk")
        found = self._git.output("rev-list", *options, "--end-of-options", *commits, allow=(0, 128))
        return sorted(line[1:] for line in found.splitlines() if line.startswith("?"))

    def _merge_base(self, value: str, other: str) -> str | None:
        out = self._git.output("merge-base", "--end-of-options", value, other, allow=(0, 1, 128))
        return out.strip() or None

    @property
    def _is_shallow(self) -> bool:
        return self._git.output("rev-parse", "--is-shallow-repository").strip() == "true"

    def _fetch_revision(self, revision: str) -> str | None:
        """Return the commit a name has at ``origin``: an id, a full ref, a branch or a tag."""
        name = revision.removeprefix(f"{_REMOTE}/")
        if object_id(name) or name == "HEAD" or name.startswith("refs/"):
            return self._fetch_commit(name)
        return self._fetch_commit(f"refs/heads/{name}") or self._fetch_commit(f"refs/tags/{name}")

    def _fetch_commit(self, source: str) -> str | None:
        depth = ("--depth=1",) if self._is_shallow else ()
        return self.local("FETCH_HEAD") if self._fetch(*depth, source) else None

    def _fetch(self, *arguments: str) -> bool:
        """Fetch from ``origin``; options come first, then refs and commits."""
        if not self._may_fetch:
            self.fetch_error = "--no-fetch is given"
            return False
        options = [argument for argument in arguments if argument.startswith("--")]
        sources = arguments[len(options) :]
        argv = self._git.argv(*_FETCH_SETTINGS, *_FETCH, *options, "--end-of-options", _REMOTE, *sources)
        try:
            done = subprocess.run(
                argv, cwd=self._git.folder, env=self._fetch_environment, stdin=subprocess.DEVNULL,
                capture_output=True, check=False, start_new_session=True, timeout=_FETCH_TIMEOUT_S,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            self.fetch_error = f"git fetch did not end within {_FETCH_TIMEOUT_S:g} s"
            return False
        except OSError as cause:
            raise GitError(
                f"git cannot be started: {cause.strerror}; install git, or add it to PATH"
            ) from cause
        if done.returncode != 0:
            self.fetch_error = _reason(os.fsdecode(done.stderr))
        return done.returncode == 0


def _reason(errors: str) -> str:
    """Return the first error that git prints; advice may follow it."""
    lines = errors.strip().splitlines()
    found = [line.removeprefix("fatal: ") for line in lines if line.startswith("fatal: ")]
    return next(iter([*found, *lines]), "git fetch failed")
