"""The order of configurations in tables."""

from __future__ import annotations

from wardround_lab.experiments.comparison.results import group_by_configuration
from wardround_lab.experiments.storage.model import SequenceHeader, SequenceSummary


def summary(localization: str, tokens: int) -> SequenceSummary:
    header = SequenceHeader(
        run="r", experiment="e", configuration={"localization": localization, "tokens": tokens}, instance="i",
        repository="acme/shop", created="2026-01-02T03:04:05Z",
    )  # fmt: skip
    return SequenceSummary(header, {}, "completed", 1)


def test_configurations_are_in_the_order_of_their_values() -> None:
    found = group_by_configuration(
        [summary("words", 8000), summary("fusion", 16000), summary("words", 4000), summary("fusion", 8000)]
    )

    assert [results.name for results in found] == [
        "localization fusion, tokens 8000",
        "localization fusion, tokens 16000",
        "localization words, tokens 4000",
        "localization words, tokens 8000",
    ]
