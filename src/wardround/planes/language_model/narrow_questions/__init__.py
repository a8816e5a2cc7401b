"""Narrow questions about single lines: their data, the hunks that they are about, and a model's answers."""
