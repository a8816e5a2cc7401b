"""Replays recorded calls on one tree, in other processes, and records their effects."""

from __future__ import annotations

import importlib
import io
import json
import resource
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import partial
from typing import Any, BinaryIO

from ..versions import supply_versions
from .calls import outcome_of
from .children import Report, reported_by
from .compiled import COMPILED, probes
from .frames import read_frames
from .functions import ROOT, Found, find
from .preparation import prepare
from .values import ATTRIBUTES
from .written import call_text

_MOST_PROBLEM = 200
_MOST_SLOW = 4
"""Number of calls of a function that may take too long, after which no other one is tried."""
_SLOW_SHARE = 0.05
"""The same, as a part of the calls that did not take too long."""
_FROZEN_S = 1767225600
"""2026-01-01 00:00:00 UTC."""
_LEAST_CPU_S = 1.5
"""CPU time that the calls of a function may use, however many functions there are."""
_BATCH = 20
_ENDS = frozenset({"timeout", "memory", "crashed"})
"""Results after which other calls need another process."""
Header = dict[str, Any]
Call = tuple[int, Header, bytes]
"""Its number, header and pickled arguments."""
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
            (lambda created: lambda seconds=None: created(_FROZEN_S if seconds is None else seconds))(
                original
            ),
        )


def skip_sleeping() -> None:
    """Let ``time.sleep`` return at once: it has no result, and fails while the clock is frozen."""
    time.sleep = lambda seconds: None


def module_of(function: Function, recorded: str) -> str:
    """Return the module of a function whose file may have moved since the calls were recorded."""
    if function["path"] == function["base_path"]:
        return recorded
    before, after = (_parts(function[key]) for key in ("base_path", "path"))
    return ".".join(after[len(before) - len(recorded.split(".")) :])


