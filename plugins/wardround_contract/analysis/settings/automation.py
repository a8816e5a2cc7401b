"""Names of scripts, targets, inputs, services, stages, extras and environments of tox."""

from __future__ import annotations

import json
import posixpath
import re
from typing import Any

from wardround.lazy import LazyPattern
from wardround_contract.analysis.settings.kind import AUTOMATION, Kind, keys_of_block, line_at, matches

_LIFECYCLE = frozenset({"install", "prepare", "version", "publish"})
_RUNNER_COMMANDS = frozenset({"test", "start", "add", "build", "install"})
_TARGET = LazyPattern(r"(?m)^([\w.-]+)(?:\s+[\w.-]+)*\s*:(?!=)")
_INPUTS = LazyPattern(r"(?m)^([ ]*)inputs:[ ]*\n((?:\1[ ]+.*\n|\s*\n)+)")
_SERVICES = LazyPattern(r"(?m)^services:[ ]*\n((?:[ ]+.*\n|\s*\n|#.*\n)+)")
_COMPOSE = LazyPattern(r"(?:^|/)(?:docker-)?compose[\w.-]*\.ya?ml$")
_STAGE = LazyPattern(r"(?im)^FROM\s+\S+(?:\s+\S+)*?\s+AS\s+([\w.-]+)")
_EXTRAS = LazyPattern(
    r"(?ms)^\[(?:project\.optional-dependencies|dependency-groups|tool\.poetry\.extras)\]\n(.*?)(?=^\[|\Z)"
)
_GROUP = LazyPattern(r"(?m)^\[tool\.poetry\.group\.([\w-]+)\.dependencies\]")
_SESSION = LazyPattern(r"(?m)^\[testenv:([\w.-]+)\]|^\[env\.([\w.-]+)\]")
_SHELL = ("*.yml", "*.yaml", "*.sh", "*Makefile", "*Dockerfile*", "*justfile")


def _scripts(path: str, text: str) -> dict[str, int]:
    if posixpath.basename(path) != "package.json":
        return {}
    try:
        read: Any = json.loads(text)
    except ValueError:
        return {}
    scripts = read.get("scripts") if isinstance(read, dict) else None
    names = scripts if isinstance(scripts, dict) else {}
    called = (name for name in names if name not in _LIFECYCLE and not name.startswith(("pre", "post")))
    return {name: line_at(text, max(text.find(json.dumps(name)), 0)) for name in called}


def _script_use(name: str, path: str) -> str:
    escaped = rf"{re.escape(name)}(?![\w:-])"
    options = r"(?:-[\w-]+(?:[= ][\w@/.-]+)?\s+)*"
    used = rf"\b(?:npm|pnpm|yarn|bun)\s+{options}run(?:-script)?\s+(?:-[\w-]+\s+)*{escaped}"
    if name in ("test", "start"):
        used += rf"|\b(?:npm|pnpm|yarn)\s+{escaped}"
    return used if name in _RUNNER_COMMANDS else rf"{used}|\b(?:yarn|pnpm)\s+{escaped}"


def _targets(path: str, text: str) -> dict[str, int]:
    is_makefile = posixpath.basename(path) in ("Makefile", "makefile", "GNUmakefile")
    return matches(text, _TARGET) if is_makefile else {}


def _target_use(name: str, path: str) -> str:
    return rf"(?<![\w-])(?:\$\(MAKE\)|make)\s+(?:-\w+\s+)*(?:[\w-]+\s+)?{re.escape(name)}(?![\w.:-])"


def _target_declaration(name: str) -> str:
    return rf"(?m)^(?:[\w.%-]+\s+)*{re.escape(name)}(?:\s+[\w.-]+)*\s*:|^include"


def _inputs(path: str, text: str) -> dict[str, int]:
    """Return the inputs of a composite action or a reusable workflow."""
    is_action = posixpath.basename(path) in ("action.yml", "action.yaml")
    if not is_action and not (".github/workflows/" in path and "workflow_call" in text):
        return {}
    text = text if text.endswith("\n") else f"{text}\n"
    found: dict[str, int] = {}
    for match in _INPUTS.finditer(text):
        found |= keys_of_block(match[2], match.start(2), text)
    return found


