"""Ids of tests without secrets: a parameter of a test is part of its id, and may be a token."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from wardround.text.redaction import redact_secrets

_MASK = "***"
_TITLES = " > "
"""The separator of the file and the titles of a test of JavaScript."""
_LEAST_SECRET = 6
_MOST_LOG_BYTES = 64 * 1024 * 1024


def without_parameters(test: str) -> str:
    """Return the id of a test without its parameters."""
    path, mark, name = test.partition("::")
    return f"{path}{mark}{name.partition('[')[0]}"


def shown_id(test: str) -> str:
    """Return the id of a test, with its parameters or titles as ``redact_secrets`` leaves them."""
    if "::" in test:
        name, bracket, chosen = test.partition("[")
        return f"{name}{bracket}{redact_secrets(chosen)}"
    file, separator, titles = test.partition(_TITLES)
    return f"{file}{separator}{redact_secrets(titles)}"


def shown_ids(tests: Iterable[str]) -> dict[str, str]:
    """Return id -> the id that is shown; those that would look the same are numbered."""
    shown: dict[str, str] = {}
    seen: Counter[str] = Counter()
    for test in tests:
        masked = shown_id(test)
        seen[masked] += 1
        is_same = masked == test or seen[masked] == 1
        shown[test] = masked if is_same else f"{masked} ({seen[masked]})"
    return shown


def stored_id(test: str) -> str:
    """Return the id by which later plans identify a test: one with a secret becomes that of all
    parameters.
    """
    shown = shown_id(test)
    is_masked = shown != test or _MASK in test.partition("[")[2]
    return without_parameters(test) if is_masked and "::" in test else shown


def mask_in_log(log: Path, shown: Mapping[str, str]) -> None:
    """Mask the secrets of ids in the output of a run."""
    secrets = {test.encode(): new.encode() for test, new in shown.items() if test != new}
    for test, new in list(secrets.items()):
        chosen, masked = test.partition(b"[")[2].removesuffix(b"]"), new.partition(b"[")[2].partition(b"]")[0]
        if len(chosen) >= _LEAST_SECRET:
            secrets[chosen] = masked
    if not secrets or not log.is_file() or log.stat().st_size > _MOST_LOG_BYTES:
        return
    content = masked_content = log.read_bytes()
    for secret, new in secrets.items():
        masked_content = masked_content.replace(secret, new)
    if masked_content != content:
        log.write_bytes(masked_content)
