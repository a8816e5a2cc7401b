"""Attacks on dependencies, lock files and install scripts are shown; hostile files cost no time."""

from __future__ import annotations

import json

import pytest

from tests.security.supply_chain_attacks import ATTACKS, NPM, PNPM, UV, Attack, npm_lock, package_json
from tests.semantics.supply_chain.sides import found, notes_between
from wardround.semantics.supply_chain.notes import MOST_NOTES


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_is_shown(attack: Attack) -> None:
    assert attack.expected in found(notes_between(attack.base, attack.head, attack.unchanged))


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_the_state_before_an_attack_has_no_note_of_it(attack: Attack) -> None:
    assert attack.expected not in found(notes_between(attack.base, attack.base, attack.unchanged))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package.json", '{"dependencies": ' + "[" * 100_000),
        ("package-lock.json", '{"packages": ' + '{"a": ' * 100_000),
        ("bun.lock", "/*" * 200_000 + "," * 200_000),
        ("pyproject.toml", "a = " + "[" * 100_000),
        ("uv.lock", "[[package]]\n" * 200_000),
        ("pnpm-workspace.yaml", "catalog: " + "[" * 100_000),
        ("pnpm-lock.yaml", "importers:\n  a: " + "{a: " * 50_000),
        ("yarn.lock", '"' + "a, " * 500_000),
        ("setup.py", "(" * 100_000),
        ("setup.py", "f" + "()" * 5_000),
        ("requirements.txt", "a" * 500_000 + " \\\n" * 50_000),
        ("Dockerfile", "FROM " + "a" * 500_000),
        (".npmrc", "registry=" + " " * 500_000),
        ("setup.cfg", "[options\n" * 50_000),
    ],
)
def test_a_hostile_file_is_read_within_its_limits(path: str, text: str) -> None:
    notes_between({path: "{}"}, {path: text})


def test_aliases_do_not_make_a_file_larger() -> None:
    layers = "\n".join(f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9)}]" for i in range(1, 30))
    text = f"l0: &l0 [a]\n{layers}\ncatalog:\n  left-pad: 1.0.0\n"
    assert not notes_between({}, {"pnpm-workspace.yaml": text}).dependencies


def test_a_large_lock_file_is_compared() -> None:
    entry = (
        '[[package]]\nname = "p{0}"\nversion = "1"\nsource = {{ registry = "https://pypi.org/simple" }}\n\n'
    )
    large = UV + "\n" + "".join(entry.format(number) for number in range(20_000))
    notes = notes_between({"uv.lock": large}, {"uv.lock": large.replace("sha256:aa", "sha256:bb")})
    assert ("lock", "integrity", "six") in found(notes)


def test_notes_are_limited_and_counted() -> None:
    head = package_json(dependencies={f"p{number}": "1.0.0" for number in range(MOST_NOTES + 7)})
    notes = notes_between({"package.json": package_json()}, {"package.json": head})
    assert (len(notes.dependencies), notes.omitted) == (MOST_NOTES, 7)


def test_credentials_are_not_shown() -> None:
    head = package_json(dependencies={"a": "git+https://user:s3cret@host.example/a.git"})
    notes = notes_between({"package.json": package_json()}, {"package.json": head})
    assert "s3cret" not in str(notes)
    url = "https://user:s3cret@host.example/left-pad/-/left-pad-1.3.0.tgz"
    locks = [npm_lock({}), npm_lock({}, resolved=url)]
    notes = notes_between({"package-lock.json": locks[0]}, {"package-lock.json": locks[1]})
    assert notes.locks
    assert "s3cret" not in str(notes)


def test_a_regular_update_shows_no_inconsistency() -> None:
    manifest = package_json(dependencies={"left-pad": "^1.3.0"})
    newer = npm_lock(
        {"left-pad": "^1.4.0"},
        version="1.4.0",
        resolved=f"{NPM}/left-pad/-/left-pad-1.4.0.tgz",
        integrity="sha512-BBBB",
    )
    base = {"package.json": manifest, "package-lock.json": npm_lock({"left-pad": "^1.3.0"})}
    head = {"package.json": manifest.replace("1.3", "1.4"), "package-lock.json": newer}
    assert not found(notes_between(base, head))


def test_the_mirror_of_a_registry_is_the_same_host() -> None:
    base = npm_lock({}, resolved="https://registry.yarnpkg.com/left-pad/-/left-pad-1.3.0.tgz")
    notes = notes_between({"package-lock.json": base}, {"package-lock.json": npm_lock({})})
    assert {item.change.value for item in notes.locks} == {"lock-only"}


def test_a_longer_hash_of_the_same_archive_is_not_another_one() -> None:
    base = npm_lock({}, integrity="sha1-AAAA")
    notes = notes_between({"package-lock.json": base}, {"package-lock.json": npm_lock({})})
    assert {item.change.value for item in notes.locks} == {"lock-only"}


def test_sample_data_is_not_compared() -> None:
    path = "tests/fixtures/app/package.json"
    head = json.dumps({"scripts": {"postinstall": "node x.js"}, "dependencies": {"a": "1"}})
    assert not found(notes_between({path: "{}"}, {path: head}))


def test_a_lock_file_of_a_workspace_belongs_to_the_manifests_below_it() -> None:
    lock = PNPM.replace("  .:\n", "  packages/web:\n")
    old, new = (
        package_json(dependencies={"left-pad": "^1.3.0"}),
        package_json(dependencies={"left-pad": "^2.0.0"}),
    )
    path = "packages/web/package.json"
    notes = notes_between({path: old}, {path: new}, {"pnpm-lock.yaml": lock})
    assert [(item.change.value, item.name, item.manifest) for item in notes.locks] == [
        ("unsatisfied", "left-pad", path)
    ]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package.json", "{"),
        ("bun.lockb", "\0"),
        ("uv.lock", "\0"),
        ("pnpm-workspace.yaml", "a: &a [1]\nb: *a\n"),
    ],
)
def test_a_file_that_cannot_be_read_is_noted_and_removes_nothing(path: str, text: str) -> None:
    base = package_json(dependencies={"a": "1"}) if path == "package.json" else ""
    notes = notes_between({path: base}, {path: text})
    assert ("lock", "unreadable", "") in found(notes)
    assert not notes.dependencies


def test_an_archive_of_the_repository_itself_may_have_another_content() -> None:
    local = PNPM.replace("left-pad@1.3.0", "left-pad@file:../left-pad.tgz")
    notes = notes_between({"pnpm-lock.yaml": local}, {"pnpm-lock.yaml": local.replace("AAAA", "BBBB")})
    assert {item.change.value for item in notes.locks} == {"lock-only"}
