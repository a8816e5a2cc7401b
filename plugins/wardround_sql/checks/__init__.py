"""The SQL specialist's own checks, one rule in each file; ``table`` says which files each is for."""
