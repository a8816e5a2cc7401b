"""The models of one review: their permitted users, their cached results, and their use.

No model is read before a check requests one, and none is loaded while the cache has the results.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from wardround.errors import ModelError, RuntimeMissing
from wardround.findings import ToolRun
from wardround.inference.api import Classifier, Ranker, TableModel
from wardround.inference.metadata import PromotionState
from wardround.inference.registry import ModelEntry, ModelRegistry, default_registry, identity, score_digest
from wardround.inference.runtime import ProviderPreference, Runtime, detect_runtime
from wardround.storage.score_cache import Numbers, ScoreCache, row_key, text_key

if TYPE_CHECKING:
    from wardround.inference.shadow_log import ShadowLog


class Usage(msgspec.Struct):
    """The use of a model in this review."""

    asked: int = 0
    cached: int = 0
    seconds: float = 0.0


def review_models(
    folders: Sequence[Path], wish: ProviderPreference, threads: int, log: ShadowLog | None = None
) -> ModelSession:
    """Return the models of these folders and of the package; none is read before the first request."""
    return ModelSession(
        cache(lambda: default_registry(folders)), cache(lambda: detect_runtime(wish, threads)), log=log
    )


class ModelSession(msgspec.Struct):
    """Provides models to checks and records their use.

    Attributes:
        shelf: the registry of models.
        runtime: how they are run; raises ModelError if they cannot be.
        cache: their cached results.
        broken: name -> why a model cannot be used in this review.
        log: the log of the scores of models in shadow, if there is one.
        is_bare: True if models were requested and no runtime is installed.
    """

    shelf: Callable[[], ModelRegistry]
    runtime: Callable[[], Runtime]
    cache: ScoreCache = msgspec.field(default_factory=ScoreCache)
    broken: dict[str, str] = msgspec.field(default_factory=dict)
    uses: dict[str, Usage] = msgspec.field(default_factory=dict)
    log: ShadowLog | None = None
    is_bare: bool = False
    _seen: dict[str, ModelEntry | None] = msgspec.field(default_factory=dict)

    def usable(
        self, name: str, states: Sequence[PromotionState] = (PromotionState.RANK, PromotionState.REPORT)
    ) -> ModelEntry | None:
        """Return the model of a name, if its files exist and its state is one of those given."""
        if name not in self._seen and name not in self.broken:
            try:
                found = self.shelf().get(name)
                is_shadow = found.metadata.state is PromotionState.SHADOW
                if not is_shadow:
                    self.runtime()
                    self.shelf().require_present(found)
                self._seen[name] = found if found.is_built or not is_shadow else None
            except ModelError as trouble:
                self.broken[name] = str(trouble)
                self.is_bare |= isinstance(trouble, RuntimeMissing)
        item = None if name in self.broken else self._seen[name]
        return item if item is not None and item.metadata.state in states else None

    def identity(self, names: Sequence[str]) -> str:
        """Return the identity of these models, on which results depend."""
        parts = []
        for name in names:
            item = self.usable(name)
            parts.append(f"{name}={'' if item is None else identity(item.metadata, self.runtime())}")
        return " ".join(parts)

    def errors(self, names: Sequence[str]) -> dict[str, str]:
        """Return the models that cannot be used, and why; one in shadow is not an error."""
        return {
            name: self.broken[name] for name in names if self.usable(name) is None and name in self.broken
        }

    def overstatements(self, names: Sequence[str]) -> Iterator[str]:
        """Return those of the models that claim a higher state than they earned, a sentence each."""
        for name in names:
            item = self.usable(name, tuple(PromotionState))
            if item is not None and item.overstated:
                yield f"model {name} counts as shadow: {item.overstated}"

    def scope(self, names: Sequence[str], most_texts: int) -> ModelScope:
        """Return the models of a specialist's checks for one file."""
        return ModelScope(self, frozenset(names), most_texts)

    def open_shadow_scope(self, names: Sequence[str], most_texts: int) -> ModelScope | None:
        """Return the same with the models in shadow too, if their scores are logged and there are any."""
        if self.log is None or all(self.usable(name, (PromotionState.SHADOW,)) is None for name in names):
            return None
        return ModelScope(self, frozenset(names), most_texts, states=tuple(PromotionState))

    def runs(self, files: Mapping[str, int]) -> list[ToolRun]:
        """Return the models that took part, by name.

        Args:
            files: name -> the number of files it was provided for.
        """
        found = []
        for name in sorted(files):
            item = self.usable(name)
            if item is not None:
                runtime = self.runtime()
                use = self.uses.get(name, Usage())
                version = f"{item.metadata.model.sha256[:12]} {runtime.identity}"
                known = files[name] if use.asked == use.cached else 0  # nothing had to be scored for them
                found.append(ToolRun(f"model {name}", version, files[name], known, use.seconds))
        return found

    def close(self) -> None:
        self.cache.close()

    def keep(self, entry: ModelEntry, requested: Sequence[str], scores: Sequence[float]) -> None:
        """Log a score of a model in shadow."""
        if self.log is not None and entry.metadata.state is PromotionState.SHADOW:
            self.log.add(entry.name, entry.metadata.model.sha256, requested, scores)

    # Called by the handles

    def vectors(self, entry: ModelEntry, texts: Sequence[str]) -> dict[str, Numbers]:
        """Return the unit vector of each text, from the cache or the model.

        Raises:
            ModelError: the model cannot be used; it is then disabled.
        """
        digest = score_digest(entry.metadata, self.runtime())
        keys = {text_key(digest, text): text for text in texts}
        known = {keys[name]: numbers for name, numbers in self.cache.get(list(keys)).items()}
        self._count_use(entry, len(keys), len(known))
        missing = {name: text for name, text in keys.items() if text not in known}
        if missing:
            known |= self._embed_texts(entry, missing)
        return known

    def _embed_texts(self, entry: ModelEntry, missing: Mapping[bytes, str]) -> dict[str, Numbers]:
        started = time.monotonic()
        try:
            embedder = self.shelf().embedder(entry.name, self.runtime())
            rows = [array("f", vector.tobytes()) for vector in embedder.embed(list(missing.values()))]
        except ModelError as trouble:
            raise self.disable(entry, trouble) from trouble
        self.cache.put(dict(zip(missing, rows, strict=True)))
        self.uses[entry.name].seconds += time.monotonic() - started
        return dict(zip(missing.values(), rows, strict=True))

    def row_score(self, entry: ModelEntry, row: Sequence[float]) -> float:
        """Return the raw score of a row, from the cache or the model.

        Raises:
            ModelError: the model cannot be used; it is then disabled.
        """
        from wardround.inference.tabular import raw_score  # most reviews score nothing

        name = row_key(score_digest(entry.metadata, self.runtime()), row)
        known = self.cache.get([name])
        self._count_use(entry, 1, len(known))
        if known:
            return known[name][0]
        started = time.monotonic()
        try:
            expected = len(entry.metadata.inputs)
            if len(row) != expected:
                raise ModelError(f"it was trained on {expected} numbers and got {len(row)}")
            score = raw_score(self.shelf().load(entry, self.runtime()).session, row)
        except ModelError as trouble:
            raise self.disable(entry, trouble) from trouble
        retained = array("f", [score])
        self.cache.put({name: retained})
        self.uses[entry.name].seconds += time.monotonic() - started
        return retained[0]

    def class_probabilities(self, entry: ModelEntry, text: str) -> Numbers:
        """Return the probabilities of a text, in the order of the model's classes, from the cache or the
        model.

        Raises:
            ModelError: the model cannot be used; it is then disabled.
        """
        name = text_key(score_digest(entry.metadata, self.runtime()), text)
        known = self.cache.get([name])
        self._count_use(entry, 1, len(known))
        if known:
            return known[name]
        started = time.monotonic()
        try:
            model = self.shelf().classifier(entry, self.runtime())
            numbers = array("f", model.probabilities(text).tobytes())
        except ModelError as trouble:
            raise self.disable(entry, trouble) from trouble
        self.cache.put({name: numbers})
        self.uses[entry.name].seconds += time.monotonic() - started
        return numbers

    def _count_use(self, entry: ModelEntry, requested: int, cached: int) -> None:
        use = self.uses.setdefault(entry.name, Usage())
        use.asked += requested
        use.cached += cached

    def disable(self, entry: ModelEntry, trouble: ModelError) -> ModelError:
        """Disable a model for the rest of this review; return the error that states this."""
        self.broken[entry.name] = str(trouble)
        return ModelError(f"model {entry.name!r}: {trouble}")


