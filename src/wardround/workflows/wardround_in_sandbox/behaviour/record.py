"""Running pytest while the arguments of some functions are written to a file, before each call.

The functions get one more statement at their start when their module is imported, so that every other one
runs at its usual speed; after enough calls the statement only tests a flag.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import hashlib
import importlib.machinery
import inspect
import json
import os
import sys
import time
import types
from collections.abc import Iterator
from typing import Any, BinaryIO

from ..versions import supply_versions
from .entries import entry_frame, exchange
from .frames import write_frame
from .functions import ROOT, defaults_of, member_name, unwrap_function
from .inserting import CALLED, MADE, MAKING, OPEN, RAISED, Inserting
from .made_values import MadeValues
from .pickling import dumps
from .places import is_public, is_test_file
from .removed_texts import RemovedTexts
from .streams import Restorable, Stream

_MOST_FRAMES = 60
_MOST_SEARCHES = 200
"""The number of tests in which the entry of a function is searched."""
_MOST_UNCOLLECTED = 20
_LONGEST_ERROR = 4000
_FREE_INPUTS = 5
"""The number of calls that are recorded whatever the CPU time of the tests so far."""


class Target:
    """A function whose calls are recorded.

    Attributes:
        inputs: the number of different calls.
        problem: the reason for which the last call was not recorded.
        reaches: the indexes of the targets that were called through this one; empty unless it was found while
            the tests ran.
        entries: the functions through which tests called this one.
        searches: the number of tests in which these were searched.
        is_full: no other call is to be recorded.
        is_counted: False after a recorded call that did not yet reach another target.
    """

    def __init__(self, index: int, path: str, name: str, lines: list[int]) -> None:
        self.index = index
        self.path = path
        self.name = name
        self.lines = lines
        self.module = ""
        self.calls = 0
        self.inputs = 0
        self.problem = ""
        self.cpu_s = 0.0
        self.seen: set[bytes] = set()
        self.in_test: dict[str, int] = {}
        self.defaults: dict[str, Any] | None = None
        self.reaches: set[int] = set()
        self.entries: list[Target] = []
        self.searches = 0
        self.is_counted = True
        self.is_full = False


class Recorder:
    """Writes the calls of the targets, within their limits."""

    def __init__(self, job: dict[str, Any], file: BinaryIO) -> None:
        self.targets = [
            Target(at, function["path"], function["name"], function["lines"])
            for at, function in enumerate(job["functions"])
        ]
        self.open = [True] * len(self.targets)
        self.removed = RemovedTexts(job["removed"])
        self.made = MadeValues(len(self.targets))
        self.test = ""
        self.cpu_s = 0.0
        self._limits = job["limits"]
        self._file = file
        self._bytes = 0
        self._is_busy = False
        self._by_value: set[str] = set()
        self._running: dict[int, tuple[int, int]] = {}
        self._by_code: dict[tuple[str, int], Target | None] = {}

    def record_call(self, index: int, values: dict[str, Any], passed: tuple[Any, ...]) -> tuple[Any, ...]:
        """Record one call, and return its arguments: the same ones, except generators. It never raises."""
        target = self.targets[index]
        if self._is_busy:
            return passed
        target.calls += 1
        target.is_counted = True
        streams: dict[int, Stream] = {}
        self._count_reach(target)
        if target.is_full:
            self.open[index] = False
        elif self._may_record(target, time.process_time()):
            recorded = target.inputs
            if not target.reaches and target.in_test[self.test] == 1:
                with self._measure(target):
                    self._record_entry_calls(target, sys._getframe(1))
            with self._measure(target):
                self._record(target, values, sys._getframe(1), streams)
            if target.inputs > recorded:
                self._running[id(sys._getframe(1))] = index, recorded
        return tuple(
            streams[id(argument)].passed_on() if id(argument) in streams else argument for argument in passed
        )

    def note_exception(self, index: int) -> None:
        """Note that a function ended with an exception, if its call was recorded."""
        function, number = self._running.pop(id(sys._getframe(1)), (-1, 0))
        if function == index:
            with contextlib.suppress(OSError):
                write_frame(self._file, {"function": index, "raised": number}, b"")

    def _count_reach(self, target: Target) -> None:
        """Note that the last recorded calls of the functions around a target reached it."""
        for entry in target.entries:
            if not entry.is_counted:
                entry.is_counted = True
                with contextlib.suppress(OSError):
                    write_frame(self._file, {"function": entry.index, "reached": True}, b"")

    def _record_entry_calls(self, target: Target, frame: types.FrameType) -> None:
        """Record the next calls of the function through which the test called a target."""
        if target.searches >= _MOST_SEARCHES or len(target.entries) >= self._limits["entries_per_function"]:
            return
        target.searches += 1
        found = entry_frame(frame)
        entry = None if found is None else self._entry(found.f_code)
        if entry is not None and entry not in target.entries and entry is not target:
            target.entries.append(entry)
            entry.reaches.add(target.index)

    def _is_target(self, code: types.CodeType) -> bool:
        path, name = code.co_filename[len(ROOT) + 1 :], code.co_name
        return any(
            target.lines and target.path == path and target.name.rpartition(".")[2] == name
            for target in self.targets
        )

    def _entry(self, code: types.CodeType) -> Target | None:
        """Return the target of a function further up the stack; None if it cannot be recorded."""
        key = code.co_filename, code.co_firstlineno
        added = [known for known in self._by_code.values() if known is not None]
        if self._is_target(code):
            return None
        if key not in self._by_code and len(added) < self._limits["entries"]:
            at = len(self.targets)
            self._by_code[key] = None
            path = code.co_filename[len(ROOT) + 1 :]
            name = exchange(code, lambda tree, line: Inserting({}, {line: at}).visit(tree))
            if name:
                self._by_code[key] = entry = Target(at, path, name, [])
                self.targets.append(entry)
                self.open.append(True)
        return self._by_code.get(key)

    @contextlib.contextmanager
    def _measure(self, target: Target) -> Iterator[None]:
        """Count the CPU time of a record; a failure is the reason for which it is missing."""
        begun = time.process_time()
        self._is_busy = True
        try:
            yield
        except Exception as error:
            target.problem = f"{type(error).__name__}: {error}"[:200]
        finally:
            self._is_busy = False
            spent = time.process_time() - begun
            target.cpu_s += spent
            self.cpu_s += spent
            limits = self._limits
            if target.inputs >= limits["inputs"] or target.cpu_s >= limits["cpu_s"]:
                target.is_full = True
                self.open[target.index] = False

    def _may_record(self, target: Target, current: float) -> bool:
        seen = target.in_test.get(self.test, 0)
        target.in_test[self.test] = seen + 1
        if seen >= self._limits["inputs_per_test"]:
            return False
        return target.inputs < _FREE_INPUTS or self.cpu_s < self._limits["share"] * current

    def _record(
        self, target: Target, values: dict[str, Any], frame: types.FrameType, streams: dict[int, Stream]
    ) -> None:
        code = frame.f_code
        target.module = target.module or str(frame.f_globals.get("__name__", ""))
        names = list(code.co_varnames[: _count_instructions(code)])
        if target.defaults is None:
            target.defaults = _defaults(target, code)
        header = {
            "function": target.index, "module": target.module, **_parameters(code, names),
            "test": self.test, "through": public_caller(frame), "made_by": [], "returned": bool(target.lines),
        }  # fmt: skip
        passed = dict(_passed_values(names, values, target.defaults))
        lazy = {name: value for name, value in passed.items() if type(value) is types.GeneratorType}
        payload = self._pickle({name: value for name, value in passed.items() if name not in lazy}, header)
        if lazy:
            self._follow(target, header, payload, lazy, streams)
        else:
            self._write(target, header, payload)

    def _follow(
        self, target: Target, header: dict[str, Any], payload: bytes, lazy: dict[str, Any],
        streams: dict[int, Stream],
    ) -> None:  # fmt: skip
        """Record a call when the function has consumed all generators among its arguments."""

        def pickle_value(value: object) -> bytes:
            with self._measure(target):
                return self._pickle(value, header)
            return b""

        def finish() -> None:
            if all(stream.is_complete for stream in streams.values()):
                with self._measure(target):
                    recorded = {name: streams[id(generator)].items for name, generator in lazy.items()}
                    self._write(target, header, self._pickle(Restorable(payload, recorded), header))

        header["returned"] = False  # it is not known
        target.problem = "a generator among them was not consumed"
        streams.update(
            {id(generator): Stream(generator, pickle_value, finish) for generator in lazy.values()}
        )

    def _write(self, target: Target, header: dict[str, Any], payload: bytes) -> None:
        if len(payload) > self._limits["bytes"] or self._bytes > self._limits["total_bytes"]:
            target.problem = "its arguments are too large"
            return
        digest = hashlib.sha256(payload).digest()
        if digest in target.seen:
            return
        target.seen.add(digest)
        target.inputs += 1
        target.is_counted = not target.reaches
        for index in target.reaches:  # also those with enough calls, for one more
            self.open[index] = True
        self._bytes += len(payload)
        write_frame(self._file, header, payload)
        self._file.flush()

    def _pickle(self, given: object, header: dict[str, Any]) -> bytes:
        """Return the pickle; definitions in test modules are pickled by value, since other trees lack them.

        The header gets the functions that returned a value in it.
        """
        import cloudpickle

        for name, module in list(sys.modules.items()):
            if name not in self._by_value and _is_of_tests(module):
                cloudpickle.register_pickle_by_value(module)
            self._by_value.add(name)
        memo: dict[int, Any] = {}
        payload = dumps(given, memo)
        if self.removed.are_in(memo, self.test):
            raise ValueError("they have a name that the change removes")
        header["made_by"] = sorted(self.made.makers(memo).union(header["made_by"]))
        return payload


def public_caller(frame: types.FrameType) -> str:
    """Return the nearest public function of the tree above a frame; empty if a test is nearer."""
    around = frame.f_back
    for _ in range(_MOST_FRAMES):
        if around is None or is_test_file(around.f_code.co_filename):
            return ""
        name = getattr(around.f_code, "co_qualname", around.f_code.co_name)
        if around.f_code.co_filename.startswith(f"{ROOT}/") and is_public(name):
            return str(name)
        around = around.f_back
    return ""


def _is_of_tests(module: object) -> bool:
    path = getattr(module, "__file__", None) or ""
    return isinstance(path, str) and is_test_file(path)


def _count_instructions(code: types.CodeType) -> int:
    flags = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_argcount + code.co_kwonlyargcount + flags


def _passed_values(
    names: list[str], values: dict[str, Any], defaults: dict[str, Any]
) -> Iterator[tuple[str, Any]]:
    """Yield the parameters of a call that do not have their default."""
    for name in names:
        if name in values and not (name in defaults and defaults[name] is values[name]):
            yield name, values[name]


def _parameters(code: types.CodeType, names: list[str]) -> dict[str, Any]:
    """Return the parameters as declared, and those that are not passed by position and name."""
    positional, flags = code.co_argcount, code.co_flags
    last = positional + code.co_kwonlyargcount
    has_rest, has_keywords = bool(flags & inspect.CO_VARARGS), bool(flags & inspect.CO_VARKEYWORDS)
    rest, keywords = names[last : last + has_rest], names[last + has_rest :]
    return {
        "names": [*names[:positional], *rest, *names[positional:last], *keywords],
        "rest": rest[0] if has_rest else "",
        "keywords": keywords[0] if has_keywords else "",
        "keyword_only": names[positional:last],
    }


def _defaults(target: Target, code: types.CodeType) -> dict[str, Any]:
    """Return the defaults of a function, which its frame does not tell from passed arguments."""
    found: Any = sys.modules.get(target.module)
    for part in target.name.split("."):
        found = getattr(found, "__dict__", {}).get(member_name(found, part))
        while isinstance(found, (staticmethod, classmethod)):
            found = found.__func__
    function = unwrap_function(found, code.co_name, "", target.path)
    return {} if function is None else defaults_of(function)


def _install(recorder: Recorder) -> None:
    """Let imports of the targets' files compile the statement in."""
    setattr(builtins, OPEN, recorder.open)
    setattr(builtins, CALLED, recorder.record_call)
    setattr(builtins, RAISED, recorder.note_exception)
    setattr(builtins, MAKING, recorder.made.making)
    setattr(builtins, MADE, recorder.made.note)
    by_path: dict[str, dict[int, int]] = {}
    for target in recorder.targets:
        by_path.setdefault(f"{ROOT}/{target.path}", {}).update(dict.fromkeys(target.lines, target.index))
    loader: Any = importlib.machinery.SourceFileLoader
    original = loader.get_code

    def get_code(self: Any, name: str) -> Any:
        by_line = by_path.get(os.path.realpath(self.path))
        if by_line is None:
            return original(self, name)
        tree = Inserting(by_line).visit(ast.parse(self.get_data(self.path)))
        code = compile(tree, self.path, "exec", dont_inherit=True)
        recorder.removed.note(code)
        return code

    loader.get_code = get_code


