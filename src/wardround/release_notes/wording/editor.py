"""The endpoint with the role ``editor``, or an exchange of files, for the statements of release notes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from wardround.authoring.endpoint.opening import EndpointAccess, key_of, open_endpoint
from wardround.authoring.endpoint.redaction import redaction_of
from wardround.authoring.endpoint.roles import Role, TokenBudget
from wardround.authoring.steps.route import EXCHANGE_SETTINGS
from wardround.config.language_model import EndpointSettings
from wardround.config.schema import RunSettings
from wardround.errors import UsageError
from wardround.host import PluginHost
from wardround.planes.language_model.prompts import load_part
from wardround.release_notes.model import ReleaseNotes
from wardround.release_notes.wording.answer_log import AnswerLog
from wardround.release_notes.wording.rewording import NAME, RewordedNotes, reword


class Editor:
    """Words the statements of notes by a language model.

    Args:
        read: path -> text of the repository at the head.
        logs: the folder for recorded answers, one file for each range.
        is_shown: the first request is to be shown, and nothing is sent.
    """

    def __init__(
        self,
        config: RunSettings,
        access: EndpointAccess,
        host: PluginHost,
        read: Callable[[str], str | None],
        logs: Path,
        *,
        is_shown: bool = False,
    ) -> None:
        self._settings = _settings(config, access)
        self._access = access
        self._logs = logs
        self._redact = redaction_of(host, read, key_of(self._settings, access.environ))
        self._is_shown = is_shown

    def reword(self, notes: ReleaseNotes) -> RewordedNotes:
        """Return the notes with other words, where these state the same facts.

        Raises:
            ExchangeFailed: the endpoint does not answer.
            PromptRequested: the request is to be shown.
            UsageError: the endpoint may not be contacted, or an answer cannot be recorded.
        """
        return asyncio.run(self._reword(notes))

    async def _reword(self, notes: ReleaseNotes) -> RewordedNotes:
        file = self._logs / f"{notes.base_commit}-{notes.head_commit}.jsonl"
        log = AnswerLog(None if self._is_shown else file)
        async with open_endpoint(self._settings, self._access) as endpoint:
            role = Role(
                NAME, load_part(NAME), self._settings, endpoint, log, self._redact, TokenBudget(None),
                is_shown=self._is_shown,
            )  # fmt: skip
            return await reword(notes, role)


def _settings(config: RunSettings, access: EndpointAccess) -> EndpointSettings:
    if access.exchange is not None:
        return EXCHANGE_SETTINGS
    if config.roles.editor:
        return config.endpoints[config.roles.editor]
    if access.is_replay:  # a request that is shown only
        return EXCHANGE_SETTINGS
    raise UsageError("no endpoint has the role editor; configure roles.editor, or give --exchange")
