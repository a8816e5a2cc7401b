"""The models of one review: who may use which, what is known already, and what was used.

Nothing is imported or read before a check asks, and no model is loaded while the cache knows the answers.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from wardround.errors import ModelError, NoRuntimeError
from wardround.findings import ToolRun
from wardround.inference import similarity as ranking
from wardround.inference.api import Ranker, TableModel
from wardround.inference.calibration import probability
from wardround.inference.metadata import State
from wardround.inference.registry import Found, Shelf, identity, score_digest, standard
from wardround.inference.runtime import Runtime, Wish, find
from wardround.inference.shadow_log import ShadowLog
from wardround.inference.tabular import raw_score
from wardround.storage.score_cache import Numbers, ScoreCache, row_key, text_key


@dataclass(slots=True)
class Use:
    """What a model was asked in this review."""

    asked: int = 0
    cached: int = 0
    seconds: float = 0.0


def review_models(
    folders: Sequence[Path], wish: Wish, threads: int, log: ShadowLog | None = None
) -> ReviewModels:
    """The models of these folders and of the package; nothing is looked up before a model is asked for."""
    return ReviewModels(cache(lambda: standard(folders)), cache(lambda: find(wish, threads)), log=log)


@dataclass(slots=True)
class ReviewModels:
    """Lends models to checks and remembers what came of it.

    Attributes:
        shelf: where models are.
        runtime: how they are run; raises ModelError where they cannot be.
        cache: what they have said.
        broken: name -> why a model cannot be used in this review.
        log: where answers of models in shadow are kept, if they are.
        is_bare: whether models were asked for and nothing to run them with is installed.
    """

    shelf: Callable[[], Shelf]
    runtime: Callable[[], Runtime]
    cache: ScoreCache = field(default_factory=ScoreCache)
    broken: dict[str, str] = field(default_factory=dict)
    uses: dict[str, Use] = field(default_factory=dict)
    log: ShadowLog | None = None
    is_bare: bool = False
    _seen: dict[str, Found | None] = field(default_factory=dict)

    def usable(self, name: str, states: Sequence[State] = (State.RANK, State.REPORT)) -> Found | None:
        """The model of a name, if its files are there and it is in one of the states."""
        if name not in self._seen and name not in self.broken:
            try:
                found = self.shelf().named(name)
                if found.metadata.state is not State.SHADOW:
                    self.runtime()
                    self.shelf().require_present(found)
                self._seen[name] = found
            except ModelError as trouble:
                self.broken[name] = str(trouble)
                self.is_bare |= isinstance(trouble, NoRuntimeError)
        one = None if name in self.broken else self._seen[name]
        return one if one is not None and one.metadata.state in states else None

    def identity(self, names: Sequence[str]) -> str:
        """What an answer given with these models depends on."""
        parts = []
        for name in names:
            one = self.usable(name)
            parts.append(f"{name}={'' if one is None else identity(one.metadata, self.runtime())}")
        return " ".join(parts)

    def troubles(self, names: Sequence[str]) -> dict[str, str]:
        """Those of the models that cannot be used, and why; one in shadow is no trouble."""
        return {
            name: self.broken[name] for name in names if self.usable(name) is None and name in self.broken
        }

    def overstated(self, names: Sequence[str]) -> Iterator[str]:
        """Those of the models that claim a higher state than they earned, a sentence each."""
        for name in names:
            one = self.usable(name, tuple(State))
            if one is not None and one.overstated:
                yield f"model {name} counts as shadow: {one.overstated}"

    def lend(self, names: Sequence[str], most_texts: int) -> Lent:
        """What a specialist's checks get for one file."""
        return Lent(self, frozenset(names), most_texts)

    def lend_shadow(self, names: Sequence[str], most_texts: int) -> Lent | None:
        """The same with the models in shadow too, where their answers are kept and there are any."""
        if self.log is None or all(self.usable(name, (State.SHADOW,)) is None for name in names):
            return None
        return Lent(self, frozenset(names), most_texts, states=tuple(State))

    def runs(self, files: Mapping[str, int]) -> list[ToolRun]:
        """The models that took part, by name.

        Args:
            files: name -> how many files it was lent for.
        """
        found = []
        for name in sorted(files):
            one = self.usable(name)
            if one is not None:
                runtime = self.runtime()
                use = self.uses.get(name, Use())
                version = f"{one.metadata.model.sha256[:12]} {runtime.identity}"
                known = files[name] if use.asked == use.cached else 0  # nothing had to be scored for them
                found.append(ToolRun(f"model {name}", version, files[name], known, use.seconds))
        return found

    def close(self) -> None:
        self.cache.close()

    def keep(self, one: Found, asked: Sequence[str], scores: Sequence[float]) -> None:
        """Log an answer of a model in shadow."""
        if self.log is not None and one.metadata.state is State.SHADOW:
            self.log.add(one.name, one.metadata.model.sha256, asked, scores)

    # What the lent handles ask

    def vectors(self, one: Found, texts: Sequence[str]) -> dict[str, Numbers]:
        """The unit vector of each text, from the cache or the model.

        Raises:
            ModelError: the model cannot be used; it is then not lent again.
        """
        digest = score_digest(one.metadata, self.runtime())
        keys = {text_key(digest, text): text for text in texts}
        known = {keys[name]: numbers for name, numbers in self.cache.get(list(keys)).items()}
        self._count(one, len(keys), len(known))
        missing = {name: text for name, text in keys.items() if text not in known}
        if missing:
            known |= self._embedded(one, missing)
        return known

    def _embedded(self, one: Found, missing: Mapping[bytes, str]) -> dict[str, Numbers]:
        started = time.monotonic()
        try:
            embedder = self.shelf().embedder(one.name, self.runtime())
            rows = [array("f", vector.tobytes()) for vector in embedder.embed(list(missing.values()))]
        except ModelError as trouble:
            raise self.give_up(one, trouble) from trouble
        self.cache.put(dict(zip(missing, rows, strict=True)))
        self.uses[one.name].seconds += time.monotonic() - started
        return dict(zip(missing.values(), rows, strict=True))

    def row_score(self, one: Found, row: Sequence[float]) -> float:
        """The raw score of a row, from the cache or the model.

        Raises:
            ModelError: the model cannot be used; it is then not lent again.
        """
        name = row_key(score_digest(one.metadata, self.runtime()), row)
        known = self.cache.get([name])
        self._count(one, 1, len(known))
        if known:
            return known[name][0]
        started = time.monotonic()
        try:
            wanted = len(one.metadata.inputs)
            if len(row) != wanted:
                raise ModelError(f"it was trained on {wanted} numbers and is given {len(row)}")
            score = raw_score(self.shelf().load(one, self.runtime()).session, row)
        except ModelError as trouble:
            raise self.give_up(one, trouble) from trouble
        kept = array("f", [score])
        self.cache.put({name: kept})
        self.uses[one.name].seconds += time.monotonic() - started
        return kept[0]

    def _count(self, one: Found, asked: int, cached: int) -> None:
        use = self.uses.setdefault(one.name, Use())
        use.asked += asked
        use.cached += cached

    def give_up(self, one: Found, trouble: ModelError) -> ModelError:
        """Lend a model no more in this review; the error that says so."""
        self.broken[one.name] = str(trouble)
        return ModelError(f"model {one.name!r}: {trouble}")


