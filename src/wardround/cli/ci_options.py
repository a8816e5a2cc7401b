from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wardround.cli.review_options import ReviewOptions

_EMPTY_IS_UNSET = ("fail_level", "filter_mode", "run")
"""The options that a CI system passes as an empty text where its user sets none."""


class CiOptions(ReviewOptions, frozen=True, kw_only=True):
    """The options of a review whose change the event of a CI run names."""

    provider: str = "auto"
    base_ref: str | None = None
    head_ref: str | None = None
    reports_dir: str | None = None
    reports: tuple[str, ...] = ()
    build_environments: bool = False
    no_fetch: bool = False
    profile: str = "ci"

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> CiOptions:
        """Return the options of a command line."""
        unset = dict.fromkeys(name for name in _EMPTY_IS_UNSET if options[name] == "")
        return cls(**{**options, **unset})
