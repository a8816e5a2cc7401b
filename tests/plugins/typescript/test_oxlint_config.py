"""The configuration that oxlint gets from that of a project."""

from __future__ import annotations

import json
from typing import Any

import pytest
from wardround_typescript.tools.oxlint_config import (
    config_closure,
    config_overlay,
    fallback_config,
    selection,
)

PATH = ".oxlintrc.json"


def _kept(config: dict[str, Any], **others: str) -> dict[str, Any]:
    retained: dict[str, Any] = json.loads(config_overlay("", {PATH: json.dumps(config), **others})[PATH])
    return retained


def test_javascript_plugins_are_removed_with_their_rules() -> None:
    retained = _kept(
        {
            "jsPlugins": ["./evil.js"],
            "rules": {"evil/x": "error", "no-debugger": "warn", "react/jsx-key": "warn"},
            "overrides": [{"files": ["*.ts"], "jsPlugins": ["./evil.js"], "rules": {"evil/y": "error"}}],
        }
    )

    assert retained == {
        "rules": {"no-debugger": "warn", "react/jsx-key": "warn"},
        "overrides": [{"files": ["*.ts"], "rules": {}}],
    }


def test_extended_configuration_is_cleaned_as_well() -> None:
    overlay = config_overlay(
        "",
        {PATH: '{"extends": ["./base.json"], "rules": {}}', "base.json": '{"jsPlugins": ["x"], "rules": {}}'},
    )

    assert json.loads(overlay["base.json"]) == {"rules": {}}


def test_configurations_of_packages_are_removed() -> None:
    assert _kept({"extends": ["./node_modules/x/a.json"], "rules": {}}) == {"extends": [], "rules": {}}


def test_harmless_configuration_stays_unchanged() -> None:
    text = '{ /* ours */ "rules": {"no-debugger": "off"}, }'
    assert config_overlay("", {PATH: text})[PATH] == text


def test_unreadable_configuration_stays_for_oxlint_to_reject() -> None:
    assert config_overlay("", {PATH: "{bad"})[PATH] == "{bad"


def test_folder_without_configuration_adds_nothing() -> None:
    assert config_overlay("src", {PATH: "{}"}) == {}


def test_empty_selection_gets_the_default_selection() -> None:
    assert _kept({"ignorePatterns": ["x"]}) == {"ignorePatterns": ["x"], **selection()}


@pytest.mark.parametrize(
    ("path", "text", "wanted"),
    [
        (PATH, '{"extends": ["./a.json", "../b.json", "pkg"]}', ["a.json"]),
        ("web/.oxlintrc.json", '{"extends": ["../a.json"]}', ["a.json"]),
        (PATH, '{"extends": "a"}', []),
        (PATH, "rubbish", []),
    ],
)
def test_extended_configurations(path: str, text: str, wanted: list[str]) -> None:
    assert list(config_closure(path, text)) == wanted


def test_fallback_configuration_is_above_the_project() -> None:
    name, text = fallback_config(lambda path: None)

    assert name == PATH
    assert json.loads(text) == selection()