class ModelScope(msgspec.Struct):
    """The models of one specialist, for one file or one change-level check.

    Attributes:
        most_texts: texts that may be scored, including cached ones, so that results are reproducible.
        exhausted: True if more were requested; from then on this scope has no models.
    """

    models: ModelSession
    names: frozenset[str]
    most_texts: int
    exhausted: bool = False
    states: tuple[PromotionState, ...] = (PromotionState.RANK, PromotionState.REPORT)
    _texts: set[str] = msgspec.field(default_factory=set)

    def table(self, name: str) -> TableModel | None:
        item = self._usable_entry(name, "table")
        return None if item is None else TabularHandle(self.models, item)

    def ranker(self, name: str) -> Ranker | None:
        item = self._usable_entry(name, "embedder")
        return None if item is None else RankerHandle(self, item)

    def classifier(self, name: str) -> Classifier | None:
        item = self._usable_entry(name, "texts")
        return None if item is None else ClassifierHandle(self, item)

    def _usable_entry(self, name: str, kind: str) -> ModelEntry | None:
        if name not in self.names:
            raise LookupError(f"model {name!r} is not among the specialist's `models`")
        if self.exhausted:
            return None
        item = self.models.usable(name, self.states)
        return item if item is not None and item.metadata.kind == kind else None

    def charge(self, texts: Sequence[str]) -> None:
        """Count texts to be scored.

        Raises:
            ModelError: they exceed the limit.
        """
        self._texts.update(texts)
        if len(self._texts) > self.most_texts:
            self.exhausted = True
            raise ModelError(f"more than {self.most_texts} texts are to be scored")


