"""Evaluate the model of new parameters that an author would document, in addition to the rule.

    python evals/new_parameters.py rows --side training --until 2022-01-01 --rows MINED --keep FOLDER CLONE...
    python evals/new_parameters.py rows --side evaluation --since 2022-01-01 --rows MINED --keep FOLDER ...
    python evals/new_parameters.py compare --keep FOLDER --model DIR [--json FILE]
    python evals/new_parameters.py read --keep FOLDER --model DIR [--most 80] [--seed 0]

``rows`` uses the rows of ``docstrings.py``, mined into MINED if they do not exist: functions with a docstring
whose code one commit changed. Each added parameter that the old docstring does not name is a row, positive if
the new docstring names it. FOLDER then contains ``SIDE.rows`` (numbers, for ``wardround adapters``) and
``SIDE.found`` (source text, which must not be committed). Findings of the rule ``PY011`` are used for
training and not for evaluation, since the model is not needed there. ``compare`` prints the findings that the
model adds to the rule, at the model's threshold. ``read`` prints those on functions with an unchanged
docstring, in random order: only manual judgement shows how often a user would agree.
"""

from __future__ import annotations

import argparse
import math
import pickle
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from docstrings import Mine
from secret_or_placeholder import seconds
from wardround_python.docdrift.names import surroundings

from wardround.semantics.docdrift.model import DocComment, DocumentedPair
from wardround.semantics.docdrift.new_parameters import NAMES, features
from wardround.semantics.docdrift.parameters import undocumented_parameters, unnamed_parameters
from wardround.text.globs import matches
from wardround_lab.corpora.git_history import RepositoryHistory
from wardround_lab.docdrift_examples import DocExample
from wardround_lab.training import evaluate_shipped, tabular_evaluation
from wardround_lab.training.bootstrap import Floats, Interval, Repositories
from wardround_lab.training.calibrate import probability
from wardround_lab.training.promote import Model, model_of

_STEP = 1.5
"""Distance of two bins of similar size and length, in natural logarithms."""


@dataclass(frozen=True, slots=True)
class ParameterRow:
    """One parameter.

    Attributes:
        right: whether the author named it in the docstring.
        told: whether the author changed the docstring at all.
        rule: whether the rule reports it.
        compared: the text for manual judgement, if any.
    """

    repository: str
    commit: str
    time: int
    path: str
    function: str
    name: str
    right: bool
    told: bool
    rule: bool
    values: tuple[float, ...]
    compared: DocumentedPair | None

    @property
    def row(self) -> tabular_evaluation.FeatureRow:
        value = dict(zip(NAMES, self.values, strict=True))
        size = min(9, int(_STEP * value["size_changed"]))
        length = min(9, int(_STEP * value["shape_words"]))
        group = f"{self.path}@{self.commit}"
        return tabular_evaluation.FeatureRow(
            self.repository, self.time, group, self.right, self.values, size * 10 + length
        )


def found_in(
    repository: str, rows: Iterable[DocExample], history: RepositoryHistory
) -> Iterator[ParameterRow]:
    """Return the new parameters of the rows of a repository; renamed files are skipped."""
    for row in rows:
        change = row.compared.change
        parameters = unnamed_parameters(change)
        texts = [history.text(f"{at}:{row.path}") for at in (f"{row.commit}^", row.commit) if parameters]
        if None in texts or not texts:
            continue
        around = surroundings(row.compared, *(text or "" for text in texts))
        named = DocComment(row.compared.words_after or "").named
        ruled = undocumented_parameters(change)
        for parameter in parameters:
            yield ParameterRow(
                repository, row.commit, row.time, row.path, change.name, parameter.name,
                parameter.name in named, row.told, parameter in ruled, features(parameter, around),
                None if row.told else row.compared,
            )  # fmt: skip


# --- rows


def write_rows(given: argparse.Namespace) -> None:
    """Write the parameters of training or evaluation; each repository is saved, so that an interrupted run
    continues.
    """
    given.keep.mkdir(parents=True, exist_ok=True)
    given.rows.mkdir(parents=True, exist_ok=True)
    since, until = seconds(given.since) or 0, seconds(given.until) or math.inf
    mine, everything = Mine("python", given.rows, tuple(given.exclude)), list[ParameterRow]()
    for clone in given.clones:
        found = kept(clone, mine, given.keep)
        everything += [item for item in found if since <= item.time < until]
        print(f"{clone}: {len(found)} parameters, {sum(item.right for item in found)} documented", flush=True)
    everything.sort(key=lambda one: (one.repository, one.commit, one.path, one.function, one.name))
    (given.keep / f"{given.side}.found").write_bytes(pickle.dumps(everything))
    encoder = msgspec.json.Encoder()
    wanted = (item for item in everything if given.side == "training" or not item.rule)
    lines = b"".join(encoder.encode(item.row) + b"\n" for item in wanted)
    (given.keep / f"{given.side}.rows").write_bytes(lines)


