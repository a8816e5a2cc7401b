"""The checks of the Python specialist: one rule, its reasons and its cases per file."""
