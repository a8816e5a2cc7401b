"""Confidence intervals of measured shares."""

from __future__ import annotations

import math

_Z = 1.959963984540054
"""The 97.5% quantile of the standard normal distribution, for a 95% interval."""


def wilson(hits: int, of: int) -> tuple[float, float]:
    """Return the 95% interval of a proportion, both ends from 0 to 1; (0, 1) if nothing was counted.

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
    """
    if of == 0:
        return 0.0, 1.0
    share = hits / of
    spread = _Z * math.sqrt(share * (1 - share) / of + _Z * _Z / (4 * of * of))
    centre = share + _Z * _Z / (2 * of)
    scale = 1 + _Z * _Z / of
    low, high = (centre - spread) / scale, (centre + spread) / scale
    return (0.0 if hits == 0 else low), (1.0 if hits == of else high)
