"""What is written about the product is what the product says."""

from __future__ import annotations

import re
from pathlib import Path

from wardround import host
from wardround.reports import catalogue

ROOT = Path(__file__).parent.parent


def test_the_rule_catalogue_is_up_to_date() -> None:
    wanted = catalogue.as_markdown(host.load().catalogue.listed())
    written = (ROOT / "docs" / "rules.md").read_text("utf-8")
    assert written == wanted, "run: wardround rules --format md > docs/rules.md"


def test_the_readme_names_no_revision_that_only_we_have() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    revisions = re.findall(r"^ +rev: (\S+)|wardround@(\S+)", readme, re.MULTILINE)
    assert {"".join(found) for found in revisions} == {"COMMIT"}


def test_what_the_readme_installs_is_found_without_an_index() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert set(re.findall(r"pip install '([^'\[]*)\[", readme)) == {"."}
    assert "/path/to" not in readme
