"""Evaluate the ranking of the tests that cover a function, on external repositories.

    python evals/covering.py mine REPOSITORY ... --out DIR [--each N]
    python evals/covering.py fit DIR
    python evals/covering.py report DIR [--model base] [--model tests] [--json FILE]
    python evals/covering.py ran FOLDER COVERAGE-DATA
    python evals/covering.py hints DIR REPOSITORY ... --json FILE

``mine`` takes commits that change one to three functions and tests that were there before. The queries are
the functions after the commit; the candidates are all tests of its parent, and those that the commit changes
are relevant (for files, the test files that it changes). Commits are sampled in blocks evenly spaced over a
history. ``fit`` fits the weights of ``retrieval.test_selection`` on the repositories in ``FITTED_ON``;
``report`` evaluates on all others: names alone, BM25, all inexpensive features, and models that rerank the
first. Intervals are of 95%, by bootstrap over repositories.

``ran`` reads a directory whose tests were run under ``coverage`` with ``dynamic_context = test_function``:
the tests that run a function are relevant. ``hints`` evaluates the test that TE201 names for the mined
functions that no test reaches by name: its file is relevant if the commit touches it.
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
import re
import statistics
import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from wardround_tests.file_kinds import PYTHON_TESTS, SCRIPT_TESTS, is_production, is_test
from wardround_tests.nearest_test import NearestTests

from wardround.retrieval import bm25
from wardround.retrieval.definitions import functions
from wardround.retrieval.documents import leading
from wardround.retrieval.rank_fusion import standardise
from wardround.retrieval.test_discovery import DiscoveredTest, TestFile, contains_tests
from wardround.retrieval.test_selection import (
    NAMES,
    WEIGHTS,
    Caller,
    TargetFunction,
    Tests,
    find_subject,
    same_language,
    subjects,
    users,
    weigh,
)  # fmt: skip
from wardround.text.globs import matches
from wardround.text.search_terms import count_words
from wardround.training_tasks import Changed, Commit
from wardround_lab.corpora.git_history import HistoryLimits, RepositoryHistory

SEED = 7
FITTED_ON = frozenset(
    {
        "pallets/flask", "encode/httpx", "celery/celery", "getredash/redash", "sqlfluff/sqlfluff",
        "react-hook-form/react-hook-form", "encode/starlette", "hoppscotch/hoppscotch",
    }
)  # fmt: skip
"""Repositories on which the tests adapter or its base was trained; excluded from every report."""
CODE = ("*.py", "*.ts", "*.tsx", "*.js", "*.jsx", "*.mjs", "*.vue")
FEWEST_TESTS = 30
MOST_FUNCTIONS, MOST_TESTS, MOST_FILES = 3, 8, 12
BLOCK = 5
BY_NAME = [NAMES.index(name) for name in ("named", "named-share", "file-named", "file-share")]
COMPARED = 200
PENALTY = 0.005
RERANKED = 12
MIXES = (0.25, 0.5, 1.0, 2.0)
RESAMPLED = 4000
FEWEST_LINES = 2
USING_FILES = 25

Measure = Callable[["Question", Any], dict[str, float]]


@dataclass(frozen=True)
class Question:
    """A changed function and the tests of the parent commit.

    Attributes:
        rows: shape (tests, features), in the order of ``NAMES``.
        lexical: BM25 of the function's path, name and text over the tests' paths, names and texts.
        texts: for each test the index of its text in its repository.
        files: for each test the index of its file in ``paths``.
        changed: for each test whether the commit changes it.
        touched: for each of ``paths`` whether the commit changes it.
    """

    repository: str
    commit: str
    subject: TargetFunction
    is_new: bool
    rows: Any
    lexical: Any
    texts: Any
    files: Any
    paths: Sequence[str]
    changed: Any
    touched: Any


@dataclass
class MinedQuestions:
    """The questions of a repository; ``texts`` are (path, title, text) of tests."""

    repository: str
    questions: list[Question] = field(default_factory=list)
    texts: list[tuple[str, str, str]] = field(default_factory=list)


class Miner:
    """Creates questions from the commits of one repository."""

    def __init__(self, history: RepositoryHistory) -> None:
        self.history = history
        self.mined = MinedQuestions(history.repository)
        self._files: dict[tuple[str, str], TestFile] = {}
        self._documents: dict[int, Counter[str]] = {}
        self._places: dict[tuple[str, str, str], int] = {}

    def run(self, wanted: int) -> MinedQuestions:
        usable = [commit for commit in self.history.every_commit() if _is_usable_commit(commit)]
        number = -(-wanted // BLOCK)
        for at in range(number):
            self._files.clear()
            self._documents.clear()
            done = 0
            for commit in usable[at * len(usable) // number : (at + 1) * len(usable) // number]:
                done += self._ask(commit)
                if done >= BLOCK:
                    break
        return self.mined

    def _ask(self, commit: Commit) -> bool:
        """Create the questions of a commit; return True if there are any."""
        found = [function for change in commit.changes for function in self._changed_functions(change)]
        if not 1 <= len(found) <= MOST_FUNCTIONS or commit.parent is None:
            return False
        rewritten = {
            change.base_path: self._rewritten_tests(change)
            for change in commit.changes
            if _is_existing_test(change)
        }
        changed = {key for keys in rewritten.values() for key in keys}
        if not 1 <= len(changed) <= MOST_TESTS:
            return False
        tree = dict(self.history.tree(commit.parent, CODE))
        added = [self._add(commit, *function, tree, changed, set(rewritten)) for function in found]
        return any(added)

    def _add(
        self, commit: Commit, subject: TargetFunction, is_new: bool, tree: dict[str, str],
        changed: set[tuple[str, str]], touched: set[str | None],
    ) -> bool:  # fmt: skip
        files = [
            self._file(*entry)
            for entry in tree.items()
            if contains_tests(entry[0]) and same_language(entry[0], subject.path)
        ]
        tests = Tests([file for file in files if file.cases])
        paths = [file.path for file in tests.files]
        if len(tests.cases) < FEWEST_TESTS or touched.isdisjoint(paths):
            return False
        sources = (
            (path, self.history.text(tree[path]) or "")
            for path in self._files_using(commit, subject)
            if path in tree
        )
        location = {path: at for at, path in enumerate(paths)}
        documents = [self._document_words(case) for case in tests.cases]
        requested = count_words(f"{subject.path}\n{subject.name}\n{subject.text}")
        self.mined.questions.append(
            Question(
                self.mined.repository, commit.id, subject, is_new,
                np.array(tests.evidence(subject, users(subject, sources)), np.float32),
                np.array(bm25.scores(requested, documents), np.float32),
                np.array([self._case_position(case) for case in tests.cases], np.int32),
                np.array([location[case.path] for case in tests.cases], np.int32),
                paths,
                np.array([(case.path, case.id) in changed for case in tests.cases]),
                np.array([path in touched for path in paths]),
            )
        )  # fmt: skip
        return True

    def _files_using(self, commit: Commit, subject: TargetFunction) -> list[str]:
        """Return the code files at the parent that contain the subject's name."""
        patterns = [pattern for pattern in CODE if same_language(pattern, subject.path)]
        return list(
            filter(is_production, holding(self.history.folder, commit.parent or "", [subject.own], patterns))
        )[:USING_FILES]

    def _case_position(self, case: DiscoveredTest) -> int:
        key = (case.path, " ".join((*case.around, case.name)), case.text[:1500])
        if key not in self._places:
            self._places[key] = len(self.mined.texts)
            self.mined.texts.append(key)
        return self._places[key]

    def _document_words(self, case: DiscoveredTest) -> Counter[str]:
        """Return the words of a test's path, name and text."""
        if id(case) not in self._documents:
            self._documents[id(case)] = case.words + count_words(case.path)
        return self._documents[id(case)]

    def _file(self, path: str, blob: str) -> TestFile:
        if (path, blob) not in self._files:
            self._files[path, blob] = TestFile(path, self.history.text(blob) or "")
        return self._files[path, blob]

    def _changed_functions(self, change: Changed) -> Iterator[tuple[TargetFunction, bool]]:
        """Return the functions that a commit adds or changes in a file, and whether each is new."""
        if not is_production(change.path) or change.blob is None:
            return
        before = self.history.text(change.base_blob) or ""
        for item in subjects(change.path, before, self.history.text(change.blob) or ""):
            if item.text.count("\n") >= FEWEST_LINES:
                yield item, find_subject(change.path, before, item.name) is None

    def _rewritten_tests(self, change: Changed) -> set[tuple[str, str]]:
        """Return the tests of a file that a commit changes or removes."""
        path = change.base_path or change.path
        after = {case.id: case.text for case in TestFile(path, self.history.text(change.blob) or "").cases}
        before = TestFile(path, self.history.text(change.base_blob) or "").cases
        return {(path, case.id) for case in before if after.get(case.id) != case.text}


