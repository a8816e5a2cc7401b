"""The documentation agrees with the behaviour of the product."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.benchmark_modules import benchmark
from tests.conftest import GitRepository
from wardround import host
from wardround.cli import rules
from wardround.rules.removed import removed_rules
from wardround.rules.renamed import former_names
from wardround.rules.yaml_loader import load_yaml

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs").glob("*.md"))
FIRST_PAGES = ("start.md", "hook.md", "ci.md", "findings.md", "specialists.md", "plugins.md")
"""The pages whose commands work in a checkout, before anything is installed."""


@pytest.fixture(scope="module")
def written_pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "rules"
    result = CliRunner().invoke(rules.command, ["--pages", str(folder)])
    assert result.exit_code == 0, result.output
    return folder


def test_every_rule_of_our_own_has_a_page_with_its_name_and_its_cases(written_pages: Path) -> None:
    rules = [rule for rule in host.load().catalogue.all_rules() if rule.invalid]
    pages = {file.stem: file.read_text("utf-8") for file in written_pages.rglob("*.md")}
    assert [rule.id for rule in rules if f"# {rule.code} {rule.name}\n" not in pages[rule.code]] == []
    assert [rule.id for rule in rules if not rule.masked and "## Reported" not in pages[rule.code]] == []


def test_the_index_links_to_every_page(written_pages: Path) -> None:
    links = re.findall(r"\]\(([^)]+\.md)\)", (written_pages / "README.md").read_text("utf-8"))
    assert sorted(links) == sorted(
        file.relative_to(written_pages).as_posix()
        for file in written_pages.rglob("*.md")
        if file.parent != written_pages
    )


def test_links_of_the_documentation_lead_to_tracked_files() -> None:
    pages = [ROOT / "README.md", ROOT / "evals" / "README.md", *PAGES]
    broken = [
        f"{page.relative_to(ROOT)}: {link}"
        for page in pages
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
        if not (page.parent / link).exists()
    ]
    assert broken == []


def test_what_rules_were_tried_on_is_recorded_for_known_and_for_removed_rules() -> None:
    recorded = load_yaml((ROOT / "evals" / "precision.yml").read_text("utf-8"))
    former = {name for name in former_names() if "/" in name}
    assert (
        set(recorded)
        <= {rule.id for rule in host.load().catalogue.all_rules()} | removed_rules().keys() | former
    )
    assert removed_rules().keys() <= set(recorded)


def test_the_documentation_names_no_revision_that_only_we_have() -> None:
    text = "".join(page.read_text("utf-8") for page in PAGES)
    revisions = re.findall(r"^ +rev: (\S+)|wardround@(\S+)", text, re.MULTILINE)
    assert {"".join(found) for found in revisions} == {"COMMIT"}


def test_what_the_documentation_installs_is_found_without_an_index() -> None:
    for page in (ROOT / "README.md", *(ROOT / "docs" / name for name in FIRST_PAGES)):
        text = page.read_text("utf-8")
        assert set(re.findall(r"pip install '([^'\[]*)\[", text)) <= {"."}, page
        assert "/path/to" not in text, page


def test_the_readme_is_one_screen_with_one_picture_and_two_commands() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert len(readme.splitlines()) <= 60
    assert re.findall(r"!\[[^\]]*\]\(([^)]*)\)", readme) == ["docs/terminal.svg"]
    commands = re.findall(r"```sh\n(.*?)\n```", readme, re.DOTALL)
    assert commands == [
        "pip install . && wardround review --base HEAD~1",
        "pip install '.[dev]' && pytest -n auto",
    ]


def test_every_page_is_reached_from_the_readme() -> None:
    waiting, reached = [ROOT / "README.md"], set()
    while waiting:
        page = waiting.pop()
        links = re.findall(r"\]\(([^)#:]+\.md)", page.read_text("utf-8"))
        found = {(page.parent / link).resolve() for link in links} - reached
        reached |= found
        waiting += sorted(found)
    assert sorted(page.name for page in set(PAGES) - reached) == []


def test_the_page_about_reports_names_every_key_of_a_report(repo: GitRepository) -> None:
    repo.stage({"app.py": "print(missing)\n", "q.sql": "select 1 from a, b;\n"})
    report = json.loads(repo.wardround("review", "--staged", "--format", "json").stdout)
    keys = {*report, *report["context"], *report["findings"][0], *report["signals"][0], *report["runs"][0]}
    page = (ROOT / "docs" / "report.md").read_text("utf-8")
    assert {key for key in keys if not re.search(rf"[`\".\]]{key}[`\"]", page)} == set()


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
