"""The key of an environment covers every file that affects its build."""

from __future__ import annotations

import pytest

from wardround.workflows.environments.python_build import python_key
from wardround.workflows.environments.tree_files import TreeFiles
from wardround.workflows.test.project.projects import DetectedProject

FLIT = "[project]\nname = 'demo'\n[build-system]\nbuild-backend = 'flit_core.buildapi'"
PROJECT = DetectedProject("", "python")


def key(files: dict[str, str]) -> str:
    return python_key(PROJECT, TreeFiles(files, lambda path: files[path].encode() if path in files else None))


@pytest.mark.parametrize(
    ("files", "deciding"),
    [
        ({"setup.py": "import hooks"}, "hooks.py"),
        ({"setup.py": "import hooks"}, "demo/core.py"),
        ({"setup.py": "exec(open('demo/' + 'core.py').read())"}, "demo/core.py"),
        ({"setup.py": "broken("}, "demo/core.py"),
        ({"setup.py": "read(here, 'deps', 'base.txt')"}, "deps/base.txt"),
        ({"setup.cfg": "[metadata]\nversion = attr: demo.version\n"}, "demo/__init__.py"),
        ({"setup.cfg": "[options]\ninstall_requires = file: base.txt, deps/base.txt\n"}, "deps/base.txt"),
        ({"pyproject.toml": "[tool.setuptools.dynamic]\nversion = {attr = 'demo.a'}"}, "demo/core.py"),
        (
            {"pyproject.toml": "[tool.setuptools.dynamic]\ndependencies = {file = ['deps/base.txt']}"},
            "deps/base.txt",
        ),
        ({"pyproject.toml": "[tool.hatch.build.hooks.custom]", "hatch_build.py": ""}, "hatch_build.py"),
        ({"pyproject.toml": "[tool.hatch.version]\npath = 'demo/core.py'"}, "demo/core.py"),
        ({"pyproject.toml": "[tool.pdm.build]\ncustom-hook = 'hooks.py'"}, "hooks.py"),
        ({"pyproject.toml": "[tool.poetry.build]\nscript = 'hooks.py'"}, "hooks.py"),
        (
            {"pyproject.toml": "[tool.scikit-build.metadata.version]\nprovider-path = 'tools'"},
            "demo/core.py",
        ),
        ({"setup.py": "setup(cffi_modules=['hooks.py:ffi'])"}, "demo/core.py"),
        ({"setup.py": "SourceFileLoader('hooks', 'hooks.py').load_module()"}, "demo/core.py"),
        ({"setup.py": "import imp; imp.load_source('hooks', 'hooks.py')"}, "demo/core.py"),
        ({"setup.py": "import os; os.spawnv(os.P_WAIT, 'hooks.py', [])"}, "demo/core.py"),
        (
            {"setup.py": "import sys; sys.path.insert(0, 'deps'); import own", "deps/own.py": ""},
            "deps/own.py",
        ),
        ({"setup.py": "[open(path).read() for path in glob('deps/*.txt')]"}, "deps/base.txt"),
        ({"setup.py": "[open('deps/' + name).read() for name in os.listdir('deps')]"}, "deps/base.txt"),
        ({"setup.py": "[open(f'deps/{name}.txt').read() for name in NAMES]"}, "deps/base.txt"),
        ({"setup.py": "open('deps/' + NAME + '.txt')"}, "deps/base.txt"),
        ({"setup.py": "open('deps/%s.txt' % NAME)"}, "deps/base.txt"),
        ({"setup.py": "open('deps/{}.txt'.format(NAME))"}, "deps/base.txt"),
        ({"setup.cfg": "[options]\ncmdclass =\n  build_py = hooks.Build\n"}, "hooks.py"),
        ({"pyproject.toml": "[tool.setuptools]\ncmdclass = {build_ext = 'hooks.Build'}"}, "hooks.py"),
        (
            {"pyproject.toml": "[build-system]\nbackend-path = ['tools']", "tools/own.py": "import demo"},
            "demo/core.py",
        ),
        (
            {
                "pyproject.toml": FLIT,
                "demo/__init__.py": "from demo.core import __version__",
            },
            "demo/core.py",
        ),
        (
            {"meson.build": "run_command(py, files('deps/run.py'))", "a.c": "", "deps/run.py": ""},
            "deps/run.py",
        ),
        (
            {"CMakeLists.txt": "execute_process(COMMAND python deps/run.py)", "a.c": "", "deps/run.py": ""},
            "deps/run.py",
        ),
        ({"build.rs": 'include_str!("deps/base.txt");', "a.rs": ""}, "deps/base.txt"),
        ({"requirements.txt": "-e ./lib", "lib/setup.py": "import own", "lib/own.py": ""}, "lib/own.py"),
        ({"requirements.txt": "-e ./lib", "lib/pyproject.toml": ""}, "lib/pyproject.toml"),
    ],
)
def test_what_a_build_runs_and_reads_is_part_of_the_key(files: dict[str, str], deciding: str) -> None:
    tree = {"pyproject.toml": "[build-system]\nrequires = []\n", "demo/__init__.py": "version = 1"}
    tree |= {"demo/core.py": "", "hooks.py": "", "deps/base.txt": "", "setup.py": "import setuptools"} | files
    changed = "[tool.uv]\nx = 1" if deciding.endswith(".toml") else "changed()"

    assert key(tree) != key(tree | {deciding: changed})


@pytest.mark.parametrize(
    "files",
    [
        {"setup.py": "import re, setuptools; setuptools.setup(long_description=open('README.md').read())"},
        {"setup.cfg": "[metadata]\nversion = attr: demo.version\nlong_description = file: README.md\n"},
        {"pyproject.toml": "[tool.setuptools.dynamic]\nversion = {attr = 'demo.version'}"},
        {"pyproject.toml": "[tool.poetry]\npackages = [{include = 'demo'}]"},
        {"setup.py": "setup(name=f'{a}-b', url='https://x.org/%s' % b, packages=find_packages())"},
        {"pyproject.toml": "[build-system]\nbackend-path = ['tools']", "tools/own.py": "import setuptools"},
        {
            "pyproject.toml": FLIT,
            "demo/__init__.py": "__version__ = '1'",
        },
    ],
)
def test_an_environment_is_used_again_after_a_change_of_what_its_build_does_not_read(
    files: dict[str, str],
) -> None:
    tree = {"pyproject.toml": "", "demo/__init__.py": "version = 1", "demo/core.py": "", "README.md": ""}
    tree |= {"setup.py": ""} | files

    assert key(tree) == key(tree | {"demo/core.py": "changed()", "README.md": "changed"})