def holding(folder: Path, commit: str, words: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """Return the files of a commit that match a pattern and contain one of the words."""
    requested = [part for word in words for part in ("-e", word)]
    argv = [
        "git",
        "-C",
        str(folder),
        "grep",
        "-I",
        "-l",
        "-w",
        "-F",
        "-z",
        *requested,
        commit,
        "--",
        *patterns,
    ]
    out = subprocess.run(argv, capture_output=True, check=False).stdout.decode("utf-8", "replace")
    return [name.partition(":")[2] for name in out.split("\0") if name]


def _is_usable_commit(commit: Commit) -> bool:
    """Return True if a commit changes some code and some existing tests, and little else."""
    code = [change for change in commit.changes if is_production(change.path)]
    tests = [change for change in commit.changes if is_test(change.path)]
    return (
        len(commit.changes) <= MOST_FILES
        and 1 <= len(code) <= MOST_FUNCTIONS
        and all(change.blob is not None for change in code)
        and 1 <= len(tests) <= 4
        and any(map(_is_existing_test, tests))
    )


def _is_existing_test(change: Changed) -> bool:
    return (
        change.base_blob is not None
        and change.blob is not None
        and contains_tests(change.base_path or change.path)
    )


def mine(arguments: argparse.Namespace) -> None:
    arguments.out.mkdir(parents=True, exist_ok=True)
    for folder in arguments.repositories:
        began = time.monotonic()
        with RepositoryHistory(folder, limits=HistoryLimits(commits=arguments.commits)) as history:
            file = arguments.out / f"{history.repository.replace('/', '+')}.pickle"
            if file.exists():
                continue
            mined = Miner(history).run(arguments.each)
        file.write_bytes(pickle.dumps(mined))
        single = sum(bool(question.changed.any()) for question in mined.questions)
        print(
            f"{mined.repository}: {len(mined.questions)} functions of "
            f"{len({q.commit for q in mined.questions})} commits, "
            f"{single} about single tests, {len(mined.texts)} texts, "
            f"{time.monotonic() - began:.0f} s",
            flush=True,
        )


# Fitting


def load(folder: Path) -> list[MinedQuestions]:
    found = [pickle.loads(file.read_bytes()) for file in sorted(folder.glob("*.pickle"))]
    if not found:
        raise SystemExit(f"{folder}: nothing was mined into it; run mine first")
    return found


def nearest(question: Question) -> tuple[Any, Any]:
    """Return features and labels of a question's relevant tests and of the lexically nearest ones."""
    both = question.rows[:, NAMES.index("bm25")] + question.rows[:, NAMES.index("changed")]
    first = np.argsort(-both, kind="stable")[:COMPARED]
    retained = np.unique(np.concatenate([first, np.flatnonzero(question.changed)]))
    return question.rows[retained].astype(float), question.changed[retained]


def fitted(mined: Sequence[MinedQuestions]) -> Any:
    """Return the weights that maximise the likelihood of the right tests of each question.

    A conditional logistic regression with an L2 penalty and non-negative weights; all repositories have the
    same weight.
    """
    from scipy.optimize import minimize

    data = [(*nearest(question), 1 / len(each.questions)) for each in mined for question in each.questions]

    def loss(weights: Any) -> tuple[float, Any]:
        total, slope = 0.0, np.zeros_like(weights)
        for rows, right, share in data:
            scores = rows @ weights
            drawn = np.exp(scores - scores.max())
            total -= share * np.log(drawn[right].sum() / drawn.sum())
            slope += share * rows.T @ (drawn / drawn.sum() - drawn * right / drawn[right].sum())
        complete = len(mined)
        return total / complete + PENALTY * weights @ weights, slope / complete + 2 * PENALTY * weights

    bounds = [(0, None)] * len(NAMES)
    return minimize(loss, np.zeros(len(NAMES)), jac=True, method="L-BFGS-B", bounds=bounds).x


def fit(arguments: argparse.Namespace) -> None:
    mined = [
        result for result in load(arguments.folder) if result.repository in FITTED_ON and result.questions
    ]
    print(
        f"fitted on {sum(len(result.questions) for result in mined)} functions of {len(mined)} repositories"
    )
    for name, weight in zip(NAMES, fitted(mined), strict=True):
        print(f'    "{name}": {weight:.2f},')


# Measuring


def of_tests(question: Question, scores: Any) -> dict[str, float]:
    return ranking(scores, question.changed)


def of_files(question: Question, scores: Any) -> dict[str, float]:
    """Return the same for files, each with the score of its best test."""
    best = np.full(len(question.paths), -np.inf)
    np.maximum.at(best, question.files, scores)
    return ranking(best, question.touched)


def ranking(scores: Any, right: Any) -> dict[str, float]:
    """Return ranking metrics; ties rank the relevant candidates last."""
    order = np.lexsort((right, -scores))
    locations = 1 + np.flatnonzero(right[order])
    recalls = {f"recall@{k}": float(np.mean(locations <= k)) for k in (1, 5, 10)}
    return {"MRR": float(1 / locations[0]), **recalls}


class Closeness:
    """Similarity of tests and functions by a model, cached next to the mined questions."""

    def __init__(self, name: str, folder: Path, models: Path | None) -> None:
        from wardround.inference.registry import default_registry
        from wardround.inference.runtime import detect_runtime

        self._embedder = default_registry([models] if models else []).embedder(name, detect_runtime("cpu"))
        self._file = folder / f"{name}.vectors"
        self._kept: dict[str, Any] = pickle.loads(self._file.read_bytes()) if self._file.exists() else {}

    def save(self) -> None:
        self._file.write_bytes(pickle.dumps(self._kept))

    def of(self, question: Question, texts: Sequence[tuple[str, str, str]], at: Any) -> Any:
        """Return the cosines of some tests."""
        subject = question.subject
        asked = self._vector(f"{subject.own}\n{subject.changed or subject.text}")
        return np.array([self._vector("\n".join(texts[question.texts[number]][1:])) @ asked for number in at])

    def _vector(self, text: str) -> Any:
        text = leading(text)
        if text not in self._kept:
            self._kept[text] = self._embedder.embed([text])[0]
        return self._kept[text]


def reranked(scores: Any, first: Any, near: Any, weight: float) -> Any:
    """Return the scores with the first tests reordered by a model, above all others."""
    joined = np.array(standardise(scores[first].tolist())) + weight * np.array(standardise(near.tolist()))
    out = scores.copy()
    out[first] = scores.max() + 1 + joined - joined.min()
    return out


@dataclass(frozen=True)
class ScoredQuestion:
    """A question with the scores of every method."""

    question: Question
    ways: Mapping[str, Any]


def scored(
    item: MinedQuestions, weights: Any, models: Mapping[str, Closeness], most: int
) -> list[ScoredQuestion]:
    """Return sampled questions of a repository with the scores of all methods; models by weight."""
    questions = random.Random(SEED).sample(
        item.questions, min(most or len(item.questions), len(item.questions))
    )
    found = []
    for question in questions:
        cheap = np.round(question.rows @ weights, 4)
        first = np.argsort(-cheap, kind="stable")[:RERANKED]
        ways = {
            "names": question.rows[:, BY_NAME].sum(axis=1),
            "BM25": question.lexical,
            "BM25 of the changed lines": question.rows[:, NAMES.index("changed")],
            "cheap": cheap,
        }
        for name, model in models.items():
            near = model.of(question, item.texts, first)
            ways |= {f"cheap + {name} x {weight}": reranked(cheap, first, near, weight) for weight in MIXES}
        found.append(ScoredQuestion(question, ways))
    return found


def best_mix(every: Sequence[ScoredQuestion], name: str) -> str:
    """Return the mix of a model that ranks the right tests first most often."""
    ways = [f"cheap + {name} x {weight}" for weight in MIXES]
    return max(
        ways,
        key=lambda way: statistics.fmean(
            of_tests(result.question, result.ways[way])["MRR"] for result in every
        ),
    )


def report(arguments: argparse.Namespace) -> None:
    mined = [result for result in load(arguments.folder) if result.questions]
    known = [result for result in mined if result.repository in FITTED_ON]
    new = [result for result in mined if result.repository not in FITTED_ON]
    weights = np.array([WEIGHTS[name] for name in NAMES])
    models = {name: Closeness(name, arguments.folder, arguments.models) for name in arguments.model}
    sides: dict[str, list[ScoredQuestion]] = {"known": [], "new": []}
    for side, group in (("known", known), ("new", new)):
        for result in group if side == "new" or models else ():
            sides[side] += scored(result, weights, models, arguments.most)
            for model in models.values():
                model.save()
    ways = {way: way for way in ("names", "BM25", "BM25 of the changed lines", "cheap")}
    ways |= {f"cheap + {name}": best_mix(sides["known"], name) for name in models}
    out = {
        "repositories": {result.repository: len(result.questions) for result in new},
        "mixes": ways,
        "seed": SEED,
    }
    for level, measure in (("tests", of_tests), ("files", of_files)):
        out[level] = table(sides["new"], ways, measure)
    print("\n".join(told(out)))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(out, indent=1) + "\n", encoding="utf-8")


