"""BuildKit's own checks of Dockerfiles: the equivalent rules here, and those that a file skips."""

from __future__ import annotations

from wardround.languages.dockerfile import Dockerfile

_SAME = {
    "ConsistentInstructionCasing": ("DC041",),
    "CopyIgnoredFile": ("DC047",),
    "DuplicateStageName": ("DC019", "DL3024"),
    "ExposeInvalidFormat": ("DC044",),
    "ExposeProtoCasing": ("DC044",),
    "FromAsCasing": ("DC042",),
    "FromPlatformFlagConstDisallowed": ("DC028", "DL3029"),
    "InvalidDefaultArgInFrom": ("DC022",),
    "InvalidDefinitionDescription": ("DC046",),
    "JSONArgsRecommended": ("DC015", "DL3025"),
    "LegacyKeyValueFormat": ("DC027",),
    "MaintainerDeprecated": ("DL4000",),
    "MultipleInstructionsDisallowed": ("DC018", "DL3012", "DL4003", "DL4004"),
    "NoEmptyContinuation": ("DC040",),
    "RedundantTargetPlatform": ("DL3065",),
    "ReservedStageName": ("DC020", "DL3063"),
    "SecretsUsedInArgOrEnv": ("DC001", "DL3064"),
    "StageNameCasing": ("DC043",),
    "UndefinedArgInFrom": ("DC021",),
    "UndefinedVar": ("DC023", "DC024"),
    "WorkdirRelativePath": ("DC025", "DL3000"),
}


def waived(file: Dockerfile) -> frozenset[str]:
    """Return the codes of this specialist and of hadolint that a file's ``# check=skip=...`` disables."""
    names = _named(file, "skip")
    return frozenset(
        code for name, codes in _SAME.items() if name.lower() in names or "all" in names for code in codes
    )


def enables(file: Dockerfile, name: str) -> bool:
    """Return True if a file's ``# check=experimental=...`` enables a check that is off by default."""
    return bool({name.lower(), "all"} & _named(file, "experimental"))


def _named(file: Dockerfile, key: str) -> set[str]:
    for part in file.directives.get("check", "").split(";"):
        name, _, listed = part.partition("=")
        if name.strip().lower() == key:
            return {one.strip().lower() for one in listed.split(",")}
    return set()
