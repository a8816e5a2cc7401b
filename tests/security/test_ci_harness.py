"""Hostile checkouts, each run through the Action and the Jenkinsfile.

Anything of a change that is started leaves a canary; every file outside the folders that a run may write to
is compared before and after, byte for byte.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import sysconfig
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import pytest
from uv import find_uv_bin

from tests import ci_runs
from tests.ci_runs import ROOT, Event, Runner
from tests.conftest import GitRepository
from tests.delivery.github_api import TOKEN, GithubApi

PYTHON = "open({canary!r}, 'a').write(__file__)\n"
SHELL = '#!/bin/sh\necho "$0" >> {canary}\n'
NODE = "require('fs').writeFileSync({canary!r}, __filename);\n"
MODULE = "import fs from 'node:fs'; fs.writeFileSync({canary!r}, 'x'); export default {{}};\n"
APP = {"app.py": "import json\n\n\ndef f(x: str) -> object:\n    return json.loads(x)\n"}
WEB = {"web/app.js": "export const a = 1;\n", "web/app.ts": "export const b: number = 1;\n"}
SQL = {"q.sql": "SELECT 1;\n"}
DOCKER = {"Dockerfile": "FROM debian:12\nRUN echo a\n"}
WORKFLOW = {
    ".github/workflows/x.yml": "on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps: [{run: echo}]\n"
}
SCRIPT = {"run.sh": "#!/bin/sh\necho a\n"}


@dataclass(frozen=True)
class Attack:
    """The files of a hostile change, its links, and the variables and git settings of the workflow."""

    files: Mapping[str, str]
    links: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    programs: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)


def _modules(*names: str) -> dict[str, str]:
    return dict.fromkeys(names, PYTHON)


WITH_WORKSPACE = {"PATH": "{root}:{root}/bin:{root}/node_modules/.bin:.:bin:{path}"}
GITMODULES = '[submodule "x"]\n\tpath = {path}\n\turl = {url}\n'
ATTACKS: dict[str, Attack] = {
    # Modules that Python would import from its current directory, from PYTHONPATH or while it starts
    "venv.py": Attack({**APP, **_modules("venv.py")}),
    "venv package": Attack({**APP, **_modules("venv/__init__.py", "venv/__main__.py")}),
    "pip.py": Attack({**APP, **_modules("pip.py")}),
    "pip package": Attack({**APP, **_modules("pip/__init__.py", "pip/__main__.py")}),
    "ensurepip": Attack({**APP, **_modules("ensurepip/__init__.py", "ensurepip/__main__.py")}),
    "json.py": Attack({**APP, **_modules("json.py", "typing.py", "os.py", "re.py")}),
    "encodings": Attack({**APP, **_modules("encodings/__init__.py", "codecs.py", "io.py")}),
    "sitecustomize.py": Attack({**APP, **_modules("sitecustomize.py")}),
    "usercustomize.py": Attack({**APP, **_modules("usercustomize.py", "site.py")}),
    "wardround.py": Attack({**APP, **_modules("wardround.py")}),
    "wardround package": Attack({**APP, **_modules("wardround/__init__.py", "wardround/__main__.py")}),
    "dependencies": Attack({**APP, **_modules("click.py", "msgspec.py", "pluggy.py", "yaml/__init__.py")}),
    "plugin": Attack({**APP, **_modules("wardround_python/__init__.py", "wardround_sql/__init__.py")}),
    "tools as modules": Attack({**APP, **_modules("semgrep/__init__.py", "pyright/__main__.py", "ruff.py")}),
    "PYTHONPATH names the workspace": Attack(
        {**APP, **_modules("json.py", "sitecustomize.py", "click.py")}, env={"PYTHONPATH": "{root}:."}
    ),
    "PYTHONSTARTUP and PYTHONHOME": Attack(
        {**APP, **_modules("start.py")}, env={"PYTHONSTARTUP": "{root}/start.py", "PYTHONUSERBASE": "{root}"}
    ),
    "pth file": Attack({**APP, "evil.pth": "import os; os.system('touch {canary}')\n"}),
    # Installation
    "build backend in the tree": Attack(
        {
            **APP,
            **_modules("backend.py", "setup.py"),
            "pyproject.toml": "[build-system]\nrequires = []\nbuild-backend = 'backend'\n"
            "backend-path = ['.']\n",
            "setup.cfg": "[metadata]\nname = wardround\n",
        }
    ),
    "pip configuration": Attack(
        {
            **APP,
            "pip.conf": "[install]\ntarget = {canary}\n",
            ".pip/pip.conf": "[global]\nindex-url = file:///\n",
            ".config/pip/pip.conf": "[install]\ntarget = {canary}\n",
        }
    ),
    "requirements": Attack({**APP, "requirements.txt": "./\n", **_modules("setup.py")}),
    # Programs
    "environment with an interpreter": Attack(
        {**APP, ".venv/bin/python": SHELL, "venv/bin/python": SHELL, ".venv/pyvenv.cfg": "home = /usr/bin\n"},
        programs=(".venv/bin/python", "venv/bin/python"),
    ),
    "git on a relative PATH": Attack(
        {**APP, "git": SHELL, "bin/git": SHELL}, env=WITH_WORKSPACE, programs=("git", "bin/git")
    ),
    "python on a relative PATH": Attack(
        {**APP, "python3": SHELL, "bin/python3": SHELL, "mktemp": SHELL},
        env=WITH_WORKSPACE,
        programs=("python3", "bin/python3", "mktemp"),
    ),
    "tools on a relative PATH": Attack(
        {
            **APP,
            **DOCKER,
            **SCRIPT,
            "bin/hadolint": SHELL,
            "bin/checkov": SHELL,
            "ruff": SHELL,
            "node": SHELL,
        },
        env=WITH_WORKSPACE,
        programs=("bin/hadolint", "bin/checkov", "ruff", "node"),
    ),
    "programs of node_modules": Attack(
        {
            **WEB,
            "node_modules/.bin/eslint": SHELL,
            "node_modules/.bin/tsc": SHELL,
            "node_modules/eslint/package.json": "{{}}",
            "node_modules/eslint/bin/eslint.js": NODE,
        },
        env=WITH_WORKSPACE,
        programs=("node_modules/.bin/eslint", "node_modules/.bin/tsc"),
    ),
    "shell startup": Attack(
        {
            **APP,
            ".bashrc": SHELL,
            ".profile": SHELL,
            ".bash_profile": SHELL,
            ".envrc": SHELL,
            "env.sh": SHELL,
        },
        env={"BASH_ENV": "{root}/env.sh", "ENV": "{root}/env.sh"},
    ),
    "make, npm and pre-commit": Attack(
        {
            **APP,
            "Makefile": "all:\n\ttouch {canary}\n",
            "package.json": '{{"scripts": {{"preinstall": "touch {canary}"}}}}\n',
            ".npmrc": "node-options=--require=./evil.js\n",
            "evil.js": NODE,
            ".yarnrc.yml": "yarnPath: evil.js\n",
            ".pre-commit-config.yaml": "repos:\n- repo: local\n  hooks:\n  - {{id: x, name: x, "
            "language: system, "
            "entry: touch {canary}}}\n",
        }
    ),
    # Git
    "git hooks": Attack(
        {
            **APP,
            ".husky/reference-transaction": SHELL,
            ".husky/post-index-change": SHELL,
            ".husky/post-checkout": SHELL,
        },
        programs=(".husky/reference-transaction", ".husky/post-index-change", ".husky/post-checkout"),
        settings={"core.hooksPath": ".husky"},
    ),
    "file system monitor": Attack(
        {**APP, "monitor": SHELL}, programs=("monitor",), settings={"core.fsmonitor": "./monitor"}
    ),
    "attributes with a driver": Attack(
        {**APP, ".gitattributes": "*.py diff=evil textconv=evil merge=evil filter=evil\n", "driver": SHELL},
        programs=("driver",),
        settings={
            "diff.evil.textconv": "./driver",
            "diff.evil.command": "./driver",
            "merge.evil.driver": "./driver",
            "filter.evil.clean": "./driver",
            "filter.evil.smudge": "./driver",
        },
    ),
    "submodule by a command": Attack(
        {**APP, ".gitmodules": GITMODULES.format(path="sub", url="ext::touch {canary}")}
    ),
    "submodule by an option": Attack(
        {**APP, ".gitmodules": GITMODULES.format(path="-x", url="--upload-pack=touch {canary}")}
    ),
    "configuration of git": Attack(
        {**APP, ".gitconfig": "[core]\n\tfsmonitor = touch {canary}\n", ".git-blame-ignore-revs": "--x\n"}
    ),
    # Configuration of tools that is code, or names code
    "eslint": Attack(
        {**WEB, "eslint.config.js": NODE, ".eslintrc.js": NODE, "web/eslint.config.mjs": MODULE}
    ),
    "oxlint": Attack(
        {
            **WEB,
            "oxlint.config.ts": MODULE,
            ".oxlintrc.json": '{{"jsPlugins": ["./evil.js"]}}',
            "evil.js": NODE,
        }
    ),
    "biome": Attack(
        {**WEB, "biome.json": '{{"plugins": ["./evil.grit"]}}', "evil.grit": "`a`\n", "biome": SHELL},
        programs=("biome",),
    ),
    "tsc": Attack(
        {
            **WEB,
            "tsconfig.json": '{{"compilerOptions": {{"plugins": [{{"name": "./evil.js"}}]}}}}',
            "evil.js": NODE,
        }
    ),
    "semgrep": Attack(
        {
            **APP,
            ".semgrep.yml": "rules: []\n",
            ".semgrep/settings.yml": "a: b\n",
            ".semgrepignore": "*\n",
            "semgrep.py": PYTHON,
        }
    ),
    "pyright and ty": Attack(
        {
            **APP,
            "pyrightconfig.json": '{{"venvPath": ".", "venv": "e"}}',
            "e/bin/python": SHELL,
            "ty.toml": "[environment]\npython = './e'\n",
            "e/pyvenv.cfg": "home = /usr/bin\n",
        },
        programs=("e/bin/python",),
    ),
    "ruff": Attack(
        {**APP, "ruff.toml": "extend = '/etc/passwd'\n", "web/ruff.toml": "extend = '../../../x.toml'\n"}
    ),
    "ast-grep": Attack(
        {
            **APP,
            **WEB,
            "sgconfig.yml": "customLanguages:\n  e: {{libraryPath: ./e.so, extensions: [py]}}\n",
            "e.so": "x",
        }
    ),
    "sqlfluff": Attack(
        {
            **SQL,
            ".sqlfluff": "[sqlfluff]\ntemplater = python\nlibrary_path = lib\n",
            **_modules("lib/evil.py"),
        }
    ),
    "hadolint, shellcheck and checkov": Attack(
        {
            **DOCKER,
            **SCRIPT,
            ".hadolint.yaml": "trustedRegistries: [x]\n",
            ".shellcheckrc": "external-sources=true\nsource-path=/etc\n",
            ".checkov.yaml": "external-checks-dir: [checks]\n",
            **_modules("checks/__init__.py", "checks/evil.py"),
        }
    ),
    "actionlint and zizmor": Attack(
        {
            **WORKFLOW,
            ".github/actionlint.yaml": "self-hosted-runner: {{labels: [x]}}\n",
            ".github/zizmor.yml": "rules: {{}}\n",
            "shellcheck": SHELL,
            "pyflakes": SHELL,
        },
        programs=("shellcheck", "pyflakes"),
        env=WITH_WORKSPACE,
    ),
    "gitleaks": Attack(
        {**APP, ".gitleaks.toml": "[extend]\npath = '/etc/passwd'\n", ".gitleaksignore": "*\n"}
    ),
    "pytest": Attack(
        {
            **APP,
            **_modules("conftest.py", "tests/conftest.py", "tests/test_a.py"),
            "pytest.ini": "[pytest]\naddopts = -p evil\n",
        }
    ),
    # Reports
    "reports behind a link": Attack(
        {"a.txt": "a\n"}, links={"wardround-reports": "../victims", "reports": "../victims"}
    ),
    "report that is a link": Attack(
        {"a.txt": "a\n"},
        links={
            "wardround-reports/report.txt": "../../victims/victim",
            "reports/report.json": "../../victims/victim",
        },
    ),
    "report that is committed": Attack(
        {f"wardround-reports/report.{kind}": "# all green\n" for kind in ("txt", "json", "sarif")}
    ),
    # Names
    "names that are workflow commands": Attack(
        {
            "a\n::add-mask::secret\n.py": APP["app.py"],
            "::error::x.py": APP["app.py"],
            "a\r::stop-commands::x": "a",
        }
    ),
    "names that are options": Attack(
        {
            "--config=evil.py": "a",
            "-rf": "a",
            "--upload-pack=x.sh": SHELL,
            "-c.py": APP["app.py"],
            "@args.py": APP["app.py"],
        }
    ),
    "names with shell syntax": Attack(
        {"$(touch canary).py": APP["app.py"], "`touch canary`.sh": SHELL, ";touch canary;.sql": "SELECT 1;\n"}
    ),
    "huge names": Attack(
        {f"{'a' * 251}.py": APP["app.py"], "/".join(["d" * 100] * 12) + "/a.py": APP["app.py"]}
    ),
    # Links
    "links out of the repository": Attack(
        {**APP},
        links={"passwd.py": "/etc/passwd", "etc": "/etc", "up": "..", "root.sql": "../victims/victim"},
    ),
    "links in place of settings": Attack(
        {**APP},
        links={
            "ruff.toml": "/etc/passwd",
            "pyproject.toml": "../victims/victim",
            ".wardround.toml": "/dev/zero",
        },
    ),
    "loops of links": Attack({**APP}, links={"a": "b", "b": "a", "self": "self", "src/loop": ".."}),
}


CHECKOUTS: dict[str, tuple[str, ...]] = {
    "modules": (
        "venv.py", "pip.py", "ensurepip", "json.py", "encodings", "sitecustomize.py", "usercustomize.py",
        "wardround.py", "dependencies", "plugin", "tools as modules", "PYTHONSTARTUP and PYTHONHOME",
        "pth file",
    ),
    "packages": (
        "venv package", "pip package", "wardround package", "PYTHONPATH names the workspace",
        "build backend in the tree", "pip configuration", "requirements", "semgrep", "pytest",
    ),
    "programs": (
        "environment with an interpreter", "git on a relative PATH", "python on a relative PATH",
        "tools on a relative PATH", "programs of node_modules", "actionlint and zizmor", "biome",
    ),
    "shell and git": (
        "shell startup", "make, npm and pre-commit", "git hooks", "file system monitor",
        "attributes with a driver", "submodule by a command", "configuration of git",
    ),
    "configuration of tools": (
        "submodule by an option", "eslint", "oxlint", "tsc", "pyright and ty", "ruff", "ast-grep", "sqlfluff",
        "hadolint, shellcheck and checkov", "gitleaks",
    ),
    "names": (
        "names that are workflow commands", "names that are options", "names with shell syntax", "huge names",
    ),
    "links": ("links out of the repository", "loops of links"),
    **{name: (name,) for name in (
        "reports behind a link", "report that is a link", "report that is committed",
        "links in place of settings",
    )},
}  # fmt: skip
"""The attacks by the checkout that has them: a canary names the file that was started."""


def _together(names: Iterable[str]) -> Attack:
    """Return one attack with the parts of several ones, none of which overlap."""
    attacks = [ATTACKS[name] for name in names]
    return Attack(
        _united(attack.files for attack in attacks),
        _united(attack.links for attack in attacks),
        _united(attack.env for attack in attacks),
        tuple(path for attack in attacks for path in attack.programs),
        _united(attack.settings for attack in attacks),
    )


def _united(parts: Iterable[Mapping[str, str]]) -> dict[str, str]:
    united: dict[str, str] = {}
    for part in parts:
        assert all(united.get(name, value) == value for name, value in part.items()), part
        united |= part
    return united


def _plant(repo: GitRepository, attack: Attack, canary: Path) -> None:
    for path, content in attack.files.items():
        text = content.format(canary=str(canary)) if "{canary" in content or "{{" in content else content
        repo.write(path, text)
    for path, target in attack.links.items():
        (repo.root / path).parent.mkdir(parents=True, exist_ok=True)
        (repo.root / path).unlink(missing_ok=True)
        (repo.root / path).symlink_to(target)
    for path in attack.programs:
        (repo.root / path).chmod(0o755)


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    (tmp_path / "canaries").mkdir()
    return tmp_path / "canaries" / "canary"


@pytest.fixture
def victims(tmp_path: Path) -> Path:
    (tmp_path / "victims").mkdir()
    (tmp_path / "victims" / "victim").write_text("precious\n")
    return tmp_path / "victims"


Attacked = tuple[GitRepository, str, str]


def _attacked(repo: GitRepository, attack: Attack, canary: Path) -> Attacked:
    base = repo.commit({"README.md": "a\n"})
    _plant(repo, attack, canary)
    head = repo.commit()
    for name, value in attack.settings.items():
        repo.git("config", name, value)
    canary.unlink(missing_ok=True)
    return repo, base, head


def _environment(attack: Attack, repo: GitRepository) -> dict[str, str]:
    path = os.environ["PATH"]
    return {name: value.format(root=repo.root, path=path) for name, value in attack.env.items()}


def _states(top: Path, *except_for: Path) -> dict[str, tuple[int, str]]:
    """Mode and content of all files below a folder, except folders that a run may write to."""
    found = {}
    for path in _everything(top, except_for):
        mode, content = path.lstat().st_mode, b""
        if stat.S_ISLNK(mode):
            content = os.fsencode(os.readlink(path))
        elif stat.S_ISREG(mode):
            content = path.read_bytes()
        found[str(path.relative_to(top))] = (mode, hashlib.sha256(content).hexdigest())
    return found


def _everything(top: Path, except_for: tuple[Path, ...]) -> Iterator[Path]:
    for entry in os.scandir(top):
        path = Path(entry.path)
        if path not in except_for:
            yield path
            if entry.is_dir(follow_symlinks=False):
                yield from _everything(path, except_for)


def _allowed(tmp_path: Path) -> tuple[Path, ...]:
    """The folders of the two systems, and the cache and the state folder of wardround itself."""
    return (tmp_path / "runner", tmp_path / "jenkins", tmp_path / "places/cache", tmp_path / "places/state")


def test_there_are_forty_attacks_each_in_one_checkout() -> None:
    assert len(ATTACKS) >= 40
    assert sorted(chain.from_iterable(CHECKOUTS.values())) == sorted(ATTACKS)


@pytest.mark.parametrize("name", CHECKOUTS)
def test_no_program_of_a_hostile_checkout_starts_and_nothing_is_written(
    repo: GitRepository, tmp_path: Path, canary: Path, victims: Path, name: str
) -> None:
    attack = _together(CHECKOUTS[name])
    _, base, head = _attacked(repo, attack, canary)
    env = _environment(attack, repo)
    before = _states(tmp_path, *_allowed(tmp_path))

    ran = Runner(tmp_path / "runner").run(repo.root, Event.push(base, head), env=env)
    build = {"GIT_PREVIOUS_SUCCESSFUL_COMMIT": base, **env}
    done, reports = ci_runs.run_jenkins(repo.root, tmp_path / "jenkins", build)

    assert not canary.exists(), canary.read_text()
    assert _states(tmp_path, *_allowed(tmp_path)) == before
    for status, text in ((ran.done.returncode, ran.done.stderr), (done.returncode, done.stderr)):
        assert status in (0, 1, 2, 4), text
        assert "Traceback" not in text
        assert status != 2 or len(CHECKOUTS[name]) == 1, (
            text
        )  # an attack must not end the review before another
    if ran.done.returncode != 2:
        assert (ran.report["context"]["base"], ran.report["context"]["head"]) == (base, head)
        names = sorted(path.name for path in ran.uploaded)
        assert sorted(os.listdir(ran.uploaded[0].parent)) == sorted(os.listdir(reports)) == names
        assert "all green" not in ran.summary


def test_a_hostile_checkout_starts_no_program_in_the_step_that_has_the_token(
    repo: GitRepository, tmp_path: Path, canary: Path
) -> None:
    attack = _together([*CHECKOUTS["shell and git"], *CHECKOUTS["programs"]])
    _, base, head = _attacked(repo, attack, canary)
    host = GithubApi(head, {})
    with host.server.serve() as api:
        env = {**_environment(attack, repo), "GITHUB_API_URL": api, "GITHUB_REPOSITORY": "acme/shop"}
        given = {"comment": "auto", "token": TOKEN}
        ran = Runner(tmp_path / "runner").run(repo.root, Event.pull_request(base, head), given, env)

    assert not canary.exists(), canary.read_text()
    assert ran.later["comment"].returncode == 0, ran.later["comment"].stderr
    assert len(host.summaries()) == 1
    files = [Path(folder) / name for folder, _, names in os.walk(tmp_path) for name in names]
    assert not [file for file in files if file.is_file() and TOKEN.encode() in file.read_bytes()]


def _runs_commands(stdout: str) -> list[str]:
    """The lines in which GitHub's runner would search a command."""
    return [line for line in stdout.splitlines() if line.lstrip().startswith("::")]


