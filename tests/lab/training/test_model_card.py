from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.installed import require_installed

require_installed("numpy")

from tests.lab.training.judged import around, evaluated, good  # noqa: E402
from wardround.inference.metadata import Calibration, Interval, Lora, Metadata, Parity, PromotionState  # noqa: E402
from wardround_lab.training.model_card import card, render  # noqa: E402


def made(*asked_by: str, **parts: Any) -> str:
    return card(msgspec.structs.replace(good(), **parts), asked_by)


def of(**parts: Any) -> str:
    return made(evaluation=msgspec.structs.replace(evaluated(), **parts))


def section(text: str, title: str) -> str:
    return text.split(f"## {title}\n\n")[1].split("\n## ")[0]


def test_the_same_metadata_gives_the_same_bytes() -> None:
    assert made() == made()
    again: Metadata = msgspec.json.decode(msgspec.json.encode(good()), type=Metadata)
    assert card(again) == made()


def test_the_card_begins_with_purpose_and_state() -> None:
    assert made("python", "tests", state=PromotionState.RANK).startswith(
        "# concepts\n\n"
        "Which text means what the query means. For the tests specialist, task `concepts`, trained "
        "2024-03-01.\n\n"
        "**State: rank.** It may order existing results and assign them to each other. It never makes a "
        "finding. Used by: "
        "python, tests.\n"
    )


def test_the_card_names_the_specialists_that_use_the_model() -> None:
    nobody = "Nothing uses it: no specialist has it among its `models`."
    logged = "Its scores are logged if `log-shadow` is on. Used by: tests."
    shadow = "**State: shadow.** It has no effect: no user sees its results. "
    assert shadow + logged in made("tests")
    assert shadow + nobody in made()
    for state in (PromotionState.RANK, PromotionState.REPORT):
        assert nobody in made(state=state)
        assert section(made(state=state), "When it reports nothing").startswith(
            "- Always: no specialist uses"
        )


def test_the_card_of_texts_has_the_threshold_from_which_a_class_is_stated() -> None:
    text = made("the analysis kinds", kind="texts", state=PromotionState.RANK, thresholds={"stated": 0.8})
    assert "It may state the class of a text from its threshold on. It never makes a finding. " in text
    assert section(text, "Probabilities").endswith("Threshold `stated`: a class is stated from 0.8000 on.\n")
    never = made(kind="texts", thresholds={"stated": 2.0})
    assert "a class is stated never, for want of precision there." in never


def test_the_card_gives_the_reasons_for_the_state() -> None:
    text = made(reasons=("It was not evaluated.", "There is no | control."))
    assert "Why its state is not higher:\n\n- It was not evaluated.\n- There is no \\| control.\n" in text
    assert "No promotion was requested yet" in made()


def test_the_card_lists_the_training_data() -> None:
    text = section(
        made(lora=Lora(rank=8, alpha=16, dropout=0.05, targets=("query", "value"), layers=(3, 4, 5))),
        "Training data",
    )
    assert text.splitlines() == [
        "- Base: `made/base` at `r1`, frozen; Apache-2.0.",
        "- LoRA of rank 8, alpha 16, dropout 0.05 on query, value, layers 3, 4, 5 (counted from 0).",
        "- 400 items of 10 repositories, all older than 2023-12-31: old/r0, old/r1, old/r2, old/r3, old/r4, "
        "old/r5, old/r6, old/r7, old/r8, old/r9.",
        "- Audit of these items: passed.",
        "- Seed 1 in 10.0 minutes.",
    ]


def test_every_figure_has_its_interval() -> None:
    rows = [line for line in section(made(), "How it was measured").splitlines() if line.startswith("| `")]
    assert len(rows) == 7
    assert rows[-1] == (
        "| `cheap+adapter`: cheap evidence and this adapter in one score: the scorer in use "
        "| 0.600 [0.580, 0.620] | 0.500 [0.480, 0.520] | 0.700 [0.680, 0.720] |"
    )


@pytest.mark.parametrize(
    ("gain", "verdict"),
    [
        (around(0.05), "**beats it**"),
        (around(-0.05), "**is worse**"),
        (Interval(value=0.02, low=0.0, high=0.04), "not shown to beat it"),
    ],
)
def test_the_card_lists_the_gains(gain: Interval, verdict: str) -> None:
    gains = tuple(
        msgspec.structs.replace(item, gain=gain) if item.over == "cheap" else item
        for item in evaluated().gains
    )
    rows = section(of(gains=gains), "Comparison with baselines").splitlines()
    found = [row for row in rows if row.startswith("| `cheap+adapter` | `cheap` | mrr |")]
    assert len(found) == 1
    assert found[0].endswith(f"| {verdict} |")
    assert "2: " in found[0]


