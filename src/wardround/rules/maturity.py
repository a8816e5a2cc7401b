"""The maturity of a rule, and which rules run without being requested.

An own rule, a check or a declarative rule, is ``stable`` if evaluation has recorded a true hit of it on code
that none of its authors wrote, or if it guards against damage that cannot be undone, see ``Damage``.

Once its findings were judged often enough, the readings decide instead, see ``earned_level``; for tool codes
too.

Everything else is ``preview``: hardening that matters only after another defect (cookie flags, timing,
resource limits), availability, performance and wrong results, until a true hit is recorded. Codes of static
tools are ``stable``: their tool maps select them.
"""

from __future__ import annotations

from enum import StrEnum


class Damage(StrEnum):
    """The damage that cannot be undone.

    Attributes:
        DATA_LOSS: stored data is deleted, overwritten or corrupted, or a write is silently lost.
        LEAKED_SECRET: a credential, a key or private data becomes readable, or its encryption protects
            nothing.
        CODE_EXECUTION: an attacker's code, command, query or script runs.
        ACCESS_BYPASS: an attacker acts as another user, or skips an authorisation check.
    """

    DATA_LOSS = "data-loss"
    LEAKED_SECRET = "leaked-secret"  # noqa: S105  (a name of a kind of damage)
    CODE_EXECUTION = "code-execution"
    ACCESS_BYPASS = "access-bypass"


class Maturity(StrEnum):
    """The maturity of a rule.

    Attributes:
        STABLE: runs by default.
        PREVIEW: runs where the configuration sets ``preview = true`` or names the rule.
        DEPRECATED: runs only if the configuration names the rule; a later version removes it.
    """

    STABLE = "stable"
    PREVIEW = "preview"
    DEPRECATED = "deprecated"

    def runs(self, *, preview: bool) -> bool:
        """Return True if a rule runs that the configuration does not name.

        Args:
            preview: the configuration's ``preview``.
        """
        return self is Maturity.STABLE or (preview and self is Maturity.PREVIEW)

    @property
    def off_reason(self) -> str:
        """Return why a rule is off by default; empty for a stable one."""
        return _OFF_REASONS.get(self, "")


_OFF_REASONS = {
    Maturity.PREVIEW: "preview; set preview = true, or name the rule",
    Maturity.DEPRECATED: "deprecated; name the rule to keep it until it is removed",
}
