"""The table and the plots of a run."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.lab.experiments.comparison.stored_results import results
from wardround.errors import UsageError
from wardround_lab.experiments.comparison.plots import draw_reward
from wardround_lab.experiments.comparison.run_files import write_run
from wardround_lab.experiments.storage.model import Run

RUN = Run(
    id="stage-1",
    experiment="stage",
    created="2026-01-02T03:04:05Z",
    version="0",
    instances=(),
    instances_digest="",
    rewards={"lines": True, "gold file": True, "never recorded": True},
    notes=("no endpoint has the role author",),
)
LOW, HIGH = [0.1, 0.2, 0.3, 0.4] * 5, [0.5, 0.6, 0.7, 0.8] * 5
RESULTS = [
    results({"by": "words", "tokens": 4000}, {"lines": LOW, "gold file": LOW}),
    results({"by": "fusion", "tokens": 4000}, {"lines": HIGH, "gold file": HIGH}),
    results({"by": "words", "tokens": 8000}, {"lines": LOW}),
]


def test_the_table_has_means_with_intervals_and_the_pairs_that_differ_in_one_value(tmp_path: Path) -> None:
    lines = write_run(tmp_path, RUN, RESULTS)

    assert lines[0].split() == ["by", "tokens", "instances", "lines", "gold", "file"]
    assert lines[1].startswith("words     4000         20  0.25 [0.20, 0.30]")
    assert lines[3].endswith("-")
    assert lines[5] == "lines, pairs that differ in one value: the second less the first"
    assert [line.split("  ")[0] for line in lines[7:]] == ["by words, tokens 4000", "by words, tokens 4000"]
    assert "+0.40 [+0.40, +0.40]  <0.001     20" in lines[7]
    assert "+0.00 [+0.00, +0.00]   1.000     20" in lines[8]


def test_each_reward_has_a_plot_with_the_same_bytes_each_time(tmp_path: Path) -> None:
    write_run(tmp_path / "one", RUN, RESULTS)
    write_run(tmp_path / "two", RUN, RESULTS)

    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names == ["gold-file.svg", "lines.svg", "table.txt"]
    assert all(
        (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes() for name in names
    )
    drawn = "".join(ElementTree.parse(tmp_path / "one" / "lines.svg").getroot().itertext())
    assert "by fusion, tokens 4000" in drawn


def test_the_notes_of_the_run_are_in_the_file(tmp_path: Path) -> None:
    write_run(tmp_path, RUN, RESULTS)

    assert (tmp_path / "table.txt").read_text().splitlines()[:2] == [
        "stage-1",
        "no endpoint has the role author",
    ]


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(
        UsageError, match=r"file/run/table\.txt: Not a directory; give another folder with --out"
    ):
        write_run(tmp_path / "file" / "run", RUN, RESULTS)


def test_a_name_with_dollars_is_drawn_as_it_is(tmp_path: Path) -> None:
    draw_reward(tmp_path / "plot.svg", [results({"by": r"$\frac$"}, {"lines": LOW})], "lines")

    assert r"by $\frac$" in "".join(ElementTree.parse(tmp_path / "plot.svg").getroot().itertext())
