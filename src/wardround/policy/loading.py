"""Load the policy of a review: a bundled one by name, or a file at the trusted side."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from wardround.errors import ConfigError
from wardround.policy.bundled import BUNDLED
from wardround.policy.schema import Policy, convert_policy
from wardround.rules.model import package_folder
from wardround.rules.yaml_loader import load_plain_yaml

_MOST_BYTES = 1_000_000


def load_policy(name: str, read: Callable[[str], bytes | None]) -> Policy:
    """Load the policy that a configuration names.

    Args:
        name: name of a bundled policy, or a path in the repository.
        read: path -> the content at the trusted side.

    Raises:
        ConfigError: the policy does not exist, or is not valid.
    """
    if name in BUNDLED:
        return bundled_policy(name)
    if not name.endswith((".yml", ".yaml")) or name.startswith("/") or ".." in name.split("/"):
        raise ConfigError(
            f"policy: {name!r} is neither one of {', '.join(BUNDLED)} nor a YAML file of the repository; "
            "give one of them"
        )
    content = read(name)
    if content is None:
        raise ConfigError(f"policy: {name} does not exist on the trusted side; add it there first")
    return parse_policy(content, name)


def policy_file(name: str) -> str:
    """Return the path in the repository of the policy that a configuration names; empty for a bundled one."""
    return "" if name in BUNDLED else name


def bundled_policy(name: str) -> Policy:
    """Load a policy that is shipped."""
    file = package_folder("wardround_rules") / "policies" / f"{name}.yml"
    return parse_policy(file.read_bytes(), file.name)


def is_bundled(policy: Policy) -> bool:
    """Return True if a policy has the name and the content of a bundled one."""
    return policy.name in BUNDLED and policy.digest == bundled_policy(policy.name).digest


def policy_of_argument(name: str, option: str) -> Policy:
    """Load the policy of an argument or option: a bundled one by name, or a file.

    Raises:
        ConfigError: it cannot be read, or is not valid.
    """
    return bundled_policy(name) if name in BUNDLED else load_policy_file(Path(name), option)


def load_policy_file(file: Path, option: str) -> Policy:
    """Load a policy outside the repository, for an option or a variable of this name.

    Raises:
        ConfigError: it cannot be read, or is not valid.
    """
    return convert_policy(read_document(file, option), str(file))


def read_document(file: Path, option: str) -> Any:
    """Read a YAML file for an option or an argument of this name.

    Raises:
        ConfigError: it cannot be read, or is not YAML.
    """
    try:
        with file.open("rb") as opened:
            content = opened.read(_MOST_BYTES + 1)
    except OSError as cause:
        raise ConfigError(f"{option} {file}: {cause.strerror}; give another file") from cause
    return _parse_document(content, str(file))


def parse_policy(content: bytes, origin: str) -> Policy:
    """Parse a policy in YAML.

    Raises:
        ConfigError: it is not YAML, or not a valid policy.
    """
    return convert_policy(_parse_document(content, origin), origin)


def _parse_document(content: bytes, origin: str) -> Any:
    if len(content) > _MOST_BYTES:
        raise ConfigError(f"{origin}: it is larger than {_MOST_BYTES} bytes; give a smaller file")
    try:
        return load_plain_yaml(content.decode("utf-8"))
    except ValueError as cause:  # neither UTF-8 nor YAML
        raise ConfigError(f"{origin}: it is not valid YAML: {cause}; correct it") from cause
