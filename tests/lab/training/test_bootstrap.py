from __future__ import annotations

import math

import pytest

np = pytest.importorskip("numpy")

from wardround.training_tasks import Choice  # noqa: E402
from wardround_lab.training import conditional_logit  # noqa: E402
from wardround_lab.training.bootstrap import (  # noqa: E402
    Repositories,
    ResampledUnits,
    auc,
    binned_auc,
    precision_at_recall,
    precision_recall,
    quantile_bins,
)
from wardround_lab.training.ranking_metrics import RankedQuestions, Ranking  # noqa: E402


def flags(text: str) -> np.ndarray:
    return np.array([letter == "+" for letter in text])


def test_auc_counts_ordered_pairs_and_half_of_the_tied() -> None:
    assert auc(np.array([3.0, 1.0, 2.0, 2.0]), flags("+-+-")) == (1 + 1 + 1 + 0.5) / 4
    assert auc(np.array([1.0, 2.0]), flags("+-")) == 0.0


def test_auc_without_a_pair_is_nan() -> None:
    assert math.isnan(auc(np.array([1.0, 2.0]), flags("++")))


def test_weights_count_as_that_many_rows() -> None:
    scores, right = np.array([3.0, 1.0, 2.0, 2.0]), flags("+-+-")
    weights = np.array([1.0, 2.0, 3.0, 1.0])
    often = np.repeat(np.arange(4), weights.astype(int))
    assert auc(scores, right, weights) == pytest.approx(auc(scores[often], right[often]))
    assert precision_at_recall(scores, right, 0.9, weights) == pytest.approx(
        precision_at_recall(scores[often], right[often], 0.9)
    )


def test_within_bins_a_score_of_the_bin_is_chance() -> None:
    bins = np.array([0, 0, 0, 1, 1, 1])
    right = flags("--+-++")
    assert auc(bins.astype(float), right) > 0.6
    assert binned_auc(bins.astype(float), right, bins) == 0.5


def test_precision_at_recall_takes_ties_together() -> None:
    scores, right = np.array([9.0, 8.0, 8.0, 7.0, 6.0]), flags("++--+")
    assert precision_at_recall(scores, right, 0.3) == 1.0
    assert precision_at_recall(scores, right, 0.5) == pytest.approx(2 / 3)
    assert precision_at_recall(scores, right, 1.0) == pytest.approx(3 / 5)
    assert math.isnan(precision_at_recall(scores, flags("-----"), 0.5))


def test_a_curve_ends_with_everything_shown() -> None:
    thresholds, precision, recall = precision_recall(np.array([9.0, 8.0, 8.0, 7.0]), flags("++-+"))
    assert thresholds.tolist() == [9.0, 8.0, 7.0]
    assert precision.tolist() == [1.0, pytest.approx(2 / 3), 0.75]
    assert recall.tolist() == [pytest.approx(1 / 3), pytest.approx(2 / 3), 1.0]


def test_bins_hold_as_many_rows_each_as_ties_allow() -> None:
    assert np.bincount(quantile_bins(np.arange(12.0), 4)).tolist() == [3, 3, 3, 3]
    assert set(quantile_bins(np.ones(12), 4).tolist()) <= {0, 1}


def test_the_fast_auc_of_the_draws_is_the_slow_one() -> None:
    reported = np.random.default_rng(5)
    names = [f"r{n}" for n in reported.integers(0, 6, 300)]
    right = reported.random(300) < 0.3
    scores = np.round(reported.normal(size=300) + right, 1)
    bins, weights = reported.integers(0, 3, 300), reported.integers(1, 4, 300).astype(float)
    repositories = Repositories.resample(names, seed=3, draws=40)
    fast = repositories.auc(scores, right, bins=bins, weights=weights)
    slow = repositories.drawn_again(lambda counts: binned_auc(scores, right, bins, counts * weights))
    assert fast.value == pytest.approx(slow.value)
    assert fast.draws.tolist() == pytest.approx(slow.draws.tolist())


def test_a_mean_is_resampled_by_repository() -> None:
    values = np.array([1.0, 1.0, 1.0, 0.0])
    found = Repositories.resample(["a", "a", "a", "b"], draws=1000).mean(values)
    assert found.value == 0.75
    assert set(np.round(found.draws, 6).tolist()) == {0.0, 0.75, 1.0}