def test_a_name_of_the_change_starts_no_workflow_command(
    repo: GitRepository, tmp_path: Path, canary: Path
) -> None:
    _, base, head = _attacked(repo, ATTACKS["names that are workflow commands"], canary)
    ran = Runner(tmp_path / "runner").run(repo.root, Event.push(base, head))
    kinds = {line.split("::")[1].split(" ")[0] for line in _runs_commands(ran.done.stdout)}
    assert "add-mask" not in kinds
    assert _runs_commands(ran.done.stderr) == []
    assert "\n::" not in ran.summary


# The installation itself: a virtual environment and pip for real, only the distributions come from here.

BACKEND = """\
import sys, zipfile
LINES = {lines!r}
def build_wheel(folder, config_settings=None, metadata_directory=None):
    name = "wardround-0-py3-none-any.whl"
    with zipfile.ZipFile(folder + "/" + name, "w") as wheel:
        wheel.writestr("wardround_of_tests.pth", "\\n".join(LINES) + "\\n")
        wheel.writestr("wardround-0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: wardround\\nVersion: 0\\n")
        wheel.writestr("wardround-0.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr("wardround-0.dist-info/RECORD", "")
    return name
"""  # noqa: E501


def _wheel_of_uv(folder: Path) -> str:
    """Make a wheel of the uv that the tests have installed, and return its line of requirements."""
    folder.mkdir()
    wheel = folder / "uv-0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as opened:
        opened.write(find_uv_bin(), "uv-0.data/scripts/uv")
        opened.writestr("uv-0.dist-info/METADATA", "Metadata-Version: 2.1\nName: uv\nVersion: 0\n")
        kind = "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        opened.writestr("uv-0.dist-info/WHEEL", kind)
        opened.writestr("uv-0.dist-info/RECORD", "")
    return f"uv==0 --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The trusted source of wardround, which builds without a network to what the tests have installed."""
    folder = tmp_path / "runner-source"
    shutil.copytree(ROOT / ".ci", folder / ".ci")
    (folder / ".github/requirements").mkdir(parents=True)
    for name in ("build", "all"):
        (folder / ".github/requirements" / f"{name}.txt").write_text("# nothing, as there is no network\n")
    (folder / ".github/requirements/uv.txt").write_text(_wheel_of_uv(tmp_path / "runner-wheels"))
    site = sysconfig.get_path("purelib")
    (folder / "backend.py").write_text(BACKEND.format(lines=[f"import site; site.addsitedir({site!r})"]))
    build = "[build-system]\nrequires = []\nbuild-backend = 'backend'\nbackend-path = ['.']\n"
    (folder / "pyproject.toml").write_text(f"{build}[project]\nname = 'wardround'\nversion = '0'\n")
    return folder


