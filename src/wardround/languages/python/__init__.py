"""Reader of Python: tokens, tree, names."""
