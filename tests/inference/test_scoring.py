"""Scores are the same alone or in a batch, on one thread or two, from the model or from the cache."""

from __future__ import annotations

import math
import random
import sqlite3
from array import array
from pathlib import Path

import numpy as np
import pytest

from tests.inference.making import INPUTS, WORDS, make_table
from wardround.errors import ModelError
from wardround.inference import similarity
from wardround.inference.calibration import probability
from wardround.inference.embedder import Embedder
from wardround.inference.metadata import Calibration, Fusion
from wardround.inference.registry import ModelRegistry, model_digest, score_digest
from wardround.inference.runtime import CPU, Runtime
from wardround.inference.tabular import raw_score
from wardround.retrieval import protocols as retrieval
from wardround.storage.score_cache import ScoreCache, row_key, text_key

RUNTIME = Runtime("onnxruntime", "0", CPU)


def texts(count: int, seed: int = 0) -> list[str]:
    """Texts of 1 to 9 words."""
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(1, 9))) for _ in range(count)]


@pytest.fixture
def shelf(shelf_folder: Path) -> ModelRegistry:
    return ModelRegistry.of([shelf_folder])


@pytest.fixture
def embedder(shelf: ModelRegistry) -> Embedder:
    return shelf.embedder("base", RUNTIME)


class TestVectors:
    def test_they_have_length_one(self, embedder: Embedder) -> None:
        vectors = embedder.embed(texts(20))
        assert vectors.shape == (20, 16)
        assert vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)

    def test_a_text_alone_is_the_same_in_any_company_and_order(self, embedder: Embedder) -> None:
        some = texts(40)
        together = embedder.embed(some)
        backwards = embedder.embed(some[::-1])[::-1]
        alone = np.concatenate([embedder.embed([text]) for text in some])
        assert (together == alone).all()
        assert (together == backwards).all()

    def test_in_one_batch_it_would_not_be(self, embedder: Embedder) -> None:
        """The reason why texts are run one at a time: integer scales are those of the largest activation of a
        batch.
        """
        same_length = [text for text in texts(300) if len(text.split()) == 5]
        ids = np.array([embedder.tokens.ids(text) for text in same_length])
        batch = embedder.session.run({"input_ids": ids})[-1]
        assert not (batch == embedder.embed(same_length)).all()

    def test_two_threads_give_what_one_gives(self, shelf: ModelRegistry) -> None:
        two = shelf.embedder("base", Runtime("onnxruntime", "0", CPU, threads=2))
        some = texts(40)
        assert (two.embed(some) == shelf.embedder("base", RUNTIME).embed(some)).all()

    def test_none_are_none_of_the_right_width(self, embedder: Embedder) -> None:
        assert embedder.embed([]).shape == (0, 16)

    def test_what_is_beyond_the_window_counts_for_nothing(self, embedder: Embedder) -> None:
        start = " ".join(["read"] * 30)
        vectors = embedder.embed([f"{start} file", f"{start} cache of the path"])
        assert (vectors[0] == vectors[1]).all()

    @pytest.mark.parametrize("text", ["", "\0", "\udce4 read", "日本語", "x" * 100_000])
    def test_any_text_has_one(self, embedder: Embedder, text: str) -> None:
        assert np.isfinite(embedder.embed([text])).all()

    def test_an_adapter_is_another_model_on_the_same_tensors(
        self, shelf: ModelRegistry, embedder: Embedder
    ) -> None:
        other = shelf.embedder("adapter", RUNTIME)
        assert other.digest != embedder.digest
        assert not np.allclose(other.embed(["read"]), embedder.embed(["read"]))

    def test_it_is_what_retrieval_queries_for(self, embedder: Embedder) -> None:
        requested: retrieval.Embedder = embedder
        assert requested.digest == embedder.digest

    def test_a_model_is_loaded_once(self, shelf: ModelRegistry, shelf_folder: Path) -> None:
        again = ModelRegistry.of([shelf_folder])
        assert again.load(again.get("base"), RUNTIME) is shelf.load(shelf.get("base"), RUNTIME)


class TestTables:
    def test_the_score_is_the_last_number(self, shelf: ModelRegistry) -> None:
        session = shelf.load(shelf.get("table"), RUNTIME).session
        assert raw_score(session, [1.0, 0.5, 2.0]) == 2.5

    def test_a_row_of_another_width_is_rejected(self, shelf: ModelRegistry) -> None:
        session = shelf.load(shelf.get("table"), RUNTIME).session
        with pytest.raises(ModelError, match="it cannot be run"):
            raw_score(session, [1.0, 0.5])

    def test_a_score_that_is_not_a_number_is_rejected(self, tmp_path: Path) -> None:
        shelf = ModelRegistry.of([make_table(tmp_path / "bad", weights=(math.nan, 1.0, 1.0))])
        with pytest.raises(ModelError, match="its output nan is not a score"):
            raw_score(shelf.load(shelf.get("table"), RUNTIME).session, [1.0] * len(INPUTS))

    def test_numbers_have_no_embedder(self, shelf: ModelRegistry) -> None:
        with pytest.raises(ModelError, match="reads numbers, not texts"):
            shelf.embedder("table", RUNTIME)


