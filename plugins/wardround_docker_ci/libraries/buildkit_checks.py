"""BuildKit's own checks of Dockerfiles: the equivalent rules here, and those that a file skips."""

from __future__ import annotations

from wardround.languages.dockerfile import Dockerfile

_SAME = {
    "DuplicateStageName": ("DL3024",),
    "FromAsCasing": ("DC042",),
    "FromPlatformFlagConstDisallowed": ("DL3029",),
    "InvalidDefaultArgInFrom": ("DC022",),
    "JSONArgsRecommended": (
        "DC015",
        "DL3025",
    ),
    "LegacyKeyValueFormat": ("DC027",),
    "MaintainerDeprecated": ("DL4000",),
    "MultipleInstructionsDisallowed": (
        "DL3012",
        "DL4003",
        "DL4004",
    ),
    "RedundantTargetPlatform": ("DL3065",),
    "ReservedStageName": ("DL3063",),
    "SecretsUsedInArgOrEnv": (
        "DC001",
        "DL3064",
    ),
    "UndefinedVar": ("DC023",),
    "WorkdirRelativePath": (
        "DC025",
        "DL3000",
    ),
}


def waived_codes(file: Dockerfile) -> frozenset[str]:
    """Return the codes of this specialist and of hadolint that a file's ``# check=skip=...`` disables."""
    names = _directive_values(file, "skip")
    return frozenset(
        code for name, codes in _SAME.items() if name.lower() in names or "all" in names for code in codes
    )


def _directive_values(file: Dockerfile, key: str) -> set[str]:
    for part in file.directives.get("check", "").split(";"):
        name, _, listed = part.partition("=")
        if name.strip().lower() == key:
            return {code.strip().lower() for code in listed.split(",")}
    return set()
