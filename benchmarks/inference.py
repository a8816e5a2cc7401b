"""Measure inference: in a cold process, warm against a bare session, and as a part of a review.

    python benchmarks/inference.py                         # medians of 7
    python benchmarks/inference.py --models FOLDER --runs 3
    python benchmarks/inference.py --json docs/cost.json

FOLDER contains the base model (default: the bundled one). Compared tasks run alternately in one loop, so that
a slow machine slows down both; the ratios count. The bare process imports numpy, onnxruntime and tokenizers,
loads the same files and runs the same texts.

Reviews do not use the base, so it is run with ``log-shadow``: the queries of a check for its model are sent
to the base, scored, recorded and counted. The bounds on its cost are in seconds of processor time
(``_cpu_s``): a model does not wait, and on a busy machine the wall times of two reviews differ by more than a
model adds. Exit status 1: a bound is exceeded (``OVER``), or there was no score.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import figures

TEXTS = 20
TOKENS = 128
COLD_S = 0.6
WARM = 0.9
ADDED_S = 0.5
CACHED_S = 0.05
"""Zero, within the measurement error."""
WORDS = [
    "cache", "order", "price", "total", "file", "path", "read", "write", "open", "close", "user", "key",
    "value", "token", "limit", "index", "query", "result", "error", "retry", "batch", "queue", "lock",
    "thread", "worker", "request", "response", "header", "body", "parse", "format", "render",
]  # fmt: skip


def texts(count: int = TEXTS, seed: int = 0) -> list[str]:
    """Return plausible code, each text far longer than 128 tokens."""
    draw = random.Random(seed)
    return ["\n".join(_line(draw) for _ in range(40)) for _ in range(count)]


def _line(draw: random.Random) -> str:
    name, call, argument = draw.choices(WORDS, k=3)
    return f"    {name} = {call}({argument}, {draw.randrange(90)})"


# --- what runs in a process of its own


def embed(folder: Path) -> None:
    """Run the product's code path, from the start to vectors."""
    from wardround.inference.registry import default_registry
    from wardround.inference.runtime import detect_runtime

    default_registry([folder]).embedder("base", detect_runtime("cpu")).embed(texts())


def bare(folder: Path) -> None:
    """Run the shortest possible path, without verifying the files."""
    session, tokenizer = bare_session(folder)
    import numpy as np

    for text in texts():
        session.run(None, {"input_ids": np.array([tokenizer.encode(text).ids], dtype=np.int64)})


def bare_session(folder: Path):  # type: ignore[no-untyped-def]
    import onnxruntime
    from tokenizers import Tokenizer

    base = folder / "base" if (folder / "base").is_dir() else folder
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(TOKENS)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(base / "model.onnx"), options), tokenizer


def review(folder: Path) -> None:
    """Review one commit, with a specialist that scores each hunk against a sentence by the base model."""
    from wardround import host
    from wardround.change.change_source import GitChangeSource
    from wardround.change.repository import Repository
    from wardround.checks.base import Check
    from wardround.config.request import ReviewRequest
    from wardround.findings import Span
    from wardround.review import review_once
    from wardround.specialists import Specialist

    class Bound(Check):
        """A hunk matches the request."""

        ID = "BOUND"
        NAME = "bound"

        def run(self) -> None:
            model = self.source.models.ranker("base")
            if model is not None and model.scores("parse the header of a request", [self.source.text])[0] > 2:
                self.report(Span(1, 1, 1, 2), "never")  # a cosine is at most 1; asked for is what it costs

    class Bench(Specialist):
        name = "bench"
        patterns = ("*.py",)
        checks = (Bound,)
        models = ("base",)

    loaded = host.load()
    with Repository(Path.cwd()) as repository:
        change = repository.staged_change()
        origin = GitChangeSource(repository, change)
        request = ReviewRequest(use_models="BENCH_NO_MODELS" not in os.environ)
        done = review_once(origin, host.PluginHost([*loaded.specialists, Bench()], loaded.plugins), request)
    assert not done.notes, done.notes
    sys.stdout.flush()
    os._exit(0)


WORKERS: dict[str, Callable[[Path], None]] = {"embed": embed, "bare": bare, "review": review}


# --- measuring


def cold(name: str, folder: Path, cwd: Path | None = None, **env: str) -> tuple[float, float]:
    """Return wall and processor seconds of a new process."""
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, __file__, "--worker", name, "--models", str(folder)],
        check=True, cwd=cwd, env={**os.environ, **env},
    )  # fmt: skip
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cold_process(folder: Path, runs: int) -> dict[str, Any]:
    ours, floor = [], []
    for _ in range(runs):
        ours.append(cold("embed", folder))
        floor.append(cold("bare", folder))
    wall = median(wall for wall, _ in ours)
    return {
        "what": f"cold process, {TEXTS} texts of {TOKENS} tokens",
        "wall_s": wall, "bare_wall_s": median(wall for wall, _ in floor),
        "cpu_s": median(cpu for _, cpu in ours), "bare_cpu_s": median(cpu for _, cpu in floor),
        "bar": f"<= {COLD_S} s", "over": [] if wall <= COLD_S else ["wall_s"],
    }  # fmt: skip


