"""What is written about the product is what the product says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.benchmark_modules import benchmark
from wardround import host
from wardround.reports import rule_pages
from wardround.rules.yaml_loader import load_yaml

ROOT = Path(__file__).parent.parent


def test_the_pages_of_the_rules_are_up_to_date() -> None:
    loaded = host.load()
    expected = rule_pages.pages(loaded.catalogue.listed(), loaded.same_defect)
    folder = ROOT / "docs" / "rules"
    written = {file.relative_to(folder).as_posix(): file.read_text("utf-8") for file in folder.rglob("*.md")}
    advice = "run: rm -r docs/rules; wardround rules --pages docs/rules"
    assert sorted(written) == sorted(expected), advice
    assert [path for path, text in expected.items() if written[path] != text] == [], advice


def test_the_index_links_to_every_page() -> None:
    folder = ROOT / "docs" / "rules"
    links = re.findall(r"\]\(([^)]+\.md)\)", (folder / "README.md").read_text("utf-8"))
    assert sorted(links) == sorted(
        file.relative_to(folder).as_posix() for file in folder.rglob("*.md") if file.parent != folder
    )


def test_what_rules_were_tried_on_is_recorded_for_known_rules() -> None:
    recorded = load_yaml((ROOT / "evals" / "precision.yml").read_text("utf-8"))
    assert set(recorded) <= {rule.id for rule in host.load().catalogue.listed()}


def test_the_readme_names_no_revision_that_only_we_have() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    revisions = re.findall(r"^ +rev: (\S+)|wardround@(\S+)", readme, re.MULTILINE)
    assert {"".join(found) for found in revisions} == {"COMMIT"}


def test_what_the_readme_installs_is_found_without_an_index() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert set(re.findall(r"pip install '([^'\[]*)\[", readme)) == {"."}
    assert "/path/to" not in readme


def test_the_page_about_cost_shows_the_figures_of_the_benchmarks() -> None:
    cost = benchmark("cost")
    measured = json.loads(cost.FIGURES.read_text("utf-8"))
    assert cost.PAGE.read_text("utf-8") == cost.page(measured), "run: python benchmarks/cost.py"


def test_a_missing_figure_names_the_command_that_measures_it() -> None:
    cost = benchmark("cost")
    measured = json.loads(cost.FIGURES.read_text("utf-8"))
    del measured["hooks"]["5 of 200 files, prek"]
    advice = r"5 of 200 files, prek is missing; run python benchmarks/hooks\.py --json docs/cost\.json"
    with pytest.raises(cost.MissingFigure, match=advice):
        cost.page(measured)


def test_a_benchmark_replaces_its_own_figures(tmp_path: Path) -> None:
    figures, file = benchmark("figures"), tmp_path / "cost.json"
    file.write_text('{"commit": {"a": {"value": 1}, "b": 2}, "hooks": {"c": 3}}', "utf-8")
    figures.write(file, "commit", {"a": {"value": 0.12345}})
    written = json.loads(file.read_text("utf-8"))
    assert written.pop("hooks") == {"c": 3}
    assert written == {"commit": {"a": {"value": 0.123}, "b": 2, "machine": figures.machine()}}