class TabularHandle(msgspec.Struct, frozen=True):
    """A model over numbers, for a check."""

    models: ModelSession
    one: ModelEntry

    @property
    def threshold(self) -> float:
        reports = self.one.metadata.state is PromotionState.REPORT
        return self.one.metadata.thresholds.get("report", float("inf")) if reports else float("inf")

    def score(self, features: Sequence[float]) -> float:
        from wardround.inference.calibration import probability  # most reviews score nothing

        likely = probability(self.one.metadata.calibration, self.models.row_score(self.one, features))
        self.models.keep(self.one, [repr(tuple(features))], [likely])
        return likely


class RankerHandle(msgspec.Struct, frozen=True):
    """A model over texts, for a check."""

    lent: ModelScope
    one: ModelEntry

    def scores(self, query: str, candidates: Sequence[str]) -> list[float]:
        from wardround.inference.similarity import cosine  # most reviews score nothing

        texts = list(dict.fromkeys((query, *candidates)))
        self.lent.charge(texts)
        vectors = self.lent.models.vectors(self.one, texts)
        cosines = [cosine(vectors[query], vectors[text]) for text in candidates]
        self.lent.models.keep(self.one, [query, *candidates], cosines)
        return cosines

    def fuse(
        self, query: str, candidates: Sequence[str], evidence: Sequence[Mapping[str, float]]
    ) -> list[float]:
        from wardround.inference.similarity import fuse  # most reviews score nothing

        cosines = self.scores(query, candidates)
        try:
            return fuse(self.one.metadata.fusion, cosines, evidence)
        except ModelError as trouble:
            raise self.lent.models.disable(self.one, trouble) from trouble


class ClassifierHandle(msgspec.Struct, frozen=True):
    """A model over short texts, for a check or an analysis."""

    lent: ModelScope
    one: ModelEntry

    @property
    def threshold(self) -> float:
        return self.one.metadata.thresholds.get("stated", float("inf"))

    def probabilities(self, text: str) -> Mapping[str, float]:
        self.lent.charge([text])
        numbers = self.lent.models.class_probabilities(self.one, text)
        self.lent.models.keep(self.one, [text], numbers)
        return dict(zip(self.one.metadata.inputs, numbers, strict=True))
