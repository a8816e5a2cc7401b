"""The requirements that tox and nox install into environments in which they run tests."""

from __future__ import annotations

import ast
import configparser
import posixpath
from collections.abc import Iterable, Iterator

from wardround.languages.python.module import last_name
from wardround.lazy import LazyPattern
from wardround.workflows.environments.requirements import LocalProject, Requirements, parse
from wardround.workflows.environments.tree_files import TreeFiles
from wardround.workflows.test.project.projects import table, texts

TASK_FILES = ("tox.ini", "noxfile.py")
_FRAMEWORK = LazyPattern(r"\b(?:pytest|py\.test|unittest)\b")
_CONDITIONAL = LazyPattern(r"^[\w!.,{}-]+:[ \t]")
_FOLDER = LazyPattern(r"^\.(?:\[([\w., -]{1,200})\])?$")


def task_requirements(folder: str, files: TreeFiles) -> Requirements:
    """Return what the environments that run a framework of tests install.

    Lines only for some factors of tox, and lines with substitutions, are excluded, as are arguments of nox
    that are not literal.
    """
    found = Requirements()
    for line in (*_tox(folder, files), *_nox(files.text(posixpath.join(folder, "noxfile.py")) or "")):
        if local := _FOLDER.search(line):
            extras = tuple(sorted(extra.strip() for extra in (local[1] or "").split(",") if extra.strip()))
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
    names = [word for each in extras for word in each.replace(",", " ").split()]
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
    for statement in tree.body:
        if (
            isinstance(statement, ast.FunctionDef)
            and _is_session(statement)
            and _FRAMEWORK.search(_literals(statement))
        ):
            yield from _installed_packages(statement)


def _is_session(node: ast.FunctionDef) -> bool:
    names = (
        decorator.func if isinstance(decorator, ast.Call) else decorator for decorator in node.decorator_list
    )
    return any(last_name(name) == "session" for name in names)


def _literals(node: ast.AST) -> str:
    """Return the strings passed to calls of ``run``, one per line."""
    calls = _calls(node, "run")
    nodes = (inner for call in calls for inner in ast.walk(call))
    return "\n".join(str(inner.value) for inner in nodes if isinstance(inner, ast.Constant))


def _installed_packages(node: ast.FunctionDef) -> Iterator[str]:
    for call in _calls(node, "install"):
        arguments = call.args
        yield from _requirements(
            [str(argument.value) if isinstance(argument, ast.Constant) else "" for argument in arguments]
        )


def _requirements(words: Iterable[str]) -> Iterator[str]:
    """Yield the requirements of a command line of pip, without its options and constraints."""
    option = ""
    for word in words:
        if option == "-r" and word:
            yield f"-r {word}"
        elif not option and word and not word.startswith("-"):
            yield word
        option = word if word in ("-r", "-c") else ""


def _calls(node: ast.AST, name: str) -> list[ast.Call]:
    calls = [inner for inner in ast.walk(node) if isinstance(inner, ast.Call)]
    return [call for call in calls if last_name(call.func) == name]
