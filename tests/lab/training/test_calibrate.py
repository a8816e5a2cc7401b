from __future__ import annotations

import itertools

import pytest

np = pytest.importorskip("numpy")

from tests.lab.training.judged import MODEL  # noqa: E402
from wardround.errors import TrainingError  # noqa: E402
from wardround.inference import calibration as at_run_time  # noqa: E402
from wardround.inference.metadata import Calibration  # noqa: E402
from wardround_lab.training.calibrate import (  # noqa: E402
    Calibrated,
    calibrate,
    fit_isotonic,
    fit_platt,
    probability,
    reliability,
    threshold_for,
)


def world(rows: int = 12_000, seed: int = 0) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Scores whose probability of being right is known: 1 / (1 + exp(-(2 * score - 3)))."""
    reported = np.random.default_rng(seed)
    scores = reported.normal(size=rows)
    right = reported.random(rows) < 1 / (1 + np.exp(-(2 * scores - 3)))
    return scores, right, [f"cal/r{n % 10}" for n in range(rows)]


def calibrated(method: str, alarm_rate: float = 0.02) -> Calibrated:
    scores, right, names = world()
    return calibrate(scores, right, names, method=method, alarm_rate=alarm_rate, model=MODEL)  # type: ignore[arg-type]


def test_platt_finds_the_slope_and_the_bias() -> None:
    scores, right, _ = world()
    found = fit_platt(scores, right)
    assert found.slope == pytest.approx(2.0, rel=0.1)
    assert found.bias == pytest.approx(-3.0, rel=0.1)


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_probabilities_hold_on_other_repositories(method: str) -> None:
    found = calibrated(method)
    assert found.reliability.error < 0.02
    assert found.calibration.error == round(found.reliability.error, 6)
    assert found.calibration.base_rate == pytest.approx(0.115, abs=0.02)
    assert found.calibration.model == MODEL
    assert not set(found.calibration.repositories) & set(found.calibration.checked)
    assert len(found.calibration.repositories) == len(found.calibration.checked) == 5
    assert found.calibration.items == 6000


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_the_alarm_rate_transfers(method: str) -> None:
    found = calibrated(method)
    assert found.alarms == pytest.approx(0.02, abs=0.008)
    scores, right, names = world()
    fitted = np.isin(names, found.calibration.repositories)
    likely = probability(found.calibration, scores)
    assert (likely[fitted & ~right] >= found.threshold).mean() <= 0.02


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_a_review_computes_the_same_probability(method: str) -> None:
    found = calibrated(method)
    scores = np.linspace(-4, 4, 101)
    ours = probability(found.calibration, scores)
    theirs = [at_run_time.probability(found.calibration, float(score)) for score in scores]
    assert ours.tolist() == pytest.approx(theirs, abs=1e-12)
    assert (np.diff(ours) >= 0).all()


def test_overconfident_scores_are_found_out() -> None:
    scores, right, _ = world()
    bragging = np.clip(1 / (1 + np.exp(-(4 * scores))), 0, 1)
    honest = 1 / (1 + np.exp(-(2 * scores - 3)))
    assert reliability(bragging, right).error > 0.2
    assert reliability(honest, right).error < 0.02
    assert reliability(honest, right).brier < reliability(bragging, right).brier


def test_isotonic_pools_neighbours_that_are_out_of_order() -> None:
    found = fit_isotonic(np.array([1.0, 2.0, 3.0, 4.0]), np.array([False, True, False, True]))
    assert found.points == ((1.0, 0.0), (2.5, 0.5), (4.0, 1.0))


def test_isotonic_counts_rows_of_the_same_score_together() -> None:
    found = fit_isotonic(np.array([1.0, 2.0, 2.0, 2.0]), np.array([False, True, True, False]))
    assert found.points == ((1.0, 0.0), (2.0, pytest.approx(2 / 3, abs=1e-6)))


def test_isotonic_keeps_few_points() -> None:
    scores, right, _ = world()
    points = fit_isotonic(scores, right).points
    assert 5 < len(points) <= 64
    assert all(item[0] < other[0] and item[1] <= other[1] for item, other in itertools.pairwise(points))


def test_weights_restore_the_natural_rate() -> None:
    scores, right, names = world()
    retained = right | (np.arange(len(right)) % 4 == 0)
    weights = np.where(right, 1.0, 4.0)
    thin = calibrate(scores[retained], right[retained],
                     [n for n, k in zip(names, retained, strict=True) if k],
                     method="platt", alarm_rate=0.02, model=MODEL, weights=weights[retained])  # fmt: skip
    assert thin.calibration.slope == pytest.approx(2.0, rel=0.15)
    assert thin.calibration.bias == pytest.approx(-3.0, rel=0.15)


@pytest.mark.parametrize(
    ("rate", "passed"), [(0.5, 5), (0.1, 1), (0.05, 0), (0.69, 6)],
)  # fmt: skip
def test_a_threshold_passes_at_most_the_requested_rate(rate: float, passed: int) -> None:
    wrong = np.arange(10.0)
    assert (wrong >= threshold_for(wrong, rate)).sum() == passed


def test_tied_negatives_pass_together_or_not_at_all() -> None:
    wrong = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0])
    assert (wrong >= threshold_for(wrong, 0.5)).sum() == 0
    assert (wrong >= threshold_for(wrong, 0.7)).sum() == 4


def test_one_repository_cannot_check_itself() -> None:
    scores, right, _ = world(500)
    with pytest.raises(TrainingError, match="at least two repositories"):
        calibrate(scores, right, ["a/a"] * 500, method="platt", alarm_rate=0.01, model=MODEL)


def test_too_few_right_rows_are_rejected() -> None:
    scores, right, names = world(100)
    with pytest.raises(TrainingError, match=r"rows of the rarer class, and needs 20; mine more repositories"):
        calibrate(scores, right, names, method="platt", alarm_rate=0.01, model=MODEL)


def test_an_invalid_rate_is_rejected() -> None:
    scores, right, names = world(500)
    with pytest.raises(TrainingError, match="not between 0 and 1"):
        calibrate(scores, right, names, method="platt", alarm_rate=0.0, model=MODEL)


def test_without_a_calibration_there_are_not_probabilities() -> None:
    with pytest.raises(TrainingError, match="calibrate it first"):
        probability(Calibration(method="none"), np.zeros(3))