def test_a_leak_and_a_missing_control_stand_out() -> None:
    assert "**3 repositories, groups or texts are in both parts of the split.**" in of(leaks=3)
    assert "The split was not checked for items in both parts." in of(leaks=None)
    assert "- **There is no placebo control.**" in of(controls={"size": around(0.4)})
    assert "- size: does not apply: one length only." in of(
        controls={"placebo": around(0.0)}, exempt={"size": "one length only"}
    )


def test_without_a_calibration_it_gives_no_probabilities() -> None:
    text = section(made(calibration=Calibration(method="none")), "Probabilities")
    assert text.strip() == "Its scores are not calibrated: only their order is meaningful."


def test_with_one_it_states_on_what_and_how_well() -> None:
    assert section(made(), "Probabilities").splitlines()[:3] == [
        "Fitted on the shipped file's scores of 200 items of 2 repositories on which it was not trained, "
        "as a "
        "slope and a bias (Platt); 1.00% of them are correct.",
        "Checked on 1 other repository: its probabilities deviate by 0.010 on average (expected calibration "
        "error), Brier score 0.0200.",
        "Threshold `report`: 0.8000, which at most 0.30% of the wrong ones reach on the data on which it "
        "was fitted.",
    ]


@pytest.mark.parametrize(
    ("state", "first"),
    [
        (PromotionState.SHADOW, "- Always: in this state its results are not part of a review."),
        (PromotionState.RANK, "- It makes no findings, and it does not run if there is nothing to order."),
        (
            PromotionState.REPORT,
            "- Below its threshold, and for findings of which a rule is certain without it.",
        ),
    ],
)
def test_the_card_lists_the_limits(state: PromotionState, first: str) -> None:
    text = section(made("tests", state=state), "When it reports nothing")
    assert text.splitlines()[0] == first
    assert "- It reads the first 128 tokens of a text; the rest is ignored." in text


def test_the_card_counts_judged_findings() -> None:
    assert (
        "- People judged 50 of its findings: 40 were correct (80% [67%, 89%]). One reader, drawn at random "
        "above "
        "the threshold." in section(made(), "Limits")
    )
    assert "Nobody has judged the results that a user would see." in section(of(read=None), "Limits")
    assert "It was trained once" in section(of(models={"1": "a" * 64}), "Limits")


def test_missing_evaluations_are_reported() -> None:
    text = made(evaluation=None, data=None, base=None, window=0)
    assert "It was not measured." in text
    assert "The training data is not recorded." in text
    assert "## Controls" not in text


def test_export_licence_and_digests_are_there() -> None:
    text = made(parity=(Parity(step="onnx-int8", largest=0.26, correlation=0.9951),))
    assert "| onnx-int8 | 0.26 | 0.99510 |" in text
    assert "The weights: MIT. The base: Apache-2.0 (`made/base`)." in text
    assert f"| model file `model.onnx` | `{good().model.sha256}` |" in text
    assert f"| recipe | `{good().data.recipe}` |" in text  # type: ignore[union-attr]


def test_a_table_names_what_it_reads() -> None:
    metrics = {"cheap": {"auc": around(0.6), "precision at 5% recall": around(0.8)}}
    text = made(kind="table", inputs=("words", "size"), evaluation=msgspec.structs.replace(
        evaluated(), metrics=metrics, gains=()))  # fmt: skip
    assert "- Input features: words, size." in text
    assert "| scorer | auc | precision at 5% recall |" in text
    assert "Nothing was compared." in text


def test_line_breaks_in_metadata_do_not_break_the_card() -> None:
    nasty = made(title="one\ntwo | three", reasons=("a\n\n# b",))
    assert "One two \\| three." in nasty
    assert "\n# b" not in nasty


def test_the_state_and_the_reasons_are_printed() -> None:
    decided = msgspec.structs.replace(good(), state=PromotionState.RANK, reasons=("Nobody read.",))
    assert list(render(decided)) == ["concepts: rank", "  - Nobody read."]
