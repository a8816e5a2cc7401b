"""The JSON schema of a policy, for completion and checks in editors."""

from __future__ import annotations

from wardround.policy.schema import Policy
from wardround.text.struct_schema import document_text, struct_schemas


def policy_schema() -> str:
    """Return the schema of a policy."""
    schemas = struct_schemas([Policy])
    return document_text("Policy of wardround", schemas.roots[Policy], schemas.definitions)
