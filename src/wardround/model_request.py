"""The request that a review sends to a language model, without sending it."""

from __future__ import annotations

import msgspec

from wardround.change.change_source import ChangeSource
from wardround.change.diff import Change
from wardround.config.request import ReviewRequest
from wardround.config.review_config import read_config
from wardround.context.review_context import build_context
from wardround.errors import UsageError
from wardround.execution.executor import Executor
from wardround.execution.review_run import ReviewRun
from wardround.findings import Plane
from wardround.host import PluginHost
from wardround.planes.analyses import code_context
from wardround.planes.language_model.in_review import question_of
from wardround.tools.process import Processes


class ModelRequest(msgspec.Struct, frozen=True):
    """A request that was not sent.

    Attributes:
        body: the bytes that a review sends.
        note: why this review does not send it; empty if it does.
    """

    body: bytes
    note: str = ""


def model_request(
    source: ChangeSource,
    change: Change,
    host: PluginHost,
    request: ReviewRequest,
    plane: Plane,
    processes: Processes,
    executor: Executor | None = None,
) -> ModelRequest:
    """Return the request for a plane.

    Tools run for it, since the secrets that they find are not sent.

    Raises:
        ConfigError: the configuration is wrong.
        UsageError: no endpoint is configured, or the plane has nothing to judge.
    """
    config = read_config(source, change, host, request)
    settings = config.root.language_model
    if not settings.is_configured:
        raise UsageError(
            "--show-prompt: no language model is configured; set url in the table language-model"
        )
    context = build_context(source, change, host, config, request)
    with ReviewRun(source, context, host, config, request, processes, executor=executor) as run:
        results = run.review()
    code = code_context(source, context.change, request)
    question = question_of(plane, source, results, code, host, config, request)
    if question is None or not question.hunks:
        raise UsageError(f"--show-prompt {plane}: the plane has nothing to judge; nothing would be sent")
    profile, note = request.profile.value, ""
    if profile not in settings.profiles or plane not in settings.planes:
        note = f"this is not sent: {plane} in the profile {profile} does not use the language model"
    return ModelRequest(question.body(settings), note)
