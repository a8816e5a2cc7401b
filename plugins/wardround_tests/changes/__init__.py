"""Checks of a change as a whole, one rule in each file; ``table`` says which is asked when."""
