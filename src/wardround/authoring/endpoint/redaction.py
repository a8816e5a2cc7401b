"""The removal of secrets from the texts of a question, and of its answer."""

from __future__ import annotations

from collections.abc import Callable

from wardround.errors import UsageError
from wardround.host import PluginHost
from wardround.planes.language_model.redaction import Redactor

_ANY_TEXT = "context.txt"
"""A path of no file: every check for secrets in any text reads what is sent."""


def redaction_of(host: PluginHost, read: Callable[[str], str | None], key: str) -> Callable[[str], str]:
    """Return a function that replaces the secrets in a text.

    Args:
        read: path -> text of the repository, whose files of variables may name secrets.
        key: that of the endpoint; empty if it needs none.

    Raises:
        UsageError: no check for secrets is loaded.
    """
    redactor = Redactor((), host.specialists, (), read, read, key)
    if not redactor.is_complete:
        raise UsageError("no check for secrets is loaded, so nothing is sent; install its plugin")
    return lambda text: "\n".join(redactor.lines(_ANY_TEXT, text))
