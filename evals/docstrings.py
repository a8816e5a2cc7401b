"""Evaluate rules and trees on history: functions whose docstring had to change with the code.

    python evals/docstrings.py --rows FOLDER --json FILE [--model FOLDER] PATH/TO/CLONE ...

Each function with a docstring whose code one commit changed is a row, at the natural rate; it is positive if
the commit changed the docstring too. ``--language typescript`` does the same for JSDoc comments. Every score
is that of trees trained without the repository: with ``--train CLONE``, repeated, they are trained on those
clones and evaluated on the others; otherwise on all except the scored one. ``--rows`` stores the mined rows.
``--read r1|r2|quotes N`` prints N findings, as a review would show them, on rows with an unchanged docstring:
only manual judgement shows how often a user would agree. ``--model`` trains on all repositories and writes
the exported trees with their figures.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pickle
import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import msgspec
import numpy as np
from wardround_python.docdrift.history import docstring_rows
from wardround_typescript.docdrift.doc_code_mismatch import (
    find_undocumented_parameters,
    removed_parameters,
    stale_quotes,
)
from wardround_typescript.docdrift.documented_functions import ComparedFunction
from wardround_typescript.docdrift.history import ComparedScript, jsdoc_rows

from wardround.inference.metadata import Interval
from wardround.semantics.docdrift.features import NAMES, features
from wardround.semantics.docdrift.model import DocumentedPair, Parameter
from wardround.semantics.docdrift.parameters import (
    RemovedParameter,
    removed_documented_parameters,
    undocumented_parameters,
)
from wardround.semantics.docdrift.stale_phrases import Quote, quotes
from wardround.training_tasks import Commit, History
from wardround_lab.corpora.git_history import HistoryLimits, RepositoryHistory
from wardround_lab.docdrift_examples import DocExample
from wardround_lab.training import conditional_logit, gradient_boosting
from wardround_lab.training.bootstrap import (
    Flags,
    Floats,
    Places,
    Repositories,
    precision_at_recall,
    quantile_bins,
)
from wardround_lab.training.calibrate import fit_platt, probability, reliability

SIZE_BINS, LENGTH_BINS = 12, 5
RECALLS = (0.05, 0.10, 0.20)
ALERTS_AT_MOST = 0.003
"""Maximum share of changed documented functions that the trees may report."""
DRAWS_OF_PRECISION = 200
CHEAP_GROUPS = ("size_", "shape_")
FLAG_GROUPS = (*CHEAP_GROUPS, "signature_", "outcome_")


Mined = tuple[str, str, list[DocExample]]
"""A repository's name, its head and its rows."""


@dataclass(frozen=True, slots=True)
class Language:
    """Source of the rows of a language, and its three checks without a model."""

    rows: Callable[[History], Iterator[DocExample]]
    gone: Callable[[DocumentedPair], Sequence[RemovedParameter]]
    undocumented: Callable[[DocumentedPair], Sequence[Parameter]]
    quotes: Callable[[DocumentedPair], Sequence[Quote]]


def _function(compared: DocumentedPair) -> ComparedFunction:
    assert isinstance(compared, ComparedScript)
    return compared.function


LANGUAGES = {
    "python": Language(
        docstring_rows,
        lambda one: removed_documented_parameters(one.change),
        lambda one: undocumented_parameters(one.change),
        lambda one: quotes(one.change),
    ),
    "typescript": Language(
        jsdoc_rows,
        lambda one: removed_parameters(_function(one)),
        lambda one: find_undocumented_parameters(_function(one)),
        lambda one: stale_quotes(_function(one)),
    ),
}


@dataclass(frozen=True, slots=True)
class CheckResults:
    """Results of the three checks of a language for a row."""

    r1: bool
    r2: bool
    quote: Quote | None

    @classmethod
    def of(cls, row: DocExample, language: Language) -> CheckResults:
        r1 = bool(language.gone(row.compared))
        r2 = not r1 and bool(language.undocumented(row.compared))
        return cls(r1, r2, None if r1 or r2 else next(iter(language.quotes(row.compared)), None))