class TestCalibration:
    @pytest.mark.parametrize(("score", "likely"), [(0.0, 0.5), (1e6, 1.0), (-1e6, 0.0), (-0.25, 0.2689414)])
    def test_platt(self, score: float, likely: float) -> None:
        found = probability(Calibration(method="platt", slope=4.0, bias=0.0), score)
        assert found == pytest.approx(likely, abs=1e-6)

    @pytest.mark.parametrize(
        ("score", "likely"),
        [(-5.0, 0.1), (0.0, 0.1), (0.5, 0.2), (1.0, 0.3), (1.5, 0.6), (2.0, 0.9), (9.0, 0.9)],
    )
    def test_isotonic_is_linear_between_its_points(self, score: float, likely: float) -> None:
        points = ((0.0, 0.1), (1.0, 0.3), (2.0, 0.9))
        assert probability(Calibration(method="isotonic", points=points), score) == pytest.approx(likely)

    @pytest.mark.parametrize(("score", "likely"), [(-1.0, 0.0), (0.3, 0.3), (7.0, 1.0)])
    def test_without_one_the_score_is_cut(self, score: float, likely: float) -> None:
        assert probability(Calibration(method="none"), score) == likely


class TestFusion:
    FUSION = Fusion(names=("bm25", "cosine"), weights=(0.5, 2.0), bias=-1.0)

    def test_it_is_the_weighted_sum(self) -> None:
        found = similarity.fuse(self.FUSION, [0.25, 0.5], [{"bm25": 2.0}, {"bm25": 0.0}])
        assert found == [0.5, 0.0]

    def test_missing_evidence_is_named(self) -> None:
        with pytest.raises(ModelError, match="lacks 'bm25'"):
            similarity.fuse(self.FUSION, [0.25], [{"overlap": 2.0}])

    @pytest.mark.parametrize("fusion", [None, Fusion((), (), 0.0)])
    def test_none_was_measured(self, fusion: Fusion | None) -> None:
        with pytest.raises(ModelError, match="without cheap evidence"):
            similarity.fuse(fusion, [0.25], [{}])


class TestDigests:
    def test_they_report_runtimes_and_models_apart(self, shelf: ModelRegistry) -> None:
        base, adapter = shelf.get("base").metadata, shelf.get("adapter").metadata
        runtimes = [
            RUNTIME,
            Runtime("onnxruntime", "1", CPU),
            Runtime("onnxruntime", "0", "CUDAExecutionProvider"),
        ]
        digests = {score_digest(item, runtime) for item in (base, adapter) for runtime in runtimes}
        assert len(digests) == 6
        assert model_digest(base) != model_digest(adapter)

    def test_threads_make_no_other_score(self, shelf: ModelRegistry) -> None:
        base = shelf.get("base").metadata
        assert score_digest(base, RUNTIME) == score_digest(base, Runtime("onnxruntime", "0", CPU, threads=2))


class TestCache:
    def test_what_was_put_is_got_back(self, tmp_path: Path) -> None:
        entries = {text_key("m", f"text {n}"): array("f", [n, 0.1]) for n in range(1200)}
        first = ScoreCache(tmp_path)
        first.put(entries)
        first.close()
        second = ScoreCache(tmp_path)
        assert second.get([*entries, text_key("m", "none")]) == entries
        second.close()

    def test_keys_differ_by_model_kind_and_content(self) -> None:
        keys = {text_key("m", "a"), text_key("n", "a"), text_key("m", "b"), row_key("m", [1.0]),
                row_key("m", [1.0, 0.0]), row_key("m", [-1.0])}  # fmt: skip
        assert len(keys) == 6

    def test_it_is_private(self, tmp_path: Path) -> None:
        cache = ScoreCache(tmp_path / "cache")
        cache.put({b"k": array("f", [1.0])})
        cache.close()
        assert (tmp_path / "cache").stat().st_mode & 0o077 == 0
        assert (tmp_path / "cache" / "scores.sqlite").stat().st_mode & 0o077 == 0

    def test_a_damaged_entry_is_none(self, tmp_path: Path) -> None:
        names = [bytes([n]) * 32 for n in range(4)]
        cache = ScoreCache(tmp_path)
        cache.put({name: array("f", [1.0, 2.0]) for name in names})
        cache.close()
        with sqlite3.connect(tmp_path / "scores.sqlite") as database:
            rows = dict(database.execute("SELECT key, value FROM entries"))
            flipped = rows[names[0]][:-1] + bytes([rows[names[0]][-1] ^ 1])
            for name, value in (
                (names[0], flipped),
                (names[1], rows[names[1]][:-4]),
                (names[2], rows[names[3]]),
            ):
                database.execute("UPDATE entries SET value = ? WHERE key = ?", (value, name))
        database.close()
        again = ScoreCache(tmp_path)
        assert list(again.get(names)) == [names[3]]
        again.close()

    @pytest.mark.parametrize("content", [b"", b"no database at all" * 100])
    def test_a_file_that_is_not_a_cache_costs_time_only(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "scores.sqlite").write_bytes(content)
        for _ in range(2):
            cache = ScoreCache(tmp_path)
            cache.put({b"k": array("f", [1.0])})
            cache.close()
        last = ScoreCache(tmp_path)
        assert last.get([b"k"]) == {b"k": array("f", [1.0])}
        last.close()

    def test_a_folder_that_cannot_be_written_costs_time_only(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(b"")
        cache = ScoreCache(tmp_path / "file" / "below")
        cache.put({b"k": array("f", [1.0])})
        assert cache.get([b"k"]) == {}
        cache.close()

    def test_it_does_not_grow_without_end(self, tmp_path: Path) -> None:
        cache = ScoreCache(tmp_path, limit_bytes=200_000)
        for part in range(20):
            cache.put({text_key("m", f"{part} {n}"): array("f", [0.5] * 100) for n in range(100)})
        cache.close()
        assert (tmp_path / "scores.sqlite").stat().st_size < 300_000