def kept(clone: Path, mine: Mine, keep: Path) -> list[ParameterRow]:
    with RepositoryHistory(clone) as history:
        name = history.repository
        store = keep / f"{name.replace('/', '+')}.parameters"
        if store.is_file():
            found: list[ParameterRow] = pickle.loads(store.read_bytes())
            return found
        _, _, rows = mine.rows_of(clone)
        found = list(found_in(name, (row for row in rows if not matches(row.path, mine.exclude)), history))
        store.write_bytes(pickle.dumps(found))
        return found


# --- what would be shown


@dataclass(frozen=True, slots=True, eq=False)
class ScoredParameters:
    """Parameters outside of the rule, their probabilities, and the threshold of the model."""

    found: tuple[ParameterRow, ...]
    ruled: tuple[ParameterRow, ...]
    scores: Floats
    threshold: float

    @classmethod
    def of(cls, keep: Path, model: Model) -> ScoredParameters:
        everything: list[ParameterRow] = pickle.loads((keep / "evaluation.found").read_bytes())
        found = tuple(item for item in everything if not item.rule)
        raw = evaluate_shipped.raw_scores(model, [item.row for item in found], lambda told: None)
        known = model.metadata
        scores = raw if known.calibration.method == "none" else probability(known.calibration, raw)
        ruled = tuple(item for item in everything if item.rule)
        return cls(found, ruled, scores, known.thresholds.get(evaluate_shipped.REPORT, math.inf))

    @property
    def shown(self) -> list[ParameterRow]:
        return [item for item, score in zip(self.found, self.scores, strict=True) if score >= self.threshold]


def compare(given: argparse.Namespace) -> None:
    """Print the findings of the rule and the additional ones of the model."""
    scored = ScoredParameters.of(given.keep, model_of(str(given.model)))
    result = {
        "repositories": len({item.repository for item in (*scored.found, *scored.ruled)}),
        "rule": figures(scored.ruled),
        "model, beside the rule": figures(scored.shown),
        "all it is asked about": figures(scored.found),
    }
    text = msgspec.json.format(msgspec.json.encode(result), indent=1)
    print(text.decode())
    if given.json:
        given.json.write_bytes(text)


def figures(found: Iterable[ParameterRow]) -> dict[str, int | Interval]:
    of = list(found)
    drawn = Repositories.resample([item.repository for item in of])
    left = [(item.repository, item.commit, item.path, item.function) for item in of if not item.told]
    return {
        "parameters": len(of),
        "documented by the author": drawn.mean(np.array([float(item.right) for item in of])).interval(),
        "where the docstring was left alone": len(left),
        "functions among these": len(set(left)),
    }


def read(given: argparse.Namespace) -> None:
    """Print the model's findings on unchanged docstrings, in random order."""
    shown = [
        item for item in ScoredParameters.of(given.keep, model_of(str(given.model))).shown if not item.told
    ]
    generator = random.Random(given.seed)
    for number, item in enumerate(generator.sample(shown, min(given.most, len(shown))), 1):
        show(number, item)


def show(number: int, found: ParameterRow) -> None:
    assert found.compared is not None
    change = found.compared.change
    default = change.new.signature.defaults.get(found.name)
    print(f"{'=' * 100}\n#{number} {found.repository} {found.commit[:10]} {found.path} {found.function}")
    print(f"  new parameter {found.name!r}, default {default}")
    print(f"  took  {', '.join(change.old.signature.names)}\n  takes {', '.join(change.new.signature.names)}")
    print(found.compared.words_before[:2500])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts = parser.add_subparsers(dest="part", required=True)
    part = parts.add_parser("rows")
    part.add_argument("clones", nargs="+", type=Path)
    part.add_argument("--side", choices=["training", "evaluation"], required=True)
    part.add_argument("--since", default="")
    part.add_argument("--until", default="")
    part.add_argument("--rows", type=Path, required=True, help="folder for what docstrings.py mines")
    part.add_argument("--exclude", action="append", default=[], metavar="GLOB", help="files left out")
    part.add_argument("--keep", type=Path, required=True)
    for name in ("compare", "read"):
        part = parts.add_parser(name)
        part.add_argument("--keep", type=Path, required=True)
        part.add_argument("--model", type=Path, required=True)
        part.add_argument("--json", type=Path)
        part.add_argument("--most", type=int, default=80, help="findings that are read")
        part.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    {"rows": write_rows, "compare": compare, "read": read}[given.part](given)


if __name__ == "__main__":
    main()
