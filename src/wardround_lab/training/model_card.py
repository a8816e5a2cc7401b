"""Render a model's card from its metadata only: the same metadata give the same bytes."""

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
    PromotionState.SHADOW: "It has no effect: no user sees its results.",
    PromotionState.RANK: "It may order existing results and assign them to each other. It never makes a "
    "finding.",
    PromotionState.REPORT: "It may make findings of its own, above its threshold.",
}
_STATES_A_CLASS = "It may state the class of a text from its threshold on. It never makes a finding."
_UNUSED = "It was measured and nothing runs it: no user sees what it says."
_CHAT_STATES = {
    PromotionState.SHADOW: "It has not shown that its answers are better than the rules and the base alone.",
    PromotionState.RANK: "Its answers are better than those of the rules and of the base alone.",
    PromotionState.REPORT: "Its answers are better than those of the rules and of the base alone.",
}
"""A chat model answers where a configuration names it, whatever its state."""
_SCORERS = {
    "guess": "a guess",
    "size": "length and position of a candidate only, fitted on training repositories",
    "bm25": "BM25 over the words of code",
    "cheap": "logistic regression on cheap word and code overlap and BM25; no model",
    "base": "the frozen base, not trained on this task",
    "adapter": "only this adapter",
    "cheap+base": "cheap evidence and the frozen base in one score",
    "cheap+adapter": "cheap evidence and this adapter in one score: the scorer in use",
    "cheap+size": "cheap evidence with length and position",
    "cheap+size+base": "the same with the frozen base",
    "cheap+size+adapter": "the same with this adapter: tests for a gain over size",
    "model": "this model: the scorer in use",
}
_METRICS = {
    "mrr": "mean reciprocal rank of the first correct candidate",
    "top-1": "share of questions with a correct candidate first",
    "auc": "share of pairs of a correct and a wrong item that the score orders, for a ranker within a "
    "question; "
    "0.5 is a guess",
    "pairwise, same size": "share of real fixes of equal size whose broken version scores higher than "
    "the fixed one; 0.5 is a guess",
    "macro-f1": "mean over the classes of their F1, by the most likely class",
    "precision above the threshold": "share of correct ones among the texts whose class would be stated",
    "share above the threshold": "share of texts whose class would be stated",
    "pairwise": "the same of all real fixes, most of which size alone tells",
    "found at 2 alarms per 1,000 lines": "share of broken changes of equal size with a line above what 2 of "
    "1,000 right lines reach",
    "auc, same size": "the same among rows of like size alone",
    "right answers": "share of answers that are the expected one, apart from white space",
    "valid answers": "share of answers in the form that the recipe demands",
}


_ASKED = {
    "embedder": ("questions", "candidates are correct"),
    "table": ("rows", "rows are correct"),
    "lines": ("pairs of a real fix and its reversal, of equal size,", "versions are broken"),
    "texts": ("texts", "texts are of the most common class"),
    "chat": ("requests", "requests have the most common answer"),
}
"""Kind of model -> its items, and the definition of a correct one."""
_OWN_SCORERS = {
    "table": {
        "size": "logistic regression on the size of a row's change and of its words",
        "cheap": "logistic regression on the cheap inputs of the recipe; no trees",
    },
    "lines": {
        "size": "removed tokens minus added tokens",
        "cheap": "logistic regression on added and removed tokens, fitted on real fixes; no model",
    },
    "texts": {
        "size": "logistic regression on the length of a text",
        "cheap": "logistic regression on words and parts of words, on three times the texts; no adapter",
        "words": "the same on the texts of the adapter",
        "base": "logistic regression on vectors of the frozen base",
        "adapter": "only the adapter",
        "model": "words and adapter together: the scorer in use",
    },
    "chat": {
        "size": "the most common answer to requests of that length",
        "rules": "the rules alone, without a model",
        "base": "the base alone, never trained on this",
    },
}
"""Scorers with another description for a kind of model."""


