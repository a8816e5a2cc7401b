"""Proof that a tool works: once per program, it must report a known defect.

A program that prints an empty list, or nothing, or its version, resembles a tool that found nothing. The
defect is on a line chosen at random each time, so that recorded output does not pass. A malicious program may
still report this defect and no other; its digest, which reports name, reveals it.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath

import msgspec

from wardround import __version__
from wardround.errors import PLUGIN_EXCEPTIONS, ToolFailed, ToolMissing
from wardround.findings import RawFinding
from wardround.storage.digest import digest_key
from wardround.storage.memo import memoize_on_disk
from wardround.tools.configuration import configuration
from wardround.tools.identity import identity
from wardround.tools.process import Processes, minimal_env
from wardround.tools.tool import Invocation, Probe, Tool

_MOST_LINES_ABOVE = 97
_NUMBER = itertools.count()


class _ProbeSettings(msgspec.Struct, frozen=True):
    """The settings of a probe as the configuration of a project."""

    texts: Mapping[str, str]

    def read(self, path: str) -> str | None:
        return self.texts.get(path)

    def files_in(self, folder: str) -> Iterable[str]:
        return [path for path in self.texts if path.startswith(f"{folder}/")]


class Proofs:
    """Verifies that tools work, each once; proofs are cached for other processes.

    Args:
        folder: makes the private folder, when the first proof is needed.
    """

    def __init__(self, processes: Processes, folder: Callable[[], Path]) -> None:
        self._processes = processes
        self._folder = folder
        self._outcomes: dict[tuple[Tool, Path], ToolFailed | None] = {}
        self._locks: dict[tuple[Tool, Path], threading.Lock] = {}
        self._lock = threading.Lock()

    def require(self, tool: Tool, program: Path) -> None:
        """Verify that a program works as a tool.

        Raises:
            ToolFailed: it does not report the defect.
        """
        if tool.probe is None:
            return
        key = (tool, program)
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._outcomes:
                self._outcomes[key] = self._outcome(tool, program, tool.probe)
        failure = self._outcomes[key]
        if failure is not None:
            raise failure

    def _outcome(self, tool: Tool, program: Path, probe: Probe) -> ToolFailed | None:
        try:
            memoize_on_disk(
                "proofs", _name(tool, program, probe), lambda: self._prove(tool, program, probe), bool
            )
        except ToolFailed as failure:
            return failure
        return None

    def _prove(self, tool: Tool, program: Path, probe: Probe) -> bool:
        """Return True; a failed proof is not cached, so that a repaired tool is tested again."""
        above = 1 + os.urandom(1)[0] % _MOST_LINES_ABOVE
        found = self._results(tool, program, probe, above)
        expected = (probe.path, probe.code, probe.line + above)
        if not any((f.file, f.code, f.span.line) == expected for f in found):
            raise _failed_proof(tool, f"it did not report {probe.code} in a file that has it")
        return True

    def _results(self, tool: Tool, program: Path, probe: Probe, above: int) -> list[RawFinding]:
        """Return its findings in a file that has the defect below some empty lines."""
        run = _prepare_probe(self._folder() / f"probe-{next(_NUMBER)}", tool, program, probe, above)
        try:
            printed = self._processes.capture(
                tool.command(run),
                cwd=run.root,
                timeout_s=tool.timeout_s,
                clean=tool.success_codes,
                env=minimal_env(program, run.scratch, tool.variables),
            )
            return list(tool.parse(printed.out, run))
        except ToolMissing:
            raise
        except (ToolFailed, OSError) as failure:
            text = str(failure).replace(f"{run.root}/", "").replace(str(run.root.parent), "probe")
            raise _failed_proof(tool, text) from failure
        except (msgspec.MsgspecError, ValueError, *PLUGIN_EXCEPTIONS) as cause:
            raise _failed_proof(tool, f"its output could not be read: {cause}") from cause


def _failed_proof(tool: Tool, reason: str) -> ToolFailed:
    from wardround.tools.install_hints import install_hint  # most tools work

    return ToolFailed(
        f"{tool.program} failed its self-test: {reason}; reinstall it: {install_hint(tool.install)}"
    )


def _name(tool: Tool, program: Path, probe: Probe) -> str:
    """Return a digest of the inputs of a proof."""
    variables = (part for pair in sorted(tool.variables.items()) for part in pair)
    settings = (part for pair in sorted(probe.settings.items()) for part in pair)
    known = identity(tool, program)
    location = os.path.join(os.path.realpath(program.parent), program.name)
    return digest_key(
        __version__, tool.name, location, known.digest, known.version, probe.path, probe.text, probe.code,
        str(probe.line), *variables, "settings", *settings,
    ).hex()  # fmt: skip


def _prepare_probe(room: Path, tool: Tool, program: Path, probe: Probe, above: int) -> Invocation:
    """Write a project that contains only the defect; return its folder."""
    root, scratch = room / "repo", room / "home"
    scratch.mkdir(parents=True)
    files: dict[str, str] = dict(probe.settings)
    settings = _ProbeSettings(probe.settings)
    for folder in reversed([str(parent) for parent in PurePosixPath(probe.path).parents]):
        files = configuration(tool, "" if folder == "." else folder, settings, files)
    for name, text in {**files, probe.path: "\n" * above + probe.text}.items():
        target = Path(os.path.normpath(root / name))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return Invocation(program, root, (probe.path,), None, scratch)
