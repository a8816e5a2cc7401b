"""Parser of Python: tokens, tree, names."""