def card(metadata: Metadata, asked_by: Sequence[str] = ()) -> str:
    """Render the card as Markdown, with the evidence for every claim.

    Args:
        asked_by: the specialists that use the model.
    """
    evaluation = metadata.evaluation
    parts = [_head(metadata, asked_by), _training_lines(metadata)]
    if evaluation is None:
        parts.append(["## How it was measured", "", "It was not measured."])
    else:
        parts += [
            _measure_lines(metadata, evaluation),
            _comparison_lines(metadata, evaluation),
            _controls(metadata, evaluation),
        ]
    parts += [
        _calibration_lines(metadata),
        _unused_models(metadata, asked_by),
        _limits(metadata),
        _export_lines(metadata),
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
        f"**State: {metadata.state.value}.** {_describe_meaning(metadata, asked_by)}",
    ]
    if metadata.reasons:
        lines += [
            "",
            "Why its state is not higher:",
            "",
            *(f"- {_cell(reason)}" for reason in metadata.reasons),
        ]
    elif metadata.state is PromotionState.SHADOW:
        lines += [
            "",
            "No promotion was requested yet: `wardround adapters promote` checks whether it meets the "
            "requirements.",
        ]
    return lines


def _describe_meaning(metadata: Metadata, asked_by: Sequence[str]) -> str:
    if metadata.kind == "lines":
        return _UNUSED
    if metadata.kind == "chat":
        return _CHAT_STATES[metadata.state]
    asked = _cell_list(asked_by)
    if not asked_by:
        who = "Nothing uses it: no specialist has it among its `models`."
    elif metadata.state is PromotionState.SHADOW:
        who = f"Its scores are logged if `log-shadow` is on. Used by: {asked}."
    else:
        who = f"Used by: {asked}."
    is_stated = metadata.kind == "texts" and metadata.state is PromotionState.RANK
    return f"{_STATES_A_CLASS if is_stated else _STATES[metadata.state]} {who}"


def _scope(metadata: Metadata) -> list[str]:
    if not metadata.scope:
        return []
    return [
        f"**Only for {_cell(metadata.scope)}.** It claims to be better on later commits of this "
        "repository; elsewhere it must not be used.",
        "",
    ]


def _training_lines(metadata: Metadata) -> list[str]:
    lines = ["## Training data", ""]
    base, lora, data = metadata.base, metadata.lora, metadata.data
    if base is not None:
        lines.append(
            f"- Base: `{_cell(base.id)}` at `{_cell(base.revision)}`, frozen; {_cell(base.licence)}."
        )
    if lora is not None:
        lines.append(
            f"- LoRA of rank {lora.rank}, alpha {lora.alpha}, dropout {lora.dropout:g} on "
            f"{_cell_list(lora.targets)}, layers {_cell_list(map(str, lora.layers))} (counted from 0)."
        )
    if metadata.kind == "lines":
        lines.append(f"- Heads: {_cell_list(metadata.inputs)}.")
    elif metadata.kind == "texts":
        lines.append(f"- Classes: {_cell_list(metadata.inputs)}.")
    elif metadata.inputs:
        lines.append(f"- Input features: {_cell_list(metadata.inputs)}.")
    if data is None:
        return [*lines, "- The training data is not recorded."]
    lines.append(
        f"- {_number(data.items)} items of {_repositories(len(data.repositories))}, all older than "
        f"{_day(data.until)}: {_cell_list(sorted(data.repositories))}."
    )
    return [*lines, f"- Audit of these items: {_cell(data.audit) or 'not made'}.", f"- {_run(metadata)}"]


def _run(metadata: Metadata) -> str:
    minutes = f" in {metadata.seconds / 60:.1f} minutes" if metadata.seconds else ""
    return f"Seed {metadata.seed}{minutes}."


# --- how it was measured


