"""Names of the owners of a record; loaded without the parser."""

from __future__ import annotations

from wardround.lazy import LazyPattern

OWNERS = (
    r"(?:user|owner|org|organi[sz]ation|tenant|team|workspace|account|company|member|author|creator|customer|project"
    r"|environment|household|group)"
)
NAMES_OWNER = LazyPattern(rf"(?i){OWNERS}|created_?by|owned|belongs")
"""Text that contains the word for an owner."""