def warm(folder: Path, runs: int) -> dict[str, Any]:
    """Return vectors per second, divided by those of the bare session on the same texts."""
    import numpy as np

    from wardround.inference.registry import default_registry
    from wardround.inference.runtime import detect_runtime

    embedder = default_registry([folder]).embedder("base", detect_runtime("cpu"))
    session, tokenizer = bare_session(folder)
    some = texts()

    def plain() -> None:
        for text in some:
            session.run(None, {"input_ids": np.array([tokenizer.encode(text).ids], dtype=np.int64)})

    ours, floor = [], []
    for _ in range(max(3, runs)):
        ours.append(processor_seconds(lambda: embedder.embed(some)))
        floor.append(processor_seconds(plain))
    share = median(item / other for item, other in zip(floor, ours, strict=True))
    return {
        "what": f"warm, {TEXTS} texts of {TOKENS} tokens", "cpu_s": median(ours),
        "bare_cpu_s": median(floor), "share_of_bare": share, "bar": f">= {WARM}",
        "over": [] if share >= WARM else ["share_of_bare"],
    }  # fmt: skip


KINDS: tuple[tuple[str, dict[str, str], bool], ...] = (
    ("without", {"BENCH_NO_MODELS": "1"}, True),
    ("cold", {}, True),
    ("cached", {}, True),
    ("again_without", {"BENCH_NO_MODELS": "1"}, False),
    ("again", {}, False),
)
"""(name, environment, whether the cache is cleared); scores are cached from ``cold`` on."""


def measure_review(folder: Path, runs: int) -> dict[str, Any]:
    """Measure what models add to a commit of 20 files: with an empty cache, with cached scores, and fully
    cached.
    """
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch, "repo")
        root.mkdir()
        _commit_of(root, folder)
        times: dict[str, list[tuple[float, float]]] = {name: [] for name, _, _ in KINDS}
        for run in range(runs):
            log = Path(scratch, f"state{run}", "wardround", "shadow.jsonl")
            cache = Path(scratch, f"cache{run}")
            locations = {"XDG_CACHE_HOME": str(cache), "XDG_STATE_HOME": str(log.parent.parent)}
            cold("review", folder, root, BENCH_NO_MODELS="1", **locations)  # what is found out once
            for name, env, forget in KINDS:
                for retained in cache.glob("wardround/results.sqlite*") if forget else ():
                    retained.unlink()
                log.unlink(missing_ok=True)
                times[name].append(cold("review", folder, root, **locations, **env))
                _require_answers(name, len(log.read_bytes().splitlines()) if log.exists() else 0)

    def added(name: str, over: str, which: int) -> float:
        pairs = zip(times[name], times[over], strict=True)
        return median(item[which] - other[which] for item, other in pairs)

    bars = {"added_cold_cpu_s": ADDED_S, "added_cached_cpu_s": CACHED_S, "added_again_cpu_s": CACHED_S}
    found: dict[str, Any] = {
        "what": "a commit of 20 files, each scored by the base",
        "without_s": median(wall for wall, _ in times["without"]),
        "added_cold_s": added("cold", "without", 0), "added_cold_cpu_s": added("cold", "without", 1),
        "added_cached_s": added("cached", "without", 0), "added_cached_cpu_s": added("cached", "without", 1),
        "again_without_s": median(wall for wall, _ in times["again_without"]),
        "added_again_s": added("again", "again_without", 0),
        "added_again_cpu_s": added("again", "again_without", 1),
        "bar": f"<= {ADDED_S} s cold, else 0 s (<= {CACHED_S} s)",
    }  # fmt: skip
    return {**found, "over": [name for name, bar in bars.items() if found[name] > bar]}


def _require_answers(name: str, answers: int) -> None:
    """Require that a figure has the expected number of scored texts: one for each file, or none."""
    expected = TEXTS if name in ("cold", "cached") else 0
    if answers != expected:
        sys.exit(f"NOT MEASURED: {answers} texts were scored in {name!r}, not {expected}; is the base there?")


def _commit_of(root: Path, folder: Path) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)

    git("init", "-q")
    (root / ".wardround.toml").write_text(f'model-folders = ["{folder}"]\nlog-shadow = true\n')
    for number, text in enumerate(texts()):
        (root / f"part{number}.py").write_text(f"def part(cache, order):\n{text}\n    return cache\n")
    git("add", "-A")


def processor_seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def median(values: Sequence[float] | object) -> float:
    return round(statistics.median(values), 4)  # type: ignore[type-var,arg-type,call-overload]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--models", type=Path, help="folder that holds the base model")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--only", choices=["cold", "warm", "review"])
    parser.add_argument("--worker", choices=sorted(WORKERS), help=argparse.SUPPRESS)
    figures.add_json_option(parser)
    given = parser.parse_args()
    folder = given.models
    if folder is None:
        from wardround.inference.locations import package_folder

        folder = package_folder()
    folder = folder.resolve()
    if given.worker:
        WORKERS[given.worker](folder)
        return
    over = False
    for name, measure in (("cold", cold_process), ("warm", warm), ("review", measure_review)):
        if given.only in (None, name):
            found = measure(folder, given.runs)
            print(json.dumps(found), "OVER" if found["over"] else "", flush=True)
            over = over or bool(found["over"])
            figures.write(given.json, "inference", {name: found})
    sys.exit(int(over))


if __name__ == "__main__":
    main()