def _measure_lines(metadata: Metadata, evaluation: Evaluation) -> list[str]:
    requested, right = _ASKED[metadata.kind]
    columns = _columns(evaluation)
    lines = [
        "## How it was measured",
        "",
        f"On {_number(evaluation.items)} {requested} of {_repositories(len(evaluation.repositories))}, none "
        f"older than {_day(evaluation.since)}; {evaluation.base_rate:.1%} of the {right}. "
        + _leaks(metadata, evaluation)
        + f"Repositories: {_cell_list(evaluation.repositories)}.",
        "",
        f"In brackets: 95% intervals, by resampling {_drawn_text(evaluation)} again.",
        "",
        "| scorer | " + " | ".join(columns) + " |",
        "|---|" + "---|" * len(columns),
    ]
    for name in _sorted_names(evaluation.metrics):
        cells = (_figure(evaluation.metrics[name].get(column)) for column in columns)
        lines.append(f"| {_scorer(name, metadata.kind)} | " + " | ".join(cells) + " |")
    lines += ["", *(f"- {column}: {_METRICS[column]}." for column in columns if column in _METRICS)]
    return [*lines, *(f"- {_sentence(note)}" for note in evaluation.notes)]


def _leaks(metadata: Metadata, evaluation: Evaluation) -> str:
    item, more = ("file", "files") if metadata.scope else ("repository", "repositories")
    if evaluation.leaks is None:
        return "The split was not checked for items in both parts. "
    if evaluation.leaks:
        return f"**{evaluation.leaks} {more}, groups or texts are in both parts of the split.** "
    if metadata.scope and "files" not in evaluation.drawn:
        return (
            "No week, group or answered question is in both parts of the split; its questions name no files. "
        )
    return f"No {item}, group or answered question is in both parts of the split. "


def _drawn_text(evaluation: Evaluation) -> str:
    if not evaluation.drawn:
        return "repositories"
    reported = " and ".join(
        f"{count} {kind}" for kind, count in sorted(evaluation.drawn.items(), reverse=True)
    )
    return f"{reported}, each kind separately, with the widest ends,"


def _columns(evaluation: Evaluation) -> list[str]:
    """Return the metrics of all scorers, the usual ones first."""
    found = {metric for metrics in evaluation.metrics.values() for metric in metrics}
    known = [metric for metric in _METRICS if metric in found]
    return known + sorted(found - set(known))


def _sorted_names(names: Iterable[str]) -> list[str]:
    known = list(_SCORERS)
    return sorted(
        names, key=lambda name: (known.index(plain) if (plain := _plain(name)) in known else 99, name)
    )


def _plain(name: str) -> str:
    return name.partition("@")[0]


def _scorer(name: str, kind: str) -> str:
    plain, _, seed = name.partition("@")
    reported = _OWN_SCORERS.get(kind, {}).get(plain) or _SCORERS.get(plain, "")
    of_seed = f" (seed {seed})" if seed else ""
    return f"`{_cell(plain)}`{of_seed}" + (f": {reported}" if reported and not seed else "")


# --- what it beats


def _comparison_lines(metadata: Metadata, evaluation: Evaluation) -> list[str]:
    decides = promotion_policy.deciding(metadata)
    by_pair: dict[tuple[str, str, str], list[Improvement]] = {}
    for gain in evaluation.gains:
        if gain.metric.startswith(decides):
            by_pair.setdefault((gain.of, gain.over, gain.metric), []).append(gain)
    lines = ["## Comparison with baselines", ""]
    if not by_pair:
        return [*lines, "Nothing was compared."]
    lines += [
        f"A gain in {decides} decides; that was fixed before any measurement. It counts if the "
        "lower end of its interval is above zero for every seed.",
        "",
        "| gain of | over | in | by seed | |",
        "|---|---|---|---|---|",
    ]
    for (of, over, metric), found in by_pair.items():
        by_seed = "; ".join(f"{gain.seed}: {_signed_text(gain.gain)}" for gain in found)
        lines.append(f"| `{_cell(of)}` | `{_cell(over)}` | {_cell(metric)} | {by_seed} | {_verdict(found)} |")
    others = sorted({gain.metric for gain in evaluation.gains} - {metric for _, _, metric in by_pair})
    if others:
        lines += ["", f"The metadata has the gains in {_cell_list(others)} too; they are not decisive."]
    return lines


