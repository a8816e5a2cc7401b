"""Decisions over findings: the gate."""
