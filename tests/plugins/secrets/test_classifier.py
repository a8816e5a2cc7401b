"""Ambiguous literals, their features, and their classification by a model."""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pytest
from wardround_secrets.checks import CHECKS
from wardround_secrets.classifier import review, trigrams
from wardround_secrets.classifier.candidates import CandidateLiteral, ambiguous_literals, is_ambiguous
from wardround_secrets.classifier.features import NAMES, LiteralContext, features
from wardround_secrets.classifier.history import found_in
from wardround_secrets.classifier.synthetic_secrets import FAMILIES
from wardround_secrets.detection.scanner import ScannedText, scan
from wardround_secrets.specialist import SecretsSpecialist

from tests.plugins.judges import Judge, Lender
from tests.plugins.secrets.planted import BASE62, HEX, drawn
from wardround.checks.source import SourceFile
from wardround.errors import ModelError
from wardround.execution.broker import LIMITS, ModelBroker
from wardround.findings import RawFinding, Severity
from wardround.inference.api import NoModels
from wardround.inference.metadata import PromotionState, read_metadata
from wardround.inference.model_session import ModelSession
from wardround.inference.registry import ModelRegistry
from wardround.tools.tool import Profile
from wardround.training_tasks import Commit

WORDS = ("falcon", "garden", "silver", "copper", "harbour")
DOUBTFUL = drawn(BASE62, 12)


def told(
    text: str, judge: Judge | None, path: str = "src/app.py", added: set[int] | None = None
) -> list[RawFinding]:
    is_added = (lambda line: True) if added is None else added.__contains__
    models = NoModels() if judge is None else Lender(judge)
    return scan(CHECKS, CHECKS, SourceFile(path, text, is_added=is_added, models=models))


class TestInDoubt:
    @pytest.mark.parametrize("value", ["Admin!2019prod", DOUBTFUL, drawn(HEX, 20), "7GQ2XK9LM4PZ8R1T"])
    def test_what_is_neither_surely_a_secret_nor_surely_none(self, value: str) -> None:
        assert is_ambiguous("token", value)

    @pytest.mark.parametrize(
        "value",
        [
            "changeme", "${TOKEN}", "refresh_token", "accessToken", "https://acme.dev/token", "src/token.ts",
            "/run/secrets/token", "settings.auth.token", "getToken(user)", "2024-01-31", "123456789",
            "Enter your token 2", "must have 8 characters", "~flask.Flask.token", "[^a-z0-9]", "realm=",
            "x" * 201, "abc",
        ],
    )  # fmt: skip
    def test_what_is_surely_none(self, value: str) -> None:
        assert not is_ambiguous("token", value)

    def test_what_a_check_reports_is_in_no_doubt(self) -> None:
        assert not is_ambiguous("api_key", drawn(BASE62, 40))
        assert is_ambiguous("api_key", "Blauwal.4711")
        assert not is_ambiguous("password", "Blauwal.4711")
        assert is_ambiguous("password", "Blauwal.4711", "within")

    def test_secrets_stand_in_headers_and_connection_strings_too(self) -> None:
        text = f'h = "Bearer {DOUBTFUL}"\nc = "Server=db;Password={DOUBTFUL};"\n'
        assert [item.place for item in ambiguous_literals(ScannedText("a.py", text))] == ["header", "within"]

    def test_a_keyword_argument_is_not_a_connection_string(self) -> None:
        assert (
            list(ambiguous_literals(ScannedText("a.py", 'connect("h", password=self.options["x1"])\n'))) == []
        )

    @pytest.mark.parametrize("text", ["aA" * 100, "a-" * 100, "A_b." * 50, "password=" * 60, "Bearer " * 60])
    def test_no_text_takes_long(self, text: str) -> None:
        is_ambiguous("token", text[:200] + "!")
        list(ambiguous_literals(ScannedText("a.py", f'token = "{text}!"')))


class TestFeatures:
    def test_every_family_gives_finite_numbers_by_name(self) -> None:
        rng = random.Random(3)
        for family in FAMILIES.values():
            for _ in range(5):
                value = family.make(rng, WORDS)
                row = features(
                    CandidateLiteral("token", value, 0, len(value)),
                    LiteralContext("a.py", False, f'token = "{value}"'),
                )
                assert len(row) == len(NAMES)
                assert all(math.isfinite(number) for number in row)

    @pytest.mark.parametrize(
        "value", ["é" * 6, "\U0001d4b3" * 7, "      x", "======", "%%%%%%", "\x00\x01\x02\x03\x04\x05"]
    )
    def test_any_characters_have_numbers(self, value: str) -> None:
        row = features(CandidateLiteral("", value, 0, len(value)), LiteralContext("", True, value))
        assert all(math.isfinite(number) for number in row)

    def test_what_reports_a_keyboard_walk_a_year_and_a_named_value(self) -> None:
        def number(name: str, value: str, of: str = "token") -> float:
            literal = CandidateLiteral(of, value, 0, len(value))
            return features(literal, LiteralContext("a.py", False, ""))[NAMES.index(name)]

        assert number("shape_keyboard", "qwertyuiop") == 1
        assert number("shape_keyboard", "!QAZ1qaz") == 0.5
        assert number("shape_year", "Spring1999!") == 1
        assert number("place_named_in_value", "verify_key2", "signing_key") == 0.5

    def test_code_reads_better_than_chance(self) -> None:
        def mean(text: str) -> float:
            bits = trigrams.surprises(text)
            return sum(bits) / len(bits)

        assert max(mean("refresh_token"), mean("connection")) < mean("xq7Zkw0vTjp")

    def test_a_table_is_written_as_it_is_read(self, tmp_path: Path) -> None:
        table = trigrams.trigram_table(["token", "tokens"])
        written = trigrams.serialize(table)
        assert written.replace(b"\n", b"") == table
        assert written.isascii()
        assert trigrams.surprises("tok", table)[2] < trigrams.surprises("txk", table)[2]
        assert len(trigrams.table()) == len(table)