def _verdict(found: Sequence[Improvement]) -> str:
    if all(gain.gain.low > 0 for gain in found):
        return "**beats it**"
    if all(gain.gain.high < 0 for gain in found):
        return "**is worse**"
    return "not shown to beat it"


def _controls(metadata: Metadata, evaluation: Evaluation) -> list[str]:
    lines = ["## Controls", ""]
    size, placebo = evaluation.controls.get("size"), evaluation.controls.get("placebo")
    if size is not None:
        decides = promotion_policy.deciding(metadata)
        lines.append(f"- Size: a scorer that only uses size reaches {_figure(size)} in {decides}.")
    if placebo is not None:
        lines.append(
            f"- Placebo: with randomly permuted answers the gain above chance is {_signed_text(placebo)}"
            "; it should be about 0."
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


def _calibration_lines(metadata: Metadata) -> list[str]:
    found = metadata.calibration
    lines = ["## Probabilities", ""]
    if metadata.kind == "texts":
        return [*lines, *_threshold_lines(metadata)]
    if found.method == "none":
        return [*lines, "Its scores are not calibrated: only their order is meaningful."]
    lines.append(_fit_text(metadata, found))
    if found.error is not None and found.brier is not None:
        lines.append(
            f"Checked on {_units(metadata, len(found.checked), 'other ')}: its probabilities deviate by "
            f"{found.error:.3f} on average (expected calibration error), Brier score {found.brier:.4f}."
        )
    for name, threshold in sorted(metadata.thresholds.items()):
        lines.append(
            f"Threshold `{_cell(name)}`: {threshold:.4f}, which at most {metadata.alarm_rate:.2%} of the "
            "wrong ones reach on the data on which it was fitted."
        )
    return lines


def _threshold_lines(metadata: Metadata) -> Iterator[str]:
    """Yield the origin of the probabilities of texts, and the thresholds that were chosen with it."""
    yield (
        "The mean of two distributions, by the adapter and by words. Their temperatures and shares and the "
        "threshold were fitted on the validation repositories of the recipe."
    )
    for name, threshold in sorted(metadata.thresholds.items()):
        stated = f"from {threshold:.4f} on" if threshold <= 1 else "never, for want of precision there"
        yield f"Threshold `{_cell(name)}`: a class is stated {stated}."


def _fit_text(metadata: Metadata, found: Calibration) -> str:
    how = {"platt": "a slope and a bias (Platt)", "isotonic": "a monotonic map (isotonic)"}[found.method]
    return (
        f"Fitted on the shipped file's scores of {_number(found.items)} items of "
        f"{_units(metadata, len(found.repositories))} on which it was not trained, as {how}; "
        f"{found.base_rate:.2%} of them are correct."
    )


def _unused_models(metadata: Metadata, asked_by: Sequence[str]) -> list[str]:
    lines = ["## When it reports nothing", ""]
    if metadata.state is PromotionState.SHADOW:
        lines.append("- Always: in this state its results are not part of a review.")
    elif not asked_by:
        lines.append("- Always: no specialist uses it.")
    elif metadata.state is PromotionState.RANK:
        lines.append(
            "- Below its threshold, and about texts whose prefix states their class."
            if metadata.kind == "texts"
            else "- It makes no findings, and it does not run if there is nothing to order."
        )
    else:
        lines.append("- Below its threshold, and for findings of which a rule is certain without it.")
    lines.append(
        "- If models are not installed or are disabled, or if a file differs from the one named below."
    )
    if metadata.kind == "lines":
        lines.append(f"- Where the changed lines have more than {metadata.window} tokens.")
    elif metadata.kind == "chat":
        lines.append(f"- Where a request with its answer has more than {metadata.window} tokens.")
    elif metadata.window:
        lines.append(f"- It reads the first {metadata.window} tokens of a text; the rest is ignored.")
    return lines


def _limits(metadata: Metadata) -> list[str]:
    evaluation = metadata.evaluation
    lines = ["## Limits", ""]
    if metadata.kind == "lines":
        lines.append("- No review runs a model of this kind: it is only measured.")
        lines.append("- Its weights do not ship with wardround; the recipe rebuilds them.")
        lines.append(
            "- Windows have a dozen lines: types, callers and other files are not part of its input."
        )
    elif metadata.scope:
        lines.append(f"- It was only measured on {_cell(metadata.scope)}.")
    else:
        lines.append(
            "- It was not measured on your repository; train and measure it there "
            "with `wardround adapters train --from-history`."
        )
    if evaluation is not None:
        count = len(evaluation.repositories)
        if count < 20 and not metadata.scope:
            lines.append(
                f"- {count} repositories give wide intervals: other kinds of projects may differ more."
            )
        if len(evaluation.models) < promotion_policy.FEWEST_SEEDS:
            lines.append("- It was trained once: the influence of the seed on its figures is not known.")
        lines.append(_read(evaluation))
    if metadata.kind == "embedder":
        lines.append(
            "- The score orders the candidates of one question; it is not comparable between questions."
        )
    return lines


def _read(evaluation: Evaluation) -> str:
    read = evaluation.read
    if read is None:
        return "- Labels come from history. Nobody has judged the results that a user would see."
    from wardround.rules.intervals import wilson

    low, high = wilson(read.right, read.items)
    return (
        f"- People judged {read.items} of its findings: {read.right} were correct "
        f"({read.right / max(read.items, 1):.0%} [{low:.0%}, {high:.0%}]). {_sentence(read.note)}"
    )


# --- the files


def _export_lines(metadata: Metadata) -> list[str]:
    if not metadata.parity:
        return []
    lines = [
        "## What exporting it changed",
        "",
        "| step | largest difference of an output | correlation of the scores |",
        "|---|---|---|",
        *(
            f"| {_cell(step.step)} | {step.largest:.2g} | {step.correlation:.5f} |"
            for step in metadata.parity
        ),
    ]
    compared = [step for step in metadata.parity if step.agreement is not None]
    if compared:
        shares = "; ".join(f"{_cell(step.step)} {step.agreement:.1%}" for step in compared)
        lines += ["", f"First greedy tokens that are the same: {shares}. Used: {_cell(metadata.precision)}."]
    return lines


def _licence(metadata: Metadata) -> list[str]:
    base = metadata.base
    of_base = f" The base: {_cell(base.licence)} (`{_cell(base.id)}`)." if base else ""
    return ["## Licence", "", f"The weights: {_cell(metadata.licence)}.{of_base}"]


def _reproduce(metadata: Metadata) -> list[str]:
    recipe = "" if metadata.kind == "table" else f", `{RECIPE_FILE}` next to this card is the recipe"
    data = metadata.data or TrainingData(recipe="", records="", repositories=(), items=0, until=0, audit="")
    evaluated = metadata.evaluation.records if metadata.evaluation else ""
    digests = [
        ("recipe", data.recipe),
        ("records trained on", data.records),
        ("records evaluated on", evaluated),
        ("base weights", metadata.base.digest if metadata.base else ""),
        (f"model file `{_cell(metadata.model.name)}`", metadata.model.sha256),
        *((f"`{_cell(file.name)}`", file.sha256) for file in metadata.decoder_files),
    ]
    return [
        "## How to reproduce it",
        "",
        f"`adapters/README.md` has the commands{recipe}. The figures above are only valid for these files. "
        "Plots, if there are any, are next to this card.",
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


def _signed_text(figure: Interval) -> str:
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


def _cell_list(names: Iterable[str]) -> str:
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