def test_rows_of_few_repositories_make_a_wide_interval() -> None:
    reported = np.random.default_rng(1)
    of_repository = reported.normal(size=8)
    names = [f"r{n % 8}" for n in range(800)]
    values = np.array([of_repository[n % 8] + reported.normal() * 0.1 for n in range(800)])
    by_repository = Repositories.resample(names).mean(values).interval()
    by_row = Repositories.resample([str(n) for n in range(800)]).mean(values).interval()
    assert by_repository.low <= by_repository.value <= by_repository.high
    assert by_repository.high - by_repository.low > 5 * (by_row.high - by_row.low)


def test_an_interval_covers_the_truth_at_its_nominal_rate() -> None:
    reported = np.random.default_rng(2)
    covered = 0
    for world in range(60):
        centre = reported.normal(size=20)
        values = np.repeat(centre, 5) + reported.normal(size=100)
        names = [f"r{n // 5}" for n in range(100)]
        found = Repositories.resample(names, seed=world, draws=300).mean(values).interval()
        covered += found.low <= 0 <= found.high
    assert covered >= 50


def test_a_gain_is_paired() -> None:
    reported = np.random.default_rng(3)
    names = [f"r{n % 8}" for n in range(400)]
    base = reported.normal(size=8)[np.arange(400) % 8] + reported.normal(size=400)
    repositories = Repositories.resample(names)
    gain = repositories.mean(base + 0.1).difference(repositories.mean(base)).interval()
    assert (gain.low, gain.value, gain.high) == (0.1, 0.1, 0.1)
    assert repositories.mean(base).interval().low < -0.1


def test_one_kind_of_row_alone_has_no_interval() -> None:
    repositories = Repositories.resample(["a", "b"], draws=10)
    with pytest.raises(ValueError, match="one class of answers is missing"):
        repositories.auc(np.array([1.0, 2.0]), flags("++")).interval()


# --- rankings


def asked(*rights: str) -> RankedQuestions:
    return RankedQuestions.of(
        [
            Choice(
                repository="a/a",
                time=1,
                group=str(number),
                query="q",
                candidates=tuple(f"{letter}{'x' * (10 + at)}" for at, letter in enumerate(text)),
                right=tuple(at for at, letter in enumerate(text) if letter == "+"),
            )
            for number, text in enumerate(rights)
        ]
    )


def test_ranks_of_ties_are_what_a_random_order_gives() -> None:
    questions = asked("+---", "--++", "-+-")
    ranking = Ranking.by(np.array([1.0, 1, 0, 0, 3, 1, 1, 1, 2, 2, 2]), questions)
    assert ranking.top1().tolist() == [0.5, 0.0, pytest.approx(1 / 3)]
    second = (2 / 3) * (1 / 2) + (1 / 3) * (1 / 3)  # two of three tied rows behind one better
    assert ranking.reciprocal_ranks().tolist() == pytest.approx([0.75, second, (1 + 1 / 2 + 1 / 3) / 3])


def test_pairs_are_ordered_within_a_question() -> None:
    questions = asked("+---", "--++", "-+-")
    scores = np.array([1.0, 1, 0, 0, 3, 1, 1, 2, 2, 2, 2])
    expected = [auc(scores[rows], questions.right[rows]) for rows in (slice(0, 4), slice(4, 8), slice(8, 11))]
    assert Ranking.by(scores, questions).ordered_pairs().tolist() == pytest.approx(expected)


def test_scores_are_standardised_within_a_question() -> None:
    questions = asked("+---", "--++", "-+-")
    found = questions.standardise(np.array([3.0, 1, 1, 3, 70, 70, 70, 70, 1, 0, 2]))
    assert found.tolist() == pytest.approx([1, -1, -1, 1, 0, 0, 0, 0, 0, -(1.5**0.5), 1.5**0.5])


def test_a_shuffle_keeps_the_number_of_right_ones() -> None:
    questions = asked("+---", "--++", "-+-")
    shuffled = questions.shuffle(np.random.default_rng(0))
    assert np.add.reduceat(shuffled, questions.starts, dtype=int).tolist() == [1, 2, 1]
    locations = [questions.shuffle(np.random.default_rng(n))[:4].argmax() for n in range(200)]
    assert np.bincount(locations).min() > 25


