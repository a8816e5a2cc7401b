"""The Python specialist's own checks, one rule in each file; ``table`` says which is asked when."""
