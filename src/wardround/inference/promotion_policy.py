"""The permitted state of a model, by its own metadata: pure, and denied unless every requirement is met.

A model stays ``shadow`` until it beat the frozen base and every cheap baseline on unseen repositories, on
younger code, on two seeds and with controls. A model whose ``scope`` is one repository may have learnt from
it: there, later commits in other files count. ``training.promotion_gates`` also requires the files before it
    grants a state; the requirements here apply to every model that claims one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import msgspec

from wardround.inference.metadata import (
    Calibration,
    Evaluation,
    Improvement,
    Interval,
    Metadata,
    PromotionState,
)

FEWEST_REPOSITORIES = 5
"""With fewer, an interval over repositories omits more than its 2.5% by drawing one repository only."""
FEWEST_UNITS = 8
"""Weeks, and files, of a model for one repository: they are more alike than repositories."""
FEWEST_SEEDS = 2
FEWEST_READ = 50
"""The number of findings that people must read before a model may report any."""
PRECISION = 0.7
"""The required share of correct ones among these findings."""
PLACEBO = 0.02
"""The noise of the measurement itself: thirty shuffles of a few hundred questions vary by less."""
RIGHT_ANSWERS, VALID_ANSWERS = "right answers", "valid answers"
"""The shares of answers by which chat models are measured."""
PASSED = "passed"
"""The beginning of an audit of training data without an objection."""

_ORDER = (PromotionState.SHADOW, PromotionState.RANK, PromotionState.REPORT)


class PromotionCriteria(msgspec.Struct, frozen=True):
    """The evaluation criteria of a kind of model; fixed before any measurement.

    Attributes:
        subject: the scorer that would be used; of a ranker the fused score.
        metric: the deciding one.
        baselines: the required other scorers.
        matched: True if ``metric`` is also measured among items of similar size; else it is so already.
        value: the required value of the subject.
        items: the required number of measured items.
        gain: the required gain of the subject over ``cheap``.
        rivals: the scorers that the subject must exceed; empty for all measured ones.
        shares: further metrics of the subject with their required values.
    """

    subject: str
    metric: str
    baselines: tuple[str, ...]
    matched: bool = True
    value: float = 0.0
    items: int = 0
    gain: float = 0.0
    rivals: tuple[str, ...] = ()
    shares: tuple[tuple[str, float], ...] = ()


CRITERIA = {
    "embedder": PromotionCriteria("cheap+adapter", "mrr", ("cheap", "base", "cheap+base")),
    "table": PromotionCriteria("model", "auc", ("cheap",)),
    "lines": PromotionCriteria(
        "model", "pairwise, same size", ("cheap", "size"), matched=False, value=0.65, items=500
    ),
    "texts": PromotionCriteria(
        "model", "macro-f1", ("cheap", "words", "base", "size"), matched=False, items=1000, gain=0.03
    ),
    "chat": PromotionCriteria(
        "model",
        RIGHT_ANSWERS,
        ("rules", "base"),
        matched=False,
        items=100,
        rivals=("rules", "base", "size"),
        shares=((VALID_ANSWERS, 0.99),),
    ),
}
"""For lines: below this a finding would be wrong nineteen times in twenty at the rate of real changes."""


class Decision(msgspec.Struct, frozen=True):
    """The highest permitted state of a model, and why not a higher one: one sentence each."""

    state: PromotionState
    reasons: tuple[str, ...]


def allowed_state(metadata: Metadata, expected: PromotionState = PromotionState.REPORT) -> Decision:
    """Return the highest state up to ``wanted`` that the recorded evaluation permits."""
    if expected is PromotionState.SHADOW:
        return Decision(PromotionState.SHADOW, ())
    against = tuple(_check_rank(metadata))
    if against:
        return Decision(PromotionState.SHADOW, against)
    if expected is PromotionState.RANK:
        return Decision(PromotionState.RANK, ())
    against = tuple(_against_report(metadata))
    return Decision(PromotionState.RANK if against else PromotionState.REPORT, against)


def unsupported_claim(metadata: Metadata) -> str:
    """Return the message if the metadata claims a higher state than its evaluation permits, or nothing."""
    claimed = metadata.state
    allowed = allowed_state(metadata, claimed)
    reasons = allowed.reasons
    if claimed is PromotionState.REPORT and allowed.state is claimed:
        reasons = metadata.reasons
    if not reasons:
        return ""
    reason = reasons[0].rstrip(".")
    return f"its metadata says {claimed.value}, which its recorded evaluation does not permit ({reason})"


def min_state(item: PromotionState, other: PromotionState) -> PromotionState:
    """Return the state that permits less."""
    return min(item, other, key=_ORDER.index)


def _check_rank(metadata: Metadata) -> Iterator[str]:
    if metadata.base is None and metadata.kind == "embedder":
        yield "The metadata names no base."
    yield from _check_data(metadata)
    evaluation = metadata.evaluation
    if evaluation is None:
        yield "It was not evaluated; run `wardround adapters evaluate`."
        return
    yield from _check_split(metadata, evaluation)
    yield from _check_measure(metadata, evaluation)
    yield from _check_controls(metadata, evaluation)
    yield from _check_improvements(metadata, evaluation)


# --- the data


def _check_data(metadata: Metadata) -> Iterator[str]:
    if metadata.data is None:
        yield "The metadata names no training data."
    elif not metadata.data.audit:
        yield "The training data was not audited; run `wardround data audit`."
    elif not metadata.data.audit.startswith(PASSED):
        yield f"The audit of the training data failed: {metadata.data.audit}."


# --- the split


def _check_split(metadata: Metadata, evaluation: Evaluation) -> Iterator[str]:
    if metadata.scope:
        yield from _check_repository_split(metadata, evaluation)
    else:
        yield from _check_repositories(metadata, evaluation)
    until = metadata.data.until if metadata.data else 0
    if not until or not evaluation.since:
        yield "There is no split by time: one side has no date."
    elif evaluation.since < until:
        yield "The split by time leaks: the evaluation items begin before the training items end."
    if evaluation.leaks is None:
        yield "The split was not audited for groups on both sides."
    elif evaluation.leaks:
        count = _count_text(evaluation.leaks, "repository, group or text", "repositories, groups or texts")
        yield f"The split leaks: {count} of the evaluation are on the training side too."


def _check_repositories(metadata: Metadata, evaluation: Evaluation) -> Iterator[str]:
    trained = metadata.data.repositories if metadata.data else ()
    both = shared_repositories(trained, evaluation.repositories)
    if both:
        yield f"The split leaks: {', '.join(both)} is trained on and evaluated on."
    if not trained or not evaluation.repositories:
        yield "There is no split by repository: one side names none."
    elif len(set(evaluation.repositories)) < FEWEST_REPOSITORIES:
        count = _count_text(len(set(evaluation.repositories)), "repository", "repositories")
        yield f"It was evaluated on {count}; {FEWEST_REPOSITORIES} are needed."


def _check_repository_split(metadata: Metadata, evaluation: Evaluation) -> Iterator[str]:
    """Check a model for one repository: it must be better on later commits of that one."""
    named = {*(metadata.data.repositories if metadata.data else ()), *evaluation.repositories}
    others = sorted(name for name in named if name.lower() != metadata.scope.lower())
    if others or not named:
        what = ", ".join(others) or "no repository"
        yield f"It is for {metadata.scope} alone, but was trained or evaluated on {what}."
    if not evaluation.drawn.get("weeks"):
        yield "The evaluation does not state how many weeks and files its intervals were drawn over."
    for kind, count in sorted(evaluation.drawn.items()):
        if count < FEWEST_UNITS:
            yield f"It was evaluated on {_count_text(count, kind[:-1], kind)}; {FEWEST_UNITS} are needed."


def shared_repositories(trained: Iterable[str], evaluated: Iterable[str]) -> list[str]:
    """Return those of the evaluation that were trained on; a name without an owner matches any owner."""
    ours = {name.lower().removesuffix(".git") for name in trained}
    bare = {name.rpartition("/")[2] for name in ours}
    lone = {name for name in ours if "/" not in name}
    return sorted(
        name
        for name in set(evaluated)
        if (known := name.lower().removesuffix(".git")) in ours
        or known.rpartition("/")[2] in lone
        or ("/" not in known and known in bare)
    )


# --- the figures


def _check_measure(metadata: Metadata, evaluation: Evaluation) -> Iterator[str]:
    subject = _subject(metadata)
    for name in CRITERIA[metadata.kind].baselines:
        if not evaluation.metrics.get(name):
            yield f"There is no baseline {name!r} to compare with."
    if not evaluation.metrics.get(subject):
        yield f"There are no figures for {subject!r}, the scorer that would be used."
    for name, metrics in sorted(evaluation.metrics.items()):
        for metric, figure in sorted(metrics.items()):
            if not _sound(figure):
                yield f"The {metric} of {name!r} has no confidence interval."
    yield from _check_criteria(CRITERIA[metadata.kind], evaluation)
    measured = evaluation.models.get(str(metadata.seed))
    if measured is None:
        yield "The evaluation does not name the measured model file."
    elif measured != metadata.weights_sha256:
        yield "The evaluation measured another model file; evaluate again."
    if len(set(evaluation.models.values())) < len(evaluation.models):
        yield "Two seeds have the same model file, so they are one run."


def _check_criteria(bar: PromotionCriteria, evaluation: Evaluation) -> Iterator[str]:
    """Check the requirements of the kind of model, whatever else it beats."""
    if evaluation.items < bar.items:
        yield f"It was evaluated on {evaluation.items} items; {bar.items} are needed."
    required = [(bar.metric, bar.value)] if bar.value else []
    for metric, least in (*required, *bar.shares):
        reached = evaluation.metrics.get(bar.subject, {}).get(metric)
        if reached is None or not reached.value >= least:
            what = "unknown" if reached is None else f"{reached.value:.3f}"
            yield f"Its {metric} is {what}; {least:.2f} is needed."


def _check_controls(metadata: Metadata, evaluation: Evaluation) -> Iterator[str]:
    for name in ("size", "placebo"):
        if name not in evaluation.controls and not evaluation.exempt.get(name):
            yield f"There is no {name} control, and no reason why it does not apply."
    placebo = evaluation.controls.get("placebo")
    if placebo is not None and not (placebo.low <= PLACEBO and math.isfinite(placebo.high)):
        yield (
            f"The placebo failed: with right answers drawn at random {_figure_text(placebo)} remains above "
            "chance, so the figures are an artefact of the measurement."
        )


def _check_improvements(metadata: Metadata, evaluation: Evaluation) -> Iterator[str]:
    for of, over, metric in _required_gains(metadata, evaluation):
        found = {
            gain.seed: gain
            for gain in evaluation.gains
            if (gain.of, gain.over, gain.metric) == (of, over, metric)
        }
        what = f"the gain of {of!r} over {over!r} ({metric})"
        yield from _check_improvement(what, found, CRITERIA[metadata.kind].gain if over == "cheap" else 0.0)
        if found and metadata.seed not in found:
            yield f"{_upper(what)} was not measured on this model's own seed."


def _check_improvement(what: str, found: dict[int, Improvement], least: float) -> Iterator[str]:
    """Return the defects of one gain, measured on several seeds; it is required to be at least ``least``."""
    if len(found) < FEWEST_SEEDS:
        seeds = _count_text(len(found), "seed", "seeds")
        yield f"{_upper(what)} was measured on {seeds}; {FEWEST_SEEDS} are needed."
    for seed, result in sorted(found.items()):
        if not _sound(result.gain) or result.gain.low == result.gain.high:
            yield f"{_upper(what)} has no confidence interval on seed {seed}."
        elif result.gain.low <= 0:
            gain = _figure_text(result.gain)
            yield f"{_upper(what)} is {gain} on seed {seed}: its lower bound is not above zero."
        elif result.gain.value < least:
            yield f"{_upper(what)} is {_figure_text(result.gain)} on seed {seed}; {least:+.2f} is needed."


def _subject(metadata: Metadata) -> str:
    """Return the scorer that would be used: of a ranker the fused score."""
    return CRITERIA[metadata.kind].subject


def deciding(metadata: Metadata) -> str:
    """Return the deciding metric, fixed before any measurement."""
    return CRITERIA[metadata.kind].metric


def _required_gains(metadata: Metadata, evaluation: Evaluation) -> list[tuple[str, str, str]]:
    """Return the required gains (of, over, metric), including those of the size control."""
    metric, is_ranker = deciding(metadata), metadata.kind == "embedder"
    subject = _subject(metadata)
    rivals = _rivals(evaluation, CRITERIA[metadata.kind], is_ranker=is_ranker)
    if not CRITERIA[metadata.kind].matched:
        return [(subject, over, metric) for over in rivals]
    if evaluation.exempt.get("size"):
        return [(subject, over, metric) for over in rivals if over != "size"]
    same_size = f"{metric}, same size"
    like = [(subject, over, same_size) for over in rivals if over in ("cheap+base", "cheap")]
    adjacent = [("cheap+size+adapter", "cheap+size", metric)] if is_ranker else []
    return [*((subject, over, metric) for over in rivals), *adjacent, *like]


def _rivals(evaluation: Evaluation, bar: PromotionCriteria, *, is_ranker: bool) -> list[str]:
    """Return the alternatives to a model: those of its kind, or all measured ones."""
    if bar.rivals:
        return list(bar.rivals)
    rivals = ["cheap+base", "cheap"] if is_ranker else ["cheap"]
    own = {"model", "adapter", "guess", "base", *rivals}
    for name in sorted(evaluation.metrics):
        plain = name.partition("@")[0]
        is_combined = is_ranker and "+" in plain
        if plain not in own and not is_combined:
            rivals.append(name)
    return rivals


# --- making findings


def _against_report(metadata: Metadata) -> Iterator[str]:
    """Check what a score needs to make findings; a chat model has none, and its answers were measured."""
    if metadata.kind == "chat":
        return
    yield from _against_calibration(metadata, metadata.calibration)
    if not metadata.thresholds or not 0 < metadata.alarm_rate < 1:
        yield "There is no threshold for a required rate of alarms."
    read = metadata.evaluation.read if metadata.evaluation else None
    if read is None:
        yield "Nobody read its findings; its precision is unknown."
    elif read.items < FEWEST_READ:
        yield f"{_count_text(read.items, 'finding was', 'findings were')} read; {FEWEST_READ} are needed."
    elif not PRECISION <= read.right / read.items <= 1:
        share = f"{read.right / read.items:.0%}"
        yield f"{read.right} of {read.items} findings read were right ({share}); {PRECISION:.0%} are needed."


def _against_calibration(metadata: Metadata, calibration: Calibration) -> Iterator[str]:
    if calibration.method == "none":
        yield "It is not calibrated; run `wardround adapters calibrate`."
        return
    if calibration.model != metadata.model.sha256:
        yield "The calibration was fitted on the scores of another model file; calibrate again."
    if calibration.error is None or not calibration.checked:
        yield "The calibration was not checked on other repositories."
    if metadata.scope:
        if not calibration.repositories or set(calibration.repositories) & set(calibration.checked):
            yield "The calibration was checked on files it was fitted on, or names none."
        return
    yield from _against_shared_repositories(metadata, calibration)


def _against_shared_repositories(metadata: Metadata, calibration: Calibration) -> Iterator[str]:
    trained = metadata.data.repositories if metadata.data else ()
    both = shared_repositories(trained, (*calibration.repositories, *calibration.checked))
    if both or not calibration.repositories:
        named = ", ".join(both) or "no repository that is named"
        yield f"The calibration is not on repositories split from training: {named}."
    if shared_repositories(calibration.repositories, calibration.checked):
        yield "The calibration was checked on repositories it was fitted on."


# --- messages


def _sound(figure: Interval) -> bool:
    """Return True if an interval is valid: finite, around its value."""
    finite = all(math.isfinite(end) for end in (figure.low, figure.value, figure.high))
    return finite and figure.low <= figure.value <= figure.high


def _figure_text(figure: Interval) -> str:
    return f"{figure.value:+.3f} [{figure.low:+.3f}, {figure.high:+.3f}]"


def _upper(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _count_text(count: int, item: str, more: str) -> str:
    return f"{count} {item if count == 1 else more}"
