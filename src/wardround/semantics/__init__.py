"""Meaning of code and documentation, for any language."""
