"""Evaluate the ranking of code for a text, with and without the model, on external repositories.

    python evals/binding.py messages REPOSITORY ... --cache DIR [--draw N] [--models DIR] [--json FILE]
    python evals/binding.py reports REPOSITORY ... (the same)
    python evals/binding.py fit-messages REPOSITORY ... (the same), and fit-reports: prints weights

``messages``: the message of a commit, without file names, addresses, issue numbers and hashes, against the
hunks of the 31 commits nearest in time; its own hunks (at most six per commit) should rank first.
``reports``: the message of a fix, cleaned likewise, against the source files of the parent commit, without
tests, examples and documentation; those that the fix touches should rank first, and in them the functions it
touches. Messages and files of earlier commits are known up to the parent commit.

Commits are sampled in blocks evenly spaced over a history, so that adjacent commits share cached files;
``--draw 1`` samples other commits of the same blocks than ``--draw 0``. Compared are

- BM25, character n-grams, the model, and even sums of their standardised scores, as ``BM25+char``;
- ``cheap``: all features of ``wardround related`` without the model, in its weights;
- ``fused``: the same with the model, as in ``wardround related``.

Intervals are of 95%, by bootstrap over commits and over repositories. The weights are those of a logistic
regression over pairs of a correct and an incorrect candidate; fit them on other repositories than are
measured.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wardround.change.change_source import FileTexts, GitChangeSource, decode_text
from wardround.change.diff import ChangedFile, FileStatus
from wardround.change.repository import Repository
from wardround.errors import GitError
from wardround.retrieval import ngrams
from wardround.retrieval.commit_signals import COMMITS
from wardround.retrieval.definitions import enclosing, functions
from wardround.retrieval.documents import file_texts, query_text
from wardround.retrieval.file_search import evidence as file_opinions
from wardround.retrieval.file_search import is_accompanying_file, is_source, locate_functions
from wardround.retrieval.hunk_search import ChangedCode, changed_code
from wardround.retrieval.hunk_search import opinions as hunk_opinions
from wardround.retrieval.index import CachedEmbedder, IndexedFile, SearchIndex
from wardround.retrieval.protocols import TextEmbedder
from wardround.retrieval.rank_fusion import fuse, standardise
from wardround_lab.experiments.instances.task_text import GIVEN_AWAY, ROUTINE

SEED = 7
WINDOW = 128
RESAMPLED = 2000
NEAREST = 15
OWN_HUNKS = 6
MOST_HUNKS = 60
FEWEST_FILES = 40
PAIRS = 200
STEPS = 20
PULL = 1e-3
FIX = re.compile(
    r"\b(fix(es|ed|ing)?|bug|crash(es|ed)?|regression|broken|incorrect(ly)?|wrong(ly)?)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Commit:
    id: str
    parent: str
    subject: str
    message: str


@dataclass(frozen=True, slots=True)
class SampleSettings:
    """The number of commits of each repository, the sample, and the directory of cached vectors."""

    each: int
    draw: int
    cache: Path


class Evidence(NamedTuple):
    """Scores of the candidates of one query, of shape (candidates, names), and their labels."""

    names: tuple[str, ...]
    scores: Any
    right: Any


@dataclass(frozen=True, slots=True)
class Case:
    """One query's metrics, by method."""

    repository: str
    commit: str
    candidates: int
    metrics: Mapping[str, Mapping[str, float]]
    evidence: Evidence


