"""Requirements that manifests of published packages add, and features that they remove."""

from __future__ import annotations

import pytest

from tests.context.surface.differences import PYPROJECT, lines, surface

PACKAGE = '{"name": "shop", "version": "1.0.0"%s}\n'


def python(before: str, after: str) -> list[str]:
    found = surface({"pyproject.toml": PYPROJECT + before}, {"pyproject.toml": PYPROJECT + after})
    return [line.partition(" ")[2] for line in lines(found.breaking)]


def node(before: str, after: str) -> list[str]:
    found = surface({"package.json": PACKAGE % before}, {"package.json": PACKAGE % after})
    return [line.partition(" ")[2] for line in lines(found.breaking)]


def test_a_raised_python_version_breaks_users_of_the_older_one() -> None:
    head = PYPROJECT.replace(">=3.9", ">=3.11")
    found = surface({"pyproject.toml": PYPROJECT}, {"pyproject.toml": head})
    assert lines(found.breaking) == ["pyproject.toml:7 requires-python is narrowed from `>=3.9` to `>=3.11`"]


def test_a_lowered_python_version_breaks_nobody() -> None:
    head = PYPROJECT.replace(">=3.9", ">=3.8")
    assert surface({"pyproject.toml": PYPROJECT}, {"pyproject.toml": head}).changes == ()


def test_removed_extras_and_commands_break_users() -> None:
    before = '[project.scripts]\nshop = "shop:main"\n[project.optional-dependencies]\nweb = ["flask"]\n'
    assert python(before, "") == ["command `shop` is removed", "extra `web` is removed"]


def test_extras_for_development_are_nobodys_surface() -> None:
    assert python('[project.optional-dependencies]\ndev = ["ruff"]\ntest-all = ["pytest"]\n', "") == []


def test_a_narrowed_dependency_is_a_change_that_installers_resolve() -> None:
    before, after = 'dependencies = ["httpx>=0.27"]\n', 'dependencies = ["httpx>=0.28", "rich"]\n'
    found = surface({"pyproject.toml": PYPROJECT + before}, {"pyproject.toml": PYPROJECT + after})
    assert [(change.name, change.is_breaking) for change in found.changes] == [("dependency `httpx`", False)]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (', "engines": {"node": ">=18"}', ', "engines": {"node": ">=20"}',
         "engines.node is narrowed from `>=18` to `>=20`"),
        ("", ', "peerDependencies": {"react": "^19"}', "peer dependency `react` is added"),
        (', "peerDependencies": {"react": "^18 || ^19"}', ', "peerDependencies": {"react": "^19"}',
         "peer dependency `react` is narrowed from `^18 || ^19` to `^19`"),
        (', "bin": {"shop": "a.js"}', "", "command `shop` is removed"),
        (', "exports": {".": "./a.js", "./b": "./b.js"}', ', "exports": {".": "./a.js"}',
         "export `./b` is removed"),
        (', "main": "a.js"', ', "main": "a.js", "type": "module"',
         "package can only be imported as an ES module"),
    ],
)  # fmt: skip
def test_a_package_of_npm_that_requires_more_or_offers_less(before: str, after: str, expected: str) -> None:
    assert node(before, after) == [expected]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ', "peerDependencies": {"react": "^19"}, "peerDependenciesMeta": {"react": {"optional": true}}'),
        (', "dependencies": {"react": "^19"}', ', "peerDependencies": {"react": "^19"}'),
        (', "exports": {"./b": "./b.js"}', ', "exports": {"./*": "./*.js"}'),
        (', "exports": {".": "./a.js", "./package.json": "./package.json"}', ', "main": "./a.js"'),
        (', "engines": {"node": ">=20"}', ', "engines": {"node": ">=18"}'),
        (', "exports": {".": "./a.js"}', ', "exports": "./a.js"'),
        (', "exports": {".": "./a.js"}', ', "exports": {"import": "./a.js"}'),
    ],
)
def test_a_package_of_npm_that_permits_as_much(before: str, after: str) -> None:
    assert node(before, after) == []


def test_a_private_package_has_no_users() -> None:
    assert node(', "private": true, "bin": {"shop": "a.js"}', ', "private": true') == []


def test_setup_cfg_states_the_required_python() -> None:
    text = "[metadata]\nname = shop\n\n[options]\npython_requires = >=3.8\n"
    found = surface({"setup.cfg": text}, {"setup.cfg": text.replace("3.8", "3.10")}, package=False)
    assert lines(found.breaking) == ["setup.cfg:5 requires-python is narrowed from `>=3.8` to `>=3.10`"]


def test_the_same_range_in_another_manifest_is_no_change() -> None:
    base = {"setup.cfg": "[metadata]\nname = shop\n\n[options]\npython_requires = >=3.9\n"}
    assert (
        lines(surface(base, {"setup.cfg": None, "pyproject.toml": PYPROJECT}, package=False).breaking) == []
    )


def test_extras_that_the_build_adds_are_not_removed() -> None:
    base = f'{PYPROJECT}\n[project.optional-dependencies]\nredis = ["redis"]\n'
    head = PYPROJECT.replace("[project]", '[project]\ndynamic = ["optional-dependencies"]')
    assert lines(surface({"pyproject.toml": base}, {"pyproject.toml": head}).breaking) == []
