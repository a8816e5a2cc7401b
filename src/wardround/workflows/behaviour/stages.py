"""The runs in the sandbox: tests whose calls are recorded, and the same calls at base and head.

The files that a run writes are data of untrusted code. Pickles are passed on as bytes and are loaded in the
sandbox only; results are JSON of limited size.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from wardround.change.repository import Repository
from wardround.context.run_evidence import InputOrigin
from wardround.errors import EnvironmentUnavailable
from wardround.sandbox.model import Limits, Outcome, State, Visible
from wardround.sandbox.run import run
from wardround.sandbox.tree import EphemeralTree
from wardround.workflows.behaviour.limits import BehaviourLimits
from wardround.workflows.behaviour.targets import Target
from wardround.workflows.environments.model import Environment, link_packages
from wardround.workflows.inner_program import PACKAGE
from wardround.workflows.run_output import has_too_many_values

_INPUTS, _SUMMARY, _RESULTS = ".wardround-inputs", ".wardround-summary", ".wardround-results"
_ATTRIBUTES = ".wardround-attributes"
_MOST_INPUT_BYTES = 96 * 1024 * 1024
_MOST_RESULT_BYTES = 96 * 1024 * 1024
_MOST_SUMMARY_BYTES = 1024 * 1024
_MOST_PAYLOAD_BYTES = 256 * 1024
_CROSSING_SHARE = 0.25
_SHORTEST_REMOVED = 3
_GRACE_S = 30.0
"""Elapsed time of a run divided by that of its calls, for imports."""
_PYTEST = (
    "-q", "--color=no", "-o", "cache_dir=.wardround-cache", "-p", "no:randomly", "-p", "no:random_order",
    "--continue-on-collection-errors",
)  # fmt: skip
_WITHOUT_OPTIONS = ("-o", "addopts=")
_FAKE_CLOCKS = ("/usr/lib/*-linux-gnu/faketime/libfaketime.so.1", "/usr/lib*/faketime/libfaketime.so.1")
_FROZEN = (("FAKETIME", "@2026-01-01 00:00:00 i0.0"), ("FAKETIME_DONT_FAKE_MONOTONIC", "1"))


class RecordedFunction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The record of one function; ``problem`` is the last reason for which a call was excluded."""

    calls: int
    inputs: int
    problem: str


class RecordedEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A function through which tests called targets, by their numbers; its own number follows theirs."""

    path: str
    name: str
    reaches: tuple[int, ...]


class UncollectedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file whose tests pytest could not collect, and the end of its error."""

    path: str
    error: str


