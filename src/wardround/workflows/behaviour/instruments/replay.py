"""Repeating recorded calls on one tree, each in a process of its own, and writing down what they did."""

from __future__ import annotations

import importlib
import io
import json
import os
import random
import select
import signal
import sys
import time
import types
from collections.abc import Callable
from typing import Any

from .calls import call_text, outcome_of
from .frames import read_frames, write_frame
from .functions import find
from .mutation import crossed, mutate
from .values import ATTRIBUTES

_WALL_S = 5.0
_MOST_BYTES = 512 * 1024
_MOST_PROBLEM = 200
_FROZEN_S = 1767225600
"""2026-01-01 00:00:00 UTC."""
Header = dict[str, Any]
Function = dict[str, Any]


def freeze_clock() -> None:
    """Let the functions of ``time`` return one moment; code that reads the clock in C is not affected."""
    for name in ("time", "time_ns"):
        setattr(time, name, (lambda value: lambda: value)(_FROZEN_S * (10**9 if name == "time_ns" else 1)))
    for name in ("gmtime", "localtime"):
        original = getattr(time, name)
        setattr(
            time,
            name,
            (lambda made: lambda seconds=None: made(_FROZEN_S if seconds is None else seconds))(original),
        )


def in_child(work: Callable[[], object], wall_s: float) -> Any:
    """Return the JSON value of some work done in another process; a string if it did not finish."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _run_child(work, reading, writing)
    os.close(writing)
    data, is_late = _read(reading, wall_s)
    os.close(reading)
    if is_late:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if is_late:
        return "timeout"
    try:
        return json.loads(data)
    except ValueError:
        return "crashed"


def _run_child(work: Callable[[], object], reading: int, writing: int) -> None:
    try:
        os.close(reading)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        with os.fdopen(writing, "wb") as file:
            file.write(_result_of(work))
    finally:
        os._exit(0)


def _result_of(work: Callable[[], object]) -> bytes:
    try:
        return json.dumps(work()).encode()
    except BaseException as error:
        problem = f"{type(error).__name__}: {error}"[:_MOST_PROBLEM]
        return json.dumps({"kind": "crashed", "text": problem}).encode()


def _read(file: int, wall_s: float) -> tuple[bytes, bool]:
    parts: list[bytes] = []
    size = 0
    end = time.monotonic() + wall_s
    while True:
        left = end - time.monotonic()
        if left <= 0 or not select.select([file], [], [], left)[0] or size > _MOST_BYTES:
            return b"", True
        part = os.read(file, 65536)
        if not part:
            return b"".join(parts), False
        parts.append(part)
        size += len(part)


def module_of(function: Function, recorded: str) -> str:
    """Return the module of a function whose file may have moved since the calls were recorded."""
    if function["path"] == function["base_path"]:
        return recorded
    before, after = (_parts(function[key]) for key in ("base_path", "path"))
    return ".".join(after[len(before) - len(recorded.split(".")) :])


def _parts(path: str) -> list[str]:
    parts = path[: -len(".py")].split("/")
    return parts[:-1] if parts[-1] == "__init__" else parts


class Replay:
    """The calls of one tree."""

    def __init__(self, job: dict[str, Any]) -> None:
        self._job = job
        self._functions: list[Function] = job["functions"]
        self._found: dict[int, types.FunctionType] = {}
        self._problems: dict[int, str] = {}
        self._end = time.monotonic() + job["wall_s"]
        self._warm: set[int] = set()

    def run(self) -> None:
        """Repeat all calls, in order, until the time is over."""
        only = self._job["only"]
        with open(self._job["inputs"], "rb") as file, open(self._job["output"], "w") as output:
            for number, (header, payload) in enumerate(read_frames(file)):
                if time.monotonic() > self._end:
                    return
                if only is None or number in only:
                    result = self._result(header, payload)
                    output.write(json.dumps({"call": number, **result}) + "\n")
                    output.flush()

    def _result(self, header: Header, payload: bytes) -> dict[str, Any]:
        index = header["function"]
        told = {key: header[key] for key in ("function", "origin", "test")}
        function = self._function(index, header)
        if function is None:
            return {**told, "kind": "unloadable", "text": self._problems[index]}
        described = self._functions[index]
        is_first, before = index not in self._warm, set(sys.modules)
        known = {name: len(found) for name, found in ATTRIBUTES.seen.items()}

        def work() -> object:
            result = outcome_of(function, payload, header["names"])
            if self._job["texts"]:
                result.update(call_text(payload, header["names"], described))
            result["attributes"] = {
                name: sorted(found)
                for name, found in ATTRIBUTES.seen.items()
                if len(found) > known.get(name, 0)
            }
            if is_first:
                result["modules"] = [name for name in sys.modules if name not in before]
            return result

        result = in_child(work, _WALL_S)
        if isinstance(result, str):
            return {**told, "kind": result}
        self._import(index, result.pop("modules", ()))
        for name, found in result.pop("attributes", {}).items():
            ATTRIBUTES.seen.setdefault(name, set()).update(found)
        return {**told, **result}

    def _import(self, index: int, modules: list[str]) -> None:
        """Import what a call imported, so that the next calls do not spend their time on it."""
        self._warm.add(index)
        for name in modules:
            try:
                importlib.import_module(name)
            except Exception:  # some modules only exist under another name
                continue

    def _function(self, index: int, header: Header) -> types.FunctionType | None:
        if index not in self._found and index not in self._problems:
            one = self._functions[index]
            try:
                module = module_of(one, header["module"])
                self._found[index] = find(module, one["name"], one["role"], one["path"])
            except BaseException as error:
                self._problems[index] = f"{type(error).__name__}: {error}"[:_MOST_PROBLEM]
        return self._found.get(index)


def prepare(job: dict[str, Any]) -> None:
    """Write the recorded calls and about as many mutated ones, those of each function together."""
    calls: dict[int, list[tuple[Header, bytes]]] = {}
    with open(job["recorded"], "rb") as file:
        for header, payload in read_frames(file):
            calls.setdefault(header["function"], []).append((header, payload))
    end = time.monotonic() + job["wall_s"] / 4
    with open(job["inputs"], "wb") as file:
        for index, recorded in sorted(calls.items()):
            for header, payload in recorded:
                write_frame(file, {**header, "origin": "recorded"}, payload)
            if time.monotonic() < end:
                for header, payload in _mutated(recorded, job["functions"][index], job["seed"]):
                    write_frame(file, header, payload)


def _mutated(
    recorded: list[tuple[Header, bytes]], function: Function, seed: int
) -> list[tuple[Header, bytes]]:
    path = f"/tmp/wardround-mutated-{os.getpid()}"
    in_child(lambda: _write_mutated(path, recorded, function, seed), _WALL_S)
    try:
        with open(path, "rb") as file:
            return list(read_frames(file))
    except OSError:
        return []


def _write_mutated(path: str, recorded: list[tuple[Header, bytes]], function: Function, seed: int) -> int:
    import pickle

    import cloudpickle

    generator = random.Random(f"{seed} {function['path']} {function['name']}")
    seen = {payload for _, payload in recorded}
    most = max(len(recorded), function["least_mutated"])
    with open(path, "wb") as file:
        for at in range(2 * most):
            header, payload = recorded[at % len(recorded)]
            receivers = header["names"][:1] if function["receiver"] else []
            try:
                arguments = pickle.loads(payload)
                origin = "mutated"
                if generator.random() < function["crossing"]:
                    origin = "crossed"
                    other = pickle.loads(generator.choice(recorded)[1])
                    arguments = crossed(arguments, other, receivers, generator)
                elif not mutate(arguments, receivers, generator):
                    continue
                changed = None if arguments is None else cloudpickle.dumps(arguments)
            except Exception:  # any value can refuse to be changed or written
                continue
            if changed is not None and changed not in seen and len(seen) < len(recorded) + most:
                seen.add(changed)
                write_frame(file, {**header, "origin": origin}, changed)
                file.flush()
    return 0


def main(job_path: str) -> int:
    """Run a job."""
    with open(job_path) as text:
        job = json.load(text)
    sys.path[:0] = [one for one in job["paths"] if one not in sys.path]
    sys.stdin = io.StringIO()
    if job["recorded"]:
        prepare(job)
    if job["freeze"]:
        freeze_clock()
    ATTRIBUTES.base = job["attributes"]
    Replay(job).run()
    if job["recorded"]:
        with open(job["attributes_file"], "w") as text:
            json.dump({name: sorted(found) for name, found in ATTRIBUTES.seen.items()}, text)
    return 0