@dataclass(frozen=True)
class Corpus:
    """All rows with their results, in the order of repositories and of their history."""

    rows: tuple[DocExample, ...]
    repositories: tuple[str, ...]
    heads: Mapping[str, str]
    language: Language

    @classmethod
    def of(cls, found: Sequence[Mined], language: Language) -> Corpus:
        return cls(
            tuple(row for _, _, rows in found for row in rows),
            tuple(name for name, _, rows in found for _ in rows),
            {name: head for name, head, _ in found},
            language,
        )

    @cached_property
    def values(self) -> Floats:
        return np.array([row.values for row in self.rows], dtype=np.float64)

    @cached_property
    def told(self) -> Flags:
        return np.array([row.told for row in self.rows])

    @cached_property
    def said(self) -> tuple[CheckResults, ...]:
        return tuple(CheckResults.of(row, self.language) for row in self.rows)

    @cached_property
    def r1(self) -> Flags:
        return np.array([reported.r1 for reported in self.said])

    @cached_property
    def r2(self) -> Flags:
        return np.array([reported.r2 for reported in self.said])

    @cached_property
    def quoted(self) -> Flags:
        return np.array([reported.quote is not None for reported in self.said])

    def column(self, name: str) -> Floats:
        found: Floats = self.values[:, NAMES.index(name)]
        return found


class LimitedHistory(RepositoryHistory):
    """A history limited to the commits that can be read in ``seconds`` of processor time; 0 for no limit."""

    seconds: float = 0

    def commits(self, patterns: Sequence[str]) -> Iterator[Commit]:
        started = time.process_time()
        for commit in super().commits(patterns):
            if self.seconds and time.process_time() - started > self.seconds:
                print(f"{self.repository}: cut off before {commit.id[:10]}", file=sys.stderr)
                return
            yield commit


@dataclass(frozen=True, slots=True)
class MiningOptions:
    """The mining options, and the directory of the rows."""

    language: str
    kept: Path
    exclude: tuple[str, ...] = ()
    seconds: float = 0

    def rows_of(self, clone: Path) -> Mined:
        """Return the name, the head and the rows of a clone."""
        with LimitedHistory(clone, limits=HistoryLimits(exclude=self.exclude)) as history:
            history.seconds = self.seconds
            store = self.kept / f"{history.repository.replace('/', '+')}.{self.language}.pkl"
            if store.is_file():
                head, rows = pickle.loads(store.read_bytes())
                rows = [replace(row, values=features(row.compared.change)) for row in rows]
            else:
                head, rows = history.head, list(LANGUAGES[self.language].rows(history))
                store.write_bytes(pickle.dumps((head, rows)))
                print(f"{history.repository}: {len(rows)} rows {history.trouble.describe()}", file=sys.stderr)
            return history.repository, head, rows


def is_confirmed(row: DocExample, said: CheckResults) -> bool:
    """Return True if the author removed the quoted word."""
    if said.quote is None:
        return False
    pattern = re.compile(rf"(?<!\w){re.escape(said.quote.token)}(?!\w)")
    before, after = row.compared.words_before, row.compared.words_after or ""
    return len(pattern.findall(after)) < len(pattern.findall(before))


def logistic_scores(corpus: Corpus, groups: Sequence[str], train: Corpus | None) -> Floats:
    """Return scores of a logistic regression on feature groups, on others or by excluded repository."""
    columns = [at for at, name in enumerate(NAMES) if name.startswith(tuple(groups))]
    values, reported, names = corpus.values[:, columns], corpus.told, np.array(corpus.repositories)
    if train is not None:
        return conditional_logit.fit(train.values[:, columns], train.told).scores(values)
    scores = np.empty(len(reported))
    for name in sorted(set(corpus.repositories)):
        out = names == name
        scores[out] = conditional_logit.fit(values[~out], reported[~out]).scores(values[out])
    return scores


def bins_of(corpus: Corpus) -> Places:
    """Return bins of rows of similar size of the change and length of the docstring."""
    sizes = quantile_bins(corpus.column("size_changed"), SIZE_BINS)
    lengths = quantile_bins(corpus.column("shape_words"), LENGTH_BINS)
    found: Places = sizes * LENGTH_BINS + lengths
    return found