class Recorded(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The record of a run of tests: started tests, functions by number, and folders of imports."""

    tests: int
    functions: tuple[RecordedFunction, ...]
    paths: tuple[str, ...]
    cpu_s: float
    entries: tuple[RecordedEntry, ...] = ()
    uncollected: tuple[UncollectedFile, ...] = ()


class ReplayedCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The result and the effects of one call on one tree.

    Attributes:
        call: its number; the same on each tree.
        kind: ``returned`` or ``raised``; otherwise it cannot be compared, for the reason in ``text``.
        text: the result in a form that is the same for equal values.
        shown: the result for a person.
        type: the class of the exception.
        is_stale: an object made before the change lacks an attribute.
        changed: by parameter, for arguments that the call changed: the text, the text for a person, and the
            text before the call.
        written: the call as a person would write it.
        arguments: the number of those that it passes.
        classes: ``module:name`` of the classes of objects in its arguments.
        patterns: the regular expressions of matches in its arguments.
        through: the public function of the tree through which the test called a private one; else empty.
        compiled: the source of each regular expression in the result, with a digest of its matches, if the
            run had strings for that.
        made_by: the numbers of the changed functions that returned something in its arguments.
        returned: it was recorded, and raised nothing in the test.
    """

    call: int
    function: int
    origin: InputOrigin
    test: str
    kind: str
    text: str = ""
    shown: str = ""
    type: str = ""
    is_stale: bool = False
    changed: dict[str, tuple[str, str, str]] = {}
    printed: str = ""
    written: str = ""
    arguments: int = 0
    classes: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    through: str = ""
    compiled: dict[str, str] = {}
    made_by: tuple[int, ...] = ()
    returned: bool = False


class Probes(msgspec.Struct, frozen=True):
    """Regular expressions, by their sources in results, and strings on which they are compared."""

    patterns: tuple[str, ...]
    texts: tuple[str, ...]


class RecordedRun(msgspec.Struct, frozen=True):
    """A run of tests; ``inputs`` are pickles that nothing outside of the sandbox may load."""

    outcome: Outcome
    recorded: Recorded | None
    inputs: bytes


class ReplayedRun(msgspec.Struct, frozen=True):
    """The calls on one tree.

    Attributes:
        inputs: with the mutated ones that the first run added.
        attributes: public attributes of the objects of the first run, by ``module:class``.
    """

    outcome: Outcome
    calls: tuple[ReplayedCall, ...]
    inputs: bytes
    attributes: dict[str, list[str]] | None = None


class Stages(msgspec.Struct, frozen=True):
    """The runs of one comparison, all in the same environment.

    Attributes:
        environ: the caller's environment; None for that of this process.
        removed_texts: text literals that the change removes.
    """

    repository: Repository
    environment: Environment
    targets: tuple[Target, ...]
    limits: BehaviourLimits
    isolation: str
    environ: Mapping[str, str] | None
    removed_texts: frozenset[str] = frozenset()

    def record(self, side: str, tests: Sequence[str]) -> RecordedRun:
        """Run tests on a tree.

        Args:
            tests: files, and ids without parameters; none for all tests.
        """
        attempts: list[tuple[Sequence[str], Sequence[str]]] = [(tests, _WITHOUT_OPTIONS), (tests, ())]
        if tests:
            attempts.append(((), ()))  # pytest starts nothing if the project ignores one of the files
        for names, options in attempts:
            found = self._record(side, names, (*_PYTEST, *options))
            is_over = found.outcome.state is not State.FINISHED  # another attempt reaches the limit, too
            if found.recorded is None or found.recorded.tests or is_over:
                break
        return found

    def _record(self, side: str, tests: Sequence[str], options: Sequence[str]) -> RecordedRun:
        limits = self.limits
        job = {
            "functions": [
                {"path": target.base_path, "name": target.base.name, "lines": [target.base.line]}
                for target in self.targets
            ],
            "limits": {
                "inputs": limits.inputs, "inputs_per_test": limits.inputs_per_test,
                "cpu_s": limits.recording_cpu_s, "share": limits.recording_share,
                "entries": limits.entries, "entries_per_function": limits.entries_per_function,
                "bytes": _MOST_PAYLOAD_BYTES, "total_bytes": _MOST_INPUT_BYTES // 4,
            },
            "removed": sorted(text for text in self.removed_texts if len(text) >= _SHORTEST_REMOVED),
            "inputs": _INPUTS,
            "summary": _SUMMARY,
            "arguments": [*options, *dict.fromkeys(test.partition("::")[0] for test in tests)],
            "tests": [test for test in tests if "::" in test],
        }  # fmt: skip
        with EphemeralTree(self.repository, side) as tree:
            outcome = self._run(tree, "record", job, b"", limits.tests_s, seed=0)
            inputs = tree.read(_INPUTS, _MOST_INPUT_BYTES) or b""
            return RecordedRun(outcome, _decode(tree.read(_SUMMARY, _MOST_SUMMARY_BYTES)), inputs)

    def replay(
        self, side: str, run_of_tests: RecordedRun, first: ReplayedRun | None, *, hash_seed: int,
        is_base: bool, only: Sequence[int] | None = None, alone: bool = False, probes: Probes | None = None,
    ) -> ReplayedRun:  # fmt: skip
        """Repeat calls on a tree.

        Args:
            first: the first run; None for that run itself, which adds mutated inputs to the recorded ones.
            only: the numbers of the calls; None for all.
            alone: repeat each call in a separate process.
            probes: for regular expressions in the results; None compares them by their text.
        """
        paths = run_of_tests.recorded.paths if run_of_tests.recorded else ()
        with EphemeralTree(self.repository, side) as tree:
            given, is_first = f"{_folder(tree)}/inputs", first is None
            inputs = run_of_tests.inputs if first is None else first.inputs
            job = {
                "functions": [self._describe_target(target, is_base=is_base) for target in self.targets],
                "recorded": given if is_first else "",
                "inputs": _INPUTS if is_first else given,
                "output": _RESULTS,
                "paths": paths,
                "only": None if only is None else list(only),
                "alone": alone,
                "probes": None if probes is None else msgspec.to_builtins(probes),
                "texts": is_first,
                "attributes": None if is_base or first is None else first.attributes,
                "attributes_file": _ATTRIBUTES,
                "freeze": not _fake_clock(),
                "seed": self.limits.seed,
                "most_inputs": self.limits.all_inputs,
                "wall_s": self.limits.replay_s,
                "cpu_s": self.limits.replay_cpu_s * (1 if is_first else 2),
            }
            outcome = self._run(
                tree, "replay", job, inputs, self.limits.replay_s + _GRACE_S, hash_seed, is_frozen=True
            )
            calls = tuple(_calls(tree.read(_RESULTS, _MOST_RESULT_BYTES) or b""))
            if not is_first:
                return ReplayedRun(outcome, calls, inputs)
            attributes = _attributes(tree.read(_ATTRIBUTES, _MOST_SUMMARY_BYTES))
            return ReplayedRun(outcome, calls, tree.read(_INPUTS, _MOST_INPUT_BYTES) or b"", attributes)

    def _describe_target(self, target: Target, *, is_base: bool) -> dict[str, Any]:
        item = target.base if is_base else target.head
        return {
            "path": target.base_path if is_base else target.path, "base_path": target.base_path,
            "name": item.name, "owner": item.exposed_as, "role": item.role, "receiver": item.receiver,
            "rest": item.rest, "keywords": item.keywords, "keyword_only": item.keyword_only,
            "crossing": _CROSSING_SHARE, "constants": target.constants, "explicit": target.explicit,
            "least_mutated": self.limits.mutated_inputs * (2 if target.reaches else 1),
            "is_entry": target.is_entry,
        }  # fmt: skip

    def _run(
        self, tree: EphemeralTree, program: str, job: Mapping[str, Any], inputs: bytes, wall_s: float,
        seed: int, *, is_frozen: bool = False,
    ) -> Outcome:  # fmt: skip
        folder = _folder(tree)
        link_packages(self.environment, tree.root)
        _write_instruments(folder)
        job_file = folder / "job"
        job_file.write_text(json.dumps(job), "utf-8")
        (folder / "inputs").write_bytes(inputs)
        start = (
            f"import sys; sys.path.append({str(folder)!r}); "
            f"from {PACKAGE.name}.behaviour.{program} import main; "
            f"sys.exit(main({str(job_file)!r}))"
        )
        return run(
            ("python3", "-c", start),
            tree,
            Limits(wall_s=wall_s, cpu_s=2 * wall_s),
            log=folder.parent / "run.log",
            visible=_add_folder(self.environment.visible, folder, seed, is_frozen=is_frozen),
            isolation=self.isolation,
            environ=self.environ,
        )


def _folder(tree: EphemeralTree) -> Path:
    """Return the folder of the programs, which ends with the tree."""
    return tree.root.parent / "instruments"


def _write_instruments(folder: Path) -> None:
    """Copy the programs, and cloudpickle, to where a run sees nothing else of this installation.

    Raises:
        EnvironmentUnavailable: cloudpickle is not installed.
    """
    pickling = find_spec("cloudpickle")
    if pickling is None or pickling.origin is None:
        raise EnvironmentUnavailable(
            "comparing behaviour needs cloudpickle, which is not installed; pip install 'wardround[run]'"
        )
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, folder / PACKAGE.name, ignore=ignored, copy_function=shutil.copyfile)
    shutil.copytree(
        Path(pickling.origin).parent, folder / "cloudpickle", ignore=ignored, copy_function=shutil.copyfile
    )