AT_START = list(ATTACKS)[: list(ATTACKS).index("environment with an interpreter")]
"""The attacks on the start of Python and on the installation."""


@pytest.mark.parametrize("system", ["github", "jenkins"])
def test_no_program_of_a_hostile_checkout_starts_during_the_installation(
    repo: GitRepository, tmp_path: Path, canary: Path, source: Path, system: str
) -> None:
    """All of the attacks on Python and pip at once; none is to be imported, so none can hide another."""
    attacks = [ATTACKS[name] for name in AT_START]
    files = {path: text for attack in attacks for path, text in attack.files.items()}
    env = {
        **WITH_WORKSPACE,
        "PYTHONPATH": "{root}:.",
        "PYTHONSTARTUP": "{root}/start.py",
        "BASH_ENV": "{root}/env.sh",
    }
    programs = dict.fromkeys(("python3", "bin/python3", "bin/git", "mktemp", "env.sh"), SHELL)
    attack = Attack({**files, **programs, "app.py": "x = 1\n"}, env=env, programs=tuple(programs))
    _, base, head = _attacked(repo, attack, canary)
    tree = repo.fingerprint()
    around = {
        **_environment(attack, repo),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(tmp_path / "runner-wheels"),
    }

    if system == "github":
        ran = Runner(tmp_path / "runner", installs=True).run(
            repo.root, Event.push(base, head), {"extras": "all"}, around, source
        )
        done = ran.done
    else:
        around |= {"WARDROUND_SOURCE": str(source), "GIT_PREVIOUS_SUCCESSFUL_COMMIT": base}
        done, _ = ci_runs.run_jenkins(repo.root, tmp_path / "jenkins", around, installs=True)

    assert not canary.exists(), canary.read_text()
    assert done.returncode in (0, 1, 4), done.stderr
    assert repo.fingerprint() == tree