def table(every: Sequence[ScoredQuestion], ways: Mapping[str, str], measure: Measure) -> dict[str, Any]:
    """Return the mean of each metric with its interval, and the relevant differences."""
    values = {
        way: [measure(result.question, result.ways[real]) for result in every] for way, real in ways.items()
    }
    names = [result.question.repository for result in every]
    pairs = [("cheap", other) for other in ("names", "BM25", "BM25 of the changed lines")]
    pairs += [(way, "cheap") for way in ways if way.startswith("cheap +")]
    out: dict[str, Any] = {"questions": len(every), "ways": {}, "differences": {}}
    for way, rows in values.items():
        out["ways"][way] = {m: interval(names, [row[m] for row in rows]) for m in rows[0]}
    for way, other in pairs:
        apart = {
            m: [a[m] - b[m] for a, b in zip(values[way], values[other], strict=True)] for m in values[way][0]
        }
        out["differences"][f"{way} - {other}"] = {m: interval(names, row) for m, row in apart.items()}
    return out


def interval(names: Sequence[str], values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean over repositories, equally weighted, and its 95% bootstrap interval by repository."""
    means = [
        statistics.fmean(v for n, v in zip(names, values, strict=True) if n == name)
        for name in sorted(set(names))
    ]
    rng = random.Random(SEED)
    drawn = sorted(statistics.fmean(rng.choices(means, k=len(means))) for _ in range(RESAMPLED))
    low, high = drawn[RESAMPLED // 40], drawn[-RESAMPLED // 40]
    return round(statistics.fmean(means), 3), round(low, 3), round(high, 3)


def told(out: Mapping[str, Any]) -> Iterator[str]:
    yield f"{len(out['repositories'])} repositories: {out['repositories']}; mixes {out['mixes']}"
    for level in ("tests", "files"):
        yield f"{level}: {out[level]['questions']} functions"
        for kind in ("ways", "differences"):
            for way, metrics in out[level][kind].items():
                cells = (f"{name} {a:+.3f} [{b:+.3f}, {c:+.3f}]" for name, (a, b, c) in metrics.items())
                yield f"  {way:<36} {'  '.join(cells)}"


# What tests really run


def ran(arguments: argparse.Namespace) -> None:
    """Rank the tests of each function of a directory of code that was run under coverage, test by test."""
    found = [measured(*row) for row in executed(arguments.folder, arguments.data, arguments.most)]
    rows = {
        way: {name: [result[way][name] for result in found] for name in found[0][way]} for way in found[0]
    }
    print(f"{arguments.folder.name}: {len(found)} functions that one to a quarter of the tests run")
    for way, metrics in rows.items():
        print(
            f"  {way:<12} " + "  ".join(f"{name} {np.mean(values):.3f}" for name, values in metrics.items())
        )


def measured(
    subject: TargetFunction, tests: Tests, used_by: Sequence[Caller], right: Any
) -> dict[str, dict[str, float]]:
    rows = np.array(tests.evidence(subject, used_by))
    documents = [case.words + count_words(case.path) for case in tests.cases]
    ways = {
        "names": rows[:, BY_NAME].sum(axis=1),
        "BM25": np.array(bm25.scores(subject.words, documents)),
        "cheap": np.array([weigh(row) for row in rows]),
    }
    return {
        way: {**ranking(scores, right), "first right": precision(scores, right)}
        for way, scores in ways.items()
    }


def precision(scores: Any, right: Any) -> float:
    """Return the share of questions whose first test runs the function."""
    return float(right[np.lexsort((right, -scores))[0]])


def executed(
    folder: Path, data: Path, most: int
) -> Iterator[tuple[TargetFunction, Tests, Sequence[Caller], Any]]:
    """Return the functions that some but not all tests run, and the tests that run them.

    Args:
        data: the data file of ``coverage run`` with ``dynamic_context = test_function``.
    """
    from coverage import CoverageData

    retained = CoverageData(str(data))
    retained.read()
    paths = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.py"))
    texts = {path: (folder / path).read_text(encoding="utf-8", errors="replace") for path in paths}
    tests = Tests([TestFile(path, texts[path]) for path in paths if contains_tests(path)])
    ids = [
        ".".join((*case.path.removesuffix(".py").split("/"), *case.around, case.name)) for case in tests.cases
    ]
    code = [(path, texts[path]) for path in paths if is_production(path)]
    run = []
    for path, text in code:
        by_line = retained.contexts_by_lineno(str(folder / path))
        for function in functions(path, text):
            body = range(function.line + 1, function.end_line + 1)
            running = {context for line in body for context in by_line.get(line, ()) if context}
            right = np.array([name in running for name in ids])
            subject = find_subject(path, text, function.name)
            if subject is not None and 0 < right.sum() <= len(ids) / 4:
                run.append((subject, right))
    for subject, right in random.Random(SEED).sample(run, min(most or len(run), len(run))):
        word = re.compile(rf"\b{re.escape(subject.own)}\b")
        using = [row for row in code if word.search(row[1])][:USING_FILES]
        yield subject, tests, users(subject, using), right


# The nearest test that TE201 names


@dataclass(frozen=True)
class ParentTree:
    """A repository before a commit, except for the code of the commit, as a check reads it."""

    history: RepositoryHistory
    commit: str
    written: Mapping[str, str]

    @cached_property
    def _blobs(self) -> dict[str, str]:
        return dict(self.history.tree(self.commit, ("*",)))

    def read(self, path: str) -> str | None:
        return self.written[path] if path in self.written else self.history.text(self._blobs.get(path))

    def files_with_word(self, words: Sequence[str], patterns: Sequence[str]) -> Sequence[str]:
        word = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b")
        own = {path for path, text in self.written.items() if matches(path, patterns) and word.search(text)}
        found = holding(self.history.folder, self.commit, words, patterns)
        return sorted(own | set(found) - self.written.keys())

    def paths(self, patterns: Sequence[str]) -> Sequence[str]:
        return [path for path in self._blobs if matches(path, patterns)]


@dataclass(frozen=True)
class Hint:
    """The test that TE201 names for a commit without its tests, and the test files that the commit
    touches.
    """

    repository: str
    commit: str
    path: str
    function: str
    nearest: str
    test: str
    score: float
    why: Sequence[str]
    touched: Sequence[str]

    @property
    def right(self) -> bool:
        return self.nearest in self.touched


def is_unreached(question: Question) -> bool:
    """Return True if no test names the function or imports its module, by the features."""
    at = [NAMES.index(name) for name in ("uses", "imports-module", "file-uses")]
    return not question.rows[:, at].any()


def hint_of(history: RepositoryHistory, commit: Commit, question: Question) -> Hint | None:
    """Return the test that TE201 names; None if it reports nothing, since a test contains the name or the
    module's.
    """
    subject = question.subject
    written = {
        change.path: history.text(change.blob) or ""
        for change in commit.changes
        if is_production(change.path)
    }
    parent = ParentTree(history, commit.parent or "", written)
    patterns = PYTHON_TESTS if subject.path.endswith(".py") else SCRIPT_TESTS
    tests = list(filter(is_test, parent.files_with_word(["import"], patterns)))
    naming = parent.files_with_word([subject.own, subject.module[-1]], patterns)
    found = None if any(map(is_test, naming)) else NearestTests(parent, tests).to(subject)
    touched = [path for path, is_touched in zip(question.paths, question.touched, strict=True) if is_touched]
    if found is None:
        return None
    return Hint(history.repository, commit.id, subject.path, subject.name, found.case.path, found.case.id,
                found.score, found.why, touched)  # fmt: skip


def hints(arguments: argparse.Namespace) -> None:
    mined = {result.repository: result.questions for result in load(arguments.folder)}
    found: list[Hint] = []
    for folder in arguments.repositories:
        with RepositoryHistory(folder) as history:
            requested = defaultdict(list)
            for question in filter(is_unreached, mined.get(history.repository, ())):
                requested[question.commit].append(question)
            commits = (
                [commit for commit in history.every_commit() if commit.id in requested] if requested else []
            )
            found += [
                hint
                for commit in commits
                for q in requested[commit.id]
                if (hint := hint_of(history, commit, q))
            ]
        print(
            f"{history.repository}: {sum(hint.repository == history.repository for hint in found)}",
            flush=True,
        )
        arguments.json.write_text(
            json.dumps([vars(hint) for hint in found], indent=1) + "\n", encoding="utf-8"
        )
    for side in (True, False):
        for least in np.arange(4, 9, 0.5):
            told = [
                hint.right for hint in found if (hint.repository in FITTED_ON) is side and hint.score >= least
            ]
            if told:
                where = "fitted on" if side else "new"
                print(f"{where}, score >= {least}: {np.mean(told):.2f} of {len(told)} right")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    item = commands.add_parser("mine")
    item.set_defaults(run=mine)
    item.add_argument("repositories", nargs="+", type=Path)
    item.add_argument("--out", type=Path, required=True)
    item.add_argument("--each", type=int, default=40, help="commits of each repository")
    item.add_argument("--commits", type=int, default=4000, help="of the newest commits of each")
    item = commands.add_parser("hints")
    item.set_defaults(run=hints)
    item.add_argument("folder", type=Path)
    item.add_argument("repositories", nargs="+", type=Path)
    item.add_argument("--json", type=Path, required=True)
    item = commands.add_parser("fit")
    item.set_defaults(run=fit)
    item.add_argument("folder", type=Path)
    item = commands.add_parser("report")
    item.set_defaults(run=report)
    item.add_argument("folder", type=Path)
    item.add_argument("--model", action="append", default=[], help="base, tests; may be given again")
    item.add_argument("--models", type=Path, help="a folder of models; else those of the package")
    item.add_argument("--most", type=int, default=0, help="functions of each repository; 0 for all")
    item.add_argument("--json", type=Path)
    item = commands.add_parser("ran")
    item.set_defaults(run=ran)
    item.add_argument("folder", type=Path)
    item.add_argument("data", type=Path)
    item.add_argument("--most", type=int, default=0, help="functions, drawn by seed; 0 for all")
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
