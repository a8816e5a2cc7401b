"""Posting the result of a review where people read it: the posters of wardround and of plugins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

import msgspec

from wardround.delivery.ci_event import CiEvent
from wardround.errors import PLUGIN_EXCEPTIONS, WardroundError
from wardround.host import load_entries, loaded_entry
from wardround.review_result import ReviewResult


class PostedReview(msgspec.Struct, frozen=True, eq=False):
    """A review as posters get it.

    Attributes:
        event: that started the run.
        headline: a sentence about the comparison, such as why nothing was reviewed; None if there is none.
        is_error: the headline names an error.
        environ: the variables of the run.
        write: prints to the log of the run, where workflow commands count.
        reports: the directory with the reports and the record.
    """

    review: ReviewResult
    event: CiEvent
    headline: str | None
    is_error: bool
    environ: Mapping[str, str]
    write: Callable[[str], None]
    reports: Path | None = None


class Poster(Protocol):
    """Posts the result of ``wardround ci``; the event determines whether it applies."""

    def post(self, posted: PostedReview) -> None:
        """Post a review.

        Raises:
            WardroundError: it cannot be posted, which ends the command with a message.
        """


def post_all(posted: PostedReview, report: Callable[[str], None]) -> None:
    """Let each poster post a review; a crash of one prints a message and does not change the verdict.

    Raises:
        WardroundError: a poster cannot post.
        PluginLoadError: a plugin cannot be loaded.
    """
    for name, entry in load_entries("wardround_posters").items():
        try:
            poster: Poster = loaded_entry(entry)()
            poster.post(posted)
        except WardroundError:
            raise
        except PLUGIN_EXCEPTIONS as cause:  # code of a plugin
            report(f"the poster {name} crashed: {type(cause).__name__}: {cause}")
