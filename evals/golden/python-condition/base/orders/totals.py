"""Totals of orders."""


def total(lines):
    """Return the sum of quantity times price."""
    return sum(quantity * price for quantity, price in lines)
