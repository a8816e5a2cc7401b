"""Definitions that a change removes, and the uses that remain."""
