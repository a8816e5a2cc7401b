"""The requirements that tox and nox install into environments in which they run tests."""

from __future__ import annotations

import ast
import configparser
import posixpath
from collections.abc import Iterator

from wardround.checks.lazy import LazyPattern
from wardround.languages.python.module import last_name
from wardround.workflows.environments.requirements import LocalProject, Requirements, parse
from wardround.workflows.environments.tree_files import TreeFiles
from wardround.workflows.test.projects import table, texts

TASK_FILES = ("tox.ini", "noxfile.py")
_FRAMEWORK = LazyPattern(r"\b(?:pytest|py\.test|unittest)\b")
_CONDITIONAL = LazyPattern(r"^[\w!.,{}-]+:[ \t]")
_FOLDER = LazyPattern(r"^\.(?:\[([\w., -]{1,200})\])?$")


def task_requirements(folder: str, files: TreeFiles) -> Requirements:
    """Return what the environments that run a framework of tests install.

    Lines for some factors of tox alone, and lines with substitutions, are left out, as are arguments of nox
    that are not literal.
    """
    found = Requirements()
    for line in (*_tox(folder, files), *_nox(files.text(posixpath.join(folder, "noxfile.py")) or "")):
        if local := _FOLDER.search(line):
            extras = tuple(sorted(one.strip() for one in (local[1] or "").split(",") if one.strip()))
            found += Requirements(projects=(LocalProject(folder, extras),)) if extras else Requirements()
        elif "{" not in line and not _CONDITIONAL.search(line):
            found += parse(posixpath.join(folder, "tox.ini"), line, files.text)
    return found


def _tox(folder: str, files: TreeFiles) -> Iterator[str]:
    settings = table(files.table(posixpath.join(folder, "pyproject.toml")), "tool", "tox")
    legacy = settings.get("legacy_tox_ini")
    yield from _ini(files.text(posixpath.join(folder, "tox.ini")) or "")
    yield from _ini(legacy if isinstance(legacy, str) else "")
    base = table(settings, "env_run_base")
    if _FRAMEWORK.search(str(base.get("commands"))):
        yield from _with_extras([*texts(base.get("deps"))], [*texts(base.get("extras"))])


def _ini(text: str) -> Iterator[str]:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except (configparser.Error, ValueError):
        return
    for section in parser.sections():
        if section == "testenv" or section.startswith("testenv:"):
            options = dict(parser.items(section))
            if _FRAMEWORK.search(options.get("commands") or ""):
                yield from _with_extras(_lines(options.get("deps")), _lines(options.get("extras")))


def _with_extras(lines: list[str], extras: list[str]) -> list[str]:
    names = [one for each in extras for one in each.replace(",", " ").split()]
    return [*lines, *([f".[{','.join(names)}]"] if names else [])]


def _lines(value: str | None) -> list[str]:
    """Return the lines of a value, those of files of requirements with a blank after the option."""
    lines = (line.strip() for line in (value or "").splitlines())
    return [f"-r {line[2:].strip()}" if line.startswith("-r") else line for line in lines if line]


def _nox(text: str) -> Iterator[str]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for one in tree.body:
        if isinstance(one, ast.FunctionDef) and _is_session(one) and _FRAMEWORK.search(_literals(one)):
            yield from _installed(one)


def _is_session(node: ast.FunctionDef) -> bool:
    names = (one.func if isinstance(one, ast.Call) else one for one in node.decorator_list)
    return any(last_name(one) == "session" for one in names)


def _literals(node: ast.AST) -> str:
    """Return the texts that calls of ``run`` have, one a line."""
    calls = _calls(node, "run")
    nodes = (one for call in calls for one in ast.walk(call))
    return "\n".join(str(one.value) for one in nodes if isinstance(one, ast.Constant))


def _installed(node: ast.FunctionDef) -> Iterator[str]:
    for call in _calls(node, "install"):
        words = [str(one.value) if isinstance(one, ast.Constant) else "" for one in call.args]
        option = ""
        for word in words:
            if option == "-r" and word:
                yield f"-r {word}"
            elif not option and word and not word.startswith("-"):
                yield word
            option = word if word in ("-r", "-c") else ""


def _calls(node: ast.AST, name: str) -> list[ast.Call]:
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
    return [one for one in calls if last_name(one.func) == name]
