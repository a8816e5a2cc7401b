"""The ``input`` steps of a Jenkinsfile that wait for a person without a limit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wardround_docker_ci.models.jenkinsfile import GroovyToken


def unlimited_inputs(tokens: Sequence[GroovyToken]) -> Iterator[GroovyToken]:
    """Yield the ``input`` steps outside of a timeout; none if the options of the pipeline have one."""
    if any(map(_is_timeout_option, tokens)):
        return
    for previous, token, following in zip((None, *tokens), tokens, tokens[1:], strict=False):
        if not _is_input(token, following) or token.is_in("timeout"):
            continue
        if previous is None or previous.text not in (".", "def"):
            yield token


def _is_timeout_option(token: GroovyToken) -> bool:
    return token.text == "timeout" and token.kind == "word" and token.is_in("options")


def _is_input(token: GroovyToken, following: GroovyToken) -> bool:
    prompts = following.kind == "string" or following.text in ("(", "{", "message", "id")
    return token.kind == "word" and token.text == "input" and prompts
