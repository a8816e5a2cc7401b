"""``wardround schema``: the published schemas are current, and valid for what the documentation shows."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from click.testing import CliRunner

from tests.installed import require_installed

require_installed("numpy")

from wardround.cli import schema  # noqa: E402
from wardround.config.schema import FOLDER_KEYS, ROOT_KEYS  # noqa: E402

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
KINDS = ("configuration", "policy", "recipe")


def validator(kind: str) -> jsonschema.Draft202012Validator:
    document = json.loads((DOCS / f"{kind}.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(document)
    return jsonschema.Draft202012Validator(document)


def _blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)


def _configurations() -> Iterator[Any]:
    """Yield the configurations that pages show, as they are in ``.wardround.toml``."""
    for page in sorted(DOCS.glob("*.md")):
        for block in _blocks(page.name, "toml"):
            document = tomllib.loads(block)
            if "wardround" in document.get("tool", {}):
                yield pytest.param(document["tool"]["wardround"], id=page.name)
            elif ".wardround.toml" in block or ".wardround.schema.json" in block:
                yield pytest.param(document, id=page.name)


def _yaml(text: str) -> Any:
    """Return YAML as editors see it, with dates as text."""
    return json.loads(json.dumps(yaml.safe_load(text), default=str))


@pytest.mark.parametrize("kind", KINDS)
def test_the_published_schema_is_current(kind: str) -> None:
    printed = CliRunner().invoke(schema.command, [kind])
    assert printed.exit_code == 0, printed.output
    published = (DOCS / f"{kind}.schema.json").read_text("utf-8")
    assert published == printed.output, f"run: wardround schema {kind} > docs/{kind}.schema.json"


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_with_a_value_of_its_own_is_described(kind: str) -> None:
    document = json.loads((DOCS / f"{kind}.schema.json").read_text("utf-8"))
    objects = {"": document, **document["$defs"]}
    bare = [
        f"{name}.{key}"
        for name, part in objects.items()
        for key, value in part.get("properties", {}).items()
        if "description" not in value and "$ref" not in value
    ]
    assert bare == []


def test_every_key_of_the_schema_is_on_the_page_about_the_configuration() -> None:
    documented = set(re.findall(r"`([a-z.-]+)`", (DOCS / "configuration.md").read_text("utf-8")))
    assert documented >= ROOT_KEYS | FOLDER_KEYS


@pytest.mark.parametrize("document", list(_configurations()))
def test_configurations_of_the_documentation_are_valid(document: Any) -> None:
    validator("configuration").validate(document)


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ({"fail-levl": "error"}, []),
        ({"fail-level": "fatal"}, ["fail-level"]),
        ({"language-model": {"concurrency": 99}}, ["language-model", "concurrency"]),
        ({"sql": {"dialect": "klingon"}}, ["sql", "dialect"]),
        ({"rules": {"ruff/S307": "loud"}}, ["rules", "ruff/S307"]),
    ],
)
def test_a_mistake_in_a_configuration_is_found_at_its_place(document: Any, place: list[str]) -> None:
    (error,) = validator("configuration").iter_errors(document)
    assert list(error.absolute_path) == place


@pytest.mark.parametrize("name", ["default", "strict", "advisory"])
def test_bundled_policies_are_valid(name: str) -> None:
    text = (ROOT / "rules" / "wardround_rules" / "policies" / f"{name}.yml").read_text("utf-8")
    validator("policy").validate(_yaml(text))


def test_the_policy_of_the_documentation_is_valid_and_a_mistake_in_it_is_not() -> None:
    policy = _yaml(_blocks("policies.md", "yaml")[0])
    validator("policy").validate(policy)
    assert not validator("policy").is_valid({**policy, "tiers": {"T9": "auto-merge"}})
    assert not validator("policy").is_valid({**policy, "rules": [{"id": "a", "when": "true"}]})


@pytest.mark.parametrize("recipe", sorted((ROOT / "adapters" / "wardround_adapters").glob("*/recipe.yml")))
def test_recipes_of_the_repository_are_valid(recipe: Path) -> None:
    document = _yaml(recipe.read_text("utf-8"))
    validator("recipe").validate(document)
    assert not validator("recipe").is_valid({**document, "learning-rate": 1})


def test_the_recipe_of_the_documentation_is_valid() -> None:
    recipes = [_yaml(block) for block in _blocks("adapters.md", "yaml")]
    assert recipes
    for recipe in recipes:
        validator("recipe").validate(recipe)
