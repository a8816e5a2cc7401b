"""Render a model's card from its metadata alone: the same metadata, the same bytes."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Sequence

from wardround.inference import promotion_policy
from wardround.inference.locations import RECIPE_FILE
from wardround.inference.metadata import (
    Calibration,
    Evaluation,
    Improvement,
    Interval,
    Metadata,
    PromotionState,
    TrainingData,
)

_STATES = {
    PromotionState.SHADOW: "It decides nothing: no user sees what it says.",
    PromotionState.RANK: "It may order and bind what is there anyway. It never makes a finding.",
    PromotionState.REPORT: "It may make findings of its own, above its threshold.",
}
_UNUSED = "It was measured and nothing runs it: no user sees what it says."
_SCORERS = {
    "guess": "a guess",
    "size": "length and place of a candidate alone, fitted on training repositories",
    "bm25": "BM25 over the words of code",
    "cheap": "logistic regression on cheap word and code overlap and BM25; no model",
    "base": "the frozen base, never trained on this",
    "adapter": "this adapter alone",
    "cheap+base": "cheap evidence and the frozen base in one score",
    "cheap+adapter": "cheap evidence and this adapter in one score: what is used",
    "cheap+size": "cheap evidence with length and place",
    "cheap+size+base": "the same with the frozen base",
    "cheap+size+adapter": "the same with this adapter: does it know more than size",
    "model": "this model: what is used",
}
_METRICS = {
    "mrr": "one over the rank of the first right candidate, on average",
    "top-1": "share of questions with a right candidate first",
    "auc": "share of pairs of a right and a wrong one that the score orders, for a ranker within a question; "
    "0.5 is a guess",
    "pairwise, same size": "share of real fixes of equal size of which the broken side scores higher than "
    "the mended one; 0.5 is a guess",
    "pairwise": "the same of all real fixes, most of which size alone tells",
    "found at 2 alarms per 1,000 lines": "share of broken changes of equal size with a line above what 2 of "
    "1,000 right lines reach",
    "auc, same size": "the same among rows of like size alone",
}


_ASKED = {
    "embedder": ("questions", "candidates are right"),
    "table": ("rows", "rows are right"),
    "lines": ("pairs of a real fix and the same undone, of equal size,", "sides are broken"),
}
"""Kind of model -> its items, and what a right one is."""
_OWN_SCORERS = {
    "table": {
        "size": "logistic regression on how large a row's change, or its words, are",
        "cheap": "logistic regression on the inputs the recipe calls cheap; no trees",
    },
    "lines": {
        "size": "tokens that went less tokens that came",
        "cheap": "logistic regression on which tokens came and went, fitted on real fixes; no model",
    },
}
"""Scorers with another description for a kind of model."""


def card(metadata: Metadata, asked_by: Sequence[str] = ()) -> str:
    """Render the card as Markdown, with the evidence for every claim.

    Args:
        asked_by: the specialists that use the model.
    """
    evaluation = metadata.evaluation
    parts = [_head(metadata, asked_by), _trained(metadata)]
    if evaluation is None:
        parts.append(["## How it was measured", "", "It was not measured."])
    else:
        parts += [
            _measured(metadata, evaluation),
            _compared(metadata, evaluation),
            _controls(metadata, evaluation),
        ]
    parts += [
        _calibrated(metadata),
        _silent(metadata, asked_by),
        _limits(metadata),
        _exported(metadata),
        _licence(metadata),
        _reproduce(metadata),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


# --- what it is


def _head(metadata: Metadata, asked_by: Sequence[str]) -> list[str]:
    lines = [
        f"# {_cell(metadata.name)}",
        "",
        f"{_sentence(metadata.title or metadata.task)} For the {_cell(metadata.specialist)} specialist, task "
        f"`{_cell(metadata.task)}`, trained {_cell(metadata.date)}.",
        "",
        *_scope(metadata),
        f"**State: {metadata.state.value}.** {_meaning(metadata, asked_by)}",
    ]
    if metadata.reasons:
        lines += ["", "Why not more:", "", *(f"- {_cell(reason)}" for reason in metadata.reasons)]
    elif metadata.state is PromotionState.SHADOW:
        lines += [
            "",
            "Nobody has asked for more yet: `wardround adapters promote` says whether it earned it.",
        ]
    return lines


def _meaning(metadata: Metadata, asked_by: Sequence[str]) -> str:
    if metadata.kind == "lines":
        return _UNUSED
    asked = _listed(asked_by)
    if not asked_by:
        who = "Nothing asks it: no specialist has it among its `models`."
    elif metadata.state is PromotionState.SHADOW:
        who = f"Its scores are kept where `log-shadow` is on, for it is asked by: {asked}."
    else:
        who = f"Asked by: {asked}."
    return f"{_STATES[metadata.state]} {who}"


def _scope(metadata: Metadata) -> list[str]:
    if not metadata.scope:
        return []
    return [
        f"**For {_cell(metadata.scope)} alone.** What it claims is to be better on later commits of this one "
        "repository; elsewhere it must not be used.",
        "",
    ]


def _trained(metadata: Metadata) -> list[str]:
    lines = ["## What it was trained on", ""]
    base, lora, data = metadata.base, metadata.lora, metadata.data
    if base is not None:
        lines.append(
            f"- Base: `{_cell(base.id)}` at `{_cell(base.revision)}`, frozen; {_cell(base.licence)}."
        )
    if lora is not None:
        lines.append(
            f"- LoRA of rank {lora.rank}, alpha {lora.alpha}, dropout {lora.dropout:g} on "
            f"{_listed(lora.targets)}, layers {_listed(map(str, lora.layers))} (counted from 0)."
        )
    if metadata.kind == "lines":
        lines.append(f"- Heads: {_listed(metadata.inputs)}.")
    elif metadata.inputs:
        lines.append(f"- Numbers it reads: {_listed(metadata.inputs)}.")
    if data is None:
        return [*lines, "- What it was trained on is not recorded."]
    lines.append(
        f"- {_number(data.items)} items of {_repositories(len(data.repositories))}, all older than "
        f"{_day(data.until)}: {_listed(sorted(data.repositories))}."
    )
    return [*lines, f"- Audit of these items: {_cell(data.audit) or 'not made'}.", f"- {_run(metadata)}"]


def _run(metadata: Metadata) -> str:
    minutes = f" in {metadata.seconds / 60:.1f} minutes" if metadata.seconds else ""
    return f"Seed {metadata.seed}{minutes}."


# --- how it was measured


def _measured(metadata: Metadata, evaluation: Evaluation) -> list[str]:
    asked, right = _ASKED[metadata.kind]
    columns = _columns(evaluation)
    lines = [
        "## How it was measured",
        "",
        f"On {_number(evaluation.items)} {asked} of {_repositories(len(evaluation.repositories))}, none "
        f"older than {_day(evaluation.since)}; {evaluation.base_rate:.1%} of the {right}. "
        + _leaks(metadata, evaluation)
        + f"Repositories: {_listed(evaluation.repositories)}.",
        "",
        f"In brackets: 95% intervals, by drawing {_drawn(evaluation)} again.",
        "",
        "| scorer | " + " | ".join(columns) + " |",
        "|---|" + "---|" * len(columns),
    ]
    for name in _in_order(evaluation.metrics):
        cells = (_figure(evaluation.metrics[name].get(column)) for column in columns)
        lines.append(f"| {_scorer(name, metadata.kind)} | " + " | ".join(cells) + " |")
    lines += ["", *(f"- {column}: {_METRICS[column]}." for column in columns if column in _METRICS)]
    return [*lines, *(f"- {_sentence(note)}" for note in evaluation.notes)]


def _leaks(metadata: Metadata, evaluation: Evaluation) -> str:
    one, more = ("file", "files") if metadata.scope else ("repository", "repositories")
    if evaluation.leaks is None:
        return "Nobody looked for items that stand on both sides. "
    if evaluation.leaks:
        return f"**{evaluation.leaks} {more}, groups or texts stand on both sides.** "
    if metadata.scope and "files" not in evaluation.drawn:
        return "No week, group or answered question stands on both sides; its questions name no files. "
    return f"No {one}, group or answered question stands on both sides. "


def _drawn(evaluation: Evaluation) -> str:
    if not evaluation.drawn:
        return "repositories"
    told = " and ".join(f"{count} {kind}" for kind, count in sorted(evaluation.drawn.items(), reverse=True))
    return f"{told}, each kind alone, and taking the ends that lie furthest out,"


def _columns(evaluation: Evaluation) -> list[str]:
    """Return the metrics of all scorers, the usual ones first."""
    found = {metric for metrics in evaluation.metrics.values() for metric in metrics}
    known = [metric for metric in _METRICS if metric in found]
    return known + sorted(found - set(known))


def _in_order(names: Iterable[str]) -> list[str]:
    known = list(_SCORERS)
    return sorted(
        names, key=lambda name: (known.index(plain) if (plain := _plain(name)) in known else 99, name)
    )


def _plain(name: str) -> str:
    return name.partition("@")[0]


def _scorer(name: str, kind: str) -> str:
    plain, _, seed = name.partition("@")
    told = _OWN_SCORERS.get(kind, {}).get(plain) or _SCORERS.get(plain, "")
    of_seed = f" (seed {seed})" if seed else ""
    return f"`{_cell(plain)}`{of_seed}" + (f": {told}" if told and not seed else "")


# --- what it beats


def _compared(metadata: Metadata, evaluation: Evaluation) -> list[str]:
    decides = promotion_policy.deciding(metadata)
    by_pair: dict[tuple[str, str, str], list[Improvement]] = {}
    for one in evaluation.gains:
        if one.metric.startswith(decides):
            by_pair.setdefault((one.of, one.over, one.metric), []).append(one)
    lines = ["## What it beats, and what it does not", ""]
    if not by_pair:
        return [*lines, "Nothing was compared."]
    lines += [
        f"A gain in {decides} decides; that was fixed before anything was measured. It counts where the "
        "lower end of its interval is above zero on every seed.",
        "",
        "| gain of | over | in | by seed | |",
        "|---|---|---|---|---|",
    ]
    for (of, over, metric), found in by_pair.items():
        by_seed = "; ".join(f"{one.seed}: {_signed(one.gain)}" for one in found)
        lines.append(f"| `{_cell(of)}` | `{_cell(over)}` | {_cell(metric)} | {by_seed} | {_verdict(found)} |")
    others = sorted({one.metric for one in evaluation.gains} - {metric for _, _, metric in by_pair})
    if others:
        lines += ["", f"The metadata has the gains in {_listed(others)} too; they decide nothing."]
    return lines


def _verdict(found: Sequence[Improvement]) -> str:
    if all(one.gain.low > 0 for one in found):
        return "**beats it**"
    if all(one.gain.high < 0 for one in found):
        return "**is worse**"
    return "not shown to beat it"


def _controls(metadata: Metadata, evaluation: Evaluation) -> list[str]:
    lines = ["## Controls", ""]
    size, placebo = evaluation.controls.get("size"), evaluation.controls.get("placebo")
    if size is not None:
        decides = promotion_policy.deciding(metadata)
        lines.append(f"- Size: what only looks at size reaches {_figure(size)} in {decides}.")
    if placebo is not None:
        lines.append(
            f"- Placebo: with the right answers drawn at random {_signed(placebo)} is left above a guess; it "
            "should be about 0."
        )
    others = sorted(set(evaluation.controls) - {"size", "placebo"})
    missing = sorted({"size", "placebo"} - set(evaluation.controls) - set(evaluation.exempt))
    return [
        *lines,
        *(f"- {_cell(name)}: {_figure(evaluation.controls[name])}." for name in others),
        *(
            f"- {_cell(name)}: does not apply: {_cell(reason)}."
            for name, reason in sorted(evaluation.exempt.items())
        ),
        *(f"- **There is no {name} control.**" for name in missing),
    ]


# --- what it says


def _calibrated(metadata: Metadata) -> list[str]:
    found = metadata.calibration
    lines = ["## Probabilities", ""]
    if found.method == "none":
        return [*lines, "Its scores are not calibrated: they order, and mean nothing as numbers."]
    lines.append(_fitted(metadata, found))
    if found.error is not None and found.brier is not None:
        lines.append(
            f"Checked on {_units(metadata, len(found.checked), 'other ')}: what it says is off by "
            f"{found.error:.3f} on average (expected calibration error), Brier score {found.brier:.4f}."
        )
    for name, threshold in sorted(metadata.thresholds.items()):
        lines.append(
            f"Threshold `{_cell(name)}`: {threshold:.4f}, which at most {metadata.alarm_rate:.2%} of the "
            "wrong ones reach where it was fitted."
        )
    return lines


def _fitted(metadata: Metadata, found: Calibration) -> str:
    how = {"platt": "a slope and a bias (Platt)", "isotonic": "a map that never falls (isotonic)"}[
        found.method
    ]
    return (
        f"Fitted on the shipped file's scores of {_number(found.items)} items of "
        f"{_units(metadata, len(found.repositories))} it was not trained on, as {how}; "
        f"{found.base_rate:.2%} of them are right."
    )


def _silent(metadata: Metadata, asked_by: Sequence[str]) -> list[str]:
    lines = ["## Where it is silent", ""]
    if metadata.state is PromotionState.SHADOW:
        lines.append("- Everywhere: in this state nothing it says reaches a review.")
    elif not asked_by:
        lines.append("- Everywhere: no specialist asks it.")
    elif metadata.state is PromotionState.RANK:
        lines.append("- It raises nothing. Where there is nothing to order, it is not asked.")
    else:
        lines.append("- Below its threshold, and about what a rule is sure of without it.")
    lines.append("- Where models are not installed, are switched off, or a file is not the one named below.")
    if metadata.kind == "lines":
        lines.append(f"- Where the changed lines have more than {metadata.window} tokens.")
    elif metadata.window:
        lines.append(
            f"- It reads the first {metadata.window} tokens of a text; what comes after is not seen."
        )
    return lines


def _limits(metadata: Metadata) -> list[str]:
    evaluation = metadata.evaluation
    lines = ["## Limits", ""]
    if metadata.kind == "lines":
        lines.append("- No review runs a model of this kind: it is measured, and waits for a larger base.")
        lines.append("- Its weights do not come with wardround; the recipe makes them again.")
        lines.append("- Windows are a dozen lines: it sees no types, no callers and no other file.")
    elif metadata.scope:
        lines.append(f"- Nothing is known about any repository but {_cell(metadata.scope)}.")
    else:
        lines.append(
            "- Whether your repository is like those named above was not measured; train and measure on it "
            "with `wardround adapters train --from-history`."
        )
    if evaluation is not None:
        count = len(evaluation.repositories)
        if count < 20 and not metadata.scope:
            lines.append(
                f"- {count} repositories make rough intervals: another kind of project may differ more."
            )
        if len(evaluation.models) < promotion_policy.FEWEST_SEEDS:
            lines.append("- It was trained once: how much of its figures is luck of the seed is not known.")
        lines.append(_read(evaluation))
    if metadata.kind == "embedder":
        lines.append("- The score orders the candidates of one question; it says nothing across questions.")
    return lines


def _read(evaluation: Evaluation) -> str:
    read = evaluation.read
    if read is None:
        return "- Labels come from history. Nobody has read what it would say to a user."
    from wardround.rules.intervals import wilson

    low, high = wilson(read.right, read.items)
    return (
        f"- People read {read.items} of its findings: {read.right} were right "
        f"({read.right / max(read.items, 1):.0%} [{low:.0%}, {high:.0%}]). {_sentence(read.note)}"
    )


# --- the files


def _exported(metadata: Metadata) -> list[str]:
    if not metadata.parity:
        return []
    return [
        "## What exporting it changed",
        "",
        "| step | largest difference of an output | correlation of the scores |",
        "|---|---|---|",
        *(f"| {_cell(one.step)} | {one.largest:.2g} | {one.correlation:.5f} |" for one in metadata.parity),
    ]


def _licence(metadata: Metadata) -> list[str]:
    base = metadata.base
    of_base = f" The base: {_cell(base.licence)} (`{_cell(base.id)}`)." if base else ""
    return ["## Licence", "", f"The weights: {_cell(metadata.licence)}.{of_base}"]


def _reproduce(metadata: Metadata) -> list[str]:
    recipe = "" if metadata.kind == "table" else f", `{RECIPE_FILE}` beside this card the recipe"
    data = metadata.data or TrainingData(recipe="", records="", repositories=(), items=0, until=0, audit="")
    evaluated = metadata.evaluation.records if metadata.evaluation else ""
    digests = [
        ("recipe", data.recipe),
        ("records trained on", data.records),
        ("records evaluated on", evaluated),
        ("base weights", metadata.base.digest if metadata.base else ""),
        (f"model file `{_cell(metadata.model.name)}`", metadata.model.sha256),
    ]
    return [
        "## How to reproduce it",
        "",
        f"`adapters/README.md` has the commands{recipe}. The figures above belong to these files "
        "and no others. Plots stand beside this card where they were drawn.",
        "",
        "| file | SHA-256 |",
        "|---|---|",
        *(f"| {what} | `{digest}` |" for what, digest in digests if digest),
    ]


# --- words


def _figure(figure: Interval | None) -> str:
    if figure is None:
        return ""
    return f"{figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}]"


def _signed(figure: Interval) -> str:
    return f"{figure.value:+.3f} [{figure.low:+.3f}, {figure.high:+.3f}]"


def _number(count: int) -> str:
    return f"{count:,}"


def _repositories(count: int, kind: str = "") -> str:
    return f"{count} {kind}{'repository' if count == 1 else 'repositories'}"


def _units(metadata: Metadata, count: int, kind: str = "") -> str:
    """Describe repositories, or files for a model of one repository."""
    if not metadata.scope:
        return _repositories(count, kind)
    return f"{count} {kind}{'file' if count == 1 else 'files'}"


def _day(seconds: int) -> str:
    if not seconds:
        return "an unknown day"
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%d")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(_cell(name) for name in names) or "none"


def _sentence(text: str) -> str:
    plain = _cell(text)
    return plain[:1].upper() + plain[1:] + ("" if plain.endswith((".", "!", "?")) else ".")


def _cell(text: str) -> str:
    """Escape text for a cell of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|")


def render(metadata: Metadata) -> Iterator[str]:
    """Render the output of ``promote``: the state, and the reasons why it is not higher."""
    yield f"{metadata.name}: {metadata.state.value}"
    for reason in metadata.reasons:
        yield f"  - {reason}"