def _fake_clock() -> str:
    """Return the path of libfaketime; empty if it is not installed."""
    root = Path("/")
    return next((str(path) for clock in _FAKE_CLOCKS for path in root.glob(clock.lstrip("/"))), "")


def _add_folder(visible: Visible, folder: Path, seed: int, *, is_frozen: bool) -> Visible:
    variables = [*visible.variables, ("PYTHONHASHSEED", str(seed)), ("PYTHONDONTWRITEBYTECODE", "1")]
    if is_frozen and (clock := _fake_clock()):
        variables += [("LD_PRELOAD", clock), *_FROZEN]
    return msgspec.structs.replace(
        visible, read_only=(*visible.read_only, folder), variables=tuple(variables)
    )


def _decode(data: bytes | None) -> Recorded | None:
    try:
        return None if data is None else msgspec.json.decode(data, type=Recorded)
    except msgspec.DecodeError:
        return None


def _attributes(data: bytes | None) -> dict[str, list[str]] | None:
    try:
        return None if data is None else msgspec.json.decode(data, type=dict[str, list[str]])
    except msgspec.DecodeError:
        return None


def _calls(data: bytes) -> list[ReplayedCall]:
    """Return the results up to the first one that is not valid; none if they cannot be held in memory."""
    decoder = msgspec.json.Decoder(ReplayedCall)
    found: list[ReplayedCall] = []
    if has_too_many_values(data):
        return found
    for line in data.splitlines():
        try:
            found.append(decoder.decode(line))
        except msgspec.DecodeError:
            break
    return found