class Model:
    """An embedder as a bare ONNX file; one text at a time, one thread."""

    def __init__(self, onnx: Path, tokenizer: Path) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(onnx, options, providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(WINDOW)
        self.digest = hashlib.sha256(onnx.read_bytes() + tokenizer.read_bytes()).hexdigest()

    def embed(self, texts: Sequence[str]) -> Any:
        rows = []
        for text in texts:
            ids = np.array([self._tokenizer.encode(text).ids], np.int64)
            values = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
            rows.append(self._session.run(None, values)[0][0])
        return np.stack(rows)


def embedder_of(arguments: argparse.Namespace) -> TextEmbedder:
    """Return the requested model: a bare file, or the base of a directory of models or of the package."""
    if arguments.onnx is not None:
        return Model(arguments.onnx, arguments.onnx.with_name("tokenizer.json"))
    from wardround.inference.registry import default_registry
    from wardround.inference.runtime import detect_runtime

    return default_registry([arguments.models] if arguments.models else []).embedder(
        "base", detect_runtime("cpu")
    )


# Commits


def commits_of(folder: Path) -> list[Commit]:
    """The commits of a history with one parent, newest first."""
    out = subprocess.run(
        ["git", "-C", folder, "log", "--no-merges", "-z", "--format=%H%n%P%n%B", "HEAD"],
        capture_output=True, check=True,
    ).stdout.decode("utf-8", "replace")  # fmt: skip
    found = []
    for row in out.split("\0"):
        id_, parents, message = [*row.split("\n", 2), "", ""][:3]
        if len(parents.split()) == 1 and message.strip():
            found.append(Commit(id_, parents, message.strip().split("\n")[0], message.strip()))
    return found


def cleaned(message: str) -> str:
    """Return a message, its first line and the rest, without text that reveals the files."""
    lines = (" ".join(part.split()) for part in GIVEN_AWAY.sub(" ", query_text(message)).split("\n", 1))
    return "\n".join(line for line in lines if line)[:1500]


def telling(commit: Commit) -> bool:
    return (
        not ROUTINE.search(commit.subject) and len(re.findall(r"[A-Za-z]{2,}", cleaned(commit.message))) >= 4
    )


def blocks(commits: Sequence[Commit], number: int, length: int) -> Iterator[Sequence[Commit]]:
    """Return runs of neighbouring commits, evenly spaced over a history."""
    for at in range(number):
        middle = int((at + 0.5) * len(commits) / number)
        yield commits[max(middle - length // 2, 0) : middle + length // 2]


# Messages against hunks


def hunk_cases(name: str, folder: Path, embedder: TextEmbedder, requested: SampleSettings) -> Iterator[Case]:
    with Repository(folder) as repository:
        index = SearchIndex.open(folder, requested.cache)
        retained = CachedEmbedder(embedder, index)

        @cache
        def hunks(commit: Commit) -> tuple[ChangedCode, ...]:
            return own_hunks(repository, commit)

        per_block = 7
        for block in blocks(commits_of(folder), -(-requested.each // per_block), 400):
            usable = [c for c in block[150:] if not ROUTINE.search(c.subject)][: 90 + 60 * requested.draw]
            with_code = [c for c in usable if hunks(c)]
            fit = [
                at
                for at in range(NEAREST, len(with_code) - NEAREST)
                if telling(with_code[at]) and len({h.path for h in hunks(with_code[at])}) > 1
            ]
            for at in fit[requested.draw * per_block : (requested.draw + 1) * per_block]:
                near = with_code[at - NEAREST : at] + with_code[at + 1 : at + 1 + NEAREST]
                others = [hunk for other in near for hunk in hunks(other)]
                yield hunk_case(name, with_code[at], hunks(with_code[at]), others, retained)
        index.close()


def own_hunks(repository: Repository, commit: Commit) -> tuple[ChangedCode, ...]:
    """Return at most six hunks of a commit, sampled by seed; none of a sweep."""
    try:
        change = repository.range(commit.parent, commit.id)
        if len(change.files) > MOST_HUNKS:
            return ()
        found = [
            h
            for h in changed_code(change, FileTexts(GitChangeSource(repository, change), change))
            if is_source(h.path)
        ]
    except GitError:
        return ()
    if len(found) > MOST_HUNKS:
        return ()
    rng = random.Random(f"{SEED} {commit.id}")
    return tuple(rng.sample(found, min(OWN_HUNKS, len(found))))


def hunk_case(
    name: str,
    commit: Commit,
    own: Sequence[ChangedCode],
    others: Sequence[ChangedCode],
    embedder: TextEmbedder,
) -> Case:
    reported = hunk_opinions(cleaned(commit.message), [*own, *others], embedder)
    near = reported.closeness
    assert near is not None
    ways = {
        "BM25": reported.words,
        "char": reported.characters,
        "model": near,
        "BM25+char": fuse(reported.words, reported.characters),
        "BM25+char+model": fuse(reported.words, reported.characters, near),
        "cheap": replace(reported, closeness=None).fuse(),
        "fused": reported.fuse(),
    }
    right = [True] * len(own) + [False] * len(others)
    metrics = {way: ranking(scores, right) for way, scores in ways.items()}
    return Case(name, commit.id, len(right), metrics, evidence(reported, right))


def evidence(told: Any, right: Sequence[bool]) -> Evidence:
    """Return the data of the fit: standardised scores, a column for each, and the labels."""
    names = [field.name for field in fields(told)]
    columns = [standardise(getattr(told, name)) for name in names]
    return Evidence(tuple(names), np.array(columns).T, np.array(right))


def ranking(scores: Sequence[float], right: Sequence[bool]) -> dict[str, float]:
    """Return ranking metrics; candidates with equal scores share the mean over their orders."""
    order = sorted(range(len(scores)), key=lambda at: (-scores[at], right[at]))  # ties against us
    locations = [location for location, at in enumerate(order, 1) if right[at]]
    wins = [
        (scores[a] > scores[b]) + 0.5 * (scores[a] == scores[b])
        for a in range(len(scores)) if right[a]
        for b in range(len(scores)) if not right[b]
    ]  # fmt: skip
    return {
        "hit@1": float(locations[0] == 1),
        "hit@5": float(locations[0] <= 5),
        "MRR": 1 / locations[0],
        "MAP": statistics.fmean(n / location for n, location in enumerate(locations, 1)),
        "AUC": statistics.fmean(wins) if wins else 1.0,
        "recall@5": sum(location <= 5 for location in locations) / len(locations),
        "recall@10": sum(location <= 10 for location in locations) / len(locations),
    }


# Reports against files and functions


def file_cases(name: str, folder: Path, embedder: TextEmbedder, requested: SampleSettings) -> Iterator[Case]:
    with Repository(folder) as repository:
        index = SearchIndex.open(folder, requested.cache)
        fixes = [c for c in commits_of(folder) if FIX.search(c.subject) and telling(c)]
        per_block = 10
        for block in blocks(fixes, -(-requested.each // per_block), 120):
            fit = (searched for commit in block if (searched := files_of(commit, repository)) is not None)
            for searched in islice(fit, requested.draw * per_block, (requested.draw + 1) * per_block):
                yield file_case(name, searched, repository, index, embedder)
        index.close()


class FixSearch(NamedTuple):
    """A fix, the files of its parent commit, and those of them it touches."""

    commit: Commit
    entries: Sequence[IndexedFile]
    touched: Sequence[ChangedFile]


def files_of(commit: Commit, repository: Repository) -> FixSearch | None:
    """Return the candidates of a fix; None if it is too large, moves files, or has too few candidates."""
    try:
        change = repository.range(commit.parent, commit.id)
    except GitError:
        return None
    touched = [file for file in change.files if _is_candidate(file.path)]
    if not 1 <= len(touched) <= 4 or any(file.status is not FileStatus.MODIFIED for file in touched):
        return None
    entries = [IndexedFile(*row) for row in repository.blobs_of(commit.parent) if _is_candidate(row[0])]
    paths = {entry.path for entry in entries}
    if len(entries) < FEWEST_FILES or not paths.issuperset(file.path for file in touched):
        return None
    return FixSearch(commit, entries, touched)


def _is_candidate(path: str) -> bool:
    return is_source(path) and not is_accompanying_file(path)


def file_case(
    name: str, searched: FixSearch, repository: Repository, index: SearchIndex, embedder: TextEmbedder
) -> Case:
    commit, entries, touched = searched

    def read(entry: IndexedFile) -> str | None:
        content = repository.blobs.get(entry.blob)
        return None if content is None else decode_text(content)

    index.update(entries, read, embedder, shown)
    index.past(repository.ancestors(commit.parent, COMMITS), repository.commits_touching)
    requested = cleaned(commit.message)
    began = time.perf_counter()
    past = index.past(repository.ancestors(commit.parent, COMMITS), repository.commits_touching)
    reported = file_opinions(requested, entries, index, embedder, past)
    both = reported.fuse()
    seconds = time.perf_counter() - began
    near = reported.closeness
    assert near is not None
    nothing = [0.0] * len(entries)
    characters = ngrams.scores(requested, ["\n".join(lexical_form(e, read)) for e in entries])
    ways = {
        "BM25": reported.words,
        "char": characters,
        "model": near,
        "past": reported.told,
        "BM25+char": fuse(reported.words, characters),
        "BM25+model": fuse(reported.words, near),
        "cheap": replace(reported, closeness=None).fuse(),
        "cheap, no past": replace(reported, told=nothing, recent=nothing, closeness=None).fuse(),
        "fused, no past": replace(reported, told=nothing, recent=nothing).fuse(),
        "fused": both,
    }
    gold = {file.path for file in touched}
    right = [entry.path in gold for entry in entries]
    metrics = {way: ranking(scores, right) for way, scores in ways.items()}
    metrics["fused"]["seconds"] = seconds
    touched_functions = {
        (file.path, around.line)
        for file in touched
        for around in functions_at(read(IndexedFile(file.path, file.base_blob or "")), file.path, file.hunks)
    }
    if touched_functions:
        metrics |= function_ways(requested, entries, reported.words, both, read, touched_functions)
    return Case(name, commit.id, len(right), metrics, evidence(reported, right))


@cache
def _form(path: str, blob: str, text: str) -> list[str]:
    return file_texts(path, text)


def lexical_form(entry: IndexedFile, read: Callable[[IndexedFile], str | None]) -> list[str]:
    return _form(entry.path, entry.blob, read(entry) or "")


def functions_at(text: str | None, path: str, hunks: Sequence[Any]) -> Iterator[Any]:
    defined = functions(path, text or "")
    for hunk in hunks:
        for line in range(hunk.base_start, hunk.base_start + max(hunk.base_length, 1)):
            around = enclosing(defined, line)
            if around is not None:
                yield around


def function_ways(
    requested: str, entries: Sequence[IndexedFile], words: Sequence[float], both: Sequence[float],
    read: Callable[[IndexedFile], str | None], gold: set[tuple[str, int]],
) -> dict[str, dict[str, float]]:  # fmt: skip
    """Rank the functions of the five files found: whether one the fix touches is among the first."""
    found = {}
    for way, scores in (("functions BM25", words), ("functions fused", both)):
        first = sorted(range(len(entries)), key=lambda at: (-scores[at], entries[at].path))[:5]
        texts = [(entries[at].path, read(entries[at]) or "") for at in first]
        began = time.perf_counter()
        matches = locate_functions(requested, texts)
        seconds = time.perf_counter() - began
        locations = [n for n, m in enumerate(matches, 1) if (m.path, m.function.line) in gold]
        location = locations[0] if locations else 10**6
        found[way] = {"hit@1": float(location == 1), "hit@5": float(location <= 5),
                      "hit@10": float(location <= 10),
                      "MRR": 1 / location, "seconds": seconds}  # fmt: skip
    return found


# Tables


def interval(values: Sequence[tuple[str, float]], *, by_repository: bool) -> tuple[float, float]:
    """The 95% interval of a mean, resampling commits, or complete repositories."""
    if by_repository:
        names = sorted({name for name, _ in values})
        sums = np.array([sum(v for n, v in values if n == name) for name in names])
        counts = np.array([sum(n == name for n, _ in values) for name in names])
    else:
        sums, counts = np.array([value for _, value in values]), np.ones(len(values))
    drawn = resampled(len(sums))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return round(float(low), 4), round(float(high), 4)


@cache
def resampled(size: int) -> Any:
    """Return indices of ``RESAMPLED`` samples with replacement; numpy's generator would import secrets.py."""
    rng = random.Random(SEED)
    return np.array(rng.choices(range(size), k=size * RESAMPLED)).reshape(RESAMPLED, size)


def summary(cases: Sequence[Case]) -> dict[str, Any]:
    ways = sorted({way for case in cases for way in case.metrics})
    out: dict[str, Any] = {}
    for way in ways:
        having = [case for case in cases if way in case.metrics]
        out[way] = {"cases": len(having)}
        for metric in having[0].metrics[way]:
            if metric == "seconds":
                times = sorted(c.metrics[way][metric] for c in having)
                out[way]["seconds"] = {"p50": round(statistics.median(times), 3),
                                       "p95": round(times[int(0.95 * (len(times) - 1))], 3)}  # fmt: skip
                continue
            values = [(c.repository, c.metrics[way][metric]) for c in having]
            mean = round(statistics.fmean(v for _, v in values), 4)
            out[way][metric] = {"mean": mean, "commits": interval(values, by_repository=False)}
    return out


def difference(cases: Sequence[Case], way: str, other: str, metric: str) -> dict[str, Any]:
    having = [c for c in cases if way in c.metrics and other in c.metrics]
    values = [(c.repository, c.metrics[way][metric] - c.metrics[other][metric]) for c in having]
    names = sorted({name for name, _ in values})
    return {
        "of": f"{way} - {other}", "metric": metric,
        "mean": round(statistics.fmean(v for _, v in values), 4),
        "commits": interval(values, by_repository=False),
        "repositories": interval(values, by_repository=True),
        "by_repository": {n: round(statistics.fmean(v for m, v in values if m == n), 4) for n in names},
    }  # fmt: skip


def table(report: Mapping[str, Any]) -> str:
    lines = [f"{report['task']}: {report['cases']} commits of {len(report['repositories'])} repositories, "
             f"median {report['candidates']['median']} candidates"]  # fmt: skip
    for way, metrics in report["methods"].items():
        shown_metrics = (
            f"{m} {v['mean']:.3f} [{v['commits'][0]:.3f}, {v['commits'][1]:.3f}]"
            for m, v in metrics.items() if isinstance(v, dict) and "mean" in v
        )  # fmt: skip
        spent = metrics.get("seconds")
        lines.append(f"  {way:<16} {'  '.join(shown_metrics)}" + (f"  p95 {spent['p95']} s" if spent else ""))
    lines += [
        f"  {d['of']:<28} {d['metric']:<9} {d['mean']:+.4f}  commits {d['commits']}  "
        f"repositories {d['repositories']}  worst {min(d['by_repository'].values()):+.3f}"
        for d in report["differences"]
    ]
    lines += [f"  {'met' if met else 'NOT MET'}: {bar}" for bar, met in report["bars"].items()]
    return "\n".join(lines)


def report_on(task: str, cases: Sequence[Case], draw: int) -> dict[str, Any]:
    messages = task == "messages"
    metrics = ("MRR", "hit@1", "MAP", "AUC") if messages else ("recall@5", "recall@10", "MRR")
    pairs = [
        ("fused", "cheap"), ("fused", "BM25+char"), ("fused", "BM25"), ("cheap", "BM25+char"),
        ("BM25+char", "BM25"), ("fused", "BM25+char+model" if messages else "BM25+model"),
    ]  # fmt: skip
    differences = [difference(cases, a, b, metric) for a, b in pairs for metric in metrics]
    if not messages:
        differences += [difference(cases, "functions fused", "functions BM25", m) for m in ("hit@5", "MRR")]
    names = sorted({case.repository for case in cases})
    methods = summary(cases)
    return {
        "task": task, "seed": SEED, "draw": draw, "cases": len(cases),
        "repositories": {n: sum(c.repository == n for c in cases) for n in names},
        "candidates": {"median": statistics.median(c.candidates for c in cases),
                       "least": min(c.candidates for c in cases), "most": max(c.candidates for c in cases)},
        "methods": methods, "differences": differences,
        "bars": bars(messages, methods, differences, len(cases), len(names)),
    }  # fmt: skip


def bars(
    messages: bool,
    methods: Mapping[str, Any],
    differences: Sequence[Mapping[str, Any]],
    cases: int,
    names: int,
) -> dict[str, bool]:
    def gain(over: str, metric: str) -> Mapping[str, Any]:
        return next(d for d in differences if d["of"] == f"fused - {over}" and d["metric"] == metric)

    enough = {"at least 300 commits": cases >= 300, "at least 8 repositories": names >= 8}
    if messages:
        mrr = gain("BM25+char", "MRR")
        return enough | {
            "MRR over BM25+char at least +0.02": mrr["mean"] >= 0.02,
            "its lower bound by commit above 0": mrr["commits"][0] > 0,
            "its lower bound by repository above 0": mrr["repositories"][0] > 0,
            "no repository worse by more than 0.05": min(mrr["by_repository"].values()) >= -0.05,
            "AUC at least 0.88": methods["fused"]["AUC"]["mean"] >= 0.88,
            "MRR over all that is cheap: lower bound by repository above 0":
                gain("cheap", "MRR")["repositories"][0] > 0,
        }  # fmt: skip
    recall, control = gain("BM25", "recall@5"), gain("BM25+char", "recall@5")
    return enough | {
        "recall@5 at least 0.72": methods["fused"]["recall@5"]["mean"] >= 0.72,
        "recall@5 over BM25 at least +0.04": recall["mean"] >= 0.04,
        "its lower bound by commit above 0": recall["commits"][0] > 0,
        "its lower bound by repository above 0": recall["repositories"][0] > 0,
        "recall@5 over BM25+char: lower bound above 0": control["commits"][0] > 0,
        "recall@5 over all that is cheap: lower bound by repository above 0":
            gain("cheap", "recall@5")["repositories"][0] > 0,
        "a query within 1 s (p95)": methods["fused"]["seconds"]["p95"] < 1,
    }  # fmt: skip


# Weights


def fitted(cases: Sequence[Case]) -> dict[str, float]:
    """Return the weights of the scores, the largest 1: logistic regression over pairs, equal weight per
    case.
    """
    rng = random.Random(SEED)
    rows = []
    for case in cases:
        right, wrong = (np.flatnonzero(case.evidence.right == side) for side in (True, False))
        pairs = [(rng.choice(right), rng.choice(wrong)) for _ in range(PAIRS)]
        rows.append(case.evidence.scores[[a for a, _ in pairs]] - case.evidence.scores[[b for _, b in pairs]])
    every = np.concatenate(rows)
    weights = np.zeros(every.shape[1])
    for _ in range(STEPS):  # Newton's, with a faint pull to 0
        chance = 1 / (1 + np.exp(every @ weights))
        slope = every.T @ chance / len(every) - PULL * weights
        curve = (every * (chance * (1 - chance))[:, None]).T @ every / len(every) + PULL * np.eye(
            len(weights)
        )
        weights += np.linalg.solve(curve, slope)
    largest = float(np.abs(weights).max())
    names = cases[0].evidence.names
    return {name: round(float(item) / largest, 2) for name, item in zip(names, weights, strict=True)}


def without_model(case: Case) -> Case:
    retained = [at for at, name in enumerate(case.evidence.names) if name != "closeness"]
    names = tuple(case.evidence.names[at] for at in retained)
    return replace(case, evidence=Evidence(names, case.evidence.scores[:, retained], case.evidence.right))


def shown(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text[:79]}", end="", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("task", choices=["messages", "reports", "fit-messages", "fit-reports"])
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--models", type=Path, help="a folder of models; else those of the package")
    parser.add_argument("--onnx", type=Path, help="a bare ONNX file, with tokenizer.json beside it")
    parser.add_argument("--cache", type=Path, required=True, help="where vectors are kept between runs")
    parser.add_argument("--each", type=int, default=40, help="commits of each repository")
    parser.add_argument("--draw", type=int, default=0, help="0, or 1 for other commits")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    model = embedder_of(arguments)
    requested = SampleSettings(arguments.each, arguments.draw, arguments.cache)
    fitting, _, task = arguments.task.rpartition("-")
    cases: list[Case] = []
    report: dict[str, Any] = {}
    for folder in arguments.repositories:
        make = hunk_cases if task == "messages" else file_cases
        name = folder.name if folder.name != "repo" else folder.parent.name.partition("+")[2]
        began, before = time.monotonic(), len(cases)
        cases += make(name, folder, model, requested)
        print(f"{name}: {len(cases) - before} commits, {time.monotonic() - began:.0f} s", flush=True)
        if fitting:
            continue
        report = report_on(task, cases, arguments.draw)
        if arguments.json is not None:
            arguments.json.parent.mkdir(parents=True, exist_ok=True)
            arguments.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if fitting:
        print(f"with the model {fitted(cases)}\nwithout {fitted(list(map(without_model, cases)))}")
    else:
        print(table(report))


if __name__ == "__main__":
    main()