@dataclass(frozen=True, slots=True, eq=False)
class RowSample:
    """A subset of rows, and the samples of their repositories."""

    of: Flags
    told: Flags
    bins: Places
    repositories: Repositories
    few_draws: Repositories

    @classmethod
    def cut(cls, corpus: Corpus, of: Flags) -> RowSample:
        names = [name for name, inside in zip(corpus.repositories, of, strict=True) if inside]
        few = Repositories.resample(names, draws=DRAWS_OF_PRECISION)
        return cls(of, corpus.told[of], bins_of(corpus)[of], Repositories.resample(names), few)

    def figures(self, scores: Floats) -> dict[str, Interval]:
        inside = scores[self.of]
        found = {
            "auc": self.repositories.auc(inside, self.told).interval(),
            "auc, same size and length": self.repositories.auc(inside, self.told, bins=self.bins).interval(),
        }
        for recall in RECALLS:
            figure = self.few_draws.drawn_again(partial(precision_at_recall, inside, self.told, recall))
            found[f"precision at {recall:.0%}"] = figure.interval()
        return found

    def gain(self, scores: Floats, over: Floats) -> Interval:
        """Return the gain of one score over another in ordered pairs of similar size and length."""
        first, second = (
            self.repositories.auc(values[self.of], self.told, bins=self.bins) for values in (scores, over)
        )
        return first.difference(second).interval()

    def share(self, of: Flags) -> Interval:
        """Return the share of the rows."""
        return self.repositories.mean(of[self.of].astype(np.float64)).interval()

    def rule(self, fires: Flags) -> dict[str, Interval | float | int]:
        """Return label precision, recall and the rate of findings of a rule."""
        inside = fires[self.of]

        def precision(counts: Floats) -> float:
            return float((counts * (inside & self.told)).sum() / max((counts * inside).sum(), 1e-9))

        def recall(counts: Floats) -> float:
            return float((counts * (inside & self.told)).sum() / (counts * self.told).sum())

        return {
            "fires": round(float(inside.mean()), 5),
            "precision": self.few_draws.drawn_again(precision).interval(),
            "recall": self.few_draws.drawn_again(recall).interval(),
            "on rows left alone": int((inside & ~self.told).sum()),
        }


def threshold_for(scores: Floats, may_speak: Flags, told: Flags) -> float:
    """Return the threshold for the allowed share of functions with an unchanged docstring."""
    allowed = int(ALERTS_AT_MOST * (~told).sum())
    ordered = np.sort(scores[may_speak & ~told])[::-1]
    if len(ordered) > allowed:
        return float(np.nextafter(ordered[allowed], np.inf))
    return float(scores[may_speak].min())  # all of them are few enough


def trees_scores(corpus: Corpus, recipe: gradient_boosting.BoostingRecipe, train: Corpus | None) -> Floats:
    """Return scores of the trees, on others or by excluded repository."""
    if train is None:
        return gradient_boosting.leave_one_group_out(
            corpus.values, corpus.told, corpus.repositories, NAMES, recipe
        )
    return gradient_boosting.train(train.values, train.told, NAMES, recipe).scores(corpus.values)


def measure(corpus: Corpus, scores: Floats, train: Corpus | None) -> dict[str, object]:
    """Compute everything in the report."""
    r1, r2, quoted = corpus.r1, corpus.r2, corpus.quoted
    confirmed = np.array(list(map(is_confirmed, corpus.rows, corpus.said)))
    unchanged = corpus.column("signature_changed") == 0
    everything = RowSample.cut(corpus, np.ones(len(corpus.rows), dtype=bool))
    cheap = logistic_scores(corpus, CHEAP_GROUPS, train)
    scorers = {
        "changed tokens": corpus.column("size_changed"),
        "logistic: size and shape": cheap,
        "logistic: and signature, results": logistic_scores(corpus, FLAG_GROUPS, train),
        "logistic: all": logistic_scores(corpus, ("",), train),
        "trees": scores,
    }
    outside = RowSample.cut(corpus, ~(r1 | r2))
    slices = {
        "all": everything,
        "signature unchanged": RowSample.cut(corpus, unchanged),
        "outside rules": outside,
    }
    threshold = threshold_for(scores, quoted, corpus.told)
    shown = quoted & (scores >= threshold)
    map_ = fit_platt(scores, corpus.told)
    held = reliability(probability(map_, scores), corpus.told)
    return {
        "features": len(NAMES),
        "trained on": {} if train is None else train.heads,
        "rows trained on": 0 if train is None else len(train.rows),
        "rows": len(corpus.rows),
        "positives": int(corpus.told.sum()),
        "base rate": round(float(corpus.told.mean()), 5),
        "scorers": {
            name: {s: item.figures(values) for s, item in slices.items()} for name, values in scorers.items()
        },
        "gain over size and shape, same size and length": everything.gain(scores, cheap),
        "rules": {
            "R1": everything.rule(r1), "R2": everything.rule(r2), "R1 or R2": everything.rule(r1 | r2),
            "quotes": everything.rule(quoted), "quotes, trees agree": everything.rule(shown),
        },
        "quotes": {
            "told": int((quoted & corpus.told).sum()),
            "author changed that very word": RowSample.cut(corpus, quoted & corpus.told).share(confirmed),
            "auc of the trees among them": RowSample.cut(corpus, quoted).figures(scores)["auc"],
            "auc of size and shape among them": RowSample.cut(corpus, quoted).figures(cheap)["auc"],
        },
        "threshold": {
            "score": threshold,
            "probability": float(probability(map_, np.array([threshold]))[0]),
            "shown of all": round(float(shown.mean()), 5),
            "shown of rows left alone": round(float((shown & ~corpus.told).sum() / (~corpus.told).sum()), 5),
        },
        "calibration": {"method": "platt", "slope": map_.slope, "bias": map_.bias,
                        "error": held.error, "brier": held.brier, "items": len(corpus.rows)},
        "repositories": scores_by_repository(corpus, scores),
    }  # fmt: skip


