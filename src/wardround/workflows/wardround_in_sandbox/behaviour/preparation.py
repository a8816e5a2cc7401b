"""The inputs of a comparison: the recorded calls, and new ones made from them."""

from __future__ import annotations

import ast
import contextlib
import os
import pickle
import random
import time
from collections.abc import Iterator
from typing import Any

from .children import run_in_child
from .frames import read_frames, write_frame
from .functions import defaults_of, find
from .mutation import Arguments, Mutation, convert_line_ends
from .pickling import dumps

_TWICE_SHARE = 0.25
"""The share of inputs with two changes, as for an option that only matters for some strings."""
_LEAST_SHARE = 20
_LEAST_BASES = 5
_MOST_PLANNED = 12
"""Number of recorded calls of a function from which planned ones are derived, before random ones."""
Header = dict[str, Any]
Function = dict[str, Any]
Recorded = tuple[Header, bytes]


def prepare(job: dict[str, Any]) -> None:
    """Write the recorded calls and about as many mutated ones, those of each function together."""
    calls, reached = _read_recording(job["recorded"])
    end = time.monotonic() + job["wall_s"] / 4
    share = max(_LEAST_SHARE, job["most_inputs"] // max(1, len(calls)))
    with open(job["inputs"], "wb") as file:
        for index, found in sorted(calls.items()):
            useful = [found[at] for at in sorted(reached.get(index, ()))]
            others = [call for at, call in enumerate(found) if at not in reached.get(index, ())]
            most = share // 2
            chosen = _spread(useful, most)
            recorded = [*chosen, *_spread(others, most - len(chosen))]
            for header, payload in recorded:
                write_frame(file, {**header, "origin": "recorded"}, payload)
            if time.monotonic() < end:
                created = _Making(recorded, useful, job["functions"][index], job["seed"], share)
                for header, payload in _mutate(created):
                    write_frame(file, header, payload)


def _read_recording(path: str) -> tuple[dict[int, list[Recorded]], dict[int, set[int]]]:
    """Return the calls by function, and the positions of those that are known to reach a target."""
    calls: dict[int, list[Recorded]] = {}
    reached: dict[int, set[int]] = {}
    with open(path, "rb") as file:
        for header, payload in read_frames(file):
            found = calls.setdefault(header["function"], [])
            if header.get("reached"):
                reached.setdefault(header["function"], set()).add(len(found) - 1)
            elif "raised" in header:
                found[header["raised"]][0]["returned"] = False
            else:
                found.append((header, payload))
    return calls, reached


def _spread(calls: list[Recorded], most: int) -> list[Recorded]:
    """Return at most some calls, from all parts of a list."""
    return [calls[at * len(calls) // most] for at in range(most)] if len(calls) > most else list(calls)


def _mutate(making: _Making) -> list[Recorded]:
    path = f"/tmp/wardround-mutated-{os.getpid()}"
    run_in_child(lambda: _write_mutated_calls(path, making))
    try:
        with open(path, "rb") as file:
            return list(read_frames(file))
    except OSError:
        return []


def _write_mutated_calls(path: str, making: _Making) -> int:
    with open(path, "wb") as file:
        for header, arguments in making.new():
            try:
                payload = dumps(arguments)
            except Exception:  # any value can refuse to be written
                continue
            if making.is_new(payload):
                write_frame(file, header, payload)
                file.flush()
    return 0


class _Making:
    """Derives new calls of one function from its recorded ones.

    Args:
        reaching: recorded calls that reach a changed function; new ones are derived from them if there are
            enough.
        share: the most calls of the function, the recorded ones included.
    """

    def __init__(
        self, recorded: list[Recorded], reaching: list[Recorded], function: Function, seed: int, share: int
    ) -> None:
        self._recorded = recorded
        self._bases = reaching if len(reaching) >= _LEAST_BASES else [*reaching, *recorded]
        self._crossing: float = function["crossing"]
        self._has_receiver = bool(function["receiver"])
        self._most = min(max(len(recorded), function["least_mutated"]), share - len(recorded))
        self._random = random.Random(f"{seed} {function['path']} {function['name']}")
        self._seen = {payload for _, payload in recorded}
        self._explicit: dict[str, list[str]] = function["explicit"]
        spread = {function["rest"], function["keywords"]}
        defaults = _defaults(recorded[0][0], function)
        self._mutation = Mutation(self._random, function["constants"], defaults, spread)

    def is_new(self, payload: bytes) -> bool:
        """Return True for a call that does not repeat another one, until there are enough."""
        if payload in self._seen or len(self._seen) >= len(self._recorded) + self._most:
            return False
        self._seen.add(payload)
        return True

    def new(self) -> Iterator[tuple[Header, Arguments]]:
        """Yield more calls than are needed; some may repeat others."""
        for header, payload in _spread(self._bases, _MOST_PLANNED):
            yield from (
                ({**header, "origin": "mutated", "returned": False}, call_arguments)
                for call_arguments in self._planned_calls(header, payload)
            )
        for at in range(3 * self._most):
            header, payload = self._bases[at % len(self._bases)]
            receiver = header["names"][0] if self._has_receiver and header["names"] else ""
            try:
                arguments = pickle.loads(payload)
                origin = self._change(arguments, header["names"], receiver)
            except Exception:  # any value can refuse to be loaded or changed
                continue
            if origin:
                yield {**header, "origin": origin, "returned": False}, arguments

    def _planned_calls(self, header: Header, payload: bytes) -> Iterator[Arguments]:
        """Yield a call with each value for a parameter with another default, and with Windows line ends."""
        for name, literals in self._explicit.items():
            for text in dict.fromkeys(literals if name in header["names"] else ()):
                with contextlib.suppress(Exception):  # any value can refuse to be loaded
                    yield {**pickle.loads(payload), name: ast.literal_eval(text)}
        with contextlib.suppress(Exception):
            arguments = pickle.loads(payload)
            if convert_line_ends(arguments):
                yield arguments

    def _change(self, arguments: Arguments, names: list[str], receiver: str) -> str:
        """Change arguments in place; return the origin, empty if nothing could be changed."""
        if self._random.random() < self._crossing:
            other = pickle.loads(self._random.choice(self._bases)[1])
            return "crossed" if self._mutation.cross(arguments, other, receiver) else ""
        if not self._mutation.mutate(arguments, names, receiver):
            return ""
        if self._random.random() < _TWICE_SHARE:
            self._mutation.mutate(arguments, names, receiver)
        return "mutated"


def _defaults(header: Header, function: Function) -> Arguments:
    """Return the defaults of a function that can be changed; none if it is not found."""
    try:
        found = find(header["module"], function["name"], function["role"], function["path"])
        return defaults_of(found.inner)
    except Exception:  # the replay states the reason
        return {}