def _parts(path: str) -> list[str]:
    parts = path[: -len(".py")].split("/")
    return parts[:-1] if parts[-1] == "__init__" else parts


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Replay:
    """The calls of one tree."""

    def __init__(self, job: dict[str, Any]) -> None:
        self._job = job
        self._functions: list[Function] = job["functions"]
        self._found: dict[int, Found] = {}
        self._problems: dict[int, str] = {}
        self._end = time.monotonic() + job["wall_s"]
        self._warm: set[int] = set()
        self._slow: Counter[int] = Counter()
        self._fast: Counter[int] = Counter()
        self._cpu_s: defaultdict[int, float] = defaultdict(float)
        self._cpu_share_s = min(job["cpu_s"], max(_LEAST_CPU_S, job["cpu_s"] / max(1, len(self._functions))))

    def run(self) -> None:
        """Repeat all calls, in order, until the time is over."""
        with open(self._job["inputs"], "rb") as file, open(self._job["output"], "w") as output:
            for batch in self._batches(file):
                for (number, header, _), result in zip(batch, self._results(batch)):
                    described = {
                        key: header[key] for key in ("function", "origin", "test", "through", "made_by")
                    }
                    output.write(json.dumps({"call": number, **described, **result}) + "\n")
                output.flush()
                if time.monotonic() > self._end:
                    return

    def _batches(self, file: BinaryIO) -> Iterator[list[Call]]:
        """Yield the calls that share a process: several of one function, or one."""
        only = self._job["only"]
        batch: list[Call] = []
        for number, (header, payload) in enumerate(read_frames(file)):
            if only is not None and number not in only:
                continue
            most = 1 if self._job["alone"] else _BATCH
            if batch and (len(batch) >= most or batch[0][1]["function"] != header["function"]):
                yield batch
                batch = []
            batch.append((number, header, payload))
        if batch:
            yield batch

    def _results(self, batch: list[Call]) -> Iterator[dict[str, Any]]:
        """Yield the results of calls; one that ended its process is repeated in a separate process."""
        index = batch[0][1]["function"]
        function = self._function(index, batch[0][1])
        if function is None:
            yield from ({"kind": "unloadable", "text": self._problems[index]} for _ in batch)
            return
        waiting = batch
        while waiting and time.monotonic() <= self._end:
            reason = self._refusal(index)
            if reason:
                yield from ({"kind": reason} for _ in waiting)
                return
            results = self._results_of_process(function, index, waiting)
            yield from map(partial(self._checked_result, index), results)
            waiting = waiting[len(results) :]

    def _refusal(self, index: int) -> str:
        """Return the kind of result of further calls of a function that took too long; empty for others."""
        if self._cpu_s[index] >= self._cpu_share_s:
            return "budget"
        if self._slow[index] >= _MOST_SLOW + _SLOW_SHARE * self._fast[index]:
            return "timeout"
        return ""

    def _results_of_process(self, function: Found, index: int, waiting: list[Call]) -> list[dict[str, Any]]:
        """Return the results of the calls that one process can make, and count its time."""
        before = _children_cpu_s()
        results, end = reported_by(partial(self._repeat, function, waiting))
        self._cpu_s[index] += _children_cpu_s() - before
        results = results[: len(waiting)] or [{"kind": end}]
        if len(results) > 1 and results[-1]["kind"] in _ENDS:
            results.pop()
        slow = sum(result["kind"] == "timeout" for result in results)
        self._slow[index] += slow
        self._fast[index] += len(results) - slow
        return results

    def _repeat(self, function: Found, calls: list[Call], report: Report) -> None:
        """Report the result of each call, up to one after which this process cannot be reused."""
        index, modules = calls[0][1]["function"], set(sys.modules)
        for _, header, payload in calls:
            known = {name: len(found) for name, found in ATTRIBUTES.seen.items()}
            result = outcome_of(function, payload, header)
            result["returned"] = header["returned"] and function.named is function.inner
            if self._job["texts"]:
                result.update(call_text(payload, header["names"], self._functions[index]))
            result["attributes"] = {
                name: sorted(found)
                for name, found in ATTRIBUTES.seen.items()
                if len(found) > known.get(name, 0)
            }
            if index not in self._warm:
                result["modules"] = [name for name in sys.modules if name not in modules]
            report(result)
            if result["kind"] in _ENDS:
                return

    def _checked_result(self, index: int, result: dict[str, Any]) -> dict[str, Any]:
        """Return a result, after this process has imported the same modules and knows the attributes."""
        self._import(index, result.pop("modules", ()))
        for name, found in result.pop("attributes", {}).items():
            ATTRIBUTES.seen.setdefault(name, set()).update(found)
        return result

    def _import(self, index: int, modules: list[str]) -> None:
        """Import what a call imported, so that the next calls do not spend their time on it."""
        self._warm.add(index)
        for name in modules:
            if name in sys.modules:
                continue
            try:
                importlib.import_module(name)
            except Exception:  # some modules only exist under another name
                continue

    def _function(self, index: int, header: Header) -> Found | None:
        if index not in self._found and index not in self._problems:
            item = self._functions[index]
            try:
                module = module_of(item, header["module"])
                self._found[index] = find(module, item["name"], item["role"], item["path"])
            except BaseException as error:
                self._problems[index] = f"{type(error).__name__}: {error}"[:_MOST_PROBLEM]
        return self._found.get(index)


def main(job_path: str) -> int:
    """Run a job."""
    with open(job_path) as text:
        job = json.load(text)
    sys.path[:0] = [path for path in job["paths"] if path not in sys.path]
    sys.stdin = io.StringIO()
    supply_versions(ROOT)
    if job["recorded"]:
        prepare(job)
    skip_sleeping()
    if job["freeze"]:
        freeze_clock()
    ATTRIBUTES.base = job["attributes"]
    COMPILED.probes = probes(**job["probes"]) if job["probes"] else ()
    Replay(job).run()
    if job["recorded"]:
        with open(job["attributes_file"], "w") as text:
            json.dump({name: sorted(found) for name, found in ATTRIBUTES.seen.items()}, text)
    return 0
