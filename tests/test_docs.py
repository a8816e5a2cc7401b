"""What is written about the product is what the product says."""

from __future__ import annotations

from pathlib import Path

from wardround import host
from wardround.reports import catalogue

ROOT = Path(__file__).parent.parent


def test_the_rule_catalogue_is_up_to_date() -> None:
    wanted = catalogue.as_markdown(host.load().catalogue.listed())
    written = (ROOT / "docs" / "rules.md").read_text("utf-8")
    assert written == wanted, "run: wardround rules --format md > docs/rules.md"