def scores_by_repository(corpus: Corpus, scores: Floats) -> dict[str, dict[str, object]]:
    found = {}
    names = np.array(corpus.repositories)
    for name in sorted(set(corpus.repositories)):
        inside = names == name
        reported = corpus.told[inside]
        alone = Repositories.resample([name] * int(inside.sum()), draws=1)
        found[name] = {
            "head": corpus.heads[name], "rows": int(inside.sum()), "positives": int(reported.sum()),
            "base rate": round(float(reported.mean()), 4),
            "auc": round(alone.auc(scores[inside], reported).value, 4),
        }  # fmt: skip
    return found


def bars(result: Mapping[str, object]) -> list[tuple[str, Interval, float]]:
    """Return (name, figure, required value)."""
    plain = json.loads(msgspec.json.encode(result))
    trees, rules = plain["scorers"]["trees"], plain["rules"]["R1 or R2"]
    rows = [
        ("AUC", trees["all"]["auc"], 0.83),
        ("AUC, same size and length", trees["all"]["auc, same size and length"], 0.79),
        ("AUC, signature unchanged", trees["signature unchanged"]["auc"], 0.79),
        ("precision at 10%, signature unchanged", trees["signature unchanged"]["precision at 10%"], 0.35),
        ("precision at 10%", trees["all"]["precision at 10%"], 0.80),
        ("precision of R1 or R2", rules["precision"], 0.65),
        ("recall of R1 or R2", rules["recall"], 0.18),
        ("gain over size and shape, binned", plain["gain over size and shape, same size and length"], 0.08),
    ]
    return [(name, msgspec.convert(figure, Interval), expected) for name, figure, expected in rows]


def show(result: Mapping[str, object]) -> None:
    """Print the table."""
    plain = json.loads(msgspec.json.encode(result))
    print(f"{plain['rows']} rows of {len(plain['repositories'])} repositories, {plain['positives']} positive "
          f"({plain['base rate']:.1%})")  # fmt: skip
    others = f"on {plain['rows trained on']} rows of {', '.join(plain['trained on'])}"
    print(f"trained {others if plain['trained on'] else 'on all repositories but the one that is scored'}\n")
    for name, figure, expected in bars(result):
        verdict = "reached" if figure.value >= expected else "MISSED"
        print(
            f"{name:42} {figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}]  "
            f"bar {expected:.2f}  {verdict}"
        )
    for part in ("all", "signature unchanged", "outside rules"):
        print(f"\n{part}")
        for name, slices in plain["scorers"].items():
            cells = (
                f"{m} {f['value']:.3f} [{f['low']:.2f},{f['high']:.2f}]" for m, f in slices[part].items()
            )
            print(f"  {name:34}" + "  ".join(cells))
    print()
    for name, rule in plain["rules"].items():
        print(f"{name:26} fires {rule['fires']:.2%}  precision {rule['precision']['value']:.2f} "
              f"[{rule['precision']['low']:.2f},{rule['precision']['high']:.2f}]  recall "
              f"{rule['recall']['value']:.2f}  on rows left alone {rule['on rows left alone']}")  # fmt: skip
    for name, item in plain["repositories"].items():
        print(f"{name:34} rows {item['rows']:6} base {item['base rate']:.3f} AUC {item['auc']:.3f}")
    print(plain["threshold"], plain["calibration"], plain["quotes"], sep="\n")


