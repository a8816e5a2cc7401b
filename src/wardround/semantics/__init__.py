"""The meaning of code and documentation, for any language."""