def test_candidates_of_similar_size_are_as_often_longer_as_shorter() -> None:
    questions = asked("-+-", "+---", "---+")
    alike, retained = questions.of_like_size()
    gaps = questions._gaps()[retained & ~questions.right]
    assert (gaps > 0).sum() == (gaps < 0).sum() > 0
    assert np.abs(gaps).max() <= 0.25
    assert alike.right.sum() == 3
    assert len(alike.right) == retained.sum()
    assert alike.sizes.min() >= 2


# --- logistic regression


def test_the_weights_that_made_the_data_are_found() -> None:
    reported = np.random.default_rng(4)
    rows = reported.normal(size=(20_000, 2)) * [1.0, 10.0]
    right = reported.random(20_000) < 1 / (1 + np.exp(-(rows @ [1.0, -0.2] - 1.5)))
    found = conditional_logit.fit(rows, right)
    assert found.weights == pytest.approx((1.0, -0.2), rel=0.08)
    assert found.bias == pytest.approx(-1.5, rel=0.08)


def test_separable_rows_and_constant_columns_stay_finite() -> None:
    rows = np.array([[0.0, 7.0], [1.0, 7.0], [2.0, 7.0], [3.0, 7.0]])
    found = conditional_logit.fit(rows, flags("--++"))
    assert found.weights[1] == 0.0
    assert np.isfinite(found.scores(rows)).all()
    assert found.scores(rows)[2] > 0 > found.scores(rows)[1]


def test_one_class_of_rows_cannot_be_trained_on() -> None:
    with pytest.raises(ValueError, match="all rows are of one class"):
        conditional_logit.fit(np.zeros((2, 1)), flags("++"))
    with pytest.raises(ValueError, match="not a finite number"):
        conditional_logit.fit(np.array([[np.inf], [0.0]]), flags("+-"))


def test_the_weights_of_choices_are_found_whatever_a_question_adds() -> None:
    reported = np.random.default_rng(6)
    rows = reported.normal(size=(4000, 5, 2)) + 20 * reported.normal(size=(4000, 1, 2))
    likely = np.exp((rows - rows.mean(axis=1, keepdims=True)) @ [1.0, -0.5])
    likely /= likely.sum(axis=1, keepdims=True)
    right = np.zeros((4000, 5), dtype=bool)
    right[np.arange(4000), [reported.choice(5, p=item) for item in likely]] = True
    starts = np.arange(0, 20_000, 5)
    found = conditional_logit.fit_choices(rows.reshape(-1, 2), right.reshape(-1), starts)
    assert found.weights == pytest.approx((1.0, -0.5), abs=0.06)
    blurred = conditional_logit.fit(rows.reshape(-1, 2), right.reshape(-1))
    assert abs(blurred.weights[0]) < 0.1


def test_a_column_that_is_constant_within_questions_has_no_weight() -> None:
    rows = np.array([[1.0, 3.0], [0.0, 3.0], [2.0, 9.0], [0.0, 9.0]])
    found = conditional_logit.fit_choices(rows, flags("+-+-"), np.array([0, 2]))
    assert found.weights[0] > 0 == found.weights[1]
    with pytest.raises(ValueError, match="not a finite number"):
        conditional_logit.fit_choices(rows * np.nan, flags("+-+-"), np.array([0, 2]))


def test_an_interval_of_several_ways_covers_each() -> None:
    values = np.random.Generator(np.random.PCG64(3)).normal(size=400)
    weeks = [f"w{at // 100}" for at in range(400)]
    files = [f"f{at % 40}" for at in range(400)]
    item, other = (Repositories.resample(units).mean(values).interval() for units in (weeks, files))
    both = ResampledUnits.of({"weeks": weeks, "files": files}).mean(values).interval()
    assert (both.low, both.high) == (min(item.low, other.low), max(item.high, other.high))
    assert ResampledUnits.of({"weeks": weeks}).mean(values).interval() == item
    figure = ResampledUnits.of({"weeks": weeks, "files": files}).mean(values)
    assert figure.difference(figure).interval().high == 0