def read(corpus: Corpus, scores: Floats, kind: str, count: int, seed: int) -> None:
    """Print findings on rows with an unchanged docstring; quotes by the trees' score, rules at random."""
    kinds = {"r1": corpus.r1, "r2": corpus.r2, "quotes": corpus.quoted}
    hits = [int(at) for at in np.flatnonzero(kinds[kind] & ~corpus.told)]
    if kind == "quotes":
        chosen = sorted(hits, key=lambda at: (-scores[at], at))[:count]
    else:
        chosen = sorted(random.Random(seed).sample(hits, min(count, len(hits))))
    for number, at in enumerate(chosen, 1):
        _print_row(number, corpus.repositories[at], corpus.rows[at], float(scores[at]), corpus.language)


def _print_row(number: int, repository: str, row: DocExample, score: float, language: Language) -> None:
    change = row.compared.change
    place = f"{row.commit[:10]} {row.path}:{row.compared.line} {change.name}"
    print(f"{'=' * 100}\n#{number} {repository} {place} score {score:.2f}")
    for renaming in language.gone(row.compared):
        print(f"  R1: {renaming.entry.name} -> {renaming.now}")
    for parameter in language.undocumented(row.compared):
        print(f"  R2: {parameter}")
    for quote in language.quotes(row.compared)[:3]:
        print(f"  {quote.kind}: {quote.token!r} in {quote.phrase!r}, now {quote.now!r}")
    print(row.compared.words_before[:1800])
    for sign, code, lines in (
        ("-", change.old, change.delta.old_lines),
        ("+", change.new, change.delta.new_lines),
    ):
        print(f"  {sign} takes {', '.join(code.signature.names)}")
        for line in lines[:30]:
            print(f"  {sign} {line[:180]}")


def write_model(
    folder: Path, corpus: Corpus, recipe: gradient_boosting.BoostingRecipe, result: dict[str, object]
) -> None:
    """Train on all rows and write the graph with its figures."""
    started = time.monotonic()
    trees = gradient_boosting.train(corpus.values, corpus.told, NAMES, recipe)
    model = gradient_boosting.export_trees(trees)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(model)
    about = {
        "sha256": hashlib.sha256(model).hexdigest(),
        "bytes": len(model),
        "seconds": round(time.monotonic() - started, 1),
        "inputs": NAMES,
        "recipe": recipe,
        "parity": gradient_boosting.parity(trees, model, corpus.values),
        "result": result,
    }
    (folder / "metrics.json").write_bytes(msgspec.json.format(msgspec.json.encode(about), indent=1))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument("--language", choices=sorted(LANGUAGES), default="python")
    parser.add_argument("--train", type=Path, action="append", default=[], metavar="CLONE",
                        help="train on this one, measure on none of these")  # fmt: skip
    parser.add_argument("--rows", type=Path, required=True, help="folder for what is mined")
    parser.add_argument("--exclude", action="append", default=[], metavar="GLOB", help="files left out")
    parser.add_argument("--seconds", type=float, default=0,
                        help="of processor time, after which older commits are left out")  # fmt: skip
    parser.add_argument("--recipe", type=Path, help="YAML file; the usual numbers without it")
    parser.add_argument("--json", type=Path, help="where the figures go")
    parser.add_argument("--model", type=Path, help="folder for trees trained on everything")
    parser.add_argument("--read", nargs=2, action="append", default=[], metavar=("r1|r2|quotes", "N"))
    parser.add_argument("--seed", type=int, default=0, help="of the findings drawn for reading")
    given = parser.parse_args()
    given.rows.mkdir(parents=True, exist_ok=True)
    recipe = gradient_boosting.BoostingRecipe()
    if given.recipe:
        recipe = msgspec.yaml.decode(given.recipe.read_bytes(), type=gradient_boosting.BoostingRecipe)
    mine = MiningOptions(given.language, given.rows, tuple(given.exclude), given.seconds)
    found, others = (
        sorted(map(mine.rows_of, clones), key=lambda item: item[0]) for clones in (given.clones, given.train)
    )
    if both := {name for name, _, _ in found} & {name for name, _, _ in others}:
        parser.error(f"{min(both)} is to be trained on and measured on; leave it out of one")
    language = LANGUAGES[given.language]
    corpus, train = Corpus.of(found, language), Corpus.of(others, language) if others else None
    scores = trees_scores(corpus, recipe, train)
    for kind, count in given.read:
        read(corpus, scores, kind, int(count), given.seed)
    if given.read:
        return
    result = measure(corpus, scores, train)
    show(result)
    if given.json:
        given.json.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=1))
    if given.model:
        write_model(given.model, Corpus.of([*found, *others], language), recipe, result)


if __name__ == "__main__":
    main()
