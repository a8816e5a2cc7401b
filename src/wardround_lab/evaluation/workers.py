"""Review cases in several processes, one run at a time in each, within a memory limit."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from multiprocessing.pool import AsyncResult, Pool
from types import FrameType

from wardround_lab.evaluation.batch import CaseBatch, CaseOutcome, Settings, chunks
from wardround_lab.evaluation.cases import Case

Keep = Callable[[Case, CaseOutcome], None]
_WAITING = 2
"""Number of runs per process that are read ahead, so that none is idle."""
_POLL_S = 0.2
_Run = tuple[list[Case], "AsyncResult[list[CaseOutcome]]"]


def review(
    cases: Sequence[Case],
    settings: Settings,
    default_set: str,
    keep: Keep,
    progress: Callable[[str], None] = lambda text: None,
) -> None:
    """Review cases and pass each outcome to ``keep`` as soon as its run is done, in any order.

    An interruption terminates the processes; outcomes until then are stored.
    """
    runs = chunks(cases)
    first = next(runs, [])
    if settings.jobs == 1 or len(first) == len(cases):
        _review_here(first, runs, settings, default_set, keep)
        return
    with _pool(min(settings.jobs, os.cpu_count() or 1)) as pool:
        pending: list[_Run] = []
        done = 0
        try:
            for chunk in _each(first, runs):
                work = (chunk, replace(settings, jobs=1), default_set)
                pending.append((chunk, pool.apply_async(_review_cases, work)))
                while len(pending) >= _WAITING * settings.jobs:
                    done += _store_finished(pending, keep)
                    progress(f"{done} of {len(cases)} cases")
            while pending:
                done += _store_finished(pending, keep)
                progress(f"{done} of {len(cases)} cases")
        finally:
            _store_finished([run for run in pending if run[1].ready() and run[1].successful()], keep)


def _review_here(
    first: list[Case], runs: Iterable[list[Case]], settings: Settings, default_set: str, keep: Keep
) -> None:
    batch = _batch(settings)
    for chunk in _each(first, runs):
        for case, outcome in zip(chunk, batch.review(chunk, default_set), strict=True):
            keep(case, outcome)


def _each(first: list[Case], rest: Iterable[list[Case]]) -> Iterator[list[Case]]:
    if first:
        yield first
    yield from rest


def _store_finished(pending: list[_Run], keep: Keep) -> int:
    """Store finished outcomes, after a short wait if there are none; return the number of cases."""
    ready = [run for run in pending if run[1].ready()]
    if not ready and pending:
        pending[0][1].wait(_POLL_S)
    count = 0
    for run in ready:
        pending.remove(run)
        for case, outcome in zip(run[0], run[1].get(), strict=True):
            keep(case, outcome)
            count += 1
    return count


@contextmanager
def _pool(processes: int) -> Iterator[Pool]:
    """Processes that share no state with this one; an exception terminates them at once."""
    pool = multiprocessing.get_context("spawn").Pool(processes, _prepare)
    try:
        yield pool
        pool.close()
    except BaseException:
        pool.terminate()
        raise
    finally:
        pool.join()


def _prepare() -> None:
    """Leave interruptions to the parent, which terminates this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


class _Terminated(BaseException):
    """Raised when the parent terminates the process during a review; stops its tools and removes its
    snapshots.

    Not ``SystemExit``: a review treats that as the exit of a check, and continues.
    """


def _terminate(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)
    raise _Terminated


def _review_cases(cases: list[Case], settings: Settings, default_set: str) -> list[CaseOutcome]:
    try:
        signal.signal(signal.SIGTERM, _terminate)
        return list(_batch(settings).review(cases, default_set))
    except _Terminated:
        sys.exit(128 + signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@cache
def _batch(settings: Settings) -> CaseBatch:
    from wardround import host

    return CaseBatch(host.load(), settings)
