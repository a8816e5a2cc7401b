"""Checks of Python tests, one rule in each file; ``table`` says which is asked when."""
