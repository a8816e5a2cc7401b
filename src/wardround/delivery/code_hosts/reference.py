"""The change request of a CI run, by the variables and the event of the run.

Sources: GitHub, "Variables reference" of Actions; GitLab, "Predefined CI/CD variables".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from wardround.delivery.ci_event import Provider
from wardround.delivery.events import read_event

DEFAULT_APIS = {"github": "https://api.github.com", "gitlab": "https://gitlab.com/api/v4"}


def reference_of_run(environ: Mapping[str, str], host: str) -> dict[str, Any]:
    """Return the parts of a reference that a run names, by their field.

    Args:
        host: that was requested; empty for that of the run.

    Raises:
        UsageError: the event of the run is malformed.
    """
    found: dict[str, Any] = {}
    if environ.get("GITHUB_ACTIONS") == "true" and host in ("", "github"):
        found = _github(environ)
    elif environ.get("GITLAB_CI") == "true" and host in ("", "gitlab"):
        found = _gitlab(environ)
    named = host or found.get("host", "")
    default = {"api": DEFAULT_APIS[named]} if named in DEFAULT_APIS else {}
    return {**default, **{name: value for name, value in found.items() if value}}


def _github(environ: Mapping[str, str]) -> dict[str, Any]:
    number = read_event(Provider.GITHUB, environ).change_request
    return {
        "host": "github",
        "api": environ.get("GITHUB_API_URL", ""),
        "repository": environ.get("GITHUB_REPOSITORY", ""),
        "number": int(number) if number else 0,
    }


def _gitlab(environ: Mapping[str, str]) -> dict[str, Any]:
    number = environ.get("CI_MERGE_REQUEST_IID", "")
    return {
        "host": "gitlab",
        "api": environ.get("CI_API_V4_URL", ""),
        "repository": environ.get("CI_MERGE_REQUEST_PROJECT_PATH") or environ.get("CI_PROJECT_PATH", ""),
        "number": int(number) if number.isdecimal() else 0,
    }


def repository_path(address: str, api: str) -> str:
    """Return the path of a repository on its code host by its address, in lower case.

    Args:
        address: a URL, or ``git@HOST:PATH``.
        api: of the code host; a GitLab below a path of its server has that path before the interface.
    """
    path = urlsplit(address).path if "://" in address else address.rpartition(":")[2]
    below = urlsplit(api).path.removesuffix("/api/v4").strip("/")
    named = path.strip("/").removesuffix(".git").lower()
    return named.removeprefix(f"{below.lower()}/") if below else named
