"""Delivery fees."""

FREE_FROM = 50


def fee(total, *, is_member, is_heavy):
    """Return the fee of an order; members and large orders pay none, unless the parcel is heavy."""
    if is_member and total >= FREE_FROM and not is_heavy:
        return 0
    return 9 if is_heavy else 4
