"""How long models take: from a cold process, warm beside a bare session, and as a part of a review.

    python benchmarks/inference.py                         # medians of 7
    python benchmarks/inference.py --models FOLDER --runs 3

FOLDER holds the base model (default: what comes with wardround). Everything that is compared runs in turn in
one loop, so that a machine that slows down slows both; what counts are the ratios. The bare process imports
numpy, onnxruntime and tokenizers, loads the same files and runs the same texts, and does nothing else.
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

TEXTS = 20
TOKENS = 128
COLD_S = 0.6
WARM = 0.9
ADDED_S = 0.5
WORDS = [
    "cache", "order", "price", "total", "file", "path", "read", "write", "open", "close", "user", "key",
    "value", "token", "limit", "index", "query", "result", "error", "retry", "batch", "queue", "lock",
    "thread", "worker", "request", "response", "header", "body", "parse", "format", "render",
]  # fmt: skip


def texts(count: int = TEXTS, seed: int = 0) -> list[str]:
    """Plausible code, each far more than 128 tokens long."""
    draw = random.Random(seed)
    return ["\n".join(_line(draw) for _ in range(40)) for _ in range(count)]


def _line(draw: random.Random) -> str:
    name, call, argument = draw.choices(WORDS, k=3)
    return f"    {name} = {call}({argument}, {draw.randrange(90)})"


# --- what runs in a process of its own


def embed(folder: Path) -> None:
    """The product's way, from nothing to vectors."""
    from wardround.inference.runtime import find
    from wardround.inference.shelf import standard

    standard([folder]).embedder("base", find("cpu")).embed(texts())


def bare(folder: Path) -> None:
    """The shortest way there is, without looking at what is loaded."""
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
    """One commit review, with a specialist that binds each hunk to a sentence by the base model."""
    from wardround import host
    from wardround import review as reviewing
    from wardround.change.git import Repository
    from wardround.change.origin import RepositoryOrigin
    from wardround.checks import Check
    from wardround.config import Request
    from wardround.findings import Span
    from wardround.specialists import Specialist
    from wardround.tools.process import Processes

    class Bound(Check):
        """A hunk is about what was asked for."""

        ID = "BOUND"
        NAME = "bound"

        def run(self) -> None:
            model = self.source.models.ranker("base")
            if model is not None and model.scores("parse the header of a request", [self.source.text])[0] > 2:
                self.report(Span(1, 1, 1, 2), "never")

    bench = Specialist("bench", ("*.py",), checks=(Bound,), models=("base",))
    loaded = host.load()
    with Repository(Path.cwd()) as repository:
        change = repository.staged()
        origin = RepositoryOrigin(repository, change)
        request = Request(use_models="BENCH_NO_MODELS" not in os.environ)
        done = reviewing.run(
            origin, change, host.Host([*loaded.specialists, bench], loaded.plugins), request, Processes()
        )
    assert not done.notes, done.notes
    sys.stdout.flush()
    os._exit(0)


WORKERS: dict[str, Callable[[Path], None]] = {"embed": embed, "bare": bare, "review": review}


# --- measuring


def cold(name: str, folder: Path, cwd: Path | None = None, **env: str) -> tuple[float, float]:
    """Wall and processor seconds of a process of its own."""
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, __file__, "--worker", name, "--models", str(folder)],
        check=True, cwd=cwd, env={**os.environ, **env},
    )  # fmt: skip
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cold_process(folder: Path, runs: int) -> dict[str, object]:
    ours, floor = [], []
    for _ in range(runs):
        ours.append(cold("embed", folder))
        floor.append(cold("bare", folder))
    return {
        "what": f"cold process, {TEXTS} texts of {TOKENS} tokens",
        "wall_s": median(wall for wall, _ in ours), "bare_wall_s": median(wall for wall, _ in floor),
        "cpu_s": median(cpu for _, cpu in ours), "bare_cpu_s": median(cpu for _, cpu in floor),
        "bar": f"<= {COLD_S} s",
    }  # fmt: skip


def warm(folder: Path, runs: int) -> dict[str, object]:
    """Vectors a second, as a share of what the bare session gives of the same texts."""
    import numpy as np

    from wardround.inference.runtime import find
    from wardround.inference.shelf import standard

    embedder = standard([folder]).embedder("base", find("cpu"))
    session, tokenizer = bare_session(folder)
    some = texts()

    def plain() -> None:
        for text in some:
            session.run(None, {"input_ids": np.array([tokenizer.encode(text).ids], dtype=np.int64)})

    ours, floor = [], []
    for _ in range(max(3, runs)):
        ours.append(processor_seconds(lambda: embedder.embed(some)))
        floor.append(processor_seconds(plain))
    share = median(one / other for one, other in zip(floor, ours, strict=True))
    return {
        "what": f"warm, {TEXTS} texts of {TOKENS} tokens", "cpu_s": median(ours),
        "bare_cpu_s": median(floor), "share_of_bare": share, "bar": f">= {WARM}",
    }  # fmt: skip


def in_review(folder: Path, runs: int) -> dict[str, object]:
    """What models add to a commit of 20 files, from an empty cache of scores and from a full one."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch, "repo")
        root.mkdir()
        _commit_of(root, folder)
        figures: dict[str, list[tuple[float, float]]] = {"without": [], "cold": [], "cached": []}
        for run in range(runs):
            caches = {"XDG_CACHE_HOME": str(Path(scratch, f"cache{run}"))}
            cold("review", folder, root, BENCH_NO_MODELS="1", **caches)  # what is found out once
            for name, env in (("without", {"BENCH_NO_MODELS": "1"}), ("cold", {}), ("cached", {})):
                for kept in Path(caches["XDG_CACHE_HOME"]).glob("wardround/results.sqlite*"):
                    kept.unlink()
                figures[name].append(cold("review", folder, root, **caches, **env))

    def added(name: str, which: int) -> float:
        pairs = zip(figures[name], figures["without"], strict=True)
        return median(one[which] - other[which] for one, other in pairs)

    return {
        "what": "a commit of 20 files, tools uncached",
        "without_s": median(wall for wall, _ in figures["without"]),
        "added_cold_s": added("cold", 0), "added_cold_cpu_s": added("cold", 1),
        "added_cached_s": added("cached", 0), "added_cached_cpu_s": added("cached", 1),
        "bar": f"<= {ADDED_S} s, about 0 s",
    }  # fmt: skip


def _commit_of(root: Path, folder: Path) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)

    git("init", "-q")
    (root / ".wardround.toml").write_text(f'model-folders = ["{folder}"]\n')
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
    given = parser.parse_args()
    folder = given.models
    if folder is None:
        from wardround.inference.places import package_folder

        folder = package_folder()
    folder = folder.resolve()
    if given.worker:
        WORKERS[given.worker](folder)
        return
    for name, measure in (("cold", cold_process), ("warm", warm), ("review", in_review)):
        if given.only in (None, name):
            print(json.dumps(measure(folder, given.runs)), flush=True)


if __name__ == "__main__":
    main()