def _input_use(name: str, path: str) -> str:
    """Return the pattern of a line of ``with`` after a local ``uses`` of the file."""
    target = re.escape(path if ".github/workflows/" in path else posixpath.dirname(path))
    return rf"(?s)uses:\s*\.?/?{target}/?\s*$(?:(?!^\s*-\s|\buses:).)*?^\s+(?P<use>{re.escape(name)}):"


def _services(path: str, text: str) -> dict[str, int]:
    text = text if text.endswith("\n") else f"{text}\n"
    match = _SERVICES.search(text) if _COMPOSE.search(path) else None
    return {} if match is None else keys_of_block(match[1], match.start(1), text)


def _service_use(name: str, path: str) -> str:
    program = r"(?:\bdocker[- ]compose\b|\$\{?(?:dc|DC|COMPOSE|docker_compose)\w*\}?)"
    command = r"\b(?:run|exec|up|restart|logs|build|stop|rm|pull)\b"
    return rf"{program}.*{command}[^|;&#]*(?<![\w/.:-]){re.escape(name)}(?![\w/.:-])"


def _stages(path: str, text: str) -> dict[str, int]:
    return matches(text, _STAGE) if "Dockerfile" in posixpath.basename(path) else {}


def _stage_use(name: str, path: str) -> str:
    return rf"(?:--target[= ]|\btarget:\s*[\"']?){re.escape(name)}(?![\w.-])"


def _extras(path: str, text: str) -> dict[str, int]:
    if posixpath.basename(path) != "pyproject.toml":
        return {}
    found = matches(text, _GROUP)
    for match in _EXTRAS.finditer(text):
        for extra in re.finditer(r"(?m)^([\w-]+)\s*=", match[1]):
            found[extra[1]] = line_at(text, match.start(1) + extra.start(1))
    return found


def _extra_use(name: str, path: str) -> str:
    escaped = rf"{re.escape(name)}(?![\w-])"
    installed = rf"\.\[(?:[\w-]+,\s*)*{escaped}(?:,\s*[\w-]+)*\]"
    return rf"{installed}|--(?:extra|group|only-group|with|only|extras)[= ][\"']?(?:[\w-]+[ ,])*{escaped}"


def _extra_declaration(name: str) -> str:
    return rf"(?m)^{re.escape(name)}\s*=|group\.{re.escape(name)}\."


def _environments(path: str, text: str) -> dict[str, int]:
    if posixpath.basename(path) not in ("tox.ini", "tox.toml"):
        return {}
    return {match[1] or match[2]: line_at(text, match.start()) for match in _SESSION.finditer(text)}


def _environment_use(name: str, path: str) -> str:
    return rf"\btox\b[^|;&\n]*-e\s*[\"']?(?:[\w.-]+,)*{re.escape(name)}(?![\w.-])"


KINDS = (
    Kind(
        "script", _scripts, _script_use, AUTOMATION,
        lambda name: rf"\"{re.escape(name)}\"\s*:", ("*package.json", "*deno.json*", "*turbo.json"),
    ),
    Kind(
        "make target", _targets, _target_use, (*AUTOMATION, "*.py"),
        _target_declaration, ("*Makefile", "*.mk"), is_in_file=True,
    ),
    Kind("input", _inputs, _input_use, ("*.yml", "*.yaml")),
    Kind(
        "service", _services, _service_use, (*_SHELL, "*.json", "*.py"),
        lambda name: rf"(?m)^  {re.escape(name)}:", ("*compose*.yml", "*compose*.yaml"),
    ),
    Kind(
        "stage", _stages, _stage_use, (*_SHELL, "*.json", "*.hcl"),
        lambda name: rf"(?im)\bAS\s+{re.escape(name)}\s*$", ("*Dockerfile*",),
    ),
    Kind(
        "extra", _extras, _extra_use, (*_SHELL, "*tox.ini", "*noxfile.py"),
        _extra_declaration, ("*pyproject.toml", "*setup.cfg", "*setup.py"),
    ),
    Kind(
        "environment", _environments, _environment_use, _SHELL,
        lambda name: rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", ("*tox.ini", "*tox.toml"),
    ),
)  # fmt: skip