def test_an_installation_from_the_workspace_is_rejected(
    repo: GitRepository, tmp_path: Path, source: Path
) -> None:
    shutil.copytree(source, repo.root, dirs_exist_ok=True)
    repo.commit()
    env = {"WARDROUND_SOURCE": str(repo.root)}
    done, _ = ci_runs.run_jenkins(repo.root, tmp_path / "jenkins", env, installs=True)
    assert done.returncode == 2
    assert f"{repo.root} is in the workspace" in done.stderr


def test_an_installation_that_is_not_isolated_is_rejected(tmp_path: Path) -> None:
    here = GitRepository(tmp_path)
    done = here.run(sys.executable, ROOT / ".ci/install.py", tmp_path / "venv")
    assert (done.returncode, "start it as python3 -I" in done.stderr) == (2, True)


@pytest.mark.parametrize("extras", ["nothing", "all,../../x", "--index-url=x", "all;touch x"])
def test_a_set_that_does_not_exist_is_rejected(tmp_path: Path, extras: str) -> None:
    here = GitRepository(tmp_path)
    argv = (sys.executable, "-I", ROOT / ".ci/install.py", f"--extras={extras}", tmp_path / "venv")
    done = here.run(*argv)
    assert (done.returncode, list(tmp_path.glob("venv"))) == (2, [])
    assert "there is no set" in done.stderr


def test_a_directory_that_exists_is_not_installed_into(tmp_path: Path, source: Path) -> None:
    (tmp_path / "venv").mkdir()
    argv = (sys.executable, "-I", source / ".ci/install.py", tmp_path / "venv")
    done = GitRepository(tmp_path).run(*argv)
    assert (done.returncode, os.listdir(tmp_path / "venv")) == (2, [])
