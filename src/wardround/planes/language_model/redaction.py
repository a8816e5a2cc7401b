"""The redaction of everything that leaves: the secrets that checks report, and what has the form of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from wardround.change.encoding import escape_undecodable
from wardround.findings import Finding
from wardround.processors.mask_secrets import SecretMasker
from wardround.specialists import Specialist
from wardround.text.redaction import assigned_secrets, redact_secrets

_MASK = "***"
TextOf = Callable[[str], str | None]
"""Path at the head -> the text of one side; None if there is none."""


class Redactor:
    """Removes secrets from texts.

    Args:
        paths: the files whose lines are sent; their secrets are removed from every text.
        reported: the findings of tools and checks at secrets.
        key: of the endpoint; empty if there is none.
    """

    def __init__(
        self,
        paths: Sequence[str],
        specialists: Iterable[Specialist],
        reported: Sequence[Finding],
        head: TextOf,
        base: TextOf,
        key: str,
    ) -> None:
        known = tuple(specialists)
        self._head = SecretMasker(reported, known, head, paths=paths)
        self._base = SecretMasker((), known, base, paths=paths)
        texts = [text for path in paths for text in (head(path), base(path)) if text]
        values = {value for text in texts for value in assigned_secrets(text)} | ({key} if key else set())
        self._values = sorted(values, key=lambda value: (-len(value), value))

    @property
    def is_complete(self) -> bool:
        """True if a check for secrets is loaded; without one nothing may be sent."""
        return self._head.can_detect

    def lines(self, path: str, text: str, *, base: bool = False) -> list[str]:
        """Return the lines of a file without secrets; a line whose secret is not found is masked entirely."""
        masker = self._base if base else self._head
        known = self._without_known(text).split("\n")
        masked = redact_secrets("\n".join(known)).split("\n")
        if len(masked) != len(known):
            masked = [redact_secrets(line) for line in known]
        return [
            _MASK if masker.has_secret(path, number) and known[number - 1] == line else masked[number - 1]
            for number, line in enumerate(text.split("\n"), 1)
        ]

    def text(self, text: str) -> str:
        """Return a text that is not of a file under review, such as a message, without secrets."""
        masked = self._head.text(self._without_known(escape_undecodable(text)))
        return redact_secrets(masked)

    def path(self, path: str) -> str:
        """Return a path without secrets: of its parts, since a whole one often has the form of a token."""
        return "/".join(map(self.text, path.split("/")))

    def _without_known(self, text: str) -> str:
        for value in self._values:
            text = text.replace(value, _MASK)
        return self._base.known(self._head.known(text, 0), 0)