@dataclass(slots=True)
class Lent:
    """The models of one specialist, for one file or one look at the whole change.

    Attributes:
        most_texts: texts that may be scored, those in the cache too, so that the answer is the same tomorrow.
        spent: whether more was asked; from then on there are no models here.
    """

    models: ReviewModels
    names: frozenset[str]
    most_texts: int
    spent: bool = False
    states: tuple[State, ...] = (State.RANK, State.REPORT)
    _texts: set[str] = field(default_factory=set)

    def table(self, name: str) -> TableModel | None:
        one = self._one(name, "table")
        return None if one is None else LentTable(self.models, one)

    def ranker(self, name: str) -> Ranker | None:
        one = self._one(name, "embedder")
        return None if one is None else LentRanker(self, one)

    def _one(self, name: str, kind: str) -> Found | None:
        if name not in self.names:
            raise LookupError(f"model {name!r} is not among the specialist's `models`")
        if self.spent:
            return None
        one = self.models.usable(name, self.states)
        return one if one is not None and one.metadata.kind == kind else None

    def spend(self, texts: Sequence[str]) -> None:
        """Count texts that are to be scored.

        Raises:
            ModelError: they are too many.
        """
        self._texts.update(texts)
        if len(self._texts) > self.most_texts:
            self.spent = True
            raise ModelError(f"more than {self.most_texts} texts are to be scored")


@dataclass(frozen=True)
class LentTable:
    """A model over numbers, as a check sees it."""

    models: ReviewModels
    one: Found

    @property
    def threshold(self) -> float:
        reports = self.one.metadata.state is State.REPORT
        return self.one.metadata.thresholds.get("report", float("inf")) if reports else float("inf")

    def score(self, features: Sequence[float]) -> float:
        likely = probability(self.one.metadata.calibration, self.models.row_score(self.one, features))
        self.models.keep(self.one, [repr(tuple(features))], [likely])
        return likely


@dataclass(frozen=True)
class LentRanker:
    """A model over texts, as a check sees it."""

    lent: Lent
    one: Found

    def scores(self, query: str, candidates: Sequence[str]) -> list[float]:
        texts = list(dict.fromkeys((query, *candidates)))
        self.lent.spend(texts)
        vectors = self.lent.models.vectors(self.one, texts)
        cosines = [ranking.cosine(vectors[query], vectors[text]) for text in candidates]
        self.lent.models.keep(self.one, [query, *candidates], cosines)
        return cosines

    def fused(
        self, query: str, candidates: Sequence[str], evidence: Sequence[Mapping[str, float]]
    ) -> list[float]:
        cosines = self.scores(query, candidates)
        try:
            return ranking.fused(self.one.metadata.fusion, cosines, evidence)
        except ModelError as trouble:
            raise self.lent.models.give_up(self.one, trouble) from trouble