class _Plugin:
    """Selects tests, sets the current one, and ends the run when nothing remains to be recorded."""

    def __init__(self, recorder: Recorder, summary: str, chosen: list[str]) -> None:
        self._recorder = recorder
        self._summary = summary
        self._chosen = frozenset(chosen)
        self._limited = frozenset(test.partition("::")[0] for test in chosen)
        self._tests = 0
        self._uncollected: list[dict[str, str]] = []
        self._functions = len(recorder.targets)

    def pytest_collectreport(self, report: Any) -> None:
        """Note a file whose tests cannot be collected: they may call the functions."""
        if report.failed and len(self._uncollected) < _MOST_UNCOLLECTED:
            error = str(report.longreprtext)[-_LONGEST_ERROR:]
            self._uncollected.append({"path": str(report.nodeid) or ".", "error": error})

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Deselect other tests of the files; pytest refuses to start with an id that it does not find."""
        left = [item for item in items if self._is_chosen(item)]
        items[:] = left or items

    def _is_chosen(self, item: Any) -> bool:
        path = str(getattr(item, "path", None) or item.fspath).removeprefix(f"{ROOT}/")
        name = str(item.nodeid).partition("::")[2].partition("[")[0]
        return path not in self._limited or f"{path}::{name}" in self._chosen

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._tests += 1
        self._recorder.test = nodeid
        self._recorder.made.begin_test()
        if self._tests == 1:
            self.write()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        if all(target.is_full for target in self._recorder.targets):
            import pytest

            pytest.exit("enough calls are recorded", returncode=0)

    def write(self) -> None:
        """Write the numbers of calls and the folders of imports."""
        functions = [
            {"calls": target.calls, "inputs": target.inputs, "problem": target.problem}
            for target in self._recorder.targets
        ]
        entries = [
            {"path": target.path, "name": target.name, "reaches": sorted(target.reaches)}
            for target in self._recorder.targets[self._functions :]
        ]
        paths = [folder for folder in sys.path if folder.startswith(ROOT)]
        record = {
            "tests": self._tests, "functions": functions, "entries": entries, "paths": paths,
            "cpu_s": self._recorder.cpu_s, "uncollected": self._uncollected,
        }  # fmt: skip
        with open(self._summary, "w") as file:
            json.dump(record, file)


def main(job_path: str) -> int:
    """Run pytest with the arguments of a job; return its exit status."""
    with open(job_path) as text:
        job = json.load(text)
    with open(job["inputs"], "wb") as file:
        recorder = Recorder(job, file)
        _install(recorder)
        supply_versions(ROOT)
        try:
            import pytest
        except ImportError:
            print("pytest is not installed; install it in the environment of the project", file=sys.stderr)
            return 3
        plugin = _Plugin(recorder, job["summary"], job["tests"])
        plugin.write()
        try:
            return int(pytest.main(job["arguments"], plugins=[plugin]))
        finally:
            recorder.open[:] = [False] * len(recorder.open)
            plugin.write()
