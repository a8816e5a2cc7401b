"""Syntax of this language, for the host and for checks."""
