"""Statements from commits: their kinds, their sentences, dependencies, and what belongs together."""
