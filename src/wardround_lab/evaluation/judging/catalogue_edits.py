"""Writing the levels that follow from readings to where the levels of rules are declared."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path

from wardround.errors import UsageError
from wardround.host import PluginHost
from wardround.rules import off_in
from wardround.rules.file_kinds import FileKind
from wardround.rules.model import RULES_PACKAGE, package_folder
from wardround_lab.evaluation.judging.check_level import set_check_level
from wardround_lab.evaluation.judging.standing import RuleLevels
from wardround_lab.evaluation.judging.yaml_level import set_declared_level, set_tool_level

_KINDS_HEAD = """\
# Kinds of files in which a rule is off by default, since its findings were wrong there and right elsewhere.
# Rule -> kinds; `wardround eval rates --write` writes them.
"""


def write_level(standing: RuleLevels, host: PluginHost, checkout: Path) -> Path:
    """Write the level of a rule into the file that declares it, and return that file.

    Args:
        checkout: the repository of the rules; files outside of it are not written.

    Raises:
        UsageError: the level cannot be written; the message is the reason.
    """
    prefix, _, code = standing.rule.partition("/")
    for file in _files(prefix, code, host):
        _require_in(checkout, file)
        changed = _changed_text(file, prefix, code, standing)
        if changed is not None:
            file.write_text(changed, encoding="utf-8", newline="\n")
            return file
    raise UsageError("no file declares the rule")


def _require_in(checkout: Path, file: Path) -> None:
    if not file.resolve().is_relative_to(checkout.resolve()):
        raise UsageError(f"{file} is not in {checkout}; install wardround from this checkout with -e")


def _files(prefix: str, code: str, host: PluginHost) -> Iterator[Path]:
    """Return the files that may declare a rule: the module of its check, rules of an engine, a tool map."""
    for specialist in host.specialists:
        if specialist.name == prefix:
            checks = [*specialist.checks, *specialist.change_checks]
            yield from (Path(inspect.getfile(check)) for check in checks if code == check.ID)
    rules = package_folder(RULES_PACKAGE)
    yield from sorted(rules.glob(f"*/{prefix}/*.yml"))
    tool_map = rules / "tools" / f"{prefix}.yml"
    if tool_map.is_file():
        yield tool_map


def _changed_text(file: Path, prefix: str, code: str, standing: RuleLevels) -> str | None:
    text = file.read_text("utf-8")
    if file.suffix == ".py":
        return set_check_level(text, code, standing.following)
    if file.parent.name == "tools":
        return set_tool_level(text, code, standing.following)
    return set_declared_level(text, code, standing.following)


def write_kinds(kinds: Mapping[str, frozenset[FileKind]], checkout: Path) -> Path:
    """Write the kinds of files in which rules are off, and return the file.

    Raises:
        UsageError: the rules are not in the checkout.
    """
    file = package_folder(RULES_PACKAGE) / off_in.FILE
    _require_in(checkout, file)
    rows = [f"{rule}: [{', '.join(sorted(some))}]\n" for rule, some in sorted(kinds.items())]
    file.write_text(_KINDS_HEAD + "".join(rows or ["{}\n"]), encoding="utf-8", newline="\n")
    return file
