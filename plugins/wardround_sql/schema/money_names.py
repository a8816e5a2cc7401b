"""Names of columns that hold amounts of money."""

from __future__ import annotations

import re

from wardround.lazy import LazyPattern

_MONEY = LazyPattern(
    r"(?:^|_)(?:price|prices|amount|balance|salary|wage|fee|fees|cost|costs|revenue|payment|refund|invoice_total|"
    r"order_total|subtotal|grand_total|total_price|tax_amount|vat|discount_amount|payout|deposit|budget|credit_limit|"
    r"bonus|rent|earnings|income|surcharge|"
    r"turnover|profit|face_value|donation|rebate|royalty|expense|expenses|net_total|gross_total|wages)"
    r"(?:_(?:usd|eur|gbp|net|gross|total|due|paid|value|per_\w+|in_\w+))?$"
)


def is_money(name: str) -> bool:
    """Return True if a name, in snake case or camel case, denotes an amount of money."""
    return _MONEY.search(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()) is not None
