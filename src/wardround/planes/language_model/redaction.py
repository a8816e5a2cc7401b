"""The redaction of all outgoing text: the secrets that checks report, and strings in the form of a secret."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from wardround.change.encoding import escape_undecodable
from wardround.findings import Finding
from wardround.processors.mask_secrets import SecretMasker
from wardround.specialists import Specialist
from wardround.text.redaction import assigned_secrets, redact_secrets

_MASK = "***"
TextOf = Callable[[str], str | None]
"""Path at the head -> the content at base or head; None if there is none."""


class Redactor:
    """Removes secrets from texts.

    Args:
        paths: the files whose lines are sent; their secrets are removed from every text.
        reported: the findings of tools and checks at secrets.
        key: key of the endpoint; empty if there is none.
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
        self._paths = frozenset(paths)
        self._specialists = tuple(specialists)
        self._head = SecretMasker(reported, self._specialists, head, paths=paths)
        self._base = SecretMasker((), self._specialists, base, paths=paths)
        texts = [text for path in paths for text in (head(path), base(path)) if text]
        values = {value for text in texts for value in assigned_secrets(text)} | ({key} if key else set())
        self._values = _longest_first(values)

    @property
    def is_complete(self) -> bool:
        """True if a check for secrets is loaded; without one nothing may be sent."""
        return self._head.can_detect

    def lines(self, path: str, text: str, *, base: bool = False) -> list[str]:
        """Return the lines of a file without secrets; a line whose secret is not found is masked entirely.

        The secrets of a file that is none of the paths are removed from its own lines.
        """
        masker = self._base if base else self._head
        rest = self._redact_known(text)
        if path not in self._paths:
            own = SecretMasker((), self._specialists, {path: text}.get, paths=(path,))
            rest = own.mask_known(_remove_values(_longest_first(assigned_secrets(text)), rest), 0)
            return self._masked_lines(path, text, rest, (masker, own))
        return self._masked_lines(path, text, rest, (masker,))

    def _masked_lines(self, path: str, text: str, rest: str, maskers: Sequence[SecretMasker]) -> list[str]:
        """Return the lines of a text after its known secrets were removed."""
        known = rest.split("\n")
        masked = redact_secrets("\n".join(known)).split("\n")
        if len(masked) != len(known):
            masked = [redact_secrets(line) for line in known]
        return [
            _MASK
            if known[number - 1] == line and any(masker.has_secret(path, number) for masker in maskers)
            else masked[number - 1]
            for number, line in enumerate(text.split("\n"), 1)
        ]

    def text(self, text: str) -> str:
        """Return a text that does not come from a file under review, such as a message, without secrets."""
        masked = self._head.text(self._redact_known(escape_undecodable(text)))
        return redact_secrets(masked)

    def path(self, path: str) -> str:
        """Return a path without secrets: each part is checked, since a complete path often has the form of a
        token.
        """
        return "/".join(map(self.text, path.split("/")))

    def _redact_known(self, text: str) -> str:
        return self._base.mask_known(self._head.mask_known(_remove_values(self._values, text), 0), 0)


def _longest_first(values: Iterable[str]) -> list[str]:
    return sorted(values, key=lambda value: (-len(value), value))


def _remove_values(values: Sequence[str], text: str) -> str:
    for value in values:
        text = text.replace(value, _MASK)
    return text