class TestAsking:
    def test_nothing_is_reported_without_a_model(self) -> None:
        assert told(f'token = "{DOUBTFUL}"\n', None) == []

    def test_a_predicted_secret_is_reported_without_its_value(self) -> None:
        (result,) = told(f'token = "{DOUBTFUL}"\n', Judge())
        assert (result.code, result.span.start, result.severity) == ("SE004", (1, 10), Severity.INFO)
        assert DOUBTFUL not in result.message
        assert result.message.startswith("token has a value that resembles a secret (***)")

    def test_nothing_is_reported_below_the_threshold(self) -> None:
        judge = Judge(answer=0.4)
        assert told(f'token = "{DOUBTFUL}"\n', judge) == []
        assert len(judge.asked) == 1

    def test_only_added_lines_outside_tests_are_classified(self) -> None:
        text = f'token = "{DOUBTFUL}"\nsecret = "{drawn(BASE62, 13)}"\n'
        assert [result.span.line for result in told(text, Judge(), added={2})] == [2]
        judge = Judge()
        assert told(text, judge, path="tests/test_app.py") == []
        assert told(text, judge, path="package-lock.json") == []
        assert judge.asked == []

    def test_the_model_is_not_loaded_without_ambiguous_literals(self) -> None:
        lender = Lender(Judge())
        source = SourceFile("src/app.py", 'token = "refresh_token"\n', models=lender)
        assert scan(CHECKS, CHECKS, source) == []
        assert lender.wanted == []

    def test_the_number_of_classified_literals_is_limited(self) -> None:
        judge = Judge(answer=0.0)
        told("".join(f'token{n} = "{drawn(BASE62, 12, n)}"\n' for n in range(100)), judge)
        assert len(judge.asked) == review.MOST_CLASSIFIED


@dataclass(frozen=True)
class TwoDays:
    """A past of two commits with one file each."""

    texts: Mapping[str, str]
    repository: str = "acme/shop"

    def commits(self, patterns: Sequence[str]) -> Sequence[Commit]:
        return ()

    def tree(self, commit: str, patterns: Sequence[str]) -> list[tuple[str, str]]:
        return [("src/app.py", commit)]

    def text(self, blob: str | None) -> str | None:
        return self.texts.get(blob or "")


class TestHistory:
    def test_a_literal_counts_as_of_the_day_it_was_first_seen(self) -> None:
        old, new = 'token = "n0thing-1"\n', 'token = "n0thing-1"\nsecret = "k3bab-99"\n'
        found = list(found_in(TwoDays({"one": old, "two": new}), [(10, "one"), (20, "two")]))  # type: ignore[arg-type]
        assert [(item.time, item.value, item.column) for item in found] == [
            (10, "n0thing-1", 9),
            (20, "k3bab-99", 10),
        ]

    def test_another_value_is_inserted_in_the_same_line(self) -> None:
        (item,) = found_in(TwoDays({"one": 'f(token="n0thing-1", b=2)\n'}), [(10, "one")])  # type: ignore[arg-type]
        assert item.holding(DOUBTFUL).line == f'f(token="{DOUBTFUL}", b=2)'
        assert len(item.holding(DOUBTFUL).row) == len(NAMES)

    def test_literals_of_any_name_are_distinguished(self) -> None:
        text = 'revision = "ab12-cd34"\ntoken = "n0thing-1"\n'
        found = found_in(TwoDays({"one": text}), [(10, "one")], broadly=True)  # type: ignore[arg-type]
        assert {item.value: item.is_named for item in found} == {"n0thing-1": True, "ab12-cd34": False}


class TestShippedModel:
    FOLDER = Path(__file__).parents[3] / "adapters" / "wardround_adapters" / "secrets"

    def test_it_reads_what_is_counted_and_is_small(self) -> None:
        known = read_metadata(self.FOLDER)
        assert known.inputs == NAMES
        assert known.data is not None
        assert known.data.recipe == hashlib.sha256((self.FOLDER / "recipe.yml").read_bytes()).hexdigest()
        assert (known.name, known.kind) == (review.MODEL, "table")
        assert known.model.bytes < 300_000

    def test_the_specialist_names_it(self) -> None:
        assert SecretsSpecialist().models == (review.MODEL,)

    def test_in_shadow_it_is_nobodys_trouble_where_models_cannot_be_run(self) -> None:
        def missing() -> NoReturn:
            raise ModelError("numpy is not installed")

        models = ModelSession(lambda: ModelRegistry.of([self.FOLDER]), missing)
        assert read_metadata(self.FOLDER).state is PromotionState.SHADOW
        assert models.scope([review.MODEL], 1).table(review.MODEL) is None
        assert models.errors([review.MODEL]) == {}
        assert not ModelBroker(models, LIMITS[Profile.COMMIT]).is_used_by(SecretsSpecialist())
