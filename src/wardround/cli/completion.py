"""Completion in bash, zsh and fish: of commands and options by click, and of names that only wardround knows.

Each function imports late what it needs: a shell waits for it at every press of the Tab key.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

VARIABLE = "_WARDROUND_COMPLETE"
_PROGRAM = "wardround"
_INSTRUCTIONS = ("source", "complete")


def is_requested(arguments: Sequence[str]) -> bool:
    """Return True if a shell requests its script or completions.

    It starts the program without arguments. Where there are some, the variable changes nothing: it cannot
    replace a review.
    """
    return not arguments and bool(os.environ.get(VARIABLE))


def respond(program: click.Command) -> int:
    """Print what the shell requests and return the exit status.

    Raises:
        click.UsageError: the value of the variable is not a request of a supported shell.
    """
    from click.shell_completion import get_completion_class, shell_complete

    request = os.environ[VARIABLE]
    shell, _, instruction = request.partition("_")
    if instruction not in _INSTRUCTIONS or get_completion_class(shell) is None:
        raise click.UsageError(
            f"{VARIABLE}: {request!r} is unknown; use bash_source, zsh_source or fish_source"
        )
    return shell_complete(program, {}, _PROGRAM, VARIABLE, request)


def complete_rules(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the ids of rules that begin with a text, or else the codes that do."""
    ids = _rule_ids()
    found = [rule_id for rule_id in ids if rule_id.startswith(incomplete)]
    if found or "/" in incomplete:
        return found
    codes = {rule_id.partition("/")[2] for rule_id in ids}
    return sorted(code for code in codes if code.startswith(incomplete))


def _rule_ids() -> tuple[str, ...]:
    """Return the ids of all rules; from the cache, since to load them takes longer than a person waits."""
    from wardround import __version__
    from wardround.lazy import files_state, source_files
    from wardround.plugin_discovery import discover
    from wardround.rules.model import RULES_PACKAGE
    from wardround.storage.digest import sha256
    from wardround.storage.memo import memoize_on_disk

    plugins = discover(_PROGRAM).plugins
    modules = [RULES_PACKAGE, *(plugin.module.partition(":")[0] for plugin in plugins)]
    files = (file for module in modules for file in source_files(module, (".py", ".yml")))
    state = "\n".join([__version__, *modules, files_state(files)])
    return memoize_on_disk("rule-ids", sha256(state.encode()).hexdigest(), _load_rule_ids, tuple[str, ...])


def _load_rule_ids() -> tuple[str, ...]:
    from wardround import host

    return tuple(rule.id for rule in host.load().catalogue.all_rules())


def complete_specialists(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of specialists that begin with a text."""
    from wardround import host

    names = (specialist.name for specialist in host.load().specialists)
    return sorted(name for name in names if name.startswith(incomplete))


def complete_formats(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of report formats that begin with a text."""
    from wardround.reports import formats

    return sorted(name for name in formats() if name.startswith(incomplete))
