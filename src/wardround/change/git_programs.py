"""The settings by which a repository or its user names programs that git would start.

Filters of ``.gitattributes`` (``filter.<name>.clean``) run when git compares or writes files of the work
tree, commands of trailers when it adds one. The author of ``.git/config`` would choose a program of the
reviewer, and a filter of the user's own configuration can import modules of the tree. So none of them runs:
files are compared by their bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

FILTERS = r"^filter\..*\.(clean|smudge|process|required)$"
"""The keys of filters, as a pattern of ``git config --get-regexp``."""
TEXT_SETTINGS = r"^(core\.comment(char|string)|trailer\.separators)$"
"""The keys by which git reads a message, and that name no program."""
_CALLERS_SETTINGS = ("GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_CONFIG_SYSTEM")


def without_filters(keys: Iterable[str]) -> dict[str, str]:
    """Return settings that switch filters off, by the keys that are set: an empty command is none."""
    return {key: "false" if key.endswith(".required") else "" for key in sorted({*keys} - {""})}


def with_settings(environ: Mapping[str, str], settings: Mapping[str, str]) -> dict[str, str]:
    """Return an environment with settings for every git process, after those set by the caller.

    Unlike options of the command line, variables can hold any key: one may contain an equals sign.
    """
    count = environ.get("GIT_CONFIG_COUNT", "")
    start = int(count) if count.isdecimal() else 0
    variables = {"GIT_CONFIG_COUNT": str(start + len(settings))}
    for number, (key, value) in enumerate(settings.items(), start):
        variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return {**environ, **variables}


def with_settings_only(environ: Mapping[str, str], settings: Mapping[str, str]) -> dict[str, str]:
    """Return an environment in which git reads no file of settings, but has these; it finds no repository."""
    retained = {name: value for name, value in environ.items() if name not in _CALLERS_SETTINGS}
    alone = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_DIR": "/dev/null"}
    return with_settings({**retained, **alone}, settings)
